package sequence

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A participant is a thread of the consumer, or an object of the provider.
type participant struct{ id, name string }

type participants struct {
	all     []participant
	threads map[string]string // their ids, by name
	objects map[string]string
}

// plain is a name that can stand in a diagram as it is, unless it begins with a word of Mermaid.
var plain = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

var reserved = []string{"sequencediagram", "participant", "actor", "note", "over", "left", "right", "loop", "end", "alt", "else", "opt", "par", "and", "critical",
	"option", "break", "rect", "box", "create", "destroy", "activate", "deactivate", "autonumber", "title", "link", "properties", "details", "acc", "as"}

// newParticipants returns those of the rows: threads first, each in the order in which they appear. It renames what is too much to be drawn.
func newParticipants(rows []*row) *participants {
	var threads, objects []string
	add := func(to *[]string, name string) {
		if name != "" && !slices.Contains(*to, name) {
			*to = append(*to, name)
		}
	}
	for _, merge := range []bool{false, true} {
		threads, objects = nil, nil
		for _, r := range rows {
			if merge && r.object != "" && !r.queue {
				r.object = others
			}
			if r.note == "" {
				add(&threads, r.thread)
			}
			add(&objects, r.object)
		}
		if len(threads)+len(objects) <= mostParticipants {
			break
		}
	}
	if len(threads) == 0 {
		threads = []string{soleThread}
	}
	p := &participants{threads: map[string]string{}, objects: map[string]string{}}
	taken := map[string]bool{}
	for n, name := range append(threads, objects...) {
		id := name
		if !plain.MatchString(name) || isReserved(name) || taken[id] {
			for id = fmt.Sprint("p", n+1); taken[id] || slices.Contains(objects, id); id += "x" {
			}
		}
		taken[id] = true
		shown := name
		if n >= len(threads) {
			p.objects[name] = id
		} else if p.threads[name] = id; name != soleThread {
			shown = "thread " + name
		}
		p.all = append(p.all, participant{id, shown})
	}
	return p
}

func isReserved(name string) bool {
	return slices.ContainsFunc(reserved, func(word string) bool { return strings.HasPrefix(strings.ToLower(name), word) })
}
