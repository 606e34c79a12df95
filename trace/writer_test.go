package trace

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// written returns the bytes that a Writer makes of a trace.
func written(t interface{ Fatal(...any) }, whole *Trace) []byte {
	var file bytes.Buffer
	w, err := NewWriter(&file, whole.Header)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole.Events {
		if err := w.Write(&whole.Events[i]); err != nil {
			t.Fatal(err)
		}
	}
	end := End{}
	if whole.End != nil {
		end = *whole.End
	}
	if err := w.Close(end); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// sameEvents compares events but for their lines.
func sameEvents(t interface {
	Fatalf(string, ...any)
}, got, want []Event) {
	if len(got) != len(want) {
		t.Fatalf("%d events, want %d", len(got), len(want))
	}
	for i := range got {
		g, w := got[i], want[i]
		g.Line, w.Line, g.Unclear, w.Unclear = 0, 0, "", ""
		if !reflect.DeepEqual(g, w) {
			t.Fatalf("event %d: read  %+v\nwant  %+v", i, g, w)
		}
	}
}

// What Writer writes Reader reads back the same, and the same events make the same bytes.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringMatching(`[a-z"\\<é☃ ]{1,5}`)
		maybe := rapid.Ptr(rapid.Int64Range(0, 1<<32-1), true)
		maybe63 := rapid.Ptr(rapid.Int64Min(0), true)
		maybe32 := rapid.Ptr(rapid.Uint32(), true)
		maybeBool := rapid.Ptr(rapid.Bool(), true)
		text := rapid.OneOf(rapid.Just(""), id)
		var events []Event
		seq := uint64(0)
		for i := range rapid.IntRange(0, 8).Draw(t, "events") {
			seq += rapid.Uint64Range(1, 1<<40).Draw(t, "step")
			draw := func(name string) string { return text.Draw(t, name) }
			e := Event{
				Seq: seq, T: rapid.Int64Min(0).Draw(t, "t"), Thr: id.Draw(t, "thr"), Ph: Call, Op: fmt.Sprint("op", i),
				Fn: rapid.SampledFrom([]string{"unknown", "ibv_create_qp", "ibv_create_qp_ex", "NdkSend"}).Draw(t, "fn"),
				Cq: draw("cq"), Srq: draw("srq"), Mr: draw("mr"), Mw: draw("mw"), Conn: draw("conn"),
				Qp: id.Draw(t, "qp"), ReceiveCq: id.Draw(t, "rcq"), InitiatorCq: id.Draw(t, "icq"),
				ReceiveDepth: maybe.Draw(t, "rd"), InitiatorDepth: maybe.Draw(t, "id"), Inline: maybe.Draw(t, "inline"),
				Depth: maybe.Draw(t, "depth"), SqSigAll: maybeBool.Draw(t, "sig"), SolicitedOnly: maybeBool.Draw(t, "so"),
				Wr: fmt.Sprint("w", i), BadWr: draw("bad_wr"), Token: maybe32.Draw(t, "token"),
				Bytes: maybe63.Draw(t, "bytes"), N: maybe.Draw(t, "n"), Solicited: maybeBool.Draw(t, "sol"),
				Adapter: draw("adapter"), Pd: draw("pd"), Lam: draw("lam"), Connector: draw("connector"),
				Listener: draw("listener"), Endpoint: draw("endpoint"), Channel: draw("channel"),
				Length: maybe63.Draw(t, "length"), Threshold: maybe.Draw(t, "threshold"), Notify: maybeBool.Draw(t, "notify"),
			}
			if e.Fn == "NdkSend" {
				e.Flags = rapid.SampledFrom([][]string{nil, {"SILENT_SUCCESS", "DEFER"}, {"0x400"}}).Draw(t, "flags")
				e.Type = rapid.SampledFrom([]string{"", "ANY", "7"}).Draw(t, "type")
				e.Status = rapid.SampledFrom([]string{"", "STATUS_CANCELLED", "0x00000001"}).Draw(t, "status")
				e.Results = rapid.SampledFrom([][]Result{nil, {}, {{Wr: "w0", Status: "STATUS_SUCCESS", Qp: "q", Type: "Send",
					Bytes: e.Bytes, Token: e.Token, ProviderError: e.Token}}}).Draw(t, "results")
			}
			if createsVerbsQp(e.Fn) {
				e.State = rapid.SampledFrom([]string{"", "RTR"}).Draw(t, "state")
				e.Errno = rapid.SampledFrom([]string{"", "EINVAL", "ESTALE", "999"}).Draw(t, "errno")
				e.QpType = rapid.SampledFrom([]string{"", "RC", "XRC_RECV", "7"}).Draw(t, "qp type")
				e.Wrs = rapid.SampledFrom([][]WorkRequest{nil, {}, {{Wr: fmt.Sprint("v", i), Opcode: "SEND", Bytes: e.Bytes,
					Flags: []string{"SIGNALED"}, Token: e.Token, Mr: e.Mr, Mw: e.Mw}}}).Draw(t, "wrs")
			}
			events = append(events, e)
		}
		descriptions := rapid.MapOf(id, text)
		whole := &Trace{
			Header: Header{
				Dialect: "verbs", Ndk: draw(t, text), Side: "consumer", Order: "partial", Clock: Clock{"monotonic", "ns"},
				Producer: Producer{draw(t, text), draw(t, text)},
				Adapter:  descriptions.Draw(t, "adapter"), Run: descriptions.Draw(t, "run"),
			},
			Events: events,
			End:    &End{Events: uint64(len(events)), Dropped: rapid.Uint64Range(0, 9).Draw(t, "dropped"), Quiescent: rapid.Bool().Draw(t, "q")},
		}
		file := written(t, whole)
		if !bytes.Equal(file, written(t, whole)) {
			t.Fatal("the same events made other bytes")
		}
		got, err := Read("f", bytes.NewReader(file), 0)
		if err != nil {
			t.Fatalf("%v\n%s", err, file)
		}
		sameEvents(t, got.Events, whole.Events)
		if len(whole.Header.Adapter) == 0 {
			whole.Header.Adapter = nil
		}
		if len(whole.Header.Run) == 0 {
			whole.Header.Run = nil
		}
		if !reflect.DeepEqual(got.Header, whole.Header) || !reflect.DeepEqual(got.End, whole.End) {
			t.Fatalf("read %+v %+v\nwant %+v %+v", got.Header, got.End, whole.Header, whole.End)
		}
	})
}

func draw(t *rapid.T, g *rapid.Generator[string]) string { return g.Draw(t, "text") }

// Only fields that are present are written, in a fixed order.
func TestWrittenBytes(t *testing.T) {
	room := int64(4)
	got := string(written(t, &Trace{
		Header: Header{Dialect: "ndkpi", Side: "provider", Order: "total", Clock: Clock{"monotonic", "ns"}, Producer: Producer{"p", "1"}},
		Events: []Event{
			{Seq: 1, Thr: "a", Ph: Call, Op: "1", Fn: "NdkGetCqResults", N: &room, Cq: "cq1"},
			{Seq: 2, Thr: "a", Ph: Ret, Op: "1", Fn: "NdkGetCqResults", Results: []Result{}},
		},
		End: &End{Quiescent: true},
	}))
	want := `{"rec":"hdr","format":"ndk-trace","v":"1.1","dialect":"ndkpi","side":"provider","order":"total",` +
		`"clock":{"id":"monotonic","unit":"ns"},"producer":{"name":"p","version":"1"}}
{"seq":1,"t":0,"thr":"a","ph":"call","op":"1","fn":"NdkGetCqResults","cq":"cq1","n":4}
{"seq":2,"t":0,"thr":"a","ph":"ret","op":"1","fn":"NdkGetCqResults","results":[]}
{"rec":"end","events":2,"dropped":0,"quiescent":true}
`
	if got != want {
		t.Errorf("wrote\n%swant\n%s", got, want)
	}
}

// A Writer writes nothing that a Reader would refuse.
func TestWriterRefuses(t *testing.T) {
	header := Header{Dialect: "ndkpi", Side: "provider", Order: "total"}
	negative := int64(-1)
	for reason, e := range map[string]Event{
		"ret without call":           {Seq: 1, Thr: "a", Ph: Ret, Op: "1", Fn: "NdkFlush", Status: "STATUS_SUCCESS"},
		"has no qp":                  {Seq: 1, Thr: "a", Ph: Call, Op: "1", Fn: "NdkFlush"},
		"U+000A":                     {Seq: 1, Thr: "a\n", Ph: Point, Fn: "quiesce"},
		"U+FFFD":                     {Seq: 1, Thr: "\xff", Ph: Point, Fn: "quiesce"},
		"is not a known NDK_OP_FLAG": {Seq: 1, Thr: "a", Ph: Call, Op: "1", Fn: "NdkFlush", Qp: "q", Flags: []string{"X"}},
		"n: -1 is out of":            {Seq: 1, Thr: "a", Ph: Point, Fn: "quiesce", N: &negative},
		"t is out of":                {Seq: 1, T: -1, Thr: "a", Ph: Point, Fn: "quiesce"},
		"wrs[0]: no wr":              {Seq: 1, Thr: "a", Ph: Point, Fn: "quiesce", Wrs: []WorkRequest{{}}},
		"results[0]: no wr":          {Seq: 1, Thr: "a", Ph: Point, Fn: "quiesce", Results: []Result{{}}},
		"flags[1]: empty":            {Seq: 1, Thr: "a", Ph: Point, Fn: "quiesce", Flags: []string{"x", ""}},
		"flags: more than":           {Seq: 1, Thr: "a", Ph: Point, Fn: "quiesce", Flags: make([]string, 33)},
		"results[0]: no sta":         {Seq: 1, Thr: "a", Ph: Point, Fn: "quiesce", Results: []Result{{Wr: "w"}}},
	} {
		var file bytes.Buffer
		w, err := NewWriter(&file, header)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(&e); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("error %v, want %s", err, reason)
		}
		if err := w.Close(End{}); err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(file.Bytes(), []byte("\n")); n != 2 {
			t.Errorf("%s: wrote %d lines, want header and end:\n%s", reason, n, file.Bytes())
		}
	}
	if _, err := NewWriter(&bytes.Buffer{}, Header{Dialect: "ndkpi"}); err == nil || !strings.Contains(err.Error(), "no side") {
		t.Errorf("error %v, want no side", err)
	}
}

// A write error comes out of the Writer.
func TestWriteError(t *testing.T) {
	full := errors.New("disk full")
	w, err := NewWriter(failing{full}, Header{Dialect: "ndkpi", Side: "provider", Order: "total"})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(End{}); !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
}

// Create compresses by the name, and what it wrote is read by its contents.
func TestCreate(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"t.jsonl", "t.jsonl.zst"} {
		path := filepath.Join(dir, name)
		file, err := Create(path)
		if err != nil {
			t.Fatal(err)
		}
		w, err := NewWriter(file, Header{Dialect: "ndkpi", Side: "provider", Order: "total"})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(&Event{Seq: 1, Thr: "a", Ph: Point, Fn: "quiesce"}); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Close(End{}), file.Close()); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if plain := raw[0] == '{'; plain != (name == "t.jsonl") {
			t.Errorf("%s begins with % x", name, raw[:4])
		}
		if whole, err := ReadFile(path, 0); err != nil || len(whole.Events) != 1 {
			t.Errorf("%s: %+v, %v", name, whole, err)
		}
	}
}
