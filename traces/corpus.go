// Package traces reads the manifest of the corpus: how each trace is read, and the answer that is right for it.
package traces

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Manifest is the file that lists the corpus, beside this package.
const Manifest = "manifest.json"

// Row is one trace of the corpus under one reading. README.md says what each field means.
type Row struct {
	File        string            `json:"file"`         // beside the manifest
	Dialect     string            `json:"dialect"`      // to read it in; empty: its header's
	DeviceLevel bool              `json:"device_level"` // of dialect verbs
	Assume      map[string]string `json:"assume"`       // other readings
	Verdict     string            `json:"verdict"`      // the right one
	Rule        string            `json:"rule"`         // that is broken
	Line        int               `json:"line"`         // where; 0: nowhere in particular
	Says        string            `json:"says"`         // part of the reason, where the trace is malformed or inconclusive
	Keeps       []string          `json:"keeps"`        // rules that the trace exercises and keeps
	Advises     string            `json:"advises"`      // the rule of class advice that is not followed, which line tells: a warning names it
	Bug         string            `json:"bug"`          // the seeded bug that it is the shortest trace of
	Allows      string            `json:"allows"`       // the liberty of providers that it stands for
	Command     string            `json:"command"`      // that made it, of a recording
	Engines     map[string]Answer `json:"engines"`      // the engines whose answer is another one, by name
	Because     string            `json:"because"`      // why theirs is another one
	Shows       string            `json:"shows"`
}

// Answer is what an engine says of a trace.
type Answer struct {
	Verdict string `json:"verdict"`
	Rule    string `json:"rule"`
	Line    int    `json:"line"`
}

// Answer returns what the engine is known to say of the trace: the right answer, but for a known divergence.
func (r *Row) Answer(engine string) Answer {
	if other, diverges := r.Engines[engine]; diverges {
		return other
	}
	if r.Advises != "" { // a warning has the line
		return Answer{r.Verdict, r.Rule, 0}
	}
	return Answer{r.Verdict, r.Rule, r.Line}
}

// Name returns a name that distinguishes the row from the others of its trace.
func (r *Row) Name() string {
	name := r.File
	if r.Dialect != "" {
		name += " as " + r.Dialect
	}
	for _, id := range slices.Sorted(maps.Keys(r.Assume)) {
		name += " with " + id + "=" + r.Assume[id]
	}
	if r.DeviceLevel {
		name += " at device level"
	}
	return name
}

// Rows reads the corpus from its folder: the manifest, and then the traces by hand that carry their row in the header (see carried). Its errors name the file.
func Rows(corpus fs.FS) ([]Row, error) {
	text, err := fs.ReadFile(corpus, Manifest)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields()
	var rows []Row
	if err := decoder.Decode(&rows); err != nil {
		return nil, fmt.Errorf("%s: %w", Manifest, err)
	}
	listed := map[string]bool{}
	for i := range rows {
		listed[rows[i].File] = true
	}
	files, err := fs.Glob(corpus, "*/*.ndktrace.jsonl")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if !listed[file] && path.Dir(file) != "joined" {
			row, err := carried(corpus, file)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			if row != nil {
				rows = append(rows, *row)
			}
		}
	}
	return rows, nil
}

// carried reads the row that a trace has in `run` of its header, or nil where it has none: verdict, rule, line, says, keeps (ids, with spaces), advises and shows.
func carried(corpus fs.FS, file string) (*Row, error) {
	text, err := fs.ReadFile(corpus, file)
	if err != nil {
		return nil, err
	}
	var header struct{ Run map[string]string }
	first, _, _ := strings.Cut(string(text), "\n")
	if err := json.Unmarshal([]byte(first), &header); err != nil || header.Run["verdict"] == "" {
		return nil, nil // the corpus's test misses its row
	}
	row := &Row{File: file}
	for key, value := range header.Run {
		switch key {
		case "verdict":
			row.Verdict = value
		case "rule":
			row.Rule = value
		case "line":
			row.Line, err = strconv.Atoi(value)
		case "says":
			row.Says = value
		case "keeps":
			row.Keeps = strings.Fields(value)
		case "advises":
			row.Advises = value
		case "shows":
			row.Shows = value
		default:
			err = fmt.Errorf("a row in a header has no %q", key)
		}
		if err != nil {
			return nil, err
		}
	}
	return row, nil
}
