package linearize_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/histories"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// An event as its line has it.
type line map[string]any

func (l line) text(key string) string { return fmt.Sprint(l[key]) }

// parts are the objects of a line that have keys: itself, its requests and its results.
func (l line) parts() []line {
	all := []line{l}
	for _, list := range []string{"wrs", "results"} {
		items, _ := l[list].([]any)
		for _, item := range items {
			if part, ok := item.(map[string]any); ok {
				all = append(all, part)
			}
		}
	}
	return all
}

// textTrace is a trace as lines.
type textTrace struct {
	header line
	events []line
	end    line // or nil
}

// readText reads a file, or returns nil where it is spelt otherwise than as JSON Lines in UTF-8.
func readText(t *testing.T, file string) *textTrace {
	t.Helper()
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := &textTrace{}
	for one := range bytes.Lines(whole) {
		d := json.NewDecoder(bytes.NewReader(one))
		d.UseNumber()
		var l line
		if d.Decode(&l) != nil {
			return nil
		}
		switch l.text("rec") {
		case "hdr":
			text.header = l
		case "end":
			text.end = l
		default:
			text.events = append(text.events, l)
		}
	}
	return text
}

// trace reads the lines. It is nil where they are no trace.
func (x *textTrace) trace(t *testing.T) *trace.Trace {
	t.Helper()
	all := append([]line{x.header}, x.events...)
	if x.end != nil {
		x.end["events"] = len(x.events)
		all = append(all, x.end)
	}
	var text bytes.Buffer
	for _, l := range all {
		one, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(one, '\n'))
	}
	read, err := trace.Read(t.Name(), &text, 0)
	if err != nil {
		return nil
	}
	return read
}

// saysNothing are the optional keys whose absence has a meaning (docs/trace-reading.md, What absence means).
var saysNothing = []string{"errno", "flags", "srq", "status", "channel"}

// keys lists the keys of a part that a recorder may leave out, or may not know.
func (l line) keys(but ...string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(l)), func(key string) bool {
		return slices.Contains([]string{"seq", "thr", "ph", "op", "fn", "t"}, key) || slices.Contains(but, key)
	})
}

// change does something to every part of the trace that has a key, or to those of the event alone. It returns the key, or "" where none has it.
func (x *textTrace) change(d histories.Quick, at int, key string, do func(line)) string {
	changed := ""
	events := x.events
	if histories.Flip(d, "one") {
		events = events[at : at+1]
	}
	for _, e := range events {
		for _, part := range e.parts() {
			if _, has := part[key]; has {
				do(part)
				changed = key
			}
		}
	}
	return changed
}

// legal are the ways to change a trace of which a provider that kept the contract may still have been the one.
var legal = []struct {
	what string
	do   func(d histories.Quick, x *textTrace, at int) string // says more, or "" where it does nothing
}{
	{"a function that nobody knows", func(d histories.Quick, x *textTrace, at int) string {
		fn := x.events[at].text("fn")
		if strings.HasPrefix(fn, "NdkCloseConnector") && x.events[at]["connector"] == nil || x.events[at]["ph"] == "point" {
			return "" // nothing tells what it is of
		}
		for _, e := range x.events {
			if e.text("fn") == fn {
				e["fn"] = "NdkNewlyInvented"
			}
		}
		return fn
	}},
	{"a key is left out", func(d histories.Quick, x *textTrace, at int) string {
		parts := x.events[at].parts()
		keys := parts[d.Roll(len(parts), "part")].keys(saysNothing...)
		if len(keys) == 0 {
			return ""
		}
		key := keys[d.Roll(len(keys), "key")]
		x.change(d, at, key, func(l line) { delete(l, key) })
		return key
	}},
	{"a key is mistyped", func(d histories.Quick, x *textTrace, at int) string {
		parts := x.events[at].parts()
		keys := parts[d.Roll(len(parts), "part")].keys()
		if len(keys) == 0 {
			return ""
		}
		key := keys[d.Roll(len(keys), "key")]
		other := []string{strings.ToUpper(key), key + "_", key[:1] + strings.ToUpper(key[1:])}[d.Roll(3, "other")]
		x.change(d, at, key, func(l line) {
			l[other] = l[key]
			delete(l, key)
		})
		return other
	}},
	{"an opcode that nobody knows", func(d histories.Quick, x *textTrace, at int) string {
		return x.change(d, at, "opcode", func(l line) { l["opcode"] = "NEWLY_INVENTED" })
	}},
	{"a failing status that nobody knows", func(d histories.Quick, x *textTrace, at int) string {
		return x.change(d, at, "status", func(l line) {
			switch status := l.text("status"); {
			case l["fn"] == nil && strings.HasPrefix(status, "STATUS_IN"):
				l["status"] = "STATUS_NEWLY_INVENTED"
			case strings.HasPrefix(status, "IBV_WC_REM"), strings.HasPrefix(status, "IBV_WC_LOC"):
				l["status"] = "IBV_WC_NEWLY_INVENTED"
			}
		})
	}},
	{"the trace is cut", func(_ histories.Quick, x *textTrace, at int) string {
		x.events, x.end = x.events[:at+1], nil
		return "behind"
	}},
	{"the trace begins later", func(_ histories.Quick, x *textTrace, at int) string {
		begun := map[string]bool{}
		x.events = slices.DeleteFunc(slices.Clone(x.events[at:]), func(e line) bool {
			op, of := e.text("op"), e["for"]
			if of != nil && !begun[fmt.Sprint(of)] || (e["ph"] == "ret" || e["ph"] == "exit") && !begun[op] {
				return true
			}
			begun[op] = true
			return false
		})
		return "at"
	}},
	{"a call returns later", func(_ histories.Quick, x *textTrace, at int) string {
		e, to := x.events[at], at
		if e["ph"] != "ret" {
			return ""
		}
		for to+1 < len(x.events) && x.events[to+1].text("thr") != e.text("thr") && x.events[to+1]["ph"] != "point" && x.events[to+1]["ph"] != "call" {
			x.events[to], x.events[to+1] = x.events[to+1], x.events[to]
			to++
		}
		for i := range x.events {
			x.events[i]["seq"] = i + 1
			delete(x.events[i], "t")
		}
		return "from"
	}},
	{"the recorder dropped an operation", func(_ histories.Quick, x *textTrace, at int) string {
		op := x.events[at].text("op")
		x.events = slices.DeleteFunc(slices.Clone(x.events), func(e line) bool { return e.text("op") == op || e.text("for") == op })
		x.end = line{"rec": "end", "dropped": 2, "quiescent": true}
		return op
	}},
}

// What a trace does not record is not a violation: none of these changes to a conformant trace of the corpus makes one, whatever the engine.
// NDK_LEGAL says how many are tried, NDK_SEED and NDK_FROM which.
func TestWhatIsUnknownIsNotGuilty(t *testing.T) {
	from, n, seed := judging.Environment(t, "NDK_FROM", 0), judging.Environment(t, "NDK_LEGAL", 1800), judging.Environment(t, "NDK_SEED", 1)
	var files []judging.Row
	for _, row := range judging.Corpus(t) {
		plain := row.Dialect == "" && !row.DeviceLevel && len(row.Assume) == 0 && len(row.Engines) == 0
		if plain && row.Verdict == string(verdict.Conformant) && strings.HasPrefix(row.File, "accept/") && strings.HasSuffix(row.File, ".jsonl") {
			files = append(files, row)
		}
	}
	judged := map[string]int{}
	for number := from; number < from+n; number++ {
		d := histories.Quick{Rand: rand.New(rand.NewPCG(uint64(seed), uint64(number)))}
		way := legal[number%len(legal)]
		for range 30 { // or what is left out, or mistyped, is seldom optional
			row := files[d.Roll(len(files), "file")]
			x := readText(t, filepath.Join("../traces", row.File))
			if x == nil || len(x.events) == 0 || x.header["order"] == "partial" {
				continue
			}
			at := d.Roll(len(x.events), "event")
			more := way.do(d, x, at)
			if more == "" {
				continue
			}
			traced := x.trace(t)
			if traced == nil {
				continue
			}
			for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
				if r := linearize.Check(t.Context(), traced, linearize.Options{Engine: engine, MaxMemory: memoryOfMutant}); r.Violated() {
					t.Errorf("%s: number %d of seed %d: %s, event %d, %s: by %s %s: %s", row.File, number, seed, way.what, at+1, more, engine, r.Describe(), r.Findings[0].Message)
				}
			}
			judged[way.what]++
			break
		}
	}
	t.Logf("%d of seed %d from %d, of %d traces: %v", n, seed, from, len(files), judged)
	for _, way := range legal {
		if judged[way.what] < n/len(legal)/2 {
			t.Errorf("%s: too few were judged: %d", way.what, judged[way.what])
		}
	}
}

// The other end looks at the token of a message when that arrives: one that is made valid behind the post is a good one, so that the connection goes on where
// both ends fail (INV-05, A40).
func TestTokenIsMadeBehindTheMessage(t *testing.T) {
	const ok, goesOn = `{"wr":"r2","status":"STATUS_SUCCESS"}`, `NdkReceive "qp":"qp2","wr":"r2"`
	events := []string{`NdkCreateCq "cq":"cq1","depth":16` + notation.Succeeds, `NdkCreateCq "cq":"cq2","depth":16` + notation.Succeeds,
		`NdkCreateQp "qp":"qp1","receive_cq":"cq1","initiator_cq":"cq1"` + notation.Succeeds, `NdkCreateQp "qp":"qp2","receive_cq":"cq2","initiator_cq":"cq2"` + notation.Succeeds,
		`NdkConnect "qp":"qp1","conn":"c"` + notation.Succeeds, `NdkAccept "qp":"qp2","conn":"c"` + notation.Succeeds,
		`NdkSendAndInvalidate "qp":"qp1","wr":"s1","token":7` + notation.Succeeds, `NdkFastRegister "qp":"qp2","wr":"f1","mr":"mr1","token":7` + notation.Succeeds,
		`NdkGetCqResults "cq":"cq2","n":4|"results":[{"wr":"f1","status":"STATUS_SUCCESS"}]`, `NdkReceive "qp":"qp2","wr":"r1"` + notation.Succeeds,
		`NdkGetCqResults "cq":"cq1","n":4|"results":[{"wr":"s1","status":"STATUS_REMOTE_RESOURCES"}]`,
		`NdkGetCqResults "cq":"cq2","n":4|"results":[{"wr":"r1","status":"STATUS_ACCESS_VIOLATION"}]`, goesOn + notation.Succeeds,
		`NdkSend "qp":"qp1","wr":"s2"` + notation.Succeeds, `NdkGetCqResults "cq":"cq2","n":4|"results":[` + ok + `]`}
	const registers = 7
	for name, want := range map[string]string{"before it arrives": "conformant", "never": "provider violation of INV-05"} {
		for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
			of := events
			if name == "never" {
				of = slices.Delete(slices.Clone(events), registers, registers+2)
			}
			if r := linearize.Check(t.Context(), notation.Read(t, "ndkpi", notation.Lines(of...)), linearize.Options{Engine: engine}); r.Describe() != want {
				t.Errorf("%s, %s: %s, want %s: %+v", name, engine, r.Describe(), want, r.Findings)
			}
		}
	}
}
