package tlcjudge

import (
	"strings"
	"testing"

	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
	"ndkoracle/traces"
)

// A resize that succeeded changes the depth at one moment until it is answered, and a refused one never does (RSZ-03): what a CQ has no
// room for then may overflow, and nothing else (ARM-16). Nothing else of the CQ changes (RSZ-02).
func TestResize(t *testing.T) {
	refused, exact := map[string]string{"A16": "REFUSED"}, map[string]string{"A35": "EXACT"}
	tests := []struct {
		rule   string
		line   int
		assume map[string]string
		text   string
	}{
		// It succeeds at once.
		{"ARM-16", 20, nil, "depth 1: resize 4; arm; write w1; write w2; overflow"},
		{"", 0, nil, "depth 1: arm; write w1; write w2; resize 4; overflow"},
		{"", 0, nil, "depth 4: resize 1; arm; write w1; write w2; overflow"},
		{"ARM-16", 18, nil, "depth 4: arm; write w1; write w2; overflow; resize 1"},
		{"ARM-16", 22, nil, "depth 4: resize 1; resize 2; arm; write w1; write w2; overflow"},
		{"", 0, nil, "depth 4: resize 2; resize 1; arm; write w1; write w2; overflow"},
		{"", 0, nil, "depth 4000000000: resize 1; resize 4000000000; write w1; write w2; rest; get w1 w2"},
		{"", 0, nil, "depth 4: resize 1; arm; write w1; write w2; overflow; get"},
		{"ARM-16", 19, exact, "depth 4: resize 1; write w1; write w2; placed w1; placed w2"},
		{"", 0, exact, "depth 1: resize 4; write w1; write w2; placed w1; placed w2"},

		// It is refused.
		{"ARM-16", 20, nil, "depth 4: resize 1 refused; arm; write w1; write w2; overflow"},
		{"", 0, nil, "depth 1: resize 4 refused; arm; write w1; write w2; overflow"},

		// It is pending, and completes.
		{"ARM-16", 22, nil, "depth 1: resize 4 pending; resized; arm; write w1; write w2; overflow"},
		{"", 0, nil, "depth 1: resize 4 pending; arm; write w1; write w2; resized; overflow"},
		{"", 0, nil, "depth 4: resize 1 pending; arm; write w1; write w2; overflow; resized"},
		{"", 0, exact, "depth 4: resize 1 pending; write w1; write w2; placed w1; placed w2; resized"},
		{"ARM-16", 20, nil, "depth 4: resize 1 pending; arm; write w1; write w2; overflow; not resized"},
		{"ARM-16", 22, nil, "depth 4: resize 1 pending; not resized; arm; write w1; write w2; overflow"},
		{"", 0, nil, "depth 1: resize 4 pending; not resized; arm; write w1; write w2; overflow"},
		{"ARM-16", 24, nil, "depth 4: resize 1 pending; resized; resize 2; arm; write w1; write w2; overflow"},

		// It is never answered, and may have taken effect or not.
		{"ASY-01", 22, nil, "depth 4: resize 1 pending; arm; write w1; write w2; overflow"},
		{"ASY-01", 22, nil, "depth 1: resize 4 pending; arm; write w1; write w2; overflow"},
		{"ASY-01", 14, nil, "depth 4: resize 1 pending; rest; arm; write w1; write w2; overflow"},

		// It goes below what the CQ holds.
		{"RSZ-03", 19, refused, "depth 4: write w1; write w2; placed w1; placed w2; resize 1"},
		{"", 0, nil, "depth 4: write w1; write w2; placed w1; placed w2; resize 1"},
		{"", 0, refused, "depth 4: write w1; write w2; placed w1; placed w2; resize 1 refused"},
		{"", 0, refused, "depth 4: write w1; write w2; placed w1; placed w2; resize 2"},
		{"", 0, refused, "depth 4: write w1; write w2; placed w1; placed w2; get w1; resize 1"},
		{"RSZ-03", 18, refused, "depth 4: write w1; write w2; rest; resize 1"},
		{"", 0, refused, "depth 4: write w1; write w2; resize 1; rest"},
		{"", 0, refused, "depth 4: write w1; write w2; resize 1; get w1 w2"},
		{"RSZ-03", 19, refused, "depth 4: write w1; write w2; rest; resize 1 pending; resized"},
		{"", 0, refused, "depth 4: write w1; write w2; rest; resize 1 pending; not resized"},
		{"", 0, refused, "depth 4: write w1; write w2; rest; resize 1 pending; get w1; resized"},
		{"", 0, refused, "depth 1: write w1; resize 4; write w2; rest; get w1 w2"},
		{"", 0, nil, "depth 4: write w1; write w2; rest; resize 1; get w1 w2; get"},
		{"RSZ-02", 22, nil, "depth 4: write w1; write w2; rest; resize 1; get w1; get"},
		{"POLL-04", 22, nil, "depth 4: write w1; write w2; rest; resize 1; get w1 w2; get w2"},

		// The CQ is closed after it (LIFE-07).
		{"LIFE-07", 19, nil, "resize 4 pending; destroy; resized"},
		{"LIFE-07", 19, nil, "resize 4 pending; destroy; not resized"},
		{"LIFE-07", 20, nil, "resize 4 pending; resized in; destroy; resized out"},
		{"", 0, nil, "resize 4 pending; resized; destroy"},
		{"", 0, nil, "resize 4 pending; not resized; destroy"},
		{"", 0, nil, "resize 4; destroy"},
	}
	var cases []Case
	for _, test := range tests {
		cases = append(cases, Case{script(t, test.text), linearize.Options{Assume: test.assume}})
	}
	reports, err := newJudge(t).CheckAll(t.Context(), cases)
	if err != nil {
		t.Fatal(err)
	}
	for i, test := range tests {
		want := traces.Answer{Verdict: string(verdict.ProviderViolation), Rule: test.rule, Line: test.line}
		if want.Rule == "" {
			want.Verdict = string(verdict.Conformant)
		}
		if differs := wrong(want, reports[i]); differs != "" {
			t.Errorf("%s %v: %s", test.text, test.assume, differs)
		}
	}
}

// A resize that is called while another one is pending leaves its CQ open (ASY-01), refused as either may be.
func TestResizedTwice(t *testing.T) {
	const why = "cq is resized while another resize of it is pending, and nothing says which of them counts; one NdkResizeCq that waits for the other " +
		"decides it"
	tests := []struct{ text, why string }{
		{"resize 4 pending; resize 8; resized", why},
		{"resize 4 pending; resize 8 refused; resized", why},
		{"resize 4 pending; resize 8; not resized", why},
		{"resize 4 pending; resized in; resize 8; resized out", why},
		{"resize 4 pending; resized; resize 8", ""},
		{"resize 4 refused; resize 8", ""},
		{"resize 4; resize 8 pending; resized", ""},
	}
	var cases []Case
	for _, test := range tests {
		cases = append(cases, Case{Trace: script(t, test.text)})
	}
	reports, err := newJudge(t).CheckAll(t.Context(), cases)
	if err != nil {
		t.Fatal(err)
	}
	for i, test := range tests {
		r, got := reports[i], ""
		if len(r.Findings) > 0 {
			got = r.Findings[0].Message
		}
		if r.Verdict == verdict.Conformant != (test.why == "") || r.Violated() || got != test.why {
			t.Errorf("%s: got %s %+v, want %q", test.text, r.Verdict, r.Findings, test.why)
		}
	}
}

// The depth is that which the return of ibv_resize_cq tells: what it has no room for is lost (ARM-16), and nothing else (DEF-04).
func TestResizeOfVerbs(t *testing.T) {
	const before = `{"rec":"hdr","format":"ndk-trace","v":"1.0","dialect":"verbs","side":"provider","order":"total"}
{"seq":1,"thr":"t","ph":"call","op":"1","fn":"ibv_create_cq","cq":"c","depth":1}
{"seq":2,"thr":"t","ph":"ret","op":"1","fn":"ibv_create_cq","depth":1}
{"seq":3,"thr":"t","ph":"call","op":"2","fn":"ibv_create_qp","qp":"q","send_cq":"c","recv_cq":"c","sq_sig_all":true}
{"seq":4,"thr":"t","ph":"ret","op":"2","fn":"ibv_create_qp"}
{"seq":5,"thr":"t","ph":"call","op":"3","fn":"ibv_modify_qp","qp":"q","state":"RTR"}
{"seq":6,"thr":"t","ph":"ret","op":"3","fn":"ibv_modify_qp"}
{"seq":7,"thr":"t","ph":"call","op":"4","fn":"ibv_resize_cq","cq":"c","depth":2}
`
	const after = `
{"seq":9,"thr":"t","ph":"call","op":"5","fn":"ibv_post_send","qp":"q","wrs":[{"wr":"1","opcode":"RDMA_WRITE"},{"wr":"2","opcode":"RDMA_WRITE"},{"wr":"3","opcode":"RDMA_WRITE"}]}
{"seq":10,"thr":"t","ph":"ret","op":"5","fn":"ibv_post_send"}
{"seq":11,"thr":"t","ph":"point","fn":"quiesce"}
{"seq":12,"thr":"t","ph":"call","op":"6","fn":"ibv_poll_cq","cq":"c","n":8}
{"seq":13,"thr":"t","ph":"ret","op":"6","fn":"ibv_poll_cq","results":[{"wr":"1","status":"IBV_WC_SUCCESS"},{"wr":"2","status":"IBV_WC_SUCCESS"}]}
{"seq":14,"thr":"t","ph":"call","op":"7","fn":"ibv_poll_cq","cq":"c","n":8}
{"seq":15,"thr":"t","ph":"ret","op":"7","fn":"ibv_poll_cq","results":[]}
{"rec":"end","events":15,"dropped":0,"quiescent":true}`
	tests := []struct {
		told string
		want traces.Answer
	}{
		{"", traces.Answer{Verdict: string(verdict.Conformant)}},
		{`,"depth":2`, traces.Answer{Verdict: string(verdict.Conformant)}},
		{`,"depth":3`, traces.Answer{Verdict: string(verdict.ProviderViolation), Rule: "DEF-04", Line: 12}},
		{`,"errno":"ENOMEM"`, traces.Answer{Verdict: string(verdict.Conformant)}},
	}
	var cases []Case
	for _, test := range tests {
		text := before + `{"seq":8,"thr":"t","ph":"ret","op":"4","fn":"ibv_resize_cq"` + test.told + "}" + after
		read, err := trace.Read(test.told, strings.NewReader(text), 0)
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, Case{Trace: read})
	}
	reports, err := newJudge(t).CheckAll(t.Context(), cases)
	if err != nil {
		t.Fatal(err)
	}
	for i, test := range tests {
		if differs := wrong(test.want, reports[i]); differs != "" {
			t.Errorf("%q: %s", test.told, differs)
		}
	}
}
