package counterexample

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ndkoracle/internal/tlc"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model/mc"
	"ndkoracle/trace"
)

var walks = flag.Int("walks", 4, "random walks of each configuration, by seed from 1")

// Whatever the model does of itself, the judge finds no fault with the provider: each walk through a configuration is told
// as a trace, and judged by the contract of its dialect (all rules of the model).
func TestWalksAreConformant(t *testing.T) {
	tla := filepath.Join("..", "..", "tla")
	manifest, err := tlc.ReadManifest(tla)
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, c := range manifest {
		if !strings.HasPrefix(c.Module, "MC") || strings.Contains(c.Name, "reading") || strings.Contains(c.Name, "device") {
			continue // other contracts than those that a dialect's name stands for
		}
		if c.Module == "MCSharedReceiveQueue" {
			continue // without a CQ there is nothing to poll: it is not told as a trace
		}
		machine, err := mc.Read(os.DirFS(tla), c.Module, c.Name)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(*walks) {
			example := walk(machine, c.Name, seed+1)
			var file bytes.Buffer
			if err := Write(&file, example); errors.Is(err, errHasNo) && hasOtherSteps[c.Name] {
				break
			} else if err != nil {
				t.Errorf("%s, seed %d: %v", c.Name, seed+1, err)
				break
			}
			told++
			text := file.String()
			read, err := trace.Read(c.Name, &file, 0)
			if err != nil {
				t.Fatalf("%s, seed %d: %v\n%s", c.Name, seed+1, err, text)
			}
			for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
				report := linearize.Check(context.Background(), read, linearize.Options{Engine: engine})
				if report.Verdict == verdict.ProviderViolation {
					f := report.Findings[0]
					t.Errorf("%s, seed %d, engine %s: line %d: %s: %s\n%s", c.Name, seed+1, engine, f.Line, f.Rule, f.Message, text)
				}
			}
		}
	}
	if told < 100 {
		t.Errorf("only %d walks were told", told)
	}
}

// hasOtherSteps are the configurations of libibverbs in which steps are taken that the contract allows and no call of libibverbs stands for: a disconnect,
// and a request that makes a token valid.
var hasOtherSteps = map[string]bool{"Ndk-verbs-uc-broken": true, "Ndk-verbs-uc-token": true}

// walk takes steps at random, until there is none or enough were taken.
func walk(machine *mc.Machine, name string, seed uint64) Example {
	random := rand.New(rand.NewPCG(seed, 0))
	example := Of(name, machine)
	init := machine.Init()
	m := init[random.IntN(len(init))]
	actions, variables := machine.Actions(), machine.Variables()
	for len(example.Steps) < 40 {
		type next struct {
			action int
			mc.Moment
		}
		var all []next
		for a, to := range machine.Next(m) {
			// A judge takes an internal error for one that the CQ reported: whatever a CQ did could be put down to others.
			if !strings.HasPrefix(actions[a], "MCInternalError") {
				all = append(all, next{a, to})
			}
		}
		if len(all) == 0 {
			break
		}
		took := all[random.IntN(len(all))]
		m = took.Moment
		s := Step{Action: actions[took.action], After: map[string]string{}}
		for i, v := range variables {
			s.After[v] = machine.Value(m, i)
		}
		example.Steps = append(example.Steps, s)
	}
	return example
}
