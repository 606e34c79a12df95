package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ndkoracle/linearize/verdict"
)

const (
	findingsShown = 20 // of one trace
	repeatsShown  = 3  // of one rule: a bug in a loop is found once a turn
	linesShown    = 10 // of what is not shown
)

// A remainder is the findings of one rule that are counted, and not shown.
type remainder struct {
	rule  string // or the verdict, where there is no rule
	lines []int  // none is 0
	count int
}

// shown returns the findings that text, the picture and GitHub show, and a remainder for each rule that has more. It counts findings that may only follow
// from others apart from the rest.
func (r *result) shown() (shown []*verdict.Finding, rest []*remainder) {
	type kind struct {
		rule    string
		follows bool
	}
	seen, left := map[kind]int{}, map[string]*remainder{}
	for i := range r.report.Findings {
		f := &r.report.Findings[i]
		rule := cmp.Or(f.Rule, string(f.Verdict))
		k := kind{rule, f.Follows != nil}
		if seen[k]++; seen[k] <= repeatsShown && len(shown) < findingsShown {
			shown = append(shown, f)
			continue
		}
		if left[rule] == nil {
			left[rule] = &remainder{rule: rule}
			rest = append(rest, left[rule])
		}
		left[rule].count++
		if f.Line > 0 {
			left[rule].lines = append(left[rule].lines, f.Line)
		}
	}
	return shown, rest
}

// String describes how many findings are not shown, and where the first of them are.
func (m *remainder) String() string {
	text := fmt.Sprintf("and %d more of %s", m.count, m.rule)
	var lines []string
	for _, line := range slices.Sorted(slices.Values(m.lines))[:min(len(m.lines), linesShown)] {
		lines = append(lines, fmt.Sprint(line))
	}
	switch {
	case len(m.lines) > linesShown:
		text += ", the first at lines " + strings.Join(lines, ", ")
	case len(lines) == 1:
		text += ", at line " + lines[0]
	case len(lines) > 1:
		text += ", at lines " + strings.Join(lines, ", ")
	}
	return text + "; --format json has all"
}
