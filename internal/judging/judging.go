// Package judging has what tests of the engines share: the corpus and its rows, judgements of one engine, when two findings say the same, witnesses and
// what spoils them, and the traces of two hosts.
package judging

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// Environment returns a number that the environment may give.
func Environment(t *testing.T, name string, otherwise int) int {
	n, err := strconv.Atoi(cmp.Or(os.Getenv(name), strconv.Itoa(otherwise)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// Saying is what a report says, one finding a line.
func Saying(r *verdict.Report) string {
	text := string(r.Verdict)
	for i := range r.Findings {
		f := &r.Findings[i]
		text += fmt.Sprintf("\n  %s: %s of line %d, see %v: %s", f.Verdict, f.Rule, f.Line, f.See, f.Message)
	}
	return text
}

// EndsAtLook is a context that ends when Err is called for the Looks-th time.
type EndsAtLook struct {
	context.Context
	Looks  int
	Cancel func()
}

// Err counts the looks.
func (c *EndsAtLook) Err() error {
	if c.Looks--; c.Looks == 0 {
		c.Cancel()
	}
	return c.Context.Err()
}

// NothingIsLeft reports goroutines that a check has started, and that do not end with it.
func NothingIsLeft(t *testing.T, before int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(deadline); {
		runtime.Gosched()
	}
	if now := runtime.NumGoroutine(); now > before {
		t.Errorf("%d goroutines before the check, %d after it", before, now)
	}
}

// sameRule lists rules that one breach can be told by: each row is of rules that say the same of the same events.
var sameRule = [][]string{
	{"ARM-03", "ARM-04", "ARM-07", "ARM-08", "ARM-09", "ARM-10", "ARM-11"}, // a callback is owed, and was not entered
	{"ARM-01", "ARM-02", "ARM-08", "ARM-12", "ARM-21"},                     // a callback was entered, and none is owed
}

// Equivalent reports whether a finding is of the rule, or of one that says the same.
func Equivalent(f verdict.Finding, rule string) bool {
	return f.Rule == rule || slices.Contains(f.Also, rule) || slices.ContainsFunc(sameRule, func(same []string) bool {
		return slices.Contains(same, f.Rule) && slices.Contains(same, rule)
	})
}

// Stream judges a trace by the streaming engine.
func Stream(traced *trace.Trace, o linearize.Options) *verdict.Report {
	o.Engine = linearize.Streaming
	return linearize.Check(context.Background(), traced, o)
}
