package picture

// Of a longer picture what is not near a finding is folded.
const (
	rowsDrawn  = 400
	rowsBefore = 30 // a finding
	rowsAfter  = 10
	leastFold  = 3     // rows that are worth a fold
	rowsInFold = 200   // that are drawn beside lanes; a longer fold lists its events
	rowsListed = 1_000 // in one list
)

// A section is rows that are shown, or folded.
type section struct {
	from, to int // of the items
	folded   bool
	setUp    bool
}

// sections divides the items. Set-up that no finding refers to is folded, and so is what is far from all findings in a long trace.
func sections(items []*item) []section {
	shown := near(items)
	setUp := 0
	for setUp < len(items) && items[setUp].isSetUp() {
		setUp++
	}
	if setUp == len(items) {
		setUp = 0
	}
	for n := range setUp {
		shown[n] = shown[n] && items[n].marked()
	}
	var all []section
	for n := 0; n < len(items); {
		end := n + 1
		for end < len(items) && shown[end] == shown[n] && end != setUp {
			end++
		}
		s := section{from: n, to: end, folded: !shown[n] && end-n >= leastFold, setUp: n < setUp}
		if last := len(all) - 1; last >= 0 && !s.folded && !all[last].folded {
			all[last].to = end
		} else {
			all = append(all, s)
		}
		n = end
	}
	return all
}

// near says which items are shown.
func near(items []*item) []bool {
	shown, marked := make([]bool, len(items)), false
	for n, i := range items {
		switch {
		case len(items) <= rowsDrawn:
			shown[n] = true
		case i.marked():
			marked = true
			for k := max(0, n-rowsBefore); k < min(len(items), n+rowsAfter+1); k++ {
				shown[k] = true
			}
		}
	}
	for n := range min(rowsDrawn, len(items)) {
		shown[n] = shown[n] || !marked
	}
	return shown
}
