package linearize_test

import (
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/cases"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// Each case is counted each time it occurs; where that is not known, it is counted as possible. All cases of a short history are reported; this
// test does not look at those that are not in the row (ARM-04 to ARM-07, ARM-15, ARM-20, POLL-02, POLL-03, POLL-07, POLL-08, POLL-10, RES-10,
// DEF-02, DEF-05, DEF-06, FLAG-02, LIFE-04).
func TestCasesAreCounted(t *testing.T) {
	once, twice, perhaps, never := cases.Count{AtLeast: 1, AtMost: 1}, cases.Count{AtLeast: 2, AtMost: 2}, cases.Count{AtMost: 1}, cases.Count{}
	scripts := map[bool]func(testing.TB, string) *trace.Trace{false: notation.Script, true: notation.Overlapped}
	const closedLater = "new qp3 cq3; NdkArmCq cq3 ANY; NdkArmCq cq3 ANY; rest; NdkCloseQp qp3; NdkCloseCq cq3; " +
		"new qp4 cq4; NdkCloseQp qp4; NdkCloseCq cq4; new qp5 cq5; NdkCloseQp qp5; NdkCloseCq cq5; "
	const remotely = notation.Registered + "NdkSendAndInvalidate qp2 s1#7; get cq1 r1; get cq2 s1; "
	for _, test := range []struct {
		overlaps bool
		text     string
		want     counts
	}{
		{false, "arm ERRORS; arm ERRORS; arm SOLICITED; arm ERRORS; arm SOLICITED; arm ANY; arm ERRORS; arm SOLICITED; arm ANY; rest", counts{
			"ARM-07/NONE+ERRORS": once, "ARM-07/ERRORS+ERRORS": once, "ARM-07/ERRORS+SOLICITED": once, "ARM-07/SOLICITED+ERRORS": once,
			"ARM-07/SOLICITED+SOLICITED": once, "ARM-07/SOLICITED+ANY": once, "ARM-07/ANY+ERRORS": once, "ARM-07/ANY+SOLICITED": once,
			"ARM-07/ANY+ANY": once, "ARM-07/ERRORS+ANY": never, "ARM-07/NONE+ANY": never,
			"ARM-05/NOTHING": {AtLeast: 9, AtMost: 9}, "ARM-05/OTHERS": never, "ARM-04/MATCH": never}},
		{false, "arm SOLICITED; post 1; cb<; get 1x; cb>; arm ERRORS; arm ANY; rest", counts{
			"ARM-07/NONE+SOLICITED": once, "ARM-07/NONE+ERRORS": once, "ARM-07/ERRORS+ANY": once}},
		{false, "arm ANY; post 1; arm SOLICITED; cb<; get 1; cb>; rest", counts{ // was 1 placed before the second?
			"ARM-07/NONE+SOLICITED": perhaps, "ARM-07/ANY+SOLICITED": perhaps, "ARM-04/MATCH": perhaps, "ARM-05/NOTHING": {AtLeast: 1, AtMost: 2}}},
		{false, "arm ANY; arm SOLICITED; cb< STATUS_INTERNAL_ERROR; cb>; rest", counts{ // had it failed before the second?
			"ARM-07/NONE+ANY": once, "ARM-07/NONE+SOLICITED": perhaps, "ARM-07/ANY+SOLICITED": perhaps, "ARM-07/ERRORS+SOLICITED": never, "ARM-15/INTERNAL-ERROR": once}},
		{true, "new qp3 cq3; a< NdkArmCq cq3 ANY; a>; b< NdkArmCq cq3 ANY; b>; NdkCloseQp qp3; NdkCloseCq cq3; rest", counts{ // had it failed, and was closed?
			"ARM-07/NONE+ANY": {AtLeast: 1, AtMost: 2}, "ARM-07/ANY+ANY": perhaps}},
		{false, "write 1; rest; arm ANY; cb<; get 1; cb>; rest", counts{"ARM-04/MATCH": once, "ARM-05/OTHERS": never, "ARM-05/NOTHING": never}},
		{false, "arm ANY; post 1; cb<; cb>; arm ANY; rest; get 1; rest", counts{"ARM-05/OTHERS": once, "ARM-04/MATCH": never, "ARM-05/NOTHING": once}},
		{false, "arm ANY; post 1; cb<; arm ANY; get 1; post 2; get 2; cb>; cb<; cb>; rest", counts{
			"ARM-06/ARM": once, "ARM-06/DEFERRED": once, "POLL-10/CALLBACK": twice, "POLL-02/FEWER": twice}},
		{false, "arm ANY; post 1; cb<; get 1; arm ANY; post 2; cb>; cb<; get 2; cb>; rest", counts{"ARM-06/DEFERRED": perhaps}},
		{true, "new qp3 cq3; a< NdkCloseCq cq3; a> STATUS_PENDING; NdkCloseQp qp3; a! NdkCloseCompletion; rest", counts{"LIFE-04/CQ": once, "ARM-20/CALLBACK": never}},
		{true, "new qp3 cq3; NdkCloseQp qp3; NdkCloseCq cq3; rest", counts{"LIFE-04/CQ": never}},
		{false, "post 1; post 2; post 3; post 4; post 5; post 6; post 7; post 8; get 1 2 3 4 5 6 7 8; get; rest", counts{
			"POLL-02/FULL": once, "POLL-02/FEWER": never, "POLL-03/NOTHING": once}},
		{false, "post 1; recv 2; flush; get 1c 2c; rest", counts{"RES-10/INITIATOR": once, "RES-10/RECEIVE": {AtLeast: 1, AtMost: 21}, "FLAG-02/CANCELLED": never}},
		{false, "post 1 Q; post 2 Q; flush; get 1x 2c; rest", counts{"FLAG-02/FAILED": once, "FLAG-02/CANCELLED": once}},
		{false, "post 1 D; get 1; post 2; get 2; rest", counts{"DEF-02/EARLY": once, "DEF-06/POST": once, "DEF-06/FLUSH": never}},
		{false, "post 1 D; post 2 D; flush; get 1c 2c; rest", counts{"DEF-02/EARLY": {AtMost: 2}, "DEF-06/POST": never, "DEF-06/FLUSH": once}},
		{false, "post 1 F; post 2 D; post 3 F; get 2; rest", counts{"DEF-05/SECOND": once, "DEF-05/THIRD": never, "DEF-06/POST": never}},
		{false, "post 1 D; post 2 D; post 3 DF; post 4 D; post 5 D; post 6 D; post 7 F; get 1 2 4 5 6; rest", counts{"DEF-05/THIRD": once, "DEF-05/FOURTH": once, "DEF-02/EARLY": {AtMost: 5}}},
		{false, "post 1 D; post 2 D; post 3 D; post 4 D; post 5 F; get 1 2 3 4; rest", counts{"DEF-05/FOURTH": never, "DEF-05/LATER": once}},
		{true, remotely + "a< NdkInvalidate qp1 i1#7; a> STATUS_INVALID_PARAMETER; rest", counts{
			"POLL-07/PLAIN": once, "POLL-07/EXTENDED": never, "POLL-08/INLINE": once, "POLL-08/COMPLETION": never}},
		{true, remotely + "NdkInvalidate qp1 i1#7; get cq1 i1x; rest", counts{"POLL-08/INLINE": never, "POLL-08/COMPLETION": once}},
		{true, remotely + "NdkFastRegister qp1 f2#7; get cq1 f2; NdkInvalidate qp1 i1#7; get cq1 i1; NdkInvalidate qp1 i2#7; get cq1 i2x; rest", counts{
			"POLL-08/INLINE": never, "POLL-08/COMPLETION": perhaps}}, // it was valid again
		{true, notation.Registered + "NdkSendAndInvalidate qp2 s1#7; get cq2 s1; a< NdkInvalidate qp1 i1#7; a> STATUS_INVALID_PARAMETER; get cq1 r1; rest", counts{
			"POLL-07/PLAIN": once, "POLL-08/INLINE": perhaps}}, // was r1 there by then?
		{false, "post 1 D; arm ANY; post 2; cb<; get 1 2; cb>; rest", counts{"DEF-02/EARLY": perhaps}},
		{true, "NdkSend qp1 s1; a< NdkFlush qp1; NdkSend qp1 s2; a>; get cq1 s1c s2c; rest", counts{"DEF-06/POST": never, "DEF-06/FLUSH": never}},
		{true, "NdkWrite qp1 w1 DEFER; a< NdkFlush qp1; NdkWrite qp1 w2 DEFER; a>; NdkWrite qp1 w3; get cq1 w1c w2c w3c; rest", counts{
			"DEF-06/POST": perhaps, "DEF-06/FLUSH": perhaps}}, // did the flush end w2's chain, too?
		{true, "NdkWrite qp1 w1 DEFER; a< NdkWrite qp1 w2; NdkFlush qp1; a>; get cq1 w1c w2c; rest", counts{"DEF-06/POST": perhaps, "DEF-06/FLUSH": perhaps}},
		{true, "NdkWrite qp1 w1 DEFER; a< NdkFlush qp1; b< NdkWrite qp1 w2; b> STATUS_INSUFFICIENT_RESOURCES; a>; get cq1 w1c; rest", counts{
			"DEF-05/SECOND": perhaps, "DEF-05/THIRD": perhaps, "DEF-05/FOURTH": perhaps, "DEF-05/LATER": perhaps}},
		{false, "post 1; post 2 D; get 1x 2c; rest", counts{"DEF-02/EARLY": perhaps, "RES-10/INITIATOR": once}},                            // was its chain over?
		{true, "NdkArmCq cq1 ANY; NdkWrite qp1 w1; placed cq1 w1; a< get cq1; enter cq1; a> w1; rest", counts{"ARM-06/DEFERRED": perhaps}}, // what is known is of before the poll
		{true, "NdkWrite qp1 w1 DEFER; a< NdkWrite qp1 w2; get cq1 w1; a>; get cq1 w2; rest", counts{"DEF-02/EARLY": perhaps}},
		{true, "NdkWrite qp1 w1 DEFER; a< NdkFlush qp1; get cq1 w1; a>; rest", counts{"DEF-02/EARLY": perhaps}},
		{true, "NdkWrite qp1 w1 DEFER; a< NdkCloseQp qp1; get cq1 w1; a>; rest", counts{"DEF-02/EARLY": perhaps}},
		{true, "a< NdkFlush qp1; NdkWrite qp1 w1 DEFER; a>; get cq1 w1; NdkWrite qp1 w2; get cq1 w2; rest", counts{"DEF-02/EARLY": perhaps}},
		{false, "post 1 Q; post 2 Q; post 3 QF; rest", counts{"FLAG-02/FAILED": {AtMost: 2}, "FLAG-02/CANCELLED": {AtMost: 2}, "RES-10/INITIATOR": {AtMost: 2}}},
		{true, "NdkFastRegister qp1 f1#7; get cq1 f1; NdkReceive qp1 r1; NdkReceive qp1 r2; NdkSend qp2 s0; NdkSendAndInvalidate qp2 s1#7; get cq1 r1m r2; get cq2 s0 s1; rest",
			counts{"POLL-07/PLAIN": once}},
		{true, remotely + "NdkFastRegister qp1 f2#7; a< NdkInvalidate qp1 i1#7; a> STATUS_INSUFFICIENT_RESOURCES; get cq1 f2; rest", counts{"POLL-08/INLINE": perhaps}},
		{true, closedLater + "rest", counts{"ARM-07/ANY+ANY": once, "ARM-07/NONE+ANY": once, "ARM-05/NOTHING": twice}},
		{true, "new qp3 cq3; a< NdkCloseCq cq3; NdkCloseQp qp3; a> STATUS_PENDING; a! NdkCloseCompletion; rest", counts{"LIFE-04/CQ": once}},
	} {
		if r := judging.Stream(scripts[test.overlaps](t, test.text), linearize.Options{}); r.Verdict != verdict.Conformant {
			t.Errorf("%s: %s: %+v", test.text, r.Verdict, r.Findings)
		} else {
			test.want.hold(t, test.text, r)
		}
	}
	for _, test := range []struct {
		verdict verdict.Verdict
		text    string
		want    counts
	}{
		{verdict.ConsumerViolation, "NdkWrite qp1 w0 DEFER; a< NdkReceive qp1 r1 DEFER; a> STATUS_INSUFFICIENT_RESOURCES; NdkReceive qp1 r2 DEFER; rest", counts{
			"DEF-02/EARLY": perhaps}}, // of w0 alone: a receive has no chain
		{verdict.ConsumerViolation, "new qp3; NdkArmCq cq1 ANY; NdkWrite qp1 w1; placed cq1 w1; NdkCloseQp qp3; NdkReceive qp3 r9; enter cq1; get cq1 w1; rest", counts{
			"ARM-06/DEFERRED": perhaps}}, // behind that nothing is followed
		{verdict.ConsumerViolation, "new qp3; NdkCloseQp qp3; NdkReceive qp3 r9; NdkArmCq cq1 ANY; NdkWrite qp1 w1; enter cq1; rest", counts{"ARM-06/DEFERRED": perhaps}},
		{verdict.ConsumerViolation, closedLater + "get cq3; rest", counts{"ARM-07/ANY+ANY": once, "ARM-07/NONE+ANY": once, "ARM-05/NOTHING": twice}},
		{verdict.Inconclusive, "new qp3; NdkConnect qp3 d; NdkConnect qp9 d; NdkReceive qp3 r1; get cq1 r1; rest", counts{"POLL-07/PLAIN": perhaps}},
		{verdict.Inconclusive, "new qp3; NdkConnect qp3 d; NdkConnect qp9 d; NdkReceive qp3 r1; NdkReceive qp3 r2; NdkWrite qp1 w1; get cq1 r1m r2x w1; rest",
			counts{"POLL-07/PLAIN": never}},
		{verdict.Inconclusive, "new qp3; NdkConnect qp3 d; NdkConnect qp9 d; NdkInvalidate qp1 i1#7; get cq1 i1x; rest", counts{"POLL-08/COMPLETION": perhaps}},
	} {
		if r := judging.Stream(notation.Overlapped(t, test.text), linearize.Options{}); r.Verdict != test.verdict {
			t.Errorf("%s: %s: %+v", test.text, r.Verdict, r.Findings)
		} else {
			test.want.hold(t, test.text, r)
		}
	}
}

// counts are how often some of the cases were met, by their ids.
type counts map[string]cases.Count

// hold compares the counts of a report with c.
func (c counts) hold(t *testing.T, text string, r *verdict.Report) {
	t.Helper()
	for id, want := range c {
		which, known := cases.Get(id)
		if have := r.Cases[which]; !known || have != want {
			t.Errorf("%s: %s was met %d to %d times, want %d to %d", text, id, have.AtLeast, have.AtMost, want.AtLeast, want.AtMost)
		}
	}
}

// Of two hosts each counts its own requests (DEF-02, RES-10).
func TestCasesOfTwoHosts(t *testing.T) {
	whole := notation.Script(t, "post 1 D; post 2 DF; post 3; get 1 3; post 4 Q; peer 5; recv 6; get 6; rest")
	for i := range whole.Events {
		whole.Events[i].Thr = "main"
	}
	hosts := judging.Joined(t, whole, linearize.Options{Engine: linearize.Streaming})
	counts{"DEF-02/EARLY": {AtMost: 1}, "RES-10/INITIATOR": {AtMost: 1}, "FLAG-02/FAILED": {AtMost: 1}}.hold(t, "the first host", hosts[0])
	counts{"DEF-02/EARLY": {}, "RES-10/INITIATOR": {AtMost: 1}, "FLAG-02/FAILED": {}, "RES-10/RECEIVE": {AtMost: 20}}.hold(t, "the second host", hosts[1])
}

// The corpus meets every case: what no trace of it shows no engine is held to.
func TestCorpusMeetsEveryCase(t *testing.T) {
	var all cases.Counts
	for _, row := range judging.Corpus(t) {
		if row.Verdict != string(verdict.Conformant) {
			continue
		}
		r := judging.Stream(row.Read(t), row.Options())
		for _, which := range cases.All() {
			if r.Cases != nil {
				all.Add(which, r.Cases[which])
			}
		}
	}
	for _, which := range cases.All() {
		if all[which].AtLeast == 0 {
			t.Errorf("no conformant trace of the corpus shows %s: %s", which.ID(), which.Text())
		}
	}
}
