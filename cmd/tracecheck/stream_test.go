package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// streamed runs the real program with --engine stream on standard input.
func streamed(ctx context.Context, text []byte) (code int, out, errors string) {
	var stdout, stderr bytes.Buffer
	p := newProgram()
	p.stdin, p.stdout, p.stderr = bytes.NewReader(text), &stdout, &stderr
	code = p.run(ctx, []string{"--engine", "stream", "-"})
	return code, stdout.String(), stderr.String()
}

// --engine stream judges a trace while it is read, from standard input too, and shows the events that a finding speaks of.
func TestEngineStream(t *testing.T) {
	for _, test := range []struct {
		file string
		code int
		says string
	}{
		{"accept/two-callbacks-of-two-arms", exitConformant, "conformant (21 events, ndkpi)"},
		{"reject/two-callbacks-one-arm", exitViolation, "NdkCqNotificationCallback enter"},
		{"inconclusive/no-end", exitInconclusive, "does not end with the provider at rest"},
		{"inconclusive/dropped-events", exitInconclusive, "the recorder dropped 3 events"},
	} {
		text, err := os.ReadFile(filepath.Join("../../traces", test.file+".ndktrace.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		if code, out, errors := streamed(t.Context(), text); code != test.code || !strings.Contains(out, test.says) {
			t.Errorf("%s: exit %d, want %d\n%s%s", test.file, code, test.code, out, errors)
		}
	}
	broken := []byte(`{"rec":"hdr","format":"ndk-trace","v":"1.0","dialect":"ndkpi","side":"provider","order":"total"}` + "\n{\n")
	if code, out, _ := streamed(t.Context(), broken); code != exitMalformed || !strings.Contains(out, ":2") {
		t.Errorf("malformed: exit %d\n%s", code, out)
	}
}

// A trace of more events than the other engines take is decided all the same, and an interrupt ends it.
func TestEngineStreamTakesLongTraces(t *testing.T) {
	var text strings.Builder
	text.WriteString(`{"rec":"hdr","format":"ndk-trace","v":"1.0","dialect":"ndkpi","side":"provider","order":"total"}` + "\n")
	text.WriteString(`{"seq":1,"thr":"t","ph":"call","op":"a","fn":"NdkCreateCq","cq":"cq1","depth":8}` + "\n")
	text.WriteString(`{"seq":2,"thr":"t","ph":"ret","op":"a","fn":"NdkCreateCq","status":"STATUS_SUCCESS"}` + "\n")
	const polls = 60_000
	for i := range polls {
		fmt.Fprintf(&text, `{"seq":%d,"thr":"t","ph":"call","op":"%d","fn":"NdkGetCqResults","cq":"cq1","n":8}`+"\n", 2*i+3, i)
		fmt.Fprintf(&text, `{"seq":%d,"thr":"t","ph":"ret","op":"%d","fn":"NdkGetCqResults","results":[]}`+"\n", 2*i+4, i)
	}
	fmt.Fprintf(&text, `{"rec":"end","events":%d,"dropped":0,"quiescent":true}`+"\n", 2*polls+2)
	if code, out, errors := streamed(t.Context(), []byte(text.String())); code != exitConformant {
		t.Errorf("exit %d\n%s%s", code, out, errors)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	start := time.Now()
	if code, _, _ := streamed(ctx, []byte(text.String())); code != exitInterrupted || time.Since(start) > 10*time.Second {
		t.Errorf("interrupted: exit %d after %v", code, time.Since(start))
	}
}
