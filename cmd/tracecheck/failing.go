package main

import (
	"maps"
	"slices"
	"strings"

	"ndkoracle/internal/commandline"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// failNames are the words of --fail-on, each with the verdict of the findings on which a run fails.
var failNames = map[string]verdict.Verdict{
	"provider": verdict.ProviderViolation, "consumer": verdict.ConsumerViolation, "inconclusive": verdict.Inconclusive,
}

// failOn reads an argument of --fail-on.
func (s *settings) failOn(text string) error {
	s.passing, s.adviceFails = slices.Collect(maps.Values(failNames)), false
	if text == "none" {
		return nil
	}
	for name := range strings.SplitSeq(text, ",") {
		if name == "advice" {
			s.adviceFails = true
			continue
		}
		v, known := failNames[name]
		if !known {
			return commandline.UsageError("must be some of provider, consumer, inconclusive, advice, separated by commas, or none")
		}
		s.passing = slices.DeleteFunc(s.passing, func(p verdict.Verdict) bool { return p == v })
	}
	return nil
}

// exitOf returns the exit code that a result asks for. It is that of its verdict, unless --fail-on and --baseline say that what the verdict rests on
// does not fail the run. Advice that was not followed fails it as a violation does, where --fail-on has advice.
func (s *settings) exitOf(r *result) int {
	code := s.exitOfVerdict(r)
	if s.adviceFails && slices.ContainsFunc(r.warnings(), func(w trace.Warning) bool { return advised(w) != "" && !s.knownAdvice(r, w) }) {
		return worseOf(code, exitViolation)
	}
	return code
}

// passesQuietly reports whether text and tables omit a result with --quiet: it is conformant, and nothing is warned of but what the baseline has.
func (s *settings) passesQuietly(r *result) bool {
	warns := slices.ContainsFunc(r.warnings(), func(w trace.Warning) bool { return !s.knownAdvice(r, w) })
	return s.quiet && r.code == exitConformant && !warns
}

func (s *settings) exitOfVerdict(r *result) int {
	if r.code != exitViolation && r.code != exitInconclusive {
		return r.code
	}
	restsOn := restsOn(r)
	if restsOn == nil && !slices.Contains(s.passing, r.report.Verdict) {
		return r.code
	}
	code := exitConformant
	for _, f := range restsOn {
		if s.fails(r, f) {
			code = worseOf(code, verdictCodes[countsAs(r, f)])
		}
	}
	return code
}

// restsOn returns the findings that the verdict of a result may rest on: those that follow from no other one, or all where each may follow from
// another one, in the trace of another host.
func restsOn(r *result) []*verdict.Finding {
	var first, all []*verdict.Finding
	for i := range r.report.Findings {
		f := &r.report.Findings[i]
		if all = append(all, f); f.Follows == nil {
			first = append(first, f)
		}
	}
	if first == nil {
		return all
	}
	return first
}

// fails reports whether a finding fails the run.
func (s *settings) fails(r *result, f *verdict.Finding) bool {
	return !slices.Contains(s.passing, countsAs(r, f)) && !s.known(r, f)
}

// countsAs returns the verdict that a finding counts as: its own, or where it may follow from another one that of the trace.
func countsAs(r *result, f *verdict.Finding) verdict.Verdict {
	if f.Follows != nil {
		return r.report.Verdict
	}
	return f.Verdict
}
