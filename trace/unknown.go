package trace

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"ndkoracle/ndk"
)

// Content that the format does not define is not a reason to refuse a trace: the reader warns of it, and marks the events whose meaning may depend on it.

// Warning is about content that the format does not define.
type Warning struct {
	Line int // of its first occurrence
	Text string
}

// The bounds of what a reader warns of. A trace may have a million different keys.
const (
	maxWarnings     = 1000
	maxWarningBytes = 128 << 10
)

// warnings collects warnings: one of a kind.
type warnings struct {
	list  []Warning
	known map[string]bool // by what they are of
	bytes int
	more  bool // than there is room for: nothing is added any more
}

// isNew reports whether something is to be warned of, if there is room for its text. To find the text may take long: once there was no room, nothing is.
func (w *warnings) isNew(what string) bool {
	if w.known[what] {
		return false
	}
	w.more = w.more || len(w.list) == maxWarnings
	return !w.more
}

// add warns of something for which what stands, unless it did before.
func (w *warnings) add(line int, what, text string) {
	if w.known[what] {
		return
	}
	if w.more || len(w.list) == maxWarnings || w.bytes+len(what)+len(text) > maxWarningBytes {
		w.more = true
		return
	}
	if w.known == nil {
		w.known = map[string]bool{}
	}
	w.known[what] = true
	w.bytes += len(what) + len(text)
	w.list = append(w.list, Warning{line, text})
}

// all returns the warnings, with a last one that says that there are more.
func (w *warnings) all() []Warning {
	all := slices.Clone(w.list)
	if w.more {
		all = append(all, Warning{Text: fmt.Sprintf("more is unknown than the %d warnings name", len(w.list))})
	}
	return all
}

// unknownKey is a key that the format does not know where it stands.
type unknownKey struct {
	key  string
	list field // fieldWrs or fieldResults, in an object of which it stands; noField for the object that the line is
	near field // the field that it may have been meant for, or noField
}

// maxUnknownKeys bounds the unknown keys that are looked at in one line, and maxUnknownKey the length of each, in bytes.
const (
	maxUnknownKeys = 16
	maxUnknownKey  = 64
)

// describe says where a key of an event stands, and what may have been meant. of names the event.
func (u unknownKey) describe(of string) string {
	if u.list != noField {
		of = u.list.String() + " of " + of
	}
	text := fmt.Sprintf("the key %q in %s is not known, and is ignored", u.key, of)
	if u.near != noField {
		text += fmt.Sprintf(": did you mean %q?", u.near)
	}
	return text
}

// nearest returns the field among candidates that a key resembles so much that it was probably meant, or noField.
func nearest(key string, candidates []field) field {
	best, distance := noField, 1<<30
	for _, f := range candidates {
		if d, resembles := resemblance(key, f.String()); resembles && d < distance {
			best, distance = f, d
		}
		if slices.Contains(tellByAbsence, f) && lastWord(key) == f.String() && distance > 0 {
			best, distance = f, 0
		}
	}
	return best
}

// tellByAbsence are the fields that say something where they are left out. The headers have longer names for them: send_flags, comp_channel, RequestFlags.
var tellByAbsence = []field{fieldFlags, fieldChannel, fieldSrq, fieldErrno}

// lastWord returns the last word of a name in snake_case or in CamelCase, in lower case.
func lastWord(name string) string {
	word := strings.FieldsFunc(name, func(c rune) bool { return c == '_' || c == '-' || c == ' ' })
	if len(word) == 0 {
		return ""
	}
	last := word[len(word)-1]
	upper := strings.LastIndexFunc(last, unicode.IsUpper)
	if upper > 0 && upper < len(last)-1 && unicode.IsLower(rune(last[upper+1])) {
		last = last[upper:]
	}
	return strings.ToLower(last)
}

// resemblance returns how far a word is from a known one, and whether that is near enough for a mistake in writing. Words as short as
// cq and wr resemble too many others: of those only case, separators and a suffix may differ.
func resemblance(word, known string) (distance int, resembles bool) {
	a, b := plainWord(word), plainWord(known)
	if a == b || strings.TrimSuffix(a, "id") == b {
		return 0, true
	}
	if min(len(a), len(b)) < 3 || len(b) < 4 {
		return 0, false
	}
	distance = editDistance(a, b)
	return distance, distance <= min(2, min(len(a), len(b))/3)
}

// plainWord is a word without case and separators.
func plainWord(word string) string { return strings.ToLower(separators.Replace(word)) }

var separators = strings.NewReplacer("_", "", "-", "", " ", "")

// editDistance counts the letters that are to be inserted, removed, replaced, or exchanged with their neighbour.
func editDistance(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := range len(a) {
		before, above, row := rows[0], rows[1], rows[2]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(above[j+1]+1, row[j]+1, above[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		rows = [3][]int{above, row, before}
	}
	return rows[1][len(b)]
}

// suggestion returns "; did you mean X?" with the known word that another resembles, or "".
func suggestion(word string, known []string) string { return suggestAfter("", word, known) }

// suggestAfter is suggestion for words that all begin with a prefix, which tells nothing of which of them was meant.
func suggestAfter(prefix, word string, known []string) string {
	best, distance := "", 1<<30
	for _, other := range slices.Sorted(slices.Values(known)) {
		if d, resembles := resemblance(strings.TrimPrefix(word, prefix), strings.TrimPrefix(other, prefix)); resembles && d < distance {
			best, distance = other, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", best)
}

// suggestFunction is suggestion for a function.
func suggestFunction(fn string) string {
	if fn == "NDK_FN_CLOSE_OBJECT" {
		return ": it is the type of all closes, so write NdkCloseCq, NdkCloseQp, and so on"
	}
	return suggestion(fn, slices.Collect(maps.Keys(functions)))
}

// suggestStatus is suggestion for a status of either level.
func suggestStatus(word string) string {
	if !strings.HasPrefix(word, ntPrefix) {
		return suggestAfter(wcStatuses.prefix, word, wcStatuses.names())
	}
	var names []string
	for _, status := range ndk.Statuses() {
		names = append(names, status.String())
	}
	return suggestAfter(ntPrefix, word, names)
}

// explain adds to the error of an event which keys of it were probably meant for others.
func (d *decoder) explain(err error) error {
	for _, u := range d.unknown {
		if u.near != noField {
			return fmt.Errorf("%w; the key %q is not known: did you mean %q?", err, u.key, u.near)
		}
	}
	return err
}
