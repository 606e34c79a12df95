package ruletable

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	manifest "ndkoracle/traces"
)

// A corpus has for each rule the first trace that breaks it, the first that keeps it, and the first that is said to show it:
// if it can be, as it is read by default.
type corpus struct{ broken, kept, shown map[string]Example }

// A Use is a row of the corpus: a trace as it is read there, and the rules that it shows.
type Use struct {
	Example
	Row        manifest.Row // how it is read, and the answer that is right
	Conformant bool
	Breaks     string // the rule that it breaks, "" if it breaks none
	Keeps      []string
	Shows      []string // the rules that the sentence about it names
	Sentence   string   // the point of it
}

// Uses returns the rows of the corpus, in its order.
func Uses(repository fs.FS) ([]Use, error) {
	folder, err := fs.Sub(repository, "traces")
	if err != nil {
		return nil, err
	}
	rows, err := manifest.Rows(folder)
	if err != nil {
		return nil, fmt.Errorf("traces/%w", err)
	}
	ofDevices := map[string]bool{} // traces that are read at the device's level as well
	for _, r := range rows {
		ofDevices[r.File] = ofDevices[r.File] || r.DeviceLevel
	}
	var all []Use
	for _, r := range rows {
		use := Use{Example: Example{File: r.File}, Row: r, Conformant: r.Verdict == "conformant", Keeps: r.Keeps,
			Shows: ruleID.FindAllString(r.Shows, -1), Sentence: r.Shows}
		if r.Verdict != "inconclusive" { // else the rule is undecided
			use.Breaks = cmp.Or(r.Rule, r.Advises)
		}
		if ofDevices[r.File] {
			use.Read = map[bool]string{true: " with", false: " without"}[r.DeviceLevel] + " --device-level"
		}
		for _, reading := range slices.Sorted(maps.Keys(r.Assume)) {
			use.Read += " under " + reading + "=" + r.Assume[reading]
		}
		if r.Dialect != "" {
			use.Read += " read as " + r.Dialect
		}
		all = append(all, use)
	}
	return all, nil
}

func traces(repository fs.FS) (corpus, error) {
	all := corpus{map[string]Example{}, map[string]Example{}, map[string]Example{}}
	uses, err := Uses(repository)
	if err != nil {
		return all, err
	}
	note := func(in map[string]Example, id string, trace Example) {
		if first, known := in[id]; id != "" && (!known || first.Read != "" && trace.Read == "") {
			in[id] = trace
		}
	}
	for _, use := range uses {
		note(all.broken, use.Breaks, use.Example)
		for _, id := range use.Keeps {
			note(all.kept, id, use.Example)
		}
		for _, id := range use.Shows {
			note(all.shown, id, use.Example)
		}
	}
	return all, nil
}
