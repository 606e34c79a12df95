package main

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"ndkoracle/internal/commandline"
	"ndkoracle/linearize"
	"ndkoracle/linearize/cases"
	"ndkoracle/linearize/declared"
	"ndkoracle/rules"
)

// explain prints rules and readings in full.
func (p *program) explain(out *bufio.Writer, names []string) error {
	if len(names) == 0 {
		return commandline.UsageError("explain needs a rule, such as ARM-04, a group, such as ARM, or a reading, such as A4")
	}
	for i, name := range names {
		if i > 0 {
			fmt.Fprintln(out)
		}
		id := strings.ToUpper(name)
		if which, ok := cases.Get(id); ok {
			id = which.Rule()
		}
		if rule, ok := rules.Get(id); ok {
			p.explainRule(out, rule)
		} else if reading, ok := rules.GetReading(id); ok {
			explainReading(out, reading)
		} else if slices.Contains(rules.Groups(), id) {
			explainGroup(out, id)
		} else {
			return commandline.UsageError("%q is not a rule, a group or a reading; %s", name, meantRule(id))
		}
	}
	return nil
}

var ruleNumber = regexp.MustCompile(`^([A-Z]+)-?0*(\d+)$`)

// meantRule says what may have been meant by an id that is unknown: a rule without its zeros or its dash, another rule of the group, or a group.
func meantRule(id string) string {
	if parts := ruleNumber.FindStringSubmatch(id); parts != nil && slices.Contains(rules.Groups(), parts[1]) {
		if _, ok := rules.Get(fmt.Sprintf("%s-%02s", parts[1], parts[2])); ok {
			return fmt.Sprintf("did you mean %s-%02s?", parts[1], parts[2])
		}
		return fmt.Sprintf("\"tracecheck explain %s\" lists the rules of %s", parts[1], parts[1])
	}
	return fmt.Sprintf("\"tracecheck rules\" lists the rules, and the groups are %s", strings.Join(rules.Groups(), ", "))
}

// explainGroup lists the rules of a group.
func explainGroup(out io.Writer, group string) {
	paragraph(out, "", group, rules.GroupTitle(group))
	fmt.Fprintln(out)
	for _, rule := range rules.All() {
		if rule.Group == group {
			paragraph(out, "  ", rule.ID, fmt.Sprintf("%s (%s, %s)", rule.Text, rule.Who, rule.Class))
		}
	}
}

func (p *program) explainRule(out io.Writer, rule rules.Rule) {
	paragraph(out, "", rule.ID, rule.Text)
	fmt.Fprintln(out)
	paragraph(out, "  ", "group", rule.Group+", "+rules.GroupTitle(rule.Group))
	paragraph(out, "  ", "who", string(rule.Who))
	paragraph(out, "  ", "class", fmt.Sprintf("%s: %s", rule.Class, rule.Class.Meaning()))
	paragraph(out, "  ", "source", rule.Source)
	if rule.Ambiguity != "" {
		paragraph(out, "  ", "open", rule.Ambiguity)
	}
	checked := rule.WithoutCheck()
	if slices.Contains(p.checkable(), rule.ID) {
		checked = "tracecheck, in traces that exercise it" + occasionsOf(rule.ID)
	}
	paragraph(out, "  ", "checked", checked)
	title := "cases"
	for _, which := range cases.All() {
		if which.Rule() == rule.ID {
			paragraph(out, "  ", title, which.ID()+": "+which.Text())
			title = ""
		}
	}
	for _, id := range rule.Readings {
		reading, _ := rules.GetReading(id) // the rulebook's test keeps the reference
		fmt.Fprintln(out)
		explainReading(out, reading)
	}
}

// occasionsOf says what in a trace exercises a rule that is declared.
func occasionsOf(id string) string {
	d := declared.Get(id)
	if d == nil {
		return ""
	}
	text := ": "
	for i, o := range d.On {
		if i > 0 {
			text += "; or "
		}
		text += string(o)
	}
	return text
}

func explainReading(out io.Writer, reading rules.Reading) {
	paragraph(out, "", reading.ID, reading.Question)
	fmt.Fprintln(out)
	paragraph(out, "  ", "default", reading.Default)
	paragraph(out, "  ", "strict", reading.Strict)
	choices := "only the default is built"
	switch {
	case reading.Choices == nil:
	case !linearize.Takes(reading.ID):
		choices = fmt.Sprintf("traces are judged by the default only; tla/ has %s", strings.Join(reading.Choices, ", "))
	default:
		choices = fmt.Sprintf("--assume %s=VALUE, one of %s; the first is the default",
			reading.ID, strings.Join(reading.Choices, ", "))
	}
	paragraph(out, "  ", "choices", choices)
}

// paragraph writes text in a column beside its title.
func paragraph(out io.Writer, indent, title, text string) {
	const column = 12
	for _, line := range commandline.Wrap(text, textWidth-column) {
		fmt.Fprintf(out, "%s%-*s%s\n", indent, column-len(indent), title, line)
		title = ""
	}
}

// listRules lists the rules of the groups that are named, or of all.
func (p *program) listRules(out *bufio.Writer, format string, groups []string) error {
	for _, group := range groups {
		if rules.GroupTitle(group) == "" {
			return commandline.UsageError("%q is not a group; the groups are %s", group, strings.Join(rules.Groups(), ", "))
		}
	}
	if len(groups) == 0 {
		groups = rules.Groups()
	}
	if format == "markdown" {
		p.markdown(out, groups)
		return nil
	}
	for _, rule := range rules.All() {
		if slices.Contains(groups, rule.Group) {
			fmt.Fprintf(out, "%-9s %-21s %s\n", rule.ID, rule.Who, rule.Text)
		}
	}
	return nil
}
