package tlcjudge

import (
	"fmt"
	"strings"
	"testing"

	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
	"ndkoracle/traces"
)

// What a poll tells can be against a rule, and what comes before the poll need that it be complete: a moment of rest, the close of its
// QP, or a callback. No explanation gets that far then, and yet the rule is that of the poll (RES-10, POLL-08, POLL-09, FLUSH-01, POST-08).
func TestRuleOfALaterPoll(t *testing.T) {
	tests := []blame{
		{"RES-10", 20, "write w1; rest; get w1c; write w2; get w2"},
		{"POLL-08", 16, "region; inv i1; rest; get i1"},
		{"POLL-09", 16, "write w1; write w2; rest; get w2 w1"},
		{"POLL-09", 16, "write w1; write w2; rest; get w2; get w1"},
		{"POLL-09", 18, "recv r1; write w1; write w2; rest; get w2 w1; get"},
		{"POLL-09", 18, "recv r1; recv r2; flush; rest; get r2c r1c"},
		{"POLL-09", 17, "write w1; write w2; close; get w2c w1c"},
		{"POLL-09", 18, "write w1; write w2; close later; get w2c w1c"},
		{"FLUSH-01", 17, "write w1; write w2; close; get w1c w2"},
		{"POLL-08", 19, "reg f1; inv i1; inv i2; close; get f1 i1 i2"},
		{"POLL-08", 21, "reg f1; inv i1; inv i2; get f1 i1; close; get i2"},
		{"POLL-08", 20, "reg f1; inv i1; inv i2; close later; get f1 i1 i2"},
		{"POLL-08", 21, "reg f1; inv i1; inv i2; flush; get f1 i1 i2"},
		{"POLL-05", 15, "recv r1; close; get r1"},
		{"POST-08", 11, "unconnected: recv r1; close; get r1"},
		{"DEF-04", 14, "write w1; rest; write w2; get w2 w1"},
		{"DEF-04", 14, "write w1; rest; get; get w1"},
		{"FLUSH-02", 16, "recv r1; flush; rest; get; get r1c"},
		{"DEF-04", 16, "region; inv i1; rest; reg2 f1; get f1 i1"},
		{"FLAG-01", 16, "silent w1; write w2; rest; get w1 w2"},
		{"POLL-09", 18, "arm; write w1; write w2; callback; get w2 w1"},
		{"RES-10", 23, "arm; write w1; callback; get w1c; write w2; get w2"},
		{"LIFE-07", 15, "write w1; close; get; get w1c"},
		{"POLL-09", 13, "unconnected: recv r1; recv r2; get r2 r1"},
	}
	checkBlame(t, tests)
}

// A silent request without a completion is to blame only where it can't have succeeded (FLAG-02): the late request behind it has its own
// rule (DEF-04, POLL-09), and so does a cancellation before which a request behind the silent one succeeded (RES-10). All engines say the same.
func TestRuleBehindASilentRequest(t *testing.T) {
	tests := []blame{
		{"DEF-04", 16, "silent w1; write w2; rest; get"},
		{"DEF-04", 16, "silent w1; write w2; rest; get; get w2"},
		{"DEF-04", 16, "silent w1; write w2; rest; get; flush; get w2c"},
		{"FLUSH-02", 18, "silent w1; write w2; flush; rest; get; get w2c"},
		{"FLAG-02", 23, "silent w1; write w2; get w2c; get; write w3; get w3"},
		{"FLAG-02", 22, "silent w1; write w2; get w2c; rest; write w3; get w3"},
		{"FLAG-02", 22, "silent w1; rest; write w2; get w2c; write w3; get w3"},
		{"FLAG-02", 21, "write w1; get w1c; silent w2; write w3; get w3"},
		{"FLAG-02", 21, "write w1; silent w2; get w1c; write w3; get w3"},
		{"RES-10", 25, "silent w1; write w2; get w2; write w3; get w3c; write w4; get w4"},
		{"RES-10", 21, "silent w1; recv r1; get r1c; write w2; get w2"},
	}
	checkBlame(t, tests)
	for _, test := range tests {
		for _, e := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
			r := linearize.Check(t.Context(), script(t, test.text), linearize.Options{Engine: e})
			if differs := wrong(test.answer(), r); differs != "" {
				t.Errorf("%s, %s: %s", test.text, e, differs)
			}
		}
	}
}

// A blame is the rule that a script breaks, and the line of the first event that nothing explains.
type blame struct {
	rule string
	line int
	text string
}

func (b blame) answer() traces.Answer {
	return traces.Answer{Verdict: string(verdict.ProviderViolation), Rule: b.rule, Line: b.line}
}

// checkBlame asks TLC.
func checkBlame(t *testing.T, tests []blame) {
	t.Helper()
	var cases []Case
	for _, test := range tests {
		cases = append(cases, Case{Trace: script(t, test.text)})
	}
	reports, err := newJudge(t).CheckAll(t.Context(), cases)
	if err != nil {
		t.Fatal(err)
	}
	for i, test := range tests {
		if differs := wrong(test.answer(), reports[i]); differs != "" {
			t.Errorf("%s: %s", test.text, differs)
		}
	}
}

// script makes a trace of a connection whose one QP does all there is to see: write w1, silent w1, recv r1, reg f1 and inv i1
// post requests, the last two of token 5, which belongs to the region that region creates; reg2 f1 is posted on the other QP. Get w1 w2c
// is a poll, of which the second completion is cancelled, and close later a close that is pending; destroy closes both QPs and the CQ.
// Resize 4 succeeds, resize 4 refused fails, and resize 4 pending is answered by resized, or not resized, or by resized in and out where
// something happens while that callback runs. Overflow is a callback. The CQ has a depth of 16, unless the text begins with another one.
func script(t *testing.T, text string) *trace.Trace {
	t.Helper()
	var b strings.Builder
	ops, lines, resize, depth := 0, 0, 0, "16"
	add := func(text string, values ...any) {
		lines++
		fmt.Fprintf(&b, `{"seq":%d,"thr":"t",%s}`+"\n", lines, fmt.Sprintf(text, values...))
	}
	call := func(fn, told, answer string) {
		ops++
		add(`"ph":"call","op":"%d","fn":"%s",%s`, ops, fn, told)
		add(`"ph":"ret","op":"%d","fn":"%s",%s`, ops, fn, answer)
	}
	const ok = `"status":"STATUS_SUCCESS"`
	text, unconnected := strings.CutPrefix(text, "unconnected: ")
	if first, rest, found := strings.Cut(text, ": "); found {
		depth, text = strings.TrimPrefix(first, "depth "), rest
	}
	call("NdkCreateCq", `"cq":"cq","depth":`+depth, ok)
	for _, p := range []string{"1", "2"} {
		call("NdkCreateQp", `"qp":"qp`+p+`","receive_cq":"cq","initiator_cq":"cq"`, ok)
		if !unconnected {
			call("NdkConnect", `"qp":"qp`+p+`","conn":"c"`, ok)
		}
	}
	for line := range strings.SplitSeq(text, "; ") {
		words := strings.Fields(line)
		post := `"qp":"qp1","wr":"` + words[len(words)-1] + `"`
		switch words[0] {
		case "write":
			call("NdkWrite", post, ok)
		case "silent":
			call("NdkWrite", post+`,"flags":["SILENT_SUCCESS"]`, ok)
		case "recv":
			call("NdkReceive", post, ok)
		case "reg":
			call("NdkFastRegister", post+`,"mr":"m","token":5`, ok)
		case "reg2":
			call("NdkFastRegister", strings.Replace(post, "qp1", "qp2", 1)+`,"mr":"m","token":5`, ok)
		case "region":
			call("NdkCreateMr", `"mr":"m"`, ok)
		case "inv":
			call("NdkInvalidate", post+`,"mr":"m","token":5`, ok)
		case "flush":
			call("NdkFlush", `"qp":"qp1"`, ok)
		case "close":
			if len(words) == 1 {
				call("NdkCloseQp", `"qp":"qp1"`, ok)
				continue
			}
			call("NdkCloseQp", `"qp":"qp1"`, `"status":"STATUS_PENDING"`)
			add(`"ph":"enter","op":"later","fn":"NdkCloseCompletion","for":"%d"`, ops)
			add(`"ph":"exit","op":"later","fn":"NdkCloseCompletion"`)
		case "arm":
			call("NdkArmCq", `"cq":"cq","type":"ANY"`, `"cq":"cq"`)
		case "callback", "overflow":
			status := map[string]string{"callback": "STATUS_SUCCESS", "overflow": "STATUS_BUFFER_OVERFLOW"}[words[0]]
			add(`"ph":"enter","op":"callback","fn":"NdkCqNotificationCallback","cq":"cq","status":"%s"`, status)
			add(`"ph":"exit","op":"callback","fn":"NdkCqNotificationCallback"`)
		case "destroy":
			call("NdkCloseQp", `"qp":"qp1"`, ok)
			call("NdkCloseQp", `"qp":"qp2"`, ok)
			call("NdkCloseCq", `"cq":"cq"`, ok)
		case "resize":
			answer := ok
			if words = append(words, ""); words[2] == "pending" {
				answer, resize = `"status":"STATUS_PENDING"`, ops+1
			} else if words[2] == "refused" {
				answer = `"status":"STATUS_INSUFFICIENT_RESOURCES"`
			}
			call("NdkResizeCq", `"cq":"cq","depth":`+words[1], answer)
		case "resized", "not":
			status := map[string]string{"resized": "STATUS_SUCCESS", "not": "STATUS_INSUFFICIENT_RESOURCES"}[words[0]]
			if line != "resized out" {
				add(`"ph":"enter","op":"resized %d","fn":"NdkRequestCompletion","for":"%[1]d","status":"%s"`, resize, status)
			}
			if line != "resized in" {
				add(`"ph":"exit","op":"resized %d","fn":"NdkRequestCompletion"`, resize)
			}
		case "placed":
			add(`"ph":"point","fn":"CqePlaced","cq":"cq","wr":"%s","status":"STATUS_SUCCESS"`, words[1])
		case "rest":
			add(`"ph":"point","fn":"quiesce"`)
		case "get":
			var results []string
			for _, word := range words[1:] {
				wr, cancelled := strings.CutSuffix(word, "c")
				status := "STATUS_SUCCESS"
				if cancelled {
					status = "STATUS_CANCELLED"
				}
				results = append(results, fmt.Sprintf(`{"wr":"%s","status":"%s"}`, wr, status))
			}
			call("NdkGetCqResults", `"cq":"cq","n":8`, `"results":[`+strings.Join(results, ",")+"]")
		default:
			t.Fatalf("no word %q in the notation", words[0])
		}
	}
	whole := `{"rec":"hdr","format":"ndk-trace","v":"1.0","dialect":"ndkpi","side":"provider","order":"total"}` + "\n" + b.String() +
		fmt.Sprintf(`{"rec":"end","events":%d,"dropped":0,"quiescent":true}`, lines)
	read, err := trace.Read(text, strings.NewReader(whole), 0)
	if err != nil {
		t.Fatal(err)
	}
	return read
}
