package graph

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"ndkoracle/internal/clause"
)

var word = regexp.MustCompile(`\w+`)

// nearest returns all clauses to which there is a way from some of them, the nearest first, each once: the way goes from a clause
// to what stands beside it in its definition or function, to what it names, and to what names that.
func nearest(all, some []clause.Clause) []clause.Clause {
	names := map[clause.Clause][]string{}
	for _, c := range all {
		names[c] = word.FindAllString(c.Text, -1)
	}
	sorted := distinct(some, nil)
	seen := map[clause.Clause]bool{}
	for _, c := range sorted {
		seen[c] = true
	}
	for i := 0; i < len(sorted); i++ {
		from := sorted[i]
		for _, c := range all {
			if !seen[c] && (c.In == from.In || slices.Contains(names[from], c.In) || slices.Contains(names[c], from.In)) {
				seen[c] = true
				sorted = append(sorted, c)
			}
		}
	}
	return sorted
}

var part = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)

// parts returns the words of which the names in a clause and the name of its place are made, each once.
func parts(c clause.Clause) []string {
	all := part.FindAllString(c.In+" "+c.Text, -1)
	for i := range all {
		all[i] = strings.ToLower(all[i])
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(s string) bool { return len(s) < 2 })
}

// likest returns the clauses, those first that have most words in common with one of the others: what one side asks, it calls
// much the same as the other.
func likest(clauses, others []clause.Clause) []clause.Clause {
	common := map[clause.Clause]int{}
	for _, c := range clauses {
		mine := parts(c)
		for _, other := range others {
			shared := slices.DeleteFunc(parts(other), func(s string) bool { return !slices.Contains(mine, s) })
			common[c] = max(common[c], len(shared))
		}
	}
	sorted := slices.Clone(clauses)
	slices.SortStableFunc(sorted, func(a, b clause.Clause) int { return cmp.Compare(common[b], common[a]) })
	return sorted
}
