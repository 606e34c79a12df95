package picture

import (
	"cmp"
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

// newLanes finds the lanes of the items that are drawn. Those that the findings are about come first where there are too many.
func newLanes(items []*item, of func(*item) string) *lanes {
	l := &lanes{place: map[string]int{}}
	l.of = func(i *item) string {
		if name := of(i); name != "" {
			return strings.TrimSpace(i.letter + " " + name)
		}
		return ""
	}
	var first, all []string
	for _, i := range items {
		name := l.of(i)
		if name == "" {
			continue
		}
		if i.marked() && !slices.Contains(first, name) && len(first) < mostLanes {
			first = append(first, name)
		}
		if _, known := l.place[name]; !known {
			l.place[name] = -1
			all = append(all, name)
		}
	}
	for _, name := range all {
		if len(first) < mostLanes && !slices.Contains(first, name) {
			first = append(first, name)
		}
	}
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
