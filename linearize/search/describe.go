package search

import (
	"fmt"
	"slices"
	"strings"

	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// describeAll describes the explanations that were alive, a line each and no two alike, the furthest first, and no more than a
// few; and what each would have allowed in place of an event.
func (c *component) describeAll(nodes []*node, event *operation) (before, instead []string) {
	nodes = slices.Clone(nodes)
	slices.SortStableFunc(nodes, func(a, b *node) int { return b.state.progress() - a.state.progress() })
	seen := map[[2]string]bool{}
	for _, n := range nodes {
		told := [2]string{c.describe(n.state), c.instead(n.state, event)}
		if seen[told] {
			continue
		}
		seen[told] = true
		if len(before) == verdict.MaxDescribed {
			return append(before, "and others"), append(instead, "")
		}
		before, instead = append(before, told[0]), append(instead, told[1])
	}
	return before, instead
}

func (c *component) describe(s state) string {
	var parts []string
	notice := verdict.Notice(&c.contract.Dialect)
	for i, q := range s.model.Cqs {
		part := fmt.Sprintf("%s: armed %v, %s (%d placed since the last %s), %s owed",
			c.cqs[i].name, q.Arm, verdict.Counted(len(q.Entries), "completion"), q.Fresh, notice, verdict.Counted(q.Due, notice))
		if q.Running {
			part += ", one running"
		}
		if q.Health != model.OK {
			part += ", " + q.Health.String()
		}
		if q.Open != model.Open {
			part += ", " + q.Open.String()
		}
		parts = append(parts, part)
	}
	for i, p := range s.model.Qps {
		if len(p.Initiator)+len(p.Receive) > 0 || p.State != model.Connected {
			parts = append(parts, fmt.Sprintf("%s: %v, %s and %s pending", c.qps[i].name, p.State,
				verdict.Counted(len(p.Initiator), "initiator request"), verdict.Counted(len(p.Receive), "receive")))
		}
	}
	return strings.Join(parts, "; ")
}
