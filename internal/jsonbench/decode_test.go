// Package jsonbench compares the reader of traces with general JSON libraries, side by side in one run. It is a module of
// its own, so that nothing else depends on them.
package jsonbench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"syscall"
	"testing"
	"time"

	"github.com/bytedance/sonic"
	goccy "github.com/goccy/go-json"
	"github.com/klauspost/compress/zstd"

	"ndkoracle/internal/synthetic"
	"ndkoracle/trace"
)

// event is what a general library decodes a line into. Words that may be integers too are strings here, as they are in
// this recording: that favours the library.
type event struct {
	Seq            uint64              `json:"seq"`
	T              int64               `json:"t"`
	Thr            string              `json:"thr"`
	Ph             string              `json:"ph"`
	Op             string              `json:"op"`
	Fn             string              `json:"fn"`
	Cq             string              `json:"cq"`
	Qp             string              `json:"qp"`
	Srq            string              `json:"srq"`
	Mr             string              `json:"mr"`
	Mw             string              `json:"mw"`
	Conn           string              `json:"conn"`
	ReceiveCq      string              `json:"receive_cq"`
	RecvCq         string              `json:"recv_cq"`
	InitiatorCq    string              `json:"initiator_cq"`
	SendCq         string              `json:"send_cq"`
	ReceiveDepth   *int64              `json:"receive_depth"`
	MaxRecvWr      *int64              `json:"max_recv_wr"`
	InitiatorDepth *int64              `json:"initiator_depth"`
	MaxSendWr      *int64              `json:"max_send_wr"`
	Inline         *int64              `json:"inline"`
	MaxInlineData  *int64              `json:"max_inline_data"`
	Depth          *int64              `json:"depth"`
	SqSigAll       *bool               `json:"sq_sig_all"`
	State          string              `json:"state"`
	SolicitedOnly  *bool               `json:"solicited_only"`
	Wr             string              `json:"wr"`
	Wrs            []trace.WorkRequest `json:"wrs"`
	BadWr          string              `json:"bad_wr"`
	Flags          []string            `json:"flags"`
	Type           string              `json:"type"`
	Token          *uint32             `json:"token"`
	Bytes          *int64              `json:"bytes"`
	N              *int64              `json:"n"`
	Status         string              `json:"status"`
	Errno          string              `json:"errno"`
	Results        []trace.Result      `json:"results"`
	For            string              `json:"for"`
	Solicited      *bool               `json:"solicited"`
	Adapter        string              `json:"adapter"`
	Pd             string              `json:"pd"`
	Lam            string              `json:"lam"`
	Connector      string              `json:"connector"`
	Listener       string              `json:"listener"`
	Endpoint       string              `json:"endpoint"`
	Channel        string              `json:"channel"`
	QpType         string              `json:"qp_type"`
	Length         *int64              `json:"length"`
}

// recording is a typical trace, and how many events it has.
func recording(t testing.TB) (file []byte, events int) {
	t.Helper()
	var out bytes.Buffer
	if err := synthetic.Write(&out, synthetic.Options{Seed: 1, Events: 80_000, Cqs: 4, Pairs: 2, Depth: 8}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), bytes.Count(out.Bytes(), []byte("\n")) - 2
}

// readTrace reads with all that a reader of traces checks. It returns the number of events.
func readTrace(t testing.TB, file []byte) (n int) {
	r, err := trace.NewReader("f", bytes.NewReader(file))
	var e trace.Event
	for err == nil {
		if err = r.Next(&e); err == nil {
			n++
		}
	}
	if err != io.EOF {
		t.Fatal(err)
	}
	return n
}

// readGeneral decodes the same lines with a library and checks nothing.
func readGeneral(t testing.TB, file []byte, compressed bool, unmarshal func([]byte, any) error) (n int) {
	var source io.Reader = bytes.NewReader(file)
	if compressed {
		r, err := zstd.NewReader(source, zstd.WithDecoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		source = r
	}
	lines := bufio.NewScanner(source)
	var e event
	for lines.Scan() {
		e = event{}
		if err := unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		if e.Fn != "" { // neither header nor end
			n++
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return n
}

// The reader of traces against each library, taking turns on the same file. The figures are nanoseconds of processor time
// an event, those of the garbage collector among them, and how many times as much the library takes.
func BenchmarkReader(b *testing.B) {
	plain, events := recording(b)
	var compressed bytes.Buffer
	w, err := zstd.NewWriter(&compressed)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := w.Write(plain); err != nil {
		b.Fatal(err)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	b.Run("plain", func(b *testing.B) { compare(b, plain, events, false) })
	b.Run("zstd", func(b *testing.B) { compare(b, compressed.Bytes(), events, true) })
}

func compare(b *testing.B, file []byte, events int, compressed bool) {
	libraries := []struct {
		name      string
		unmarshal func([]byte, any) error
	}{
		{"encoding/json", json.Unmarshal}, {"goccy/go-json", goccy.Unmarshal}, {"sonic", sonic.ConfigFastest.Unmarshal},
	}
	took := make([]time.Duration, 1+len(libraries))
	turn := func(i int, read func() int) {
		start := processorTime(b)
		if n := read(); n != events {
			b.Fatalf("%d events, want %d", n, events)
		}
		took[i] += processorTime(b) - start
	}
	for b.Loop() {
		turn(0, func() int { return readTrace(b, file) })
		for i, library := range libraries {
			turn(1+i, func() int { return readGeneral(b, file, compressed, library.unmarshal) })
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(took[0].Nanoseconds())/float64(events*b.N), "ns/event")
	for i, library := range libraries {
		b.ReportMetric(float64(took[1+i])/float64(took[0]), "x-"+library.name)
	}
}

// processorTime is what this process has used so far.
func processorTime(t testing.TB) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
