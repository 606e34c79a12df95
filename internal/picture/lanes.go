package picture

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// mostLanes is how many lanes there is room for; the rest share one.
const mostLanes = 8

const otherLane = "other"

// lanes are the columns of one view, from left to right.
type lanes struct {
	Names []string
	of    func(*item) string
	place map[string]int
}

// newLanes finds the lanes of the items that are drawn. Where there are too many, those come first in which something was found, then those of the
// queue pairs whose completions were polled there, then those of events that the findings refer to.
func newLanes(items []*item, of func(*item) string, order func(a, b string) int) *lanes {
	l := &lanes{place: map[string]int{}}
	named := func(i *item, name string) string {
		if name != "" {
			return strings.TrimSpace(i.letter + " " + name)
		}
		return ""
	}
	l.of = func(i *item) string { return named(i, of(i)) }
	var all, found, polled, seen []string
	for _, i := range items {
		name := l.of(i)
		if i.finding > 0 {
			found = append(found, name)
			for _, qp := range i.results() {
				polled = append(polled, named(i, qp))
			}
		}
		if i.marked() {
			seen = append(seen, name)
		}
		if _, known := l.place[name]; !known && name != "" {
			l.place[name] = -1
			all = append(all, name)
		}
	}
	var first []string
	for _, name := range slices.Concat(found, polled, seen, all) {
		if _, known := l.place[name]; known && len(first) < mostLanes && !slices.Contains(first, name) {
			first = append(first, name)
		}
	}
	slices.SortStableFunc(all, order)
	if items[0].letter != "" {
		slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(a[0], b[0]) }) // by the letter of the host
	}
	for _, name := range all {
		if slices.Contains(first, name) {
			l.place[name] = len(l.Names)
			l.Names = append(l.Names, name)
		}
	}
	return l
}

// laneOf returns the lane of an item, from 0.
func (l *lanes) laneOf(i *item) int {
	if n, known := l.place[l.of(i)]; known && n >= 0 {
		return n
	}
	if len(l.Names) == 0 || l.Names[len(l.Names)-1] != otherLane {
		l.Names = append(l.Names, otherLane)
	}
	return len(l.Names) - 1
}

// asFound is the order in which the lanes were found.
func asFound(_, _ string) int { return 0 }

var digits = regexp.MustCompile(`\d+`)

// byNumber orders names by their text, and by their numbers where the text is the same: cq2 comes before cq10.
func byNumber(a, b string) int {
	padded := func(name string) string {
		return digits.ReplaceAllStringFunc(name, func(n string) string { return fmt.Sprintf("%20s", n) })
	}
	return cmp.Compare(padded(a), padded(b))
}
