package linearize

import (
	"fmt"
	"slices"
	"strings"

	"ndkoracle/model"
)

const maxDescribed = 4

// describeAll tells the explanations that were alive, a line each and no two alike, the furthest first, and no more than a
// few.
func (c *component) describeAll(nodes []*node) []string {
	nodes = slices.Clone(nodes)
	slices.SortStableFunc(nodes, func(a, b *node) int { return b.state.progress() - a.state.progress() })
	var lines []string
	for _, n := range nodes {
		line := c.describe(n.state)
		if slices.Contains(lines, line) {
			continue
		}
		if len(lines) == maxDescribed {
			return append(lines, "and others")
		}
		lines = append(lines, line)
	}
	return lines
}

func (c *component) describe(s state) string {
	var parts []string
	for i, q := range s.model.Cqs {
		part := fmt.Sprintf("%s: armed %v, %s (%d placed since the last callback), %s owed",
			c.cqs[i].name, q.Arm, counted(len(q.Entries), "completion"), q.Fresh, counted(q.Due, "callback"))
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
				counted(len(p.Initiator), "initiator request"), counted(len(p.Receive), "receive")))
		}
	}
	return strings.Join(parts, "; ")
}
