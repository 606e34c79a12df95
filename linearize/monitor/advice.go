package monitor

import (
	"cmp"
	"fmt"
	"slices"

	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// An advised is a rule of class advice that was not followed, which is worth a warning and is not a violation.
type advised struct {
	trace.Warning
	again int // how often it was not followed after that
}

// advise records that advice was not followed in the present event. The first time is told.
func (m *Monitor) advise(rule, format string, args ...any) {
	m.adviseAt(m.now.Line, rule, format, args...)
}

// adviseAt records that advice was not followed in an earlier line.
func (m *Monitor) adviseAt(line int, rule, format string, args ...any) {
	a := m.advice[rule]
	if a != nil {
		a.again++
		return
	}
	m.advice[rule] = &advised{Warning: trace.Warning{Line: line, Text: rule + " (advice): " + fmt.Sprintf(format, args...)}}
}

// Advice returns a warning for each rule of class advice that was not followed, in the order of the trace.
func (m *Monitor) Advice() []trace.Warning {
	var all []trace.Warning
	for _, a := range m.advice {
		w := a.Warning
		if a.again > 0 {
			w.Text += fmt.Sprintf("; and %s more", verdict.Counted(a.again, "time"))
		}
		all = append(all, w)
	}
	slices.SortFunc(all, func(a, b trace.Warning) int { return cmp.Or(a.Line-b.Line, cmp.Compare(a.Text, b.Text)) })
	return all
}
