package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A CQ is armed for solicited completions, and a send is flushed: its completion fails, which matches.
const flushedSend = `{"rec":"hdr","format":"ndk-trace","v":"1.0","dialect":"ndkpi","side":"provider","order":"total",` +
	`"clock":{"id":"monotonic","unit":"ns"},"producer":{"name":"test","version":"1"}}
{"seq":1,"thr":"t","ph":"call","op":"1","fn":"NdkCreateCq","cq":"cq1","depth":4}
{"seq":2,"thr":"t","ph":"ret","op":"1","fn":"NdkCreateCq","cq":"cq1","status":"STATUS_SUCCESS"}
{"seq":3,"thr":"t","ph":"call","op":"2","fn":"NdkCreateQp","qp":"qp1","receive_cq":"cq1","initiator_cq":"cq1"}
{"seq":4,"thr":"t","ph":"ret","op":"2","fn":"NdkCreateQp","qp":"qp1","status":"STATUS_SUCCESS"}
{"seq":5,"thr":"t","ph":"call","op":"3","fn":"NdkConnect","qp":"qp1","conn":"c1"}
{"seq":6,"thr":"t","ph":"ret","op":"3","fn":"NdkConnect","qp":"qp1","status":"STATUS_SUCCESS"}
{"seq":7,"thr":"t","ph":"call","op":"4","fn":"NdkArmCq","cq":"cq1","type":"SOLICITED"}
{"seq":8,"thr":"t","ph":"ret","op":"4","fn":"NdkArmCq","cq":"cq1"}
{"seq":9,"thr":"t","ph":"call","op":"5","fn":"NdkSend","qp":"qp1","wr":"w1","flags":[]}
{"seq":10,"thr":"t","ph":"ret","op":"5","fn":"NdkSend","qp":"qp1","wr":"w1","status":"STATUS_SUCCESS"}
{"seq":11,"thr":"t","ph":"call","op":"6","fn":"NdkFlush","qp":"qp1"}
{"seq":12,"thr":"t","ph":"ret","op":"6","fn":"NdkFlush","qp":"qp1","status":"STATUS_SUCCESS"}
CALLBACK{"seq":15,"thr":"t","ph":"call","op":"8","fn":"NdkGetCqResults","cq":"cq1","n":4}
{"seq":16,"thr":"t","ph":"ret","op":"8","fn":"NdkGetCqResults","cq":"cq1","results":[{"wr":"w1","qp":"qp1","status":"STATUS_CANCELLED"}]}
{"rec":"end","events":EVENTS,"dropped":0,"quiescent":true}
`

const callback = `{"seq":13,"thr":"t","ph":"enter","op":"7","fn":"NdkCqNotificationCallback","cq":"cq1","status":"STATUS_SUCCESS"}
{"seq":14,"thr":"t","ph":"exit","op":"7","fn":"NdkCqNotificationCallback","cq":"cq1"}
`

// The program as it is shipped, on a trace that keeps ARM-11 and on the same one without its callback.
func TestProgramJudgesTraces(t *testing.T) {
	for _, given := range []struct {
		name, callback, events string
		code                   int
		want                   string
	}{
		{"kept", callback, "16", exitConformant, "-: conformant (16 events, ndkpi)"},
		{"broken", "", "14", exitViolation, ": ARM-11: "},
		{"truncated", callback, "17", exitMalformed, "-:18: malformed: "},
	} {
		t.Run(given.name, func(t *testing.T) {
			p := newProgram()
			var out, errors bytes.Buffer
			p.stdout, p.stderr = &out, &errors
			p.stdin = strings.NewReader(strings.NewReplacer("CALLBACK", given.callback, "EVENTS", given.events).Replace(flushedSend))
			if code := p.run(context.Background(), []string{"-"}); code != given.code || !strings.Contains(out.String(), given.want) {
				t.Errorf("exit %d, want %d and %q in\n%s%s", code, given.code, given.want, &out, &errors)
			}
		})
	}
}

// endless is a trace without an end. Of one of the times that it is read it tells.
type endless struct {
	left           string
	seq, reads, at int
	then           func()
}

func (e *endless) Read(p []byte) (int, error) {
	if e.reads++; e.reads == e.at {
		e.then()
	}
	if e.seq == 0 {
		e.left, _, _ = strings.Cut(flushedSend, "\n")
	}
	for len(e.left) < len(p) {
		e.seq++
		e.left += fmt.Sprintf("\n"+`{"seq":%d,"thr":"t","ph":"point","fn":"quiesce"}`, e.seq)
	}
	n := copy(p, e.left)
	e.left = e.left[n:]
	return n, nil
}

// The time limit and an interrupt end the reading too, and how far it came is said.
func TestReadingEnds(t *testing.T) {
	ctx, interrupt := context.WithCancel(context.Background())
	for _, given := range []struct {
		ctx     context.Context
		timeout string
		second  func()
		code    int
		want    string
	}{
		{context.Background(), "20ms", func() {}, exitInconclusive, `-: inconclusive \(\d+ events(, ndkpi)?\)
  -: inconclusive: the time limit was reached after reading \d+ of its events: nothing of the trace was judged`},
		{ctx, "1h", interrupt, exitInterrupted, `interrupted in trace 1 of 1, - after reading \d+ of its events; 0 checked`},
	} {
		p := newProgram()
		p.grace = time.Hour // the reading ends by itself
		var out bytes.Buffer
		p.stdout, p.stderr = &out, &out
		p.stdin = &endless{at: 2, then: given.second}
		code := p.run(given.ctx, []string{"-", "--timeout", given.timeout})
		if code != given.code || !regexp.MustCompile(given.want).Match(out.Bytes()) {
			t.Errorf("exit %d, want %d and %q in\n%s", code, given.code, given.want, &out)
		}
	}
}

func TestSchemaIsJSON(t *testing.T) {
	p := newProgram()
	var out bytes.Buffer
	p.stdout = &out
	if code := p.run(context.Background(), []string{"schema"}); code != 0 || !json.Valid(out.Bytes()) {
		t.Errorf("exit %d, %d bytes that are no JSON", code, out.Len())
	}
}
