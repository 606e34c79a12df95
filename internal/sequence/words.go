package sequence

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ndkoracle/internal/eventtext"
	"ndkoracle/linearize/calls"
	"ndkoracle/trace"
)

// bare are the fields whose values say by themselves what they are.
var bare = []string{"wr", "type", "state", "status", "flags"}

// digit begins a value that would be read as a number.
var digit = regexp.MustCompile(`^\d`)

// prefix is what the names of statuses and states have in common.
var prefix = regexp.MustCompile(`\b(?:STATUS|IBV_WC|IBV_QPS)_`)

// calling words a call, or the entry of a callback, on the arrow to its object.
func (b *builder) calling(e *trace.Event, object string) string {
	return strings.Join(append([]string{e.Fn}, b.words(e, object)...), " ")
}

// words returns the fields of an event, without the object that its arrow leads to and what goes without saying.
func (b *builder) words(e *trace.Event, object string) []string {
	var all []string
	for _, field := range eventtext.Fields(e) {
		name, value, _ := strings.Cut(field, "=")
		switch {
		case value == object || name == "results" || name == "wrs" || name == "errno" && value == "0" || name == "status" && value == "STATUS_SUCCESS" && e.Ph != trace.Point:
		case name == "for" && b.called[value] != "":
			all = append(all, "of "+b.called[value])
		case slices.Contains(bare, name) && !digit.MatchString(value):
			all = append(all, prefix.ReplaceAllString(value, ""))
		case slices.Contains(bare, name):
			all = append(all, name+" "+value)
		default:
			all = append(all, field)
		}
	}
	for _, more := range []struct{ name, value string }{
		{"adapter", e.Adapter}, {"pd", e.Pd}, {"lam", e.Lam}, {"connector", e.Connector}, {"listener", e.Listener}, {"endpoint", e.Endpoint},
		{"length", number(e.Length)}, {"receive_depth", number(e.ReceiveDepth)}, {"initiator_depth", number(e.InitiatorDepth)}, {"bytes", number(e.Bytes)},
	} {
		if more.value != "" && more.value != object {
			all = append(all, more.name+"="+more.value)
		}
	}
	for _, r := range e.Wrs {
		all = append(all, strings.TrimSpace(request(r.Wr)+" "+strings.Join(r.Flags, "+")))
	}
	return all
}

// request names a request, so that a number is not read as something else.
func request(wr string) string {
	if digit.MatchString(wr) {
		return "wr " + wr
	}
	return wr
}

func number(n *int64) string {
	if n == nil {
		return ""
	}
	return fmt.Sprint(*n)
}

// answer words what a call returns, or nothing where it only succeeds.
func (b *builder) answer(ret *trace.Event, object string) string {
	all := b.words(ret, object)
	switch {
	case ret.Results != nil && len(ret.Results) == 0:
		all = append(all, "no completion")
	case ret.Results != nil:
		all = append(all, results(ret))
	}
	if calls.IsRefusal(b.verbs, ret) && len(all) == 0 {
		all = append(all, "fails")
	}
	return strings.Join(all, " ")
}

// mostResults bounds the completions of a poll that are named.
const mostResults = 4

// results names what a poll delivered, with what is known of each.
func results(ret *trace.Event) string {
	var all []string
	for n, r := range ret.Results {
		if n == mostResults {
			all = append(all, fmt.Sprintf("… of %d", len(ret.Results)+ret.Cut))
			break
		}
		text := strings.TrimSpace(request(r.Wr) + " " + prefix.ReplaceAllString(r.Status, ""))
		for _, more := range []struct{ name, value string }{{"", r.Type}, {"", r.Opcode}, {"bytes=", number(r.Bytes)}} {
			if more.value != "" {
				text += " " + more.name + more.value
			}
		}
		if r.Token != nil {
			text += fmt.Sprint(" token=", *r.Token)
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// pointed words what belongs to no call.
func (b *builder) pointed(e *trace.Event, object string) string {
	switch calls.KindOf(e) {
	case calls.Quiesce:
		return atRest
	case calls.Placed:
		return strings.Join(append(b.words(e, object), "is placed"), " ")
	}
	return b.calling(e, object)
}

// mostRunes is how long a line of text is.
const mostRunes = 44

// wrap escapes a text, and breaks it between words into lines.
func wrap(text string) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > mostRunes {
			lines, line = append(lines, escape(line)), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return strings.Join(append(lines, escape(line)), "<br/>")
}

// escapes are the characters that Mermaid reads as its own, each by its entity.
var escapes = strings.NewReplacer("#", "#35;", ";", "#59;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "%", "#37;", "$", "#36;", "`", "#96;", `\`, "#92;")

// ending is the word that Mermaid takes for the end of a block.
var ending = regexp.MustCompile(`(?i)\bend\b`)

// escape keeps text from being read as anything else.
func escape(text string) string {
	return ending.ReplaceAllStringFunc(escapes.Replace(strings.Join(strings.Fields(text), " ")), func(word string) string {
		return fmt.Sprintf("%s#%d;%s", word[:1], word[1], word[2:])
	})
}
