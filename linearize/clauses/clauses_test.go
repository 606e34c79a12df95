package clauses

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/notation"
	"ndkoracle/linearize/timeline"
	"ndkoracle/model"
	"ndkoracle/rules"
	"ndkoracle/trace"
)

// Each clause forbids one scene, and allows one that differs little.
var scenes = map[timeline.Rule]struct{ dialect, accept, reject string }{
	posted:              {"ndkpi", "write 2; recv 1; peer send 7; put 1; put 2; get 1 2", "write 2; recv 1; put 2; peer send 7; get 1 2"},
	executedFirst:       {"ndkpi", "write 2; recv 1; peer send 7; put 1; put 2; get 1 2", "write 2; recv 1; put 2; peer send 7; get 1 2"},
	delivered:           {"ndkpi", "apart; recv 1; flush; get 1c", "apart; recv 1; get 1c; flush"},
	placedAt:            {"ndkpi", "write 1; put 1; get 1", "write 1; put 1; get; get 1"},
	inOrder:             {"ndkpi", "write 1; write 2; flush; get 1c 2c", "write 1; write 2; flush; get 1c; get 2"},
	fenced:              {"ndkpi", "read 1; write 2; flush; get 1c 2", "read 1; write 2 N; flush; get 1c 2"},
	completedInOrder:    {"ndkpi", "write 1; write 2; get 1 2", "write 1; write 2; get 2 1"},
	deliveredInOrder:    {"ndkpi", "write 1; recv 2; flush; put 1; put 2c; get 1 2c", "write 1; recv 2; flush; put 1; put 2c; get 2c 1"},
	foundEmpty:          {"ndkpi", "write 1; get; get 1", "write 1; put 1; get"},
	leftBehind:          {"ndkpi", "write 1; recv 2; flush; put 1; get 1; put 2c; get 2c", "write 1; recv 2; flush; put 2c; put 1; get 1"},
	owedAtRest:          {"ndkpi", "write 1; rest; get 1", "write 1; rest; get; recv 9; get 1"},
	refusedAtRest:       {"ndkpi", "write 1 D; begin write 2; end write 2 F; rest; get 1", "write 1 D; begin write 2; end write 2 F; rest; get; recv 9; get 1"},
	silentAtRest:        {"ndkpi", "write 1 Q; rest; get; recv 9; rest; get", "write 1 Q; rest; get; recv 9; get 1x"},
	stillAtRest:         {"ndkpi", "recv 1; rest; get; peer send 7; get 1; peer get 7", "recv 1; peer send 7 D; rest; get; get 1"},
	passedOver:          {"ndkpi", "peer recv 7; send 1 Q; flush; write 2; get 2c; peer get 7", "send 1 Q; flush; peer recv 7; write 2; get 2c"},
	takesNoMore:         {"ndkpi", "room 1; write 1; write 2; fail overflow; get 1", "room 1; write 1; write 2; fail overflow; write 3; get 1 2 3"},
	overSilently:        {"ndkpi", "peer recv 7; send 1 Q; write 2; get 2; peer recv 8; peer get 7", "peer recv 7; send 1 Q; write 2; get 2; peer recv 8; peer flush; peer get 7c 8c"},
	silentlyEnded:       {"ndkpi", "write 1 I; write 2 Q; rest; get 2c", "write 1 I; write 2 Q; rest; get"},
	meetAtRest:          {"ndkpi", "send 1; rest; get; peer recv 7; rest; get 1; peer get 7", "send 1; peer recv 7; rest; get; peer get; recv 9; get 1"},
	endedAtRest:         {"ndspi", "recv 1; disconnect; rest; get 1c", "recv 1; disconnect; recv 2; rest; get 1c; get; write 3; get 2c"},
	flushCancels:        {"ndkpi", "recv 1; flush; rest; get 1c", "recv 1; flush; rest; get; rest; recv 9; get 1c"},
	flushSpares:         {"ndkpi", "recv 1; flush; get 1c", "recv 1; begin flush; get; end flush; peer send 7; get 1"},
	flushReturned:       {"ndkpi", "recv 1; flush; get 1c", "recv 1; flush; peer send 7; get 1; peer get 7"},
	causedBy:            {"ndkpi", "apart; recv 1; flush; get 1c", "apart; recv 1; get 1c; flush"},
	held:                {"ndkpi", "peer recv 7; send 2; flush; get 2c; peer get 7", "peer recv 7; register 1; send 2; flush; get 1c 2c; peer get 7"},
	silentFailed:        {"ndkpi", "write 1 Q; write 2; get 2c", "write 1 Q; write 2; write 3; get 2c; get 3"},
	abortedBefore:       {"ndkpi", "peer inv 7; recv 1; get 1c", "peer inv 7; recv 1; get 1c; write 3; get 3"},
	failedItself:        {"verbs", "write 1; write 2; get 1x 2c", "write 1; write 2; get 1c 2c; flush"},
	mayCause:            {"verbs", "UC; recv 1; write 2; get 2c 1x", "UC; recv 1; write 2; rest; get 2c; get"},
	endedLater:          {"ndkpi", "recv 1; get 1c", "recv 1; get 1c; write 2; get 2"},
	receivedLater:       {"ndkpi", "recv 1; send 2; peer recv 7; peer get 7; get 1c", "recv 1; get 1c; send 2; peer recv 7; peer get 7"},
	endedByFailure:      {"ndspi", "write 1; write 2; get 1x 2c", "write 1; write 2; get 1x 2"},
	errorState:          {"verbs", "flush; write 1; get 1c", "flush; write 1; get 1"},
	disconnected:        {"ndkpi", "disconnect; recv 1; get 1c", "disconnect; write 1; get 1"},
	connected:           {"ndkpi", "apart; recv 1; connect; peer connect; peer send 7; get 1", "apart; recv 1; get 1; connect"},
	tookMessage:         {"ndkpi", "recv 1; peer send 7; get 1", "recv 1; get 1"},
	receivedFirst:       {"ndkpi", "begin recv 1; begin recv 2; end recv 1; end recv 2; peer send 7; peer get 7; rest; get; recv 9; peer send 8; get 1", "begin recv 1; begin recv 2; end recv 1; end recv 2; peer send 7; peer get 7; rest; get; recv 9; get 1"},
	tookReceive:         {"ndkpi", "recv 1; peer send 7; peer get 7", "peer send 7; peer get 7"},
	tookReceiveSilently: {"ndkpi", "peer recv 7; send 1 Q; write 2; get 2; peer get 7", "send 1 Q; write 2; get 2"},
	refusedPost:         {"ndkpi", "begin recv 1; end recv 1 F; get", "begin recv 1; peer send 7; get 1; end recv 1 F"},
	acceptedUnconnected: {"ndkpi", "apart; connect; peer connect; write 1", "apart; write 1"},
	refusedAsEnded:      {"ndkpi", "write 1 I; recv 2; get 2c", "write 1 I; recv 2; peer send 7; get 2"},
	postedBehindFlush:   {"ndkpi A15=CANCELLED", "write 1; flush; recv 2; get 1; get 2c", "flush; write 1; get 1"},
	silentDead:          {"ndkpi", "memory; register 1 T5; invalidate 2 T5 Q; write 3; get 1 3", "memory; invalidate 2 T5 Q; write 3; get 3"},
	toldDead:            {"ndkpi", "register 1 T5; get 1; recv 2; peer inv 7 T5; get 2T5; register 4 T5; invalidate 3 T5; get 4 3", "register 1 T5; get 1; recv 2; peer inv 7 T5; get 2T5; invalidate 3 T5; get 3"},
	tokenDead:           {"ndkpi", "register 1 T5; invalidate 2 T5; get 1 2; register 3 T5; invalidate 4 T5; get 3 4", "register 1 T5; invalidate 2 T5; get 1 2; invalidate 4 T5; get 4"},
	toldAnswered:        {"ndkpi A8=INLINE", "register 1 T5; get 1; recv 2; peer inv 7 T5; get 2T5; register 4 T5; invalidate 3 T5; get 4 3", "register 1 T5; get 1; recv 2; peer inv 7 T5; get 2T5; invalidate 3 T5; get 3x"},
	deadAnswered:        {"ndkpi A8=INLINE", "register 1 T5; invalidate 2 T5; get 1 2; register 3 T5; invalidate 4 T5; get 3 4", "register 1 T5; invalidate 2 T5; get 1 2; invalidate 4 T5; get 4x"},
	badToken:            {"ndkpi", "register 1 T5; get 1; recv 2; peer inv 7 T5; get 2T5", "recv 2; peer inv 7 T5; get 2T5; register 1 T5"},
	registersToken:      {"ndkpi", "recv 2; send 3; register 1 T5; peer recv 8; peer inv 7 T5; peer get 7; get 3 1 2T5", "recv 2; send 3; register 1 T5; peer inv 7 T5; peer get 7; peer recv 8; get 3 1 2T5"},
	endedByToken:        {"ndkpi", "recv 1; peer inv 7; peer get 7; get 1x; write 2; get 2c", "recv 1; peer inv 7; peer get 7; get 1x; write 2; get 2"},
	ofRequest:           {"ndkpi", "write 1; get 1", "write 1; get 1; get 1"},
}

// uses reports whether a clause took part in what was found.
func uses(e *Engine, rule timeline.Rule) bool {
	return slices.ContainsFunc(e.Findings, func(f Finding) bool {
		return f.Rule == rule || slices.ContainsFunc(f.Chain, func(l timeline.Link) bool { return l.Reason.Rule == rule })
	})
}

// Covers all rules of the table: RES-10, FLUSH-01, -02, -05, -06, DISC-10, FLAG-02, -04, POST-08, DEF-03, -04, POLL-03, -05, -07, -08, -09, INV-05.
func TestEachClauseForbidsWhatItSays(t *testing.T) {
	for rule := timeline.Rule(1); rule < numRules; rule++ {
		name, s := Rules[rule].ID+" "+Rules[rule].Clause, scenes[rule]
		if s.accept == "" {
			t.Errorf("%s: no scene", name)
			continue
		}
		if e := play(t, s.dialect, s.accept); len(e.Findings) > 0 || len(e.Undecided) > 0 {
			t.Errorf("%s: accept: %+v, undecided %v\n%s", name, e.Findings, e.Undecided, said(e))
		}
		if e := play(t, s.dialect, s.reject); !uses(e, rule) {
			t.Errorf("%s: reject: undecided %v\n%s", name, e.Undecided, said(e))
		}
	}
}

// A silent request whose completion comes behind a later one's is out of order where one poll delivers both (POLL-09): only one that does not come has
// no completion (FLAG-02).
func TestASilentRequestThatOnePollDeliversLater(t *testing.T) {
	for text, id := range map[string]string{
		"flush; write 1 Q; write 2; get 1c 2c": "",
		"flush; write 1 Q; write 2; get 2c 1c": "POLL-09",
		"flush; write 1 Q; write 2; get 2c":    "FLAG-02",
	} {
		e, found := play(t, "verbs", text), ""
		if len(e.Findings) > 0 {
			found = e.Findings[0].ID
		}
		if found != id {
			t.Errorf("%s: %q, want %q\n%s", text, found, id, said(e))
		}
	}
}

// By which moment of rest a completion had been placed that a poll delivers, as far as the poll shows (DEF-04).
func TestPlacedByRest(t *testing.T) {
	for text, known := range map[string]bool{
		"apart; connect; begin send 1; begin disconnect; end send 1; end disconnect; rest; recv 9; get 1c": true,
		"apart; connect; begin send 1; end send 1; rest; recv 9; get 1c":                                   false,
		"write 1; rest; recv 9; get 1":                         true,
		"rest; write 1; recv 9; get 1":                         false,
		"recv 1; peer send 7; rest; recv 9; get 1":             true,
		"recv 1; peer send 7; rest; peer send 8; get 1":        false, // it may have taken that, as 7 failed
		"recv 1; rest; peer send 7; get 1":                     false,
		"peer recv 7; send 1; rest; recv 9; get 1":             true,
		"peer recv 7; send 1; rest; peer recv 8; get 1":        false, // it may have taken that, as 7 failed
		"peer recv 7; send 1; rest; recv 9; peer get 7; get 1": true,
	} {
		e := play(t, "ndkpi", text)
		if len(e.Bounds) != 1 || (e.Bounds[0].Latest != 0) != known {
			t.Errorf("%s: %+v, known %v, undecided %v\n%s", text, e.Bounds, known, e.Undecided, said(e))
		}
	}
}

// Of three silent messages two had a receive. The third waits for one, and a write behind it does (DEF-04).
func TestThirdSilentMessageWaits(t *testing.T) {
	posts := "send 1 Q; send 2 Q; send 3 Q; write 4; rest;"
	if e := play(t, "ndkpi", "peer recv 7; peer recv 8;"+posts+"peer get 7 8; get"); len(e.Findings) > 0 || len(e.Undecided) > 0 {
		t.Errorf("undecided %v\n%s", e.Undecided, said(e))
	}
	if e := play(t, "ndkpi", "peer recv 7; peer recv 8; peer recv 9;"+posts+"peer get 7 8 9; get; recv 10; get"); len(e.Findings) != 1 || e.Findings[0].ID != "DEF-04" {
		t.Errorf("a third receive: undecided %v\n%s", e.Undecided, said(e))
	}
}

// Of posts that overlap either may be the first (POST-04, POLL-09), and what is posted behind both is behind them.
func TestPostsThatOverlap(t *testing.T) {
	both := "begin write 1; begin write 2; end write 1; end write 2;"
	for text, want := range map[string]int{
		both + "get 1 2": 0, both + "get 2 1": 0, both + "write 3; get 2; get 1 3": 0, both + "write 3; get 3 1": 1, both + "write 3; get 2 3 1": 1,
		"write 1; write 2; get 2 1": 1,
		"begin recv 1; begin recv 2; end recv 1; end recv 2; peer send 7; get 2; peer get 7": 0,
		"begin recv 1; begin recv 2; end recv 1; end recv 2; get 2":                          1,
		chainOfPosts(100): 0,
	} {
		if e := play(t, "ndkpi", text); len(e.Findings) != want || len(e.Undecided) > want {
			t.Errorf("%s: undecided %v\n%s", text, e.Undecided, said(e))
		}
	}
}

// At rest no message waits behind the end of its connection (DEF-04), also where the other end is closed, and nothing fails of itself.
func TestWhatIsOverAtRest(t *testing.T) {
	for text, want := range map[string]int{
		"peer close; write 1; get 1x; send 2; rest; get 2c":              0,
		"peer close; write 1; get 1x; send 2; rest; get; recv 9; get 2c": 1,
		"peer close; send 2; rest; get; recv 9; get 2c":                  0,
		"recv 1; rest; get 1x":                                           0,
		"recv 1; rest; get; get 1x":                                      1,
		"recv 1; rest; get; peer send 7; get 1x":                         0,
	} {
		if e := play(t, "verbs", text); len(e.Findings) != want || want > 0 && e.Findings[0].ID != "DEF-04" {
			t.Errorf("%s: undecided %v\n%s", text, e.Undecided, said(e))
		}
	}
}

// A poll behind the close of a queue pair does not show that nothing of it had completed: completions vanish with it (A21, DEF-04).
func TestVanishedIsNotPending(t *testing.T) {
	find(t, "verbs", map[string]int{
		"write 1; peer write 7; rest; peer close; rest; get 1c; peer get":           0, // 7 may have failed
		"write 1; peer write 7; rest; peer get; rest; peer close; get 1c; peer get": 1,
	})
}

// A request may wait behind a message, whatever was refused between the two.
func TestRefusedBetween(t *testing.T) {
	find(t, "ndkpi", map[string]int{
		"send 1; begin send 2; begin write 3; end send 2 F; end write 3; rest; get":          0,
		"write 1; begin send 2; begin write 3; end send 2 F; end write 3; rest; get; recv 9": 1,
	})
}

// chainOfPosts is a scene of posts each of which overlaps the next.
func chainOfPosts(n int) string {
	text, got := "begin write 0;", "get 0"
	for i := range n {
		text += fmt.Sprintf("begin write %d; end write %d;", i+1, i)
		got += fmt.Sprintf(" %d", i+1)
	}
	return text + fmt.Sprintf("end write %d;", n) + got
}

// What is called after another post has returned is executed behind it, whatever else overlaps (POST-04, FLUSH-06).
func TestPostsThatOverlapAThirdOne(t *testing.T) {
	const posts = "begin recv 1; begin recv 2; end recv 1; begin recv 3; end recv 2; end recv 3; peer send 7; peer send 8;"
	for text, want := range map[string]int{posts + "get 1x 2c 3c": 0, posts + "get 2 1x 3c": 0, posts + "get 1x 3": 1, posts + "get 1x 2c; get 3": 1} {
		if e := play(t, "ndspi", text); len(e.Findings) != want || len(e.Undecided) > 0 {
			t.Errorf("%s: undecided %v\n%s", text, e.Undecided, said(e))
		}
	}
	const read = "begin read 1; begin send 2; end read 1; end send 2; get 2x;"
	for text, want := range map[string]int{read + "rest; get 1": 0, read + "rest; get": 1} {
		if e := play(t, "ndkpi", text); len(e.Findings) != want {
			t.Errorf("%s: undecided %v\n%s", text, e.Undecided, said(e))
		}
	}
}

// Single facts and readings: a poll with room to spare (A7), what is behind a flush at rest (A15, DEF-04), an accepted request where only a connect that
// was refused came before (POST-08), and a point of no request that is outstanding (POLL-05).
func TestFactsAndReadings(t *testing.T) {
	for _, c := range []struct {
		dialect, scene string
		want           int
	}{
		{"ndkpi", "write 1; recv 2; flush; put 1; put 2c; get 1", 0},
		{"ndkpi A7=MUST NOT", "write 1; recv 2; flush; put 1; put 2c; get 1", 1},
		{"ndkpi A7=MUST NOT", "write 1; put 1; get 1; recv 2; flush; put 2c; get 2c", 0},
		{"ndkpi", "flush; recv 1; rest; get", 0},
		{"ndkpi A15=CANCELLED", "flush; recv 1; rest; get", 1},
		{"ndkpi A15=CANCELLED", "inv 9; flush; recv 1; rest; get 9c; get", 0}, // a bad token may have ended the connection before
		{"ndkpi", "begin flush; recv 1; end flush; get; peer send 7; get 1", 0},
		{"ndkpi A15=CANCELLED", "begin flush; recv 1; end flush; get; peer send 7; get 1", 1},
		{"ndkpi A15=CANCELLED", "begin flush; recv 1; peer send 7; end flush; get 1", 0},
		{"ndkpi A15=CANCELLED", "flush; send 1; rest; get", 1},
		{"ndkpi A15=CANCELLED", "flush; send 1; recv 2; rest; get 1c 2c", 0},
		{"ndkpi", "apart; connect F; write 1", 1},
		{"ndkpi", "apart; begin recv 1; connect F; end recv 1; write 2", 0},
		{"ndkpi", "apart; begin write 1; connect F; end write 1; get 1; write 2", 0},
		{"ndkpi", "apart; connect F; connect; write 1", 0},
		{"verbs", "apart; connect F; write 1", 0},
		{"ndkpi", "write 1; get 1; put 1", 1},
		{"ndkpi", "write 1; put 1; get 1", 0},
	} {
		if e := play(t, c.dialect, c.scene); len(e.Findings) != c.want || len(e.Undecided) > 0 {
			t.Errorf("%s: %s: undecided %v\n%s", c.dialect, c.scene, e.Undecided, said(e))
		}
	}
}

// Scenes of connections that have ended: how many violations each has, and of which rule.
var endScenes = []struct{ dialect, text, rule string }{
	// A request that fails may end the connection (A40). The first that is cancelled shows that it has.
	{"ndkpi", "write 1; write 2; get 1x 2", ""},
	{"ndkpi", "write 1; write 2; get 1x 2c; write 3; get 3c", ""},
	{"ndkpi", "write 1; write 2; write 3; get 1x 2c 3", "RES-10"},
	{"ndkpi", "write 1; write 2; get 1x 2c; write 3; get 3", "RES-10"},
	{"ndkpi", "write 1; recv 2; get 1x 2c; write 3; get 3", "RES-10"},
	{"ndkpi", "write 1; write 2; recv 3; get 1x 3c; get 2", ""}, // 2 was executed before 3
	{"ndkpi", "write 1; recv 2; get 1x; flush; get 2c; write 3; get 3", ""},
	{"ndkpi", "write 1; recv 2; get 1x 2c; peer write 7; peer get 7", "RES-10"},
	{"ndkpi", "apart; recv 1; recv 2; get 1x 2c; connect; peer connect; write 3; get 3", ""},
	{"ndspi", "write 1; recv 2; get 1x 2c; write 3; get 3", "FLUSH-06"},

	// Behind STATUS_CONNECTION_INVALID nothing succeeds at the other end that needs this one.
	{"ndkpi", "peer write 7; write 1 I; peer get 7", ""},
	{"ndkpi", "write 1 I; peer write 7; peer get 7", "POST-08"},
	{"ndkpi", "recv 2; write 1 I; peer send 7; peer get 7", "POST-08"},
	{"ndkpi", "write 1 I; peer write 7; peer get 7c", ""},
	{"ndkpi", "flush; write 1 I; peer write 7; peer get 7", "POST-08"},

	// Behind a disconnect neither.
	{"ndkpi", "peer write 7; disconnect; peer get 7", ""},
	{"ndkpi", "disconnect; peer write 7; peer get 7", "DISC-10"},
	{"ndkpi", "disconnect; peer read 7; peer get 7", "DISC-10"},
	{"ndkpi", "recv 2; disconnect; peer send 7; peer get 7", "DISC-10"},
	{"ndkpi", "disconnect; peer write 7; peer get 7c", ""},
	{"ndkpi", "begin disconnect; peer write 7; end disconnect; peer get 7", ""},
	{"ndkpi", "recv 1; begin disconnect; peer write 7; peer get 7; end disconnect; get 1c", ""},

	// A connect that was refused has made no connection; one that failed otherwise may have.
	{"ndkpi", "apart; recv 1; connect B; get 1", ""},
	{"ndkpi", "apart; recv 1; connect R; get 1", "POST-08"},
	{"ndkpi", "apart; recv 1; begin connect R; get 1; end connect R", "POST-08"},
	{"ndkpi", "apart; begin connect R; write 1; end connect R", "POST-08"},
	{"ndkpi", "apart; connect R; write 1", "POST-08"},
	{"ndkpi", "apart; recv 1; connect B; connect R; get 1", ""},
	{"ndkpi", "apart; recv 1; connect R; get 1c; recv 2; connect; peer connect; peer send 7; get 2", ""},

	// In libibverbs what is flushed has a cause.
	{"verbs", "recv 1; get 1c", "RES-10"},
	{"verbs", "recv 1; peer recv 7; get 1c; peer get 7c", "RES-10"},
	{"verbs", "recv 1; recv 2; get 1c; flush; get 2c", "RES-10"},
	{"verbs", "recv 1; recv 2; get 1x 2c", ""},
	{"verbs", "recv 1; write 2; get 2x 1c", ""},
	{"verbs", "recv 1; write 2; get 1c 2x", ""},
	{"verbs", "recv 1; peer write 7; get 1c; peer get 7x", ""},
	{"verbs", "recv 1; peer write 7; get 1c; peer get 7", "RES-10"},
	{"verbs", "recv 1; peer write 7; peer get 7; get 1c", "RES-10"},
	{"verbs", "recv 1; peer write 7 Q; get 1c", ""},
	{"verbs", "recv 1; peer recv 7; peer get 7x; get 1c", "RES-10"}, // a receive that fails breaks its own end alone
	{"verbs", "recv 1; get 1c; peer write 7; peer get 7x", "RES-10"},
	{"verbs", "write 1; get 1c", "RES-11"},
	{"verbs", "write 1; write 2; get 1x 2c", ""},

	// A request of the other queue may have failed first, unless it had not completed by a moment of rest.
	{"verbs", "UC; recv 1; write 2; get 2c 1x", ""},
	{"verbs", "UC; recv 1; write 2; rest; get 2c; get", "RES-11"},
}

func TestEndsOfConnections(t *testing.T) {
	for _, test := range endScenes {
		e := play(t, test.dialect, test.text)
		if test.rule == "" && len(e.Findings)+len(e.Undecided) > 0 || test.rule != "" && (len(e.Findings) == 0 || e.Findings[0].ID != test.rule) {
			t.Errorf("%s: %s: want %q, undecided %v\n%s", test.dialect, test.text, test.rule, e.Undecided, said(e))
		}
	}
}

// find holds how many violations are found in scenes against how many there are.
func find(t *testing.T, dialect string, scenes map[string]int) {
	t.Helper()
	for text, want := range scenes {
		if e := play(t, dialect, text); len(e.Findings) != want {
			t.Errorf("%s: undecided %v\n%s", text, e.Undecided, said(e))
		}
	}
}

func said(e *Engine) string {
	var text []string
	for _, f := range e.Findings {
		text = append(text, f.String())
	}
	return strings.Join(text, "\n")
}

// The documentation of the package has the table.
func TestTheDocumentationHasTheTable(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for rule := timeline.Rule(1); rule < numRules; rule++ {
		if row := fmt.Sprintf("//\t%-8s  %s\n", Rules[rule].ID, Rules[rule].Clause); strings.Count(string(text), row) != 1 {
			t.Errorf("doc.go has not once: %s", row)
		}
	}
}

// The table is whole: each clause has an id of the rulebook, and its words.
func TestTheTableIsWhole(t *testing.T) {
	for rule := timeline.Rule(1); rule < numRules; rule++ {
		r := Rules[rule]
		if _, ok := rules.Get(r.ID); !ok || r.Clause == "" || r.Because == "" || strings.Count(r.Headline, "%s") != 1 {
			t.Errorf("clause %d: %+v", rule, r)
		}
	}
}

// A message that is refused holds nothing back, though it was posted with a fence (FLAG-04, DEF-03).
func TestRefusedFence(t *testing.T) {
	const text = "peer recv 7; read 1; begin send 2 N; end send 2 %s; send 3; peer get 7; flush; get 1c %s"
	if e := play(t, "ndkpi", fmt.Sprintf(text, "F", "3c")); len(e.Findings) > 0 || len(e.Undecided) > 0 {
		t.Errorf("refused: undecided %v\n%s", e.Undecided, said(e))
	}
	const read = "peer recv 7; peer recv 8; send 1; begin read 2; end read 2 %s; send 3 N; peer get 7 8; flush; get 1c %s"
	if e := play(t, "ndkpi", fmt.Sprintf(read, "F", "3c")); len(e.Findings) > 0 || len(e.Undecided) > 0 {
		t.Errorf("a refused read: undecided %v\n%s", e.Undecided, said(e))
	}
	if e := play(t, "ndkpi", fmt.Sprintf(read, "", "2c 3c")); !uses(e, fenced) {
		t.Errorf("a read: undecided %v\n%s", e.Undecided, said(e))
	}
	if e := play(t, "ndkpi", fmt.Sprintf(text, "", "2c 3c")); !uses(e, fenced) {
		t.Errorf("accepted: undecided %v\n%s", e.Undecided, said(e))
	}
}

// What passed a read, and failed, may have cancelled it, whatever fence the read has itself (RES-10, FLAG-04).
func TestFailureThatPassedARead(t *testing.T) {
	find(t, "verbs", map[string]int{
		"read 1 N; write 2; get 1c 2x":   0,
		"read 1 N; write 2 N; get 1c 2x": 1,
	})
}

// A silent request before one that a point shows may have failed before it, and be delivered yet (FLAG-02); once the other is delivered without it, it
// has succeeded.
func TestSilentRequestBeforeAPoint(t *testing.T) {
	for text, want := range map[string]int{
		"write 1 Q; write 2; put 2c; rest; get 1x 2c": 0,
		"write 1 Q; write 2; put 2; get 2; get 1x":    1,
	} {
		if e := play(t, "ndkpi", text); len(e.Findings) != want || len(e.Undecided) > 0 {
			t.Errorf("%s: undecided %v\n%s", text, e.Undecided, said(e))
		}
	}
}

// Queue pairs are forgotten once both ends are closed and nothing of them can be delivered any more (LIFE-06, A21).
func TestClosedQueuePairsAreForgotten(t *testing.T) {
	for text, left := range map[string]int{
		"write 1; get 1; close":                        2,
		"write 1; get 1; recv 2; close; peer close":    2, // 2 may be delivered, or vanish
		"write 1; get 1; close; peer close":            0,
		"recv 2; flush; get 2c; close; peer close":     0,
		"write 1 Q; write 2; get 2; close; peer close": 0,
	} {
		e := play(t, "ndkpi", text)
		if len(e.qps) != left || len(e.Findings) > 0 {
			t.Errorf("%s: %d queue pairs are left, want %d\n%s", text, len(e.qps), left, said(e))
		}
		if e.Solver.Collect(); left == 0 && e.Solver.Live > 2 { // the last completion of each CQ
			t.Errorf("%s: %d hidden times are left", text, e.Solver.Live)
		}
	}
}

// What tokens decide, and what they leave to the provider (INV-05, POLL-07, POLL-08).
func TestTokens(t *testing.T) {
	const dead = "memory; register 1 T5; invalidate 2 T5; get 1 2;"
	for _, c := range []struct{ dialect, text, rule string }{
		{"ndkpi", dead + "invalidate 3 T5; get 3x", ""},
		{"ndkpi", dead + "invalidate 3 T6; get 3", "POLL-08"},
		{"ndkpi", "invalidate 3 T6; get 3; invalidate 4 T6; get 4", "POLL-08"}, // it may have been valid once before
		{"ndkpi", "begin register 1 T5; invalidate 2 T5; get 1; end register 1; get 2", ""},
		{"ndkpi", "register 1 T5; invalidate 2 T5; get 1x 2", "POLL-08"},
		{"ndkpi", "register 1 T5; invalidate 2 T5 Q; write 3; get 1x 3", "FLAG-02"},
		{"ndkpi", dead + "peer register 7; invalidate 3 T5; get 3", ""}, // that may have made any token valid
		{"ndkpi", dead + "register 3 T5 F; invalidate 4 T5; get 4", "POLL-08"},
		{"ndkpi", dead + "peer register 7 T5; invalidate 4 T5; get 4; peer get 7", ""},
		{"ndkpi", dead + "invalidate 4 T5; get; peer register 7 T5; get 4; peer get 7", ""},
		{"ndkpi", dead + "invalidate 4 T5; put 4; peer register 7 T5; get 4; peer get 7", "POLL-08"},
		{"verbs", dead + "invalidate 4 T5; get 4", "POLL-08"},
		{"ndkpi A8=INLINE", dead + "invalidate 4 T5 F", ""},
		{"ndkpi A8=COMPLETION", dead + "invalidate 4 T5 F", "POLL-08"},
		{"ndkpi A8=COMPLETION", dead + "register 3 T5; invalidate 4 T5 F; get 3", ""},
		{"ndkpi A8=INLINE", dead + "register 3 T5; invalidate 4 T5; get 3 4", ""},

		// A message with a bad token ends the connection once, and takes a receive.
		{"ndkpi", "peer inv 7; peer get 7", "POLL-05"},
		{"ndkpi", "recv 1; peer inv 7; peer get 7; get 1c", ""},
		{"ndkpi", "recv 1; recv 2; peer inv 7; peer get 7; get 1x; get 2c", ""},
		{"ndkpi", "recv 1; recv 2; peer inv 7; peer get 7; get 1x; get 2", ""}, // the message took the second
		{"ndkpi", "recv 1; recv 2; peer inv 7; peer inv 8; peer get 7 8; get 1x 2x", "POLL-05"},
		{"ndkpi", "recv 1; peer inv 7; peer write 8; peer get 7 8; get 1x", "POLL-05"},
		{"ndkpi", "recv 1; peer inv 7; peer get 7; get 1x; peer write 8; peer get 8", "INV-05"},
		{"ndkpi", "recv 1; recv 2; peer inv 7; peer get 7; rest; get 1x; get; recv 9; get 2c", "INV-05"},
		{"ndkpi", "recv 1; write 2; peer inv 7; peer get 7; get 1x; rest; get; recv 9; get 2c", "INV-05"},
		{"verbs", "recv 1; write 2; peer inv 7; peer get 7; get 1c 2c", ""},
		{"verbs", "recv 1; write 2; peer inv 7 Q; get 1c 2c", ""},
		{"verbs", "recv 1; peer send 7; peer get 7; get 1c", "POLL-05"},
	} {
		e := play(t, c.dialect, c.text)
		if c.rule == "" && len(e.Undecided)+len(e.Findings) > 0 || c.rule != "" && (len(e.Findings) == 0 || e.Findings[0].ID != c.rule) {
			t.Errorf("%s: %s: want %q, undecided %v\n%s", c.dialect, c.text, c.rule, e.Undecided, said(e))
		}
	}
}

// Of a token that is used again and again, few requests are kept, and what is known of it stays known.
func TestTokensAreForgotten(t *testing.T) {
	text := "memory;"
	for i := range 200 {
		text += fmt.Sprintf("register 1%d T5; invalidate 2%d T5; get 1%d 2%d;", i, i, i, i)
	}
	e := play(t, "ndkpi", text)
	if len(e.Findings)+len(e.Undecided) > 0 || e.Solver.Most > 400 {
		t.Errorf("undecided %v, %d variables lived at once\n%s", e.Undecided, e.Solver.Most, said(e))
	}
	if e := play(t, "ndkpi", text+"invalidate 3 T5; get 3"); !uses(e, tokenDead) {
		t.Errorf("undecided %v\n%s", e.Undecided, said(e))
	}
}

// play judges a scene.
func play(t *testing.T, dialect, text string) *Engine {
	t.Helper()
	return Judge(notation.Scene(t, dialect, text))
}

// Silent requests that are passed over where nothing allows it are dropped once, also where what can no longer matter is collected at once (FLAG-02).
func TestPassedOverIsDroppedOnce(t *testing.T) {
	d, made := notation.Scene(t, "ndkpi", "write 1 Q; disconnect; write 2 Q; write 3; get 3c")
	e := New(d)
	e.Solver.Eager = true
	if e.Read(made); len(e.Findings) != 1 || e.Findings[0].ID != "FLAG-02" {
		t.Errorf("undecided %v\n%s", e.Undecided, said(e))
	}
}

// A queue pair whose queues complete into one CQ is forgotten once when that is closed, and so is the CQ: what others keep stays (A21, LIFE-07).
func TestForgottenOnce(t *testing.T) {
	s := &notation.Scripted{Trace: &trace.Trace{Header: trace.Header{Dialect: "ndkpi", Side: "provider", Order: "total"}, End: &trace.End{Quiescent: true}}}
	room, did := int64(4), notation.Success
	s.Call("NdkCreateCq", trace.Event{Cq: "cq1", Depth: &room}, did)
	s.Call("NdkCreateQp", trace.Event{Qp: "qp1", ReceiveCq: "cq1", InitiatorCq: "cq1"}, did)
	s.Call("NdkConnect", trace.Event{Qp: "qp1", Conn: "c"}, did)
	s.Call("NdkWrite", trace.Event{Qp: "qp1", Wr: "w1"}, did)
	s.Call("NdkWrite", trace.Event{Qp: "qp1", Wr: "w2"}, did)
	s.Call("NdkGetCqResults", trace.Event{Cq: "cq1", N: &room}, trace.Event{Results: []trace.Result{{Wr: "w1", Status: "STATUS_SUCCESS"}}})
	s.Call("NdkFlush", trace.Event{Qp: "qp1"}, did)
	s.Call("NdkCloseQp", trace.Event{Qp: "qp1"}, did)
	s.Call("NdkCloseCq", trace.Event{Cq: "cq1"}, did)
	e := New(model.Ndkpi())
	if e.Read(s.Trace); e.Solver.Unbalanced != 0 || len(e.qps)+len(e.cqs) > 0 {
		t.Errorf("%d variables were released too often; %d queue pairs and %d CQs are left", e.Solver.Unbalanced, len(e.qps), len(e.cqs))
	}
}
