package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ndkoracle/internal/commandline"
	"ndkoracle/linearize/cases"
	"ndkoracle/linearize/verdict"
	"ndkoracle/rules"
)

// coverage is what became of every rule, and how often each case was met, over all traces of a run.
type coverage struct {
	rules map[string]verdict.RuleCoverage
	cases *cases.Counts // nil where they were counted in no trace

	uncounted int // traces that were judged, and in which cases were not counted
}

// newCoverage knows which rules can be checked at all, before any trace was seen.
func newCoverage(checkable []string) *coverage {
	c := &coverage{rules: map[string]verdict.RuleCoverage{}}
	for _, rule := range rules.All() {
		c.rules[rule.ID] = verdict.RuleCoverage{Coverage: verdict.NotCheckable, Why: rule.WithoutCheck()}
		if slices.Contains(checkable, rule.ID) {
			c.rules[rule.ID] = verdict.RuleCoverage{Coverage: verdict.NotCheckable, Why: "no trace was judged"}
		}
	}
	return c
}

// More is known of a rule the further to the left.
var byKnowledge = []verdict.Coverage{
	verdict.Checked, verdict.Undecided, verdict.Vacuous, verdict.NotCheckable,
}

// add counts one trace. Of a rule that fared differently in several traces, what says most is kept.
func (c *coverage) add(report *verdict.Report) {
	for id, now := range report.Rules {
		before := c.rules[id]
		sum := before.Count + now.Count
		if slices.Index(byKnowledge, now.Coverage) <= slices.Index(byKnowledge, before.Coverage) {
			before = now
		}
		before.Count = sum
		c.rules[id] = before
	}
	if report.Cases == nil {
		if report.Rules != nil { // and it was judged
			c.uncounted++
		}
		return
	}
	if c.cases == nil {
		c.cases = &cases.Counts{}
	}
	for _, which := range cases.All() {
		c.cases.Add(which, report.Cases[which])
	}
}

// missingCoverage is a rule, group or case that was required and not exercised.
type missingCoverage struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

func (m missingCoverage) String() string {
	return fmt.Sprintf("coverage required and missing: %s (%s)", m.Name, m.Why)
}

// missing returns which of the required rules, groups and cases were not exercised. A group was when one of its rules was.
func (c *coverage) missing(required []string) []missingCoverage {
	var missing []missingCoverage
	for _, name := range required {
		if which, ok := cases.Get(name); ok {
			if why := c.missingCase(which); why != "" {
				missing = append(missing, missingCoverage{name, why})
			}
			continue
		}
		if rule, ok := c.rules[name]; ok {
			if rule.Coverage != verdict.Checked {
				missing = append(missing, missingCoverage{name, because(rule)})
			}
			continue
		}
		if !slices.ContainsFunc(rules.All(), func(r rules.Rule) bool {
			return r.Group == name && c.rules[r.ID].Coverage == verdict.Checked
		}) {
			missing = append(missing, missingCoverage{name, "none of its rules was exercised"})
		}
	}
	return missing
}

// missingCase says why a case does not count as met, or returns "".
func (c *coverage) missingCase(which cases.Case) string {
	switch {
	case c.cases == nil:
		return uncounted
	case c.cases[which].AtLeast > 0:
		return ""
	case c.cases[which].AtMost > 0:
		return "it may have been met, and the traces do not tell"
	}
	return "never met" + c.butUncounted()
}

// butUncounted says in how many traces cases were not counted, if in any.
func (c *coverage) butUncounted() string {
	if c.uncounted == 0 {
		return ""
	}
	return fmt.Sprintf("; in %d of the traces cases are not counted", c.uncounted)
}

const uncounted = "cases are counted by the streaming engine alone, where the order of events is told"

func because(rule verdict.RuleCoverage) string {
	if rule.Why == "" {
		return string(rule.Coverage)
	}
	return fmt.Sprintf("%s: %s", rule.Coverage, rule.Why)
}

// lines describes the coverage in a line a group, then the reasons that the lines point to by a letter.
func (c *coverage) lines() []string {
	total := map[verdict.Coverage]int{}
	var reasons []string
	var groups []string
	for _, group := range rules.Groups() {
		var parts []string
		for _, kind := range []verdict.Coverage{
			verdict.Checked, verdict.Vacuous, verdict.Undecided, verdict.NotCheckable,
		} {
			members := c.members(group, kind)
			total[kind] += len(members)
			if len(members) > 0 {
				parts = append(parts, string(kind)+c.list(kind, members, &reasons))
			}
		}
		groups = append(groups, fmt.Sprintf("  %-6s%s", group, strings.Join(parts, "; ")))
	}
	lines := []string{fmt.Sprintf("rules: %d checked, %d vacuous (never exercised), %d inconclusive, %d not checkable",
		total[verdict.Checked], total[verdict.Vacuous], total[verdict.Undecided], total[verdict.NotCheckable])}
	lines = append(lines, groups...)
	for i, reason := range reasons {
		lines = append(lines, fmt.Sprintf("  %s = %s", letter(i), reason))
	}
	return append(lines, c.caseLines()...)
}

// caseLines describes the cases in a line for those that were met, one for those that may have been, and one for those that never were.
func (c *coverage) caseLines() []string {
	if c.cases == nil {
		return []string{"cases: not counted (" + uncounted + ")"}
	}
	var met, perhaps, never []string
	for _, which := range cases.All() {
		switch n := c.cases[which]; {
		case n.AtLeast > 0 && n.AtMost > n.AtLeast:
			met = append(met, fmt.Sprintf("%s×%d-%d", which.ID(), n.AtLeast, n.AtMost))
		case n.AtLeast > 0:
			met = append(met, fmt.Sprintf("%s×%d", which.ID(), n.AtLeast))
		case n.AtMost > 0:
			perhaps = append(perhaps, fmt.Sprintf("%s×0-%d", which.ID(), n.AtMost))
		default:
			never = append(never, which.ID())
		}
	}
	lines := []string{fmt.Sprintf("cases: %d met, %d perhaps, %d never%s", len(met), len(perhaps), len(never), c.butUncounted())}
	for _, l := range []struct {
		title string
		cases []string
	}{{"met", met}, {"perhaps", perhaps}, {"never", never}} {
		if len(l.cases) == 0 {
			continue
		}
		for _, line := range commandline.Wrap(strings.Join(l.cases, " "), textWidth-10) {
			lines = append(lines, fmt.Sprintf("  %-8s%s", l.title, line))
			l.title = ""
		}
	}
	return lines
}

func (c *coverage) members(group string, kind verdict.Coverage) []string {
	var members []string
	for _, rule := range rules.All() {
		if rule.Group == group && c.rules[rule.ID].Coverage == kind {
			members = append(members, rule.ID)
		}
	}
	return members
}

// list names the members by their numbers: with counts where they were checked (04×12), in runs (13-15) elsewhere, and
// each reason's letter before those it holds for.
func (c *coverage) list(kind verdict.Coverage, members []string, reasons *[]string) string {
	var text strings.Builder
	if kind == verdict.Checked {
		for _, id := range members {
			fmt.Fprintf(&text, " %s×%d", number(id), c.rules[id].Count)
		}
		return text.String()
	}
	byReason := map[string][]string{}
	var order []string
	for _, id := range members {
		why := c.rules[id].Why
		if byReason[why] == nil {
			order = append(order, why)
		}
		byReason[why] = append(byReason[why], id)
	}
	for _, why := range order {
		if why != "" {
			if !slices.Contains(*reasons, why) {
				*reasons = append(*reasons, why)
			}
			fmt.Fprintf(&text, " [%s]", letter(slices.Index(*reasons, why)))
		}
		text.WriteString(runs(byReason[why]))
	}
	return text.String()
}

func number(id string) string {
	_, digits, _ := strings.Cut(id, "-")
	return digits
}

// runs writes 13, 14, 15, 18 as 13-15 18.
func runs(ids []string) string {
	var numbers []int
	for _, id := range ids {
		n, _ := strconv.Atoi(number(id)) // an id of the rulebook, whose test keeps the form
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	var text strings.Builder
	for i := 0; i < len(numbers); {
		end := i
		for end+1 < len(numbers) && numbers[end+1] == numbers[end]+1 {
			end++
		}
		fmt.Fprintf(&text, " %02d", numbers[i])
		if end > i {
			fmt.Fprintf(&text, "-%02d", numbers[end])
		}
		i = end + 1
	}
	return text.String()
}

func letter(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return "z" + strconv.Itoa(i)
}
