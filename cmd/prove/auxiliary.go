package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"ndkoracle/internal/prove"
	"ndkoracle/internal/tlc"
)

// elsewhere says in which configurations of TLC the auxiliary invariants of a file are checked besides those of the claims: where the
// claims have a configuration of their own, or a large one, or one in which an invariant says nothing.
var elsewhere = map[string][]string{
	"proof/Ndk":     {"Ndk-tokens", "Ndk-mishaps", "Ndk-own", "Ndk-apart", "Ndk-close", "Ndk-ndspi", "Ndk-verbs-reads", "Ndk-resize", "Ndk-connect"},
	"proof/NdkOnce": {"Ndk-tokens", "Ndk-token-dies", "Ndk-undefined-peer"},
	"proof/QP":      {"QP-two-posts", "QP-ended", "QP-ndspi"},
	"proof/CQ":      {"CQ-ndkpi-readings-one-must", "CQ-reading-A26-old"}, // OneIsOwed (A2), UncountedIsOld (A26)
}

// auxiliaries returns, by configuration of TLC, the auxiliary invariants that it has to check: each is checked somewhere, in a
// configuration that is small enough.
func auxiliaries(checker *prove.Checker, claims []prove.Claim, manifest []tlc.Configuration) (map[string][]prove.Auxiliary, error) {
	found := map[string][]prove.Auxiliary{}
	checked := map[string]bool{}
	add := func(configuration string, list prove.Auxiliary) bool {
		i := slices.IndexFunc(manifest, func(c tlc.Configuration) bool { return c.Name == configuration })
		if i < 0 || manifest[i].States > mostStates {
			return false
		}
		if !slices.ContainsFunc(found[configuration], func(x prove.Auxiliary) bool { return x.Of == list.Of }) {
			found[configuration] = append(found[configuration], list)
		}
		checked[list.Of] = true
		return true
	}
	for _, claim := range claims {
		if claim.Kind != prove.Safety || claim.Verdict != prove.Proved {
			continue
		}
		lists, err := checker.Auxiliaries(claim)
		if err != nil {
			return nil, err
		}
		for _, list := range lists {
			if !claim.More {
				add(claim.Configuration, list)
			}
			for _, configuration := range elsewhere[claim.Over] {
				if !add(configuration, list) {
					return nil, fmt.Errorf("the auxiliary invariants of %s are to be checked in %s, and TLC has no such configuration of up to %d states",
						list.Of, configuration, mostStates)
				}
			}
		}
	}
	for _, claim := range claims {
		lists, err := checker.Auxiliaries(claim)
		if err != nil {
			return nil, err
		}
		for _, list := range lists {
			if !checked[list.Of] {
				return nil, fmt.Errorf("no configuration of TLC checks the auxiliary invariants of %s, which %s supposes", list.Of, claim.Name)
			}
		}
	}
	return found, nil
}

// ofChecks is a line of a configuration that says what TLC is to check.
var ofChecks = regexp.MustCompile(`(?m)^(INVARIANT|PROPERT).*\n`)

// auxiliary has TLC check the auxiliary invariants in a configuration, with the form of the variables and
// what is supposed of the constants. It must find as many states as without.
func auxiliary(ctx context.Context, checker *prove.Checker, runner tlc.Runner, c tlc.Configuration, of prove.Auxiliary) (string, error) {
	module := cmp.Or(of.Module, proofModules[c.Module][0])
	names := append([]string{"Shape", "Bounds"}, of.Invariants...)
	text, err := os.ReadFile(filepath.Join(runner.Dir, c.Cfg()))
	if err != nil {
		return "", err
	}
	folder, err := os.MkdirTemp(runner.Build, "auxiliary")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	for _, pattern := range []string{"*.tla", filepath.Join("proof", "*.tla")} {
		files, err := filepath.Glob(filepath.Join(runner.Dir, pattern))
		if err != nil {
			return "", err
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err == nil {
				err = os.WriteFile(filepath.Join(folder, filepath.Base(file)), data, 0o644)
			}
			if err != nil {
				return "", err
			}
		}
	}
	largest := int64(1)
	if len(of.Free) > 0 { // each number may be the one
		p, err := checker.Load(ctx, prove.Claim{Name: c.Name, Kind: prove.Safety, Modules: proofModules[c.Module], Configuration: c.Name})
		if err != nil {
			return "", err
		}
		largest = p.Largest()
	}
	runner.Dir, runner.Build = folder, filepath.Join(folder, "output")
	for n := int64(1); n <= largest; n++ {
		cfg := ofChecks.ReplaceAllString(string(text), "") + "INVARIANTS " + strings.Join(names, " ") + "\n"
		for _, k := range of.Free {
			cfg += fmt.Sprintf("CONSTANT %s = %d\n", k, n)
		}
		if err := os.WriteFile(filepath.Join(folder, "Auxiliary.cfg"), []byte(cfg), 0o644); err != nil {
			return "", err
		}
		result, err := runner.Run(ctx, tlc.Configuration{Name: "Auxiliary", Module: module})
		switch {
		case err != nil:
			return "", err
		case result.Verdict != tlc.Pass:
			return "", fmt.Errorf("TLC: %s %s %v", result.Verdict, result.Property, result.Errors)
		case result.States != c.States:
			return "", fmt.Errorf("TLC found %d states, pinned are %d", result.States, c.States)
		}
	}
	return fmt.Sprintf("TLC finds no state that breaks one of the %d auxiliary invariants of %s", len(names), of.Of), nil
}
