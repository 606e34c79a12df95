package sources

import (
	"fmt"
	"slices"
	"strconv"
)

// Complaints says which sentences are not accounted for, which cells are empty for no reason, and which have a reason and are
// not empty. Traces and reasons of statements that do not exist are among them.
func (b Book) Complaints() []string { return slices.Concat(b.uncounted(), b.unfounded(), b.astray) }

// uncounted finds gaps in the numbers of the sentences, texts whose sentences are not all there, and statements that some
// language lacks without a word about it.
func (b Book) uncounted() (all []string) {
	complain := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	found := map[string]int{} // sentences, by the text
	last := Statement{ID: "@0.0"}
	for _, s := range b.Statements {
		if !follows(last.ID, s.ID) {
			complain("%s does not come next after %s", s.ID, last.ID)
		}
		var page []string
		for _, text := range b.Texts {
			if text.Page == s.page() {
				page = append(page, text.Key)
			}
		}
		for _, key := range s.In {
			if !slices.Contains(page, key) {
				complain("%s is in %q, and its page has only %q", s.ID, key, page)
			}
			if s.sentence() != last.sentence() {
				found[key]++
			}
		}
		if s.sentence() == last.sentence() && !slices.Equal(s.In, last.In) {
			complain("%s and %s are of one sentence, and not in the same texts", last.ID, s.ID)
		}
		if len(s.In) < len(page) && s.Differences == "" {
			complain("%s is not in all of %q, and nothing is said of it", s.ID, page)
		}
		last = s
	}
	for _, text := range b.Texts {
		if found[text.Key] != text.Sentences {
			complain("%s has %d sentences, and statements are about %d of them", text.Key, text.Sentences, found[text.Key])
		}
	}
	return all
}

// follows is whether an id is the next one: the next part, the next sentence, the first one of the next place, or of a page.
func follows(before, id string) bool {
	type number struct {
		page            string
		place, sentence int
		part            string
	}
	of := func(id string) number {
		m := statementID.FindStringSubmatch(id)
		if m == nil {
			return number{}
		}
		place, _ := strconv.Atoi(m[2])
		sentence, _ := strconv.Atoi(m[3])
		return number{m[1], place, sentence, m[4]}
	}
	a, b := of(before), of(id)
	first := b.part == "" || b.part == "a"
	switch {
	case a.page != b.page:
		return b.place == 0 && b.sentence == 1 && first
	case a.place != b.place:
		return b.place == a.place+1 && b.sentence == 1 && first
	case a.sentence != b.sentence:
		return b.sentence == a.sentence+1 && first
	default:
		return a.part != "" && b.part == string(a.part[0]+1)
	}
}

// unfounded finds cells that are empty for no reason, and reasons for cells that are not empty or have one already.
func (b Book) unfounded() (all []string) {
	for _, s := range b.Statements {
		for _, cell := range cells {
			own, inherited := s.Own[cell], s.Inherited[cell]
			switch {
			case s.has(cell) && own != "":
				all = append(all, fmt.Sprintf("%s has a cell %q, and a reason why it has none: %s", s.ID, cell, own))
			case own != "" && inherited != "":
				all = append(all, fmt.Sprintf("%s has a reason of its own why it has no %s, and its rules have one: %s", s.ID, cell, inherited))
			case !s.has(cell) && own == "" && inherited == "":
				all = append(all, fmt.Sprintf("%s has no %s, and no reason why", s.ID, cell))
			}
		}
	}
	return all
}
