package linearize_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/linearize/witness"
	"ndkoracle/trace"
)

// A resizedRow is a trace with a resize, and the right answer: the rule and the line of its breach, if it has one.
type resizedRow struct {
	name, dialect, assume, text string
	verdict                     verdict.Verdict
	rule                        string
	line                        int
}

const (
	fine       = verdict.Conformant
	breach     = verdict.ProviderViolation
	unsure     = verdict.Inconclusive
	three      = "write 1; write 2; write 3"
	overflowed = "cb< STATUS_BUFFER_OVERFLOW; cb>"
)

var resizedRows = []resizedRow{
	// A callback tells of an overflow (ARM-16): of a CQ that held as many as it had room for at that moment.
	{"no room for a third", "ndkpi", "", "arm ERRORS; " + three + "; " + overflowed, fine, "", 0},
	{"grown, which makes room", "ndkpi", "", "arm ERRORS; resize 4; " + three + "; " + overflowed, breach, "ARM-16", 18},
	{"grown, and no room for a fifth", "ndkpi", "", "arm ERRORS; resize 4; " + three + "; write 4; write 5; " + overflowed, fine, "", 0},
	{"grown, and no room for a fifth, and not at rest", "ndkpi", "", "arm ERRORS; resize 4; " + three + "; write 4; write 5; " + overflowed + "; cut", unsure, "", 0},
	{"grown after it may have overflowed", "ndkpi", "", "arm ERRORS; " + three + "; resize 4; " + overflowed, fine, "", 0},
	{"overflows while it grows", "ndkpi", "", "arm ERRORS; resize< 4; " + three + "; resize>; " + overflowed, fine, "", 0},
	{"grows, and overflows at once", "ndkpi", "", "arm ERRORS; resize< 4; " + three + "; " + overflowed + "; resize>", fine, "", 0},
	{"grown twice", "ndkpi", "", "arm ERRORS; resize 3; resize 4; " + three + "; write 4; " + overflowed, breach, "ARM-16", 22},
	{"grown, and back", "ndkpi", "", "arm ERRORS; resize 4; resize 2; " + three + "; " + overflowed, fine, "", 0},
	{"room for two", "ndkpi", "", "arm ERRORS; write 1; write 2; " + overflowed, breach, "ARM-16", 14},
	{"shrunk, which leaves room for one", "ndkpi", "", "arm ERRORS; resize 1; write 1; write 2; " + overflowed, fine, "", 0},
	{"overflows while it shrinks", "ndkpi", "", "arm ERRORS; resize< 1; write 1; write 2; " + overflowed + "; resize>", fine, "", 0},
	{"shrunk after it overflowed", "ndkpi", "", "arm ERRORS; write 1; write 2; " + overflowed + "; resize 1", breach, "ARM-16", 14},

	// One that nothing tells of loses a completion, from the first moment on at which it can have come (A35).
	{"lost where there was room", "ndkpi", "", "write 1; write 2; rest; get 1; get", breach, "DEF-04", 12},
	{"lost after it shrank", "ndkpi", "", "resize 1; write 1; write 2; rest; get 1; get", fine, "", 0},
	{"lost while it shrinks", "ndkpi", "", "resize< 1; write 1; write 2; rest; get 1; get; resize>", fine, "", 0},
	{"lost, and it shrank when both had been posted", "ndkpi", "", "write 1; write 2; resize 1; rest; get 1; get", fine, "", 0},
	{"lost before it shrank", "ndkpi", "", "write 1; write 2; rest; get 1; get; resize 1", breach, "DEF-04", 12},
	{"lost without need after it grew", "ndkpi", "", "resize 4; " + three + "; rest; get 1 2; get", breach, "DEF-04", 16},
	{"lost while it grows", "ndkpi", "", "resize< 4; " + three + "; rest; get 1 2; get; resize>", fine, "", 0},
	{"all of a grown one that was full is in it", "ndkpi", "", "resize 4; " + three + "; write 4; write 5; rest; get 1 2 3 4; get", fine, "", 0},

	// A resize that was refused changes nothing (RSZ-03).
	{"not grown", "ndkpi", "", "arm ERRORS; resize 4 F; " + three + "; " + overflowed, fine, "", 0},
	{"not shrunk", "ndkpi", "", "arm ERRORS; resize 1 F; write 1; write 2; " + overflowed, breach, "ARM-16", 16},

	// One that is pending changes the depth by the time that its completion comes, or not at all.
	{"pending, and grown", "ndkpi", "", "arm ERRORS; resize 4 P; done; " + three + "; " + overflowed, breach, "ARM-16", 20},
	{"pending while it overflows, and grown", "ndkpi", "", "arm ERRORS; resize 4 P; " + three + "; " + overflowed + "; done", fine, "", 0},
	{"completed before its return", "ndkpi", "", "arm ERRORS; resize< 4; done; " + three + "; " + overflowed + "; resize> P", breach, "ARM-16", 19},
	{"pending, and not grown", "ndkpi", "", "arm ERRORS; resize 4 P; done F; " + three + "; " + overflowed, fine, "", 0},
	{"pending, and shrunk", "ndkpi", "", "arm ERRORS; resize 1 P; write 1; write 2; " + overflowed + "; done", fine, "", 0},
	{"pending, and not shrunk", "ndkpi", "", "arm ERRORS; resize 1 P; write 1; write 2; " + overflowed + "; done F", breach, "ARM-16", 16},
	{"never answered, and grown or not", "ndkpi", "", "arm ERRORS; resize 4 P; " + three + "; " + overflowed + "; cut", unsure, "", 0},
	{"never answered, and shrunk or not", "ndkpi", "", "arm ERRORS; resize 1 P; write 1; write 2; " + overflowed + "; cut", unsure, "", 0},
	{"never answered, and too few either way", "ndkpi", "", "arm ERRORS; resize 4 P; write 1; write 2; " + overflowed + "; cut", breach, "ARM-16", 16},
	{"never answered, and neither is its return", "ndkpi", "", "arm ERRORS; resize< 1; write 1; write 2; " + overflowed + "; cut", unsure, "", 0},
	{"never answered at rest", "ndkpi", "", "resize 4 P; rest", breach, "ASY-01", 10},
	{"closed while it is pending", "ndkpi", "", "arm ERRORS; resize 4 P; closes; " + three + "; " + overflowed + "; done; close-qp; closed", fine, "", 0},

	{"closed, and answered too late", "ndkpi", "", "resize 4 P; close-qp; closes; closed; done", breach, "LIFE-07", 14},
	{"closed, and never answered", "ndkpi", "", "resize 4 P; close-qp; closes; closed; cut", breach, "LIFE-07", 14},
	{"closed at once, and answered too late", "ndkpi", "", "resize 4 P; close-qp; close; done F", breach, "LIFE-07", 13},
	{"closed in the callback that answers", "ndkpi", "", "resize 4 P; close-qp; closes; done<; closed; done>", breach, "LIFE-07", 15},
	{"closed after that", "ndkpi", "", "resize 4 P; close-qp; closes; done; closed", fine, "", 0},

	// Nothing says what two at a time come to.
	{"two at a time", "ndkpi", "", "resize 4 P; resize 8; done; " + three + "; get 1 2 3", unsure, "", 0},
	{"two at a time, of which one is refused", "ndkpi", "", "resize 4 P; resize 8 F; done; " + three + "; get 1 2 3", unsure, "", 0},
	{"one during the call of another", "ndkpi", "", "resize< 4; resize 8 F; resize>", unsure, "", 0},
	{"one after the other", "ndkpi", "", "resize 4 P; done; resize 8 P; done F; " + three + "; get 1 2 3", fine, "", 0},

	// Arms, callbacks and polls are as before (RSZ-05).
	{"armed, and resized", "ndkpi", "", "arm ANY; resize 4; write 1; cb<; get 1; cb>; rest", fine, "", 0},
	{"armed, and resized, and no callback", "ndkpi", "", "arm ANY; resize 4; write 1; rest; get 1; get", breach, "ARM-09", 14},
	{"a callback for a resize", "ndkpi", "", "arm ANY; resize 4; cb<; cb>", breach, "ARM-01", 12},
	{"in a callback", "ndkpi", "", "arm ANY; write 1; cb<; resize 4; get 1; cb>; rest; get", fine, "", 0},
	{"during which a callback comes", "ndkpi", "", "arm ANY; resize< 4; write 1; cb<; get 1; cb>; resize>; rest", fine, "", 0},
	{"beside a poll", "ndkpi", "", "write 1; write 2; get<; resize 4; get> 1 2; rest", fine, "", 0},
	{"a poll beside it", "ndkpi", "", "write 1; write 2; resize< 1; get 1 2; resize>; get; rest", fine, "", 0},

	// Each completion stays, once (RSZ-02).
	{"none is lost", "ndkpi", "", "write 1; write 2; rest; resize 1; get 1 2; get", fine, "", 0},
	{"one is lost", "ndkpi", "", "write 1; write 2; rest; resize 4; get 1; get", breach, "RSZ-02", 18},
	{"one is lost that had been placed", "ndkpi", "", "write 1; write 2; placed 1; placed 2; resize 4; get 1; get", breach, "POLL-03", 19},
	{"all are lost that had been placed", "ndkpi", "", "write 1; placed 1; resize 4; get", breach, "POLL-03", 14},
	{"one is doubled", "ndkpi", "", "write 1; rest; resize 4; get 1; get 1", breach, "POLL-04", 16},

	// Below what the CQ holds it is refused (RSZ-03), where it has to be (A16).
	{"below what points tell", "ndkpi", "A16=REFUSED", "write 1; write 2; placed 1; placed 2; resize 1; get 1 2", breach, "RSZ-03", 15},
	{"that is refused", "ndkpi", "A16=REFUSED", "write 1; write 2; placed 1; placed 2; resize 1 F; get 1 2", fine, "", 0},
	{"to as many as points tell", "ndkpi", "A16=REFUSED", "write 1; write 2; placed 1; placed 2; resize 2; get 1 2", fine, "", 0},
	{"below what comes in while it is resized", "ndkpi", "A16=REFUSED", "write 1; write 2; placed 1; resize< 1; placed 2; resize>; get 1 2", fine, "", 0},
	{"below what may have come later", "ndkpi", "A16=REFUSED", "write 1; write 2; resize 1; get 1 2", fine, "", 0},
	{"below what is there at rest", "ndkpi", "A16=REFUSED", "write 1; write 2; rest; resize 1; get 1 2", breach, "RSZ-03", 14},
	{"to as many as are there at rest", "ndkpi", "A16=REFUSED", "write 1; write 2; rest; resize 2; get 1 2", fine, "", 0},
	{"below what is there at rest, which nobody minds", "ndkpi", "", "write 1; write 2; rest; resize 1; get 1 2", fine, "", 0},
	{"pending, below what is there at rest", "ndkpi", "A16=REFUSED", "write 1; write 2; rest; resize 1 P; done; get 1 2", breach, "RSZ-03", 15},
	{"pending, and refused", "ndkpi", "A16=REFUSED", "write 1; write 2; rest; resize 1 P; done F; get 1 2", fine, "", 0},
	{"pending below what is there at rest, and polled", "ndkpi", "A16=REFUSED", "write 1; write 2; rest; resize 1 P; get 1 2; done", fine, "", 0},
	{"a poll during it empties the CQ", "ndkpi", "A16=REFUSED", "write 1; write 2; rest; resize< 1; get 1 2; resize>; get", fine, "", 0},
	{"a poll beside it empties the CQ", "ndkpi", "A16=REFUSED", "write 1; write 2; rest; get<; resize 1; get> 1 2; get", fine, "", 0},
	{"never answered, and can't be", "ndkpi", "A16=REFUSED", "write 1; write 2; rest; resize 1 P; cut", unsure, "", 0},
	{"grown, and then not below what is there", "ndkpi", "A16=REFUSED", "resize 4; " + three + "; rest; resize 2; get 1 2 3", breach, "RSZ-03", 18},

	// What a CQ holds stays, though it is more than there is room for (RSZ-02, A35).
	{"shrunk below what it holds", "ndkpi", "A35=EXACT", "write 1; write 2; rest; resize 1; get 1 2", fine, "", 0},
	{"shrunk below what points tell", "ndkpi", "A35=EXACT", "write 1; write 2; placed 1; placed 2; resize 1; get 1 2", fine, "", 0},
	{"pending below what it holds, and polled", "ndkpi", "A35=EXACT", "write 1; write 2; rest; resize 1 P; get 1 2; done", fine, "", 0},
	{"pending below what it holds, polled, and refused", "ndkpi", "A35=EXACT", "write 1; write 2; rest; resize 1 P; get 1 2; done F", fine, "", 0},
	{"it grows, and holds as much as it has room for then", "ndkpi", "A35=EXACT", "resize< 4; " + three + "; get 1 2 3; resize>", fine, "", 0},
	{"shrunk below what it holds", "verbs", "A35=EXACT", "write 1; write 2; rest; resize 1; get 1 2", fine, "", 0},

	// libibverbs tells how many it made room for.
	{"room for two", "verbs", "A35=EXACT", three + "; placed 1; placed 2; placed 3; get 1 2 3", breach, "ARM-16", 16},
	{"grown as asked", "verbs", "A35=EXACT", "resize 3; " + three + "; placed 1; placed 2; placed 3; get 1 2 3", fine, "", 0},
	{"grown beyond what was asked", "verbs", "A35=EXACT", "resize 2 =3; " + three + "; placed 1; placed 2; placed 3; get 1 2 3", fine, "", 0},
	{"grown beyond what was asked, and full", "verbs", "A35=EXACT", "resize 1 =2; " + three + "; placed 1; placed 2; placed 3; get 1 2 3", breach, "ARM-16", 18},
	{"not grown", "verbs", "A35=EXACT", "resize 3 F; " + three + "; placed 1; placed 2; placed 3; get 1 2 3", breach, "ARM-16", 18},
	{"below what is there, as asked", "verbs", "A16=REFUSED", "write 1; write 2; rest; resize 1; get 1 2", breach, "RSZ-03", 14},
	{"not below what is there, as told", "verbs", "A16=REFUSED", "write 1; write 2; rest; resize 1 =2; get 1 2", fine, "", 0},
}

func (r resizedRow) options() linearize.Options {
	o := linearize.Options{Dialect: r.dialect}
	if id, choice, read := strings.Cut(r.assume, "="); read {
		o.Assume = map[string]string{id: choice}
	}
	return o
}

// openToStream names the rows that the streaming engine leaves open: how much a CQ held, or whether and at which depth it overflowed, it
// would have to search.
var openToStream = []string{"pending, and not shrunk", "below what comes in while it is resized", "below what may have come later",
	"a poll beside it empties the CQ", "it grows, and holds as much as it has room for then"}

// A resize changes the depth, and nothing else (RSZ-02, RSZ-03, RSZ-05).
func TestResizesAreFollowed(t *testing.T) {
	for i := range 2 * len(resizedRows) {
		row, engine := resizedRows[i/2], []linearize.Engine{linearize.Porcupine, linearize.Streaming}[i%2]
		t.Run(fmt.Sprint(row.dialect, " ", row.name, ", ", engine), func(t *testing.T) {
			o := row.options()
			o.Engine = engine
			r := linearize.Check(t.Context(), notation.Resized(t, row.dialect, row.text), o)
			atThePoll := engine == linearize.Streaming && row.assume == "A35=EXACT" // which shows that the CQ held too many
			if engine == linearize.Streaming && slices.Contains(openToStream, row.name) {
				row.verdict, row.rule = unsure, ""
			}
			found := slices.ContainsFunc(r.Findings, func(f verdict.Finding) bool {
				return judging.Equivalent(f, row.rule) && (f.Line == row.line || atThePoll)
			})
			if r.Verdict != row.verdict || (row.rule != "") != (r.Verdict == breach) || row.rule != "" && !found {
				t.Errorf("%s, want %s of %q in line %d: %+v", r.Verdict, row.verdict, row.rule, row.line, r.Findings)
			}
			const open = "cq1 is resized while another resize of it is pending, and nothing says which of them counts"
			says := slices.ContainsFunc(r.Findings, func(f verdict.Finding) bool { return strings.Contains(f.Message, open) })
			two := row.verdict == unsure && !strings.HasSuffix(row.text, "cut") && !slices.Contains(openToStream, row.name)
			if says != two {
				t.Errorf("%+v", r.Findings)
			}
		})
	}
}

// The close of a CQ that waits for a resize which is never answered is not late itself (ASY-01, LIFE-07, LIFE-11).
func TestCloseWaitsForResize(t *testing.T) {
	for _, engine := range []linearize.Engine{linearize.Porcupine, linearize.Streaming} {
		r := linearize.Check(t.Context(), notation.Resized(t, "ndkpi", "resize 4 P; close-qp; closes; rest"), linearize.Options{Engine: engine})
		if len(r.Findings) != 1 || r.Findings[0].Rule != "ASY-01" || r.Findings[0].Line != 14 {
			t.Errorf("%s: %+v", engine, r.Findings)
		}
	}
}

// What is told of a resize below what the CQ holds (RSZ-03).
func TestResizeBelowIsTold(t *testing.T) {
	row := resizedRow{dialect: "ndkpi", assume: "A16=REFUSED"}
	o := row.options()
	o.Engine = linearize.Porcupine
	r := linearize.Check(t.Context(), notation.Resized(t, row.dialect, "write 1; write 2; rest; resize 1 P; done; get 1 2"), o)
	const want = "NdkResizeCq of cq1 to 1 succeeded, and the CQ holds more than 1 completion"
	if f := r.Findings[0]; f.Message != want || !slices.Contains(f.See, 13) || !slices.Contains(f.Instead, "NdkResizeCq is refused") {
		t.Errorf("%+v", r.Findings)
	}
}

// A resize that succeeded takes its steps between its call and its answer, once, to the depth that is told; one that was refused takes none
// (RSZ-02, RSZ-03).
func TestWitnessesOfResizes(t *testing.T) {
	isOfResize := func(line string) bool {
		return strings.Contains(line, `"action":"NdkResizeCq"`) || strings.Contains(line, `"action":"Resize"`) ||
			strings.Contains(line, `"action":"NdkRequestCompletion`)
	}
	followed := 0
	for _, row := range resizedRows {
		if row.verdict != fine {
			continue
		}
		t.Run(row.dialect+" "+row.name, func(t *testing.T) {
			traced := notation.Resized(t, row.dialect, row.text)
			o := row.options()
			o.Engine = linearize.Porcupine
			file := strings.SplitAfter(string(judging.WitnessOf(t, traced, o)), "\n")
			file = file[:len(file)-1]
			verify := func(file []string) error {
				_, err := witness.Verify(strings.NewReader(strings.Join(file, "")), traced)
				return err
			}
			if err := verify(file); err != nil {
				t.Fatalf("%v\n%s", err, file)
			}
			for _, spoilt := range judging.SpoilWitness(file) {
				if line := file[spoilt.Line]; isOfResize(line) && spoilt.How != "swapped" && verify(spoilt.File) == nil {
					t.Errorf("%s: %s%saccepted", spoilt.How, line, spoilt.File[spoilt.Line])
				}
			}
			var steps []string // of the resizes, without op and depth
			for _, line := range file {
				if isOfResize(line) {
					steps = append(steps, line)
				}
			}
			if len(steps) != 4*(strings.Count(row.text, "resize")-strings.Count(row.text, "resize>")-strings.Count(row.text, " F")) {
				t.Fatalf("%s", steps)
			}
			if len(steps) != 4 {
				return
			}
			followed++
			without := slices.DeleteFunc(slices.Clone(file), isOfResize)
			for at := 1; at < len(without); at++ {
				op := fmt.Sprintf(`"op":"%s"`, opOf(traced, "esize"))
				begun := slices.ContainsFunc(without[:at], func(line string) bool { return strings.Contains(line, op) && strings.Contains(line, `"call"`) })
				answered := slices.ContainsFunc(without[:at], func(line string) bool {
					return strings.Contains(line, op) && strings.Contains(line, `"ret"`) && !strings.Contains(line, "PENDING") ||
						strings.Contains(line, `"NdkRequestCompletion"`)
				})
				if moved := slices.Concat(without[:at], steps, without[at:]); (!begun || answered) && verify(moved) == nil {
					t.Errorf("accepted behind %s", without[at-1])
				}
			}
		})
	}
	if followed < 20 {
		t.Errorf("only %d", followed)
	}
	for _, text := range []string{"resize 4 F; write 1; get 1", "resize 4 P; done F; write 1; get 1"} {
		traced := notation.Resized(t, "ndkpi", text)
		file := strings.SplitAfter(string(judging.WitnessOf(t, traced, linearize.Options{})), "\n")
		at := slices.IndexFunc(file, func(line string) bool { return strings.Contains(line, `"fn":"NdkResizeCq"`) })
		for _, outcome := range []string{"SUCCESS", "FAILED"} {
			steps := fmt.Sprintf(`{"rec":"step","action":"NdkResizeCq","op":"4","cq":"cq1","depth":4}
{"rec":"step","action":"Resize","cq":"cq1","outcome":%[1]q}
{"rec":"step","action":"NdkRequestCompletionEnter","op":"4","cq":"cq1","outcome":%[1]q}
{"rec":"step","action":"NdkRequestCompletionExit","op":"4","cq":"cq1"}
`, outcome)
			for _, steps := range []string{steps, strings.ReplaceAll(steps, `"op":"4",`, "")} {
				more := judging.Recounted(slices.Insert(slices.Clone(file[:len(file)-1]), at+1, strings.SplitAfter(steps, "\n")[:4]...))
				if _, err := witness.Verify(strings.NewReader(strings.Join(more, "")), traced); err == nil {
					t.Errorf("%s: %s accepted", text, steps)
				}
			}
		}
	}
}

// opOf returns the op of the first call whose function has a name with that in it.
func opOf(traced *trace.Trace, part string) string {
	i := slices.IndexFunc(traced.Events, func(e trace.Event) bool { return strings.Contains(e.Fn, part) })
	return traced.Events[i].Op
}

// Each answered resize counts for RSZ-02, and those to less than before and refused ones for RSZ-03. Where the CQ is left open they are told as
// open.
func TestResizesAreCounted(t *testing.T) {
	for _, test := range []struct {
		text           string
		kept, shrunk   int
		coverage, less verdict.Coverage
	}{
		{"write 1; get 1", 0, 0, verdict.Vacuous, verdict.Vacuous},
		{"resize 4", 1, 0, verdict.Checked, verdict.Vacuous},
		{"resize 2", 1, 0, verdict.Checked, verdict.Vacuous},
		{"resize 4; resize 3 P; done; resize 8 F; resize 9 P; done F", 4, 3, verdict.Checked, verdict.Checked},
		{"write 1; get 1 2; resize 8 F", 0, 0, verdict.Undecided, verdict.Undecided},
		{"resize 8 F; write 1; get 1 2", 1, 1, verdict.Checked, verdict.Checked},
		{"resize 4 P; resize 3; done", 0, 0, verdict.Undecided, verdict.Undecided},
	} {
		r := linearize.Check(t.Context(), notation.Resized(t, "ndkpi", test.text), linearize.Options{Engine: linearize.Porcupine})
		if kept, less := r.Rules["RSZ-02"], r.Rules["RSZ-03"]; kept.Count != test.kept || less.Count != test.shrunk ||
			kept.Coverage != test.coverage || less.Coverage != test.less {
			t.Errorf("%s: %+v and %+v", test.text, kept, less)
		}
	}
	for text, beyond := range map[string]int{"resize 1; write 1; write 2; get 1 2": 1, "resize 4; " + three + "; get 1 2 3": 0} {
		if r := linearize.Check(t.Context(), notation.Resized(t, "ndkpi", text), linearize.Options{Engine: linearize.Porcupine}); r.Rules["ARM-16"].Count != beyond {
			t.Errorf("%s: %+v", text, r.Rules["ARM-16"])
		}
	}
	r := linearize.Check(t.Context(), notation.Resized(t, "ndkpi", "resize 1 P; cut"), linearize.Options{Engine: linearize.Porcupine})
	if r.Rules["RSZ-02"].Count != 0 || r.Rules["RSZ-03"].Count != 0 {
		t.Errorf("never answered: %+v", r.Rules)
	}
}
