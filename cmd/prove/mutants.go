package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ndkoracle/internal/mutate"
	"ndkoracle/internal/prove"
)

// mutants changes the specification, one definition at a time, in a sample of the edits of tla/mutants.tsv: a claim must fail that has
// a property which finds the edit in TLC's configuration, and one must stay proved where the edit is the same for a reason.
func mutants(ctx context.Context, o options, checker *prove.Checker, claims []prove.Claim) (bad int, err error) {
	begun := time.Now()
	edits, err := mutate.ReadEdits(o.dir)
	if err != nil {
		return 0, err
	}
	type mutant struct {
		mutate.Edit
		claims []prove.Claim // of the configuration
	}
	var all []mutant
	var found, same count
	for _, e := range edits {
		if e.Found == mutate.ByGraph || !o.only.MatchString(e.String()) {
			continue
		}
		of, err := claimsOn(checker, claims, e)
		if err != nil {
			return 0, err
		}
		kind := &same
		if e.IsFound() {
			kind = &found
		}
		kind.all++
		if len(of) > 0 {
			kind.claimed++
			all = append(all, mutant{e, of})
		}
	}
	r := rand.New(rand.NewPCG(o.seed, 0))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:min(len(all), o.mutants)]
	type outcome struct {
		found string
		err   error
	}
	each(all, func(m mutant) (r outcome) {
		for _, claim := range m.claims {
			if r.found, r.err = changed(ctx, o, checker, m.Edit, claim); r.err != nil || r.found != "" {
				break
			}
		}
		return r
	}, func(m mutant, r outcome) {
		word := "found: " + r.found
		switch {
		case r.err != nil:
			word = "NOT DECIDED: " + r.err.Error()
			bad++
		case m.IsFound() && r.found == "":
			word = "NOT FOUND, though " + m.Found + " breaks in TLC"
			bad++
		case !m.IsFound() && r.found != "":
			word = "FOUND, though nothing is different: " + r.found
			bad++
		case r.found == "":
			word = "stays proved: " + m.Why
		}
		fmt.Printf("%s, %s: %s\n", m.Configuration, m.Edit, word)
	})
	if err := ctx.Err(); err != nil {
		return bad, err
	}
	fmt.Printf("%d mutants of %d, %d not as expected, %.0f s\n", len(all), found.claimed+same.claimed, bad, time.Since(begun).Seconds())
	fmt.Printf("%v mutants that a property finds, and %v that are the same for a reason, have a claim\n", found, same)
	return bad, nil
}

// count is how many mutants have a claim.
type count struct{ claimed, all int }

func (c count) String() string { return fmt.Sprintf("%d of %d", c.claimed, c.all) }

// claimsOn returns the claims about the configuration of an edit; if there are none, those that cover it: of an edit that TLC finds, with
// the property that finds it; of one that is the same, the first one.
func claimsOn(checker *prove.Checker, claims []prove.Claim, e mutate.Edit) (of []prove.Claim, err error) {
	proved := func(c prove.Claim) bool { return c.Kind == prove.Safety && c.Verdict == prove.Proved }
	for _, c := range claims {
		if proved(c) && c.Configuration == e.Configuration {
			of = append(of, c)
		}
	}
	if len(of) > 0 {
		return of, nil
	}
	for _, name := range strings.Split(e.Configuration, ",") {
		for _, c := range claims {
			if !proved(c) || slices.ContainsFunc(of, func(x prove.Claim) bool { return x.Name == c.Name }) {
				continue
			}
			var covers bool
			if e.IsFound() {
				covers, err = checker.Covers(c, name, e.Found)
			} else {
				covers, err = checker.General(c, name)
			}
			if err != nil {
				return nil, err
			}
			if covers {
				of = append(of, c)
			}
		}
	}
	if !e.IsFound() && len(of) > 0 {
		of = of[:1]
	}
	return of, nil
}

// changed decides a claim of the changed specification, and returns what breaks.
func changed(ctx context.Context, o options, checker *prove.Checker, e mutate.Edit, claim prove.Claim) (string, error) {
	folder, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	text, err := os.ReadFile(filepath.Join(o.dir, e.Module+".tla"))
	if err != nil {
		return "", err
	}
	edited, err := e.Apply(string(text))
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(folder, e.Module+".tla"), []byte(edited), 0o644); err != nil {
		return "", err
	}
	reader := checker.Reader
	reader.Folders = append([]string{folder}, reader.Folders...)
	mutated := prove.Checker{Folder: checker.Folder, Reader: reader, Solvers: checker.Solvers, Limit: checker.Limit}
	if e.IsFound() {
		return mutated.Breaks(ctx, claim, e.Found)
	}
	result, err := mutated.Check(ctx, claim)
	if err != nil || len(result.Failures) == 0 {
		return "", err
	}
	return result.Failures[0].Step + " may break " + result.Failures[0].Property, nil
}
