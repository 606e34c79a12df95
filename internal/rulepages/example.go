package rulepages

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"ndkoracle/internal/picture"
	"ndkoracle/internal/ruletable"
	"ndkoracle/internal/sequence"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/rules"
	"ndkoracle/trace"
)

// folds says what of the set-up is folded in traces of a group. Its rules may speak of connecting, or of creation.
var folds = map[string]sequence.Fold{"ADP": sequence.Nothing, "ASY": sequence.Nothing, "CONN": sequence.Creation, "DISC": sequence.Creation}

// drawer draws traces of the corpus. Each is read once.
type drawer struct {
	repository fs.FS
	traces     map[string]*trace.Trace
}

// read returns a trace of the corpus.
func (d *drawer) read(file string) (*trace.Trace, error) {
	if known := d.traces[file]; known != nil {
		return known, nil
	}
	text, err := fs.ReadFile(d.repository, "traces/"+file)
	if err != nil {
		return nil, err
	}
	read, err := trace.Read(file, bytes.NewReader(text), linearize.MaxEvents)
	if err == nil {
		d.traces[file] = read
	}
	return read, err
}

// example draws the shortest trace that belongs to a section, or nothing where there is none.
func (d *drawer) example(rule rules.Rule, uses []ruletable.Use, belongs func(ruletable.Use) bool) (string, error) {
	var best *ruletable.Use
	for n := range uses {
		u := &uses[n]
		if !belongs(*u) || best != nil && remoteness(u) > remoteness(best) {
			continue
		}
		read, err := d.read(u.File)
		if err != nil {
			return "", err
		}
		if best == nil || remoteness(u) < remoteness(best) {
			best = u
			continue
		}
		shortest := d.traces[best.File] // read when it became the best
		if cmp.Or(cmp.Compare(len(read.Events), len(shortest.Events)), cmp.Compare(u.File+u.Read, best.File+best.Read)) < 0 {
			best = u
		}
	}
	if best == nil {
		return "", nil
	}
	mark := d.mark(best, rule)
	about := "The shortest is " + link(*best)
	if mark.Line > 0 {
		about += fmt.Sprintf(", at line %d of the file", mark.Line)
	}
	about += "."
	if !strings.HasPrefix(best.Sentence, "The same") { // as the row before it in the corpus
		about += " " + best.Sentence
	}
	return fmt.Sprintf("%s\n\n```mermaid\n%s```\n\n", about, sequence.Draw(d.traces[best.File], mark)), nil
}

// remoteness ranks traces before their length does: those by hand that are read as they are come first, recordings last.
func remoteness(u *ruletable.Use) int {
	rank := 0
	if u.Read != "" {
		rank = 1
	}
	if folder := path.Dir(u.File); folder != "accept" && folder != "reject" {
		rank += 2
	}
	if !strings.HasSuffix(u.File, ".jsonl") {
		rank += 4
	}
	return rank
}

// mark says what to point out in a trace: where it breaks a rule, and the callback that is missing there.
func (d *drawer) mark(u *ruletable.Use, rule rules.Rule) sequence.Mark {
	mark := sequence.Mark{Fold: folds[rule.Group]}
	if u.Breaks != rule.ID {
		return mark
	}
	mark.Line, mark.Text = u.Row.Line, rule.ID+" broken here"
	if u.Row.Rule != rule.ID {
		mark.Text = rule.ID + " not followed here"
	}
	read := d.traces[u.File]
	found := linearize.Check(context.Background(), read, linearize.Options{Engine: linearize.Streaming, Dialect: u.Row.Dialect, DeviceLevel: u.Row.DeviceLevel, Assume: u.Row.Assume}).Findings
	at := slices.IndexFunc(found, func(f verdict.Finding) bool { return f.Rule == rule.ID && f.Line == u.Row.Line })
	if at < 0 { // an engine that does not say it, or advice
		return mark
	}
	mark.See = found[at].See
	if missing := picture.Missing(&found[at], read); missing != "" {
		notice := "callback"
		if read.Header.Dialect == "verbs" {
			notice = "event"
		}
		mark.Text += fmt.Sprintf(": the %s of %s was owed by now, and did not come", notice, missing)
	}
	return mark
}
