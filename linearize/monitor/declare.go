package monitor

import "ndkoracle/linearize/declared"

type (
	rule = declared.Rule
	on   = []declared.Occasion
)

// others are the groups that come after those of groups, in any order. They add themselves.
var others []func(*Monitor) checks

// group declares the rules that a group of checks decides, and adds the group.
func group(constructor func(*Monitor) checks, decides ...rule) struct{} {
	others = append(others, constructor)
	return declared.Add(decides...)
}

// decides declares the rules that a file decides whose group is in groups.
func decides(some ...rule) struct{} { return declared.Add(some...) }
