package main

import (
	"context"
	"strings"
	"testing"

	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// A rule or group that no trace exercised makes an acceptance inconclusive, over all traces of the run together.
func TestRequireCoverage(t *testing.T) {
	for _, given := range []struct {
		words    []string
		coverage string
		code     int
		want     string
	}{
		{[]string{"conformant"}, "ARM", 0, ""},
		{[]string{"conformant"}, "ARM-01,ARM", 0, ""},
		{[]string{"conformant"}, "DEF", 4, "DEF (none of its rules was exercised)"},
		{[]string{"conformant"}, "DEF-03", 4, "DEF-03 (vacuous)"},
		{[]string{"conformant"}, "ARM-02", 4, "ARM-02 (inconclusive: the trace has no end)"},
		{[]string{"conformant"}, "MEM-01", 4, "MEM-01 (not checkable: no engine of this program checks it yet)"},
		{[]string{"conformant"}, "ARM-11", 4, "ARM-11 (not checkable"},
		{[]string{"conformant", "provider"}, "ARM-11", 1, ""},
		{[]string{"conformant", "provider"}, "DEF", 1, "DEF (none"},
		{[]string{"malformed"}, "ARM-01", 3, "ARM-01 (not checkable: no trace was judged)"},
		{[]string{"conformant"}, "ARM-07/NONE+ANY", 0, ""},
		{[]string{"conformant"}, "ARM-04/MATCH", 4, "ARM-04/MATCH (it may have been met, and the traces do not tell)"},
		{[]string{"conformant"}, "DEF-05/THIRD", 4, "DEF-05/THIRD (never met)"},
		{[]string{"malformed"}, "DEF-05/THIRD", 3, "DEF-05/THIRD (cases are counted by the streaming engine alone"},
	} {
		b := newBench(t)
		code := b.do(append(files(t, given.words...), "--require-coverage", given.coverage)...)
		if code != given.code || !strings.Contains(b.out.String(), given.want) ||
			(given.want == "") == strings.Contains(b.out.String(), "required and missing") {
			t.Errorf("%+v: exit %d\n%s", given, code, &b.out)
		}
	}
}

// The text tells how often cases were met, over all traces of the run, and says so where nothing counts them.
func TestCasesAreTold(t *testing.T) {
	b := newBench(t)
	b.do(files(t, "conformant", "provider")...)
	for _, want := range []string{"cases: 2 met, 1 perhaps, 37 never\n", "  met     ARM-05/NOTHING×2-6 ARM-07/NONE+ANY×2\n", "  perhaps ARM-04/MATCH×0-2\n",
		"  never   ARM-05/OTHERS ARM-06/ARM"} {
		if !strings.Contains(b.out.String(), want) {
			t.Errorf("no %q in\n%s", want, &b.out)
		}
	}
	check := b.program.check
	b.program.check = func(ctx context.Context, t *trace.Trace, o linearize.Options) *verdict.Report {
		r := check(ctx, t, o)
		r.Cases = nil
		return r
	}
	if b.do(files(t, "conformant")...); !strings.Contains(b.out.String(), "cases: not counted (") {
		t.Errorf("nothing says that no case was counted:\n%s", &b.out)
	}
	b.program.check = func(ctx context.Context, t *trace.Trace, o linearize.Options) *verdict.Report {
		r := check(ctx, t, o)
		if r.Verdict == verdict.ProviderViolation {
			r.Cases = nil
		}
		return r
	}
	b.do(append(files(t, "conformant", "provider"), "--require-coverage", "DEF-05/THIRD")...)
	for _, want := range []string{"cases: 2 met, 1 perhaps, 37 never; in 1 of the traces cases are not counted\n",
		"DEF-05/THIRD (never met; in 1 of the traces cases are not counted)"} {
		if !strings.Contains(b.out.String(), want) {
			t.Errorf("no %q in\n%s", want, &b.out)
		}
	}
	if b.do("explain", "arm-07/any+any"); strings.Count(b.out.String(), "ARM-07/") != 12 {
		t.Errorf("explain does not list the 12 cells of the merge table:\n%s", &b.out)
	}
}

// Over several traces a rule counts as what says most of it, in whatever order they come.
func TestCoverageOfSeveralTraces(t *testing.T) {
	kinds := []verdict.Coverage{verdict.Checked, verdict.Undecided, verdict.Vacuous, verdict.NotCheckable}
	for i, more := range kinds {
		for _, less := range kinds[i:] {
			for _, order := range [][]verdict.Coverage{{more, less}, {less, more}} {
				c := newCoverage(nil)
				for _, kind := range order {
					c.add(&verdict.Report{Rules: map[string]verdict.RuleCoverage{"ARM-01": {Coverage: kind, Count: 3}}})
				}
				if got := c.rules["ARM-01"]; got.Coverage != more || got.Count != 6 {
					t.Errorf("%v: %+v", order, got)
				}
			}
		}
	}
	if got := newCoverage(nil).rules["ARM-01"].Coverage; got != verdict.NotCheckable {
		t.Errorf("a rule that no report names counts as %q", got)
	}
}
