package monitor

import (
	"fmt"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// closeFails checks that no close fails, where A22 is read so: LIFE-12. A close whose object may be closed already, or may not exist, has to fail.
type closeFails struct {
	seldom
	m     *Monitor
	count *int
}

var _ = group(newCloseFails,
	rule{ID: "LIFE-12", On: on{"a close is answered, under A22=MUST NOT"}, OnlyNdk: true, Alone: true},
)

func newCloseFails(m *Monitor) checks {
	if m.dialect.Name != "ndkpi" || m.dialect.A22 != model.A22MustNot || m.header.Order == "partial" {
		return nothing{} // in a partial order another close may have come first
	}
	return &closeFails{m: m, count: m.counter("LIFE-12")}
}

// begin looks at a completion callback of a close. By the documentation it has no status.
func (f *closeFails) begin(c *Call, e *trace.Event) {
	if of := c.completes; of != nil && of.answers == 0 {
		f.check(of, e.Status != "" && !calls.ReportsSuccess(e), "completed with "+e.Status)
	}
}

// end looks at what a close returns. Those of adapters and of logical address mappings return nothing.
func (f *closeFails) end(c *Call, e *trace.Event) {
	if e.Status != "" && !calls.Pending(e) && c.answers == 0 {
		f.check(c, calls.IsRefusal(c.Verbs, e), "returned "+e.Status)
	}
}

func (f *closeFails) check(c *Call, failed bool, how string) {
	o := c.own()
	if c.role.closes == NoKind || o == nil || !o.exists || len(o.closes) != 1 || o.closes[0].by != c {
		return
	}
	if *f.count++; failed {
		f.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: "LIFE-12", See: []int{c.Begun.Line}, Objects: c.named(),
			Message: fmt.Sprintf("%s %s, and a close does not fail", c.name(), how)})
	}
}
