package judging

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"ndkoracle/linearize"
	"ndkoracle/linearize/lanes"
	"ndkoracle/linearize/verdict"
	"ndkoracle/linearize/witness"
	"ndkoracle/trace"
)

// A spoiltWitness is a witness with one line altered.
type spoiltWitness struct {
	How  string
	Line int // from 0
	File []string
}

// SpoilWitness alters every line of a witness but its header in every way: it is dropped, doubled, swapped with the next, and
// each of its arguments is changed or left out. The end record counts right, so that it is not what gives the alteration away.
func SpoilWitness(lines []string) []spoiltWitness {
	var all []spoiltWitness
	last := len(lines) - 1
	add := func(how string, at int, altered ...string) {
		file := slices.Concat(lines[:at], altered, lines[min(at+max(1, len(altered)), last+1):])
		if how == "doubled" {
			file = slices.Insert(slices.Clone(lines), at, lines[at])
		}
		all = append(all, spoiltWitness{how, at, Recounted(file)})
	}
	for i := 1; i < last; i++ {
		add("dropped", i)
		add("doubled", i)
		if i+1 < last {
			add("swapped", i, lines[i+1], lines[i])
		}
		for _, changed := range changedArguments(lines[i]) {
			add("changed", i, changed)
		}
	}
	return all
}

// Recounted corrects the end record.
func Recounted(lines []string) []string {
	steps, events := 0, 0
	for _, line := range lines {
		if strings.HasPrefix(line, `{"rec":"step"`) {
			steps++
		} else if strings.HasPrefix(line, `{"seq":`) {
			events++
		}
	}
	return append(lines[:len(lines)-1:len(lines)-1], fmt.Sprintf(`{"rec":"end","events":%d,"steps":%d}`+"\n", events, steps))
}

// otherWords are what an argument that is one of a few words can be changed to.
var otherWords = map[string][]string{
	"queue": {"initiator", "receive"}, "type": {"ERRORS", "SOLICITED", "ANY"}, "outcome": {"SUCCESS", "FAILED", "CANCELLED"},
	"received": {"FAILED", "CANCELLED"}, "cq_status": {"STATUS_SUCCESS", "STATUS_BUFFER_OVERFLOW"},
	"request": {"Send", "Read", "Write", "Receive"}, "arm": {"NONE", "ANY"},
	"action": {"Execute", "Complete", "HwIndicate", "ConnectionLost", "Post", "NdkArmCq"},
	"cq":     {"cq1", "cq2", "cq9"}, "qp": {"qp1", "qp2", "qp9"}, "wr": {"w1", "w2", "w9"}, "op": {"1", "2", "3", "9"},
}

// changedArguments returns a line with each argument changed in turn. A step keeps the order of its keys, in which its type has
// them.
func changedArguments(line string) []string {
	var args map[string]any
	if json.Unmarshal([]byte(line), &args) != nil {
		return nil
	}
	if args["rec"] != "step" {
		return []string{strings.Replace(line, `"seq":`, `"seq":1`, 1), strings.Replace(line, `"fn":"`, `"fn":"x`, 1),
			strings.Replace(line, `"thr":"`, `"thr":"x`, 1)}
	}
	var all []string
	change := func(key string, value any) {
		altered := maps.Clone(args)
		if altered[key] = value; value == nil {
			delete(altered, key)
		}
		loose, _ := json.Marshal(altered)
		var step witness.Step
		if json.Unmarshal(loose, &step) != nil {
			return
		}
		text, _ := json.Marshal(struct {
			Rec string `json:"rec"`
			witness.Step
		}{"step", step})
		if canonical := string(text) + "\n"; canonical != line {
			all = append(all, canonical)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(args)) {
		switch value := args[key].(type) {
		case string:
			for _, word := range otherWords[key] {
				change(key, word)
			}
			if key != "rec" {
				change(key, nil)
			}
		case float64:
			change(key, value+1)
			change(key, nil)
		case bool:
			change(key, !value)
		case map[string]any:
			change(key, nil)
			change(key, map[string]any{"arm": value["arm"], "due": value["due"].(float64) + 1})
			for _, word := range otherWords["arm"] {
				change(key, map[string]any{"arm": word, "due": value["due"]})
			}
		}
	}
	for _, key := range []string{"solicited", "solicit", "silent", "fence", "deferred"} {
		if args[key] == nil {
			change(key, true)
		}
	}
	if args["token"] == nil {
		change("token", 7)
	}
	return all
}

// StatusOf returns the word of a dialect for an outcome.
func StatusOf(dialect, outcome string) string {
	statuses := map[string]string{"SUCCESS": "STATUS_SUCCESS", "FAILED": "STATUS_ACCESS_VIOLATION", "CANCELLED": "STATUS_CANCELLED"}
	if dialect == "verbs" {
		statuses = map[string]string{"SUCCESS": "IBV_WC_SUCCESS", "FAILED": "IBV_WC_GENERAL_ERR", "CANCELLED": "IBV_WC_WR_FLUSH_ERR"}
	}
	return statuses[outcome]
}

// HasNoWitness reports whether a trace has none, even if it is conformant: a witness has no steps for receives of shared receive queues.
func HasNoWitness(t *trace.Trace) bool { return len(lanes.Of(t).All) > 0 }

// WitnessOf returns the file of a witness of a trace that is conformant.
func WitnessOf(t *testing.T, traced *trace.Trace, o linearize.Options) []byte {
	t.Helper()
	o.Witness = true
	r := linearize.Check(context.Background(), traced, o)
	if r.Verdict != verdict.Conformant {
		t.Fatalf("verdict %s: %+v", r.Verdict, r.Findings)
	}
	return WriteWitness(t, traced, o, r)
}

// WriteWitness returns the file of the witness of a report.
func WriteWitness(t interface{ Fatal(...any) }, traced *trace.Trace, o linearize.Options, r *verdict.Report) []byte {
	var file bytes.Buffer
	claim := witness.Claim{Dialect: cmp.Or(o.Dialect, traced.Header.Dialect), DeviceLevel: o.DeviceLevel, Assume: o.Assume, Order: r.Order}
	if err := witness.Write(&file, traced, claim, r.Witness); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}
