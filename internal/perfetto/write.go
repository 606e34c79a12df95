// Package perfetto writes a trace for Perfetto's viewer: threads, CQs and queue pairs are tracks; calls, callbacks, requests and arms are slices. What never ended,
// such as an arm whose callback never came, is a slice that stays open. Nothing is judged, and of the trace only what is under way is kept.
package perfetto

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"ndkoracle/internal/eventtext"
	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// Convert writes a trace as a trace of Perfetto.
func Convert(out io.Writer, r *trace.Reader) error {
	w := &writer{out: bufio.NewWriterSize(out, 64<<10), timed: r.Header().Clock.Unit == "ns", tracks: map[string]uint64{}, used: map[string][]bool{},
		open: map[string]call{}, pending: map[string][]request{}, queues: map[string]string{}, arms: map[string]bool{}}
	for e := (trace.Event{}); ; {
		err := r.Next(&e)
		if err == io.EOF {
			return w.out.Flush()
		}
		if err == nil {
			err = w.event(&e)
		}
		if err != nil {
			return err
		}
	}
}

// mostRequests bounds the requests of a queue that have slices at a time: a request of which no completion is polled stays open.
const mostRequests = 256

// withoutTime is what lies between two events of a trace that has no times, in nanoseconds.
const withoutTime = 1_000

type writer struct {
	out     *bufio.Writer
	err     error
	timed   bool
	now     uint64
	tracks  map[string]uint64    // by what they show
	used    map[string][]bool    // by what they show: slices that overlap lie in tracks of the same name
	open    map[string]call      // by op
	pending map[string][]request // by queue of a queue pair, in the order of the posts
	queues  map[string]string    // by request: its queue
	arms    map[string]bool      // CQs that are armed
}

// A call that is under way.
type call struct {
	thread uint64
	object string // with the kind of track, or ""
	slot   int
	reads  bool   // an event of a CQ
	cq     string // that it names
}

type request struct {
	wr   string
	slot int
}

func (w *writer) event(e *trace.Event) error {
	if w.now++; !w.timed {
		w.now += withoutTime - 1
	} else if e.T > 0 {
		w.now = max(w.now-1, uint64(e.T))
	}
	switch e.Ph {
	case trace.Call, trace.Enter:
		w.begin(e)
	case trace.Ret, trace.Exit:
		w.end(e)
	case trace.Point:
		w.write(instant, w.track("threads", e.Thr), e.Fn, e)
		if object := cmp.Or(e.Qp, e.Cq); object != "" {
			w.write(instant, w.track("queues", object), e.Fn, e)
		}
	}
	return w.err
}

func (w *writer) begin(e *trace.Event) {
	c := call{thread: w.track("threads", e.Thr), reads: calls.KindOf(e) == calls.ReadEvent, cq: e.Cq}
	w.write(sliceBegin, c.thread, e.Fn, e)
	if c.object = cmp.Or(e.Qp, e.Cq); c.object != "" {
		c.slot = w.take(c.object)
		w.write(sliceBegin, w.slot(c.object, c.slot), e.Fn, e)
	}
	w.open[e.Op] = c
	switch kind := calls.KindOf(e); {
	case kind == calls.Callback && e.Cq != "":
		w.disarm(e.Cq)
	case kind == calls.ArmCq: // its callback may come before it returns
		w.arm(e)
	case kind == calls.Post && e.Ph == trace.Call:
		w.post(e)
	}
}

func (w *writer) end(e *trace.Event) {
	c, known := w.open[e.Op]
	if !known {
		w.write(instant, w.track("threads", e.Thr), e.Fn, e)
		return
	}
	delete(w.open, e.Op)
	w.write(sliceEnd, c.thread, "", e)
	if c.object != "" {
		w.write(sliceEnd, w.slot(c.object, c.slot), "", e)
		w.used[c.object][c.slot] = false
	}
	if c.reads {
		w.disarm(cmp.Or(e.Cq, c.cq))
	}
	for n := range e.Results {
		w.complete(e.Results[n].Wr)
	}
}

// arm opens the slice that the next callback closes.
func (w *writer) arm(e *trace.Event) {
	if w.arms[e.Cq] {
		return
	}
	w.arms[e.Cq] = true
	kind := e.Type
	if kind == "" && e.SolicitedOnly != nil {
		kind = fmt.Sprintf("solicited_only=%t", *e.SolicitedOnly)
	}
	w.write(sliceBegin, w.track("queues", e.Cq+" armed"), strings.TrimSpace("armed "+kind), nil)
}

func (w *writer) disarm(cq string) {
	if w.arms[cq] {
		delete(w.arms, cq)
		w.write(sliceEnd, w.track("queues", cq+" armed"), "", nil)
	}
}

// post opens a slice for each request, which its completion closes, or that of a later one on its queue.
func (w *writer) post(e *trace.Event) {
	queue := e.Qp + " sends"
	if calls.OpOf(e.Fn) == model.ReceiveOp || strings.HasSuffix(e.Fn, "_recv") {
		queue = e.Qp + " receives"
	}
	add := func(wr, what string) {
		if len(w.pending[queue]) >= mostRequests {
			return
		}
		slot := w.take(queue)
		w.pending[queue], w.queues[wr] = append(w.pending[queue], request{wr, slot}), queue
		w.write(sliceBegin, w.slot(queue, slot), wr+" "+what, nil)
	}
	if e.Wr != "" {
		add(e.Wr, e.Fn)
	}
	for n := range e.Wrs {
		add(e.Wrs[n].Wr, cmp.Or(e.Wrs[n].Opcode, e.Fn))
	}
}

func (w *writer) complete(wr string) {
	queue, known := w.queues[wr]
	if !known {
		return
	}
	pending := w.pending[queue]
	for n := range pending {
		r := pending[n]
		w.write(sliceEnd, w.slot(queue, r.slot), "", nil)
		w.used[queue][r.slot] = false
		delete(w.queues, r.wr)
		if r.wr == wr {
			w.pending[queue] = pending[n+1:]
			return
		}
	}
}

// take returns a place beside the other slices of what a track shows.
func (w *writer) take(what string) int {
	for slot, used := range w.used[what] {
		if !used {
			w.used[what][slot] = true
			return slot
		}
	}
	w.used[what] = append(w.used[what], true)
	return len(w.used[what]) - 1
}

// slot returns the track of a place. Perfetto shows tracks of one name and one parent as one.
func (w *writer) slot(what string, slot int) uint64 {
	return w.trackOf(fmt.Sprint("queues\x00", what, "\x00", slot), what, "queues")
}

func (w *writer) track(group, what string) uint64 {
	return w.trackOf(group+"\x00"+what+"\x00", cmp.Or(what, "no thread"), group)
}

// trackOf returns the track of a key, and describes it where it is new.
func (w *writer) trackOf(key, name, parent string) uint64 {
	if id, known := w.tracks[key]; known {
		return id
	}
	of := uint64(0)
	if parent != "" {
		of = w.trackOf(parent, parent, "")
	}
	id := uint64(len(w.tracks) + 1)
	w.tracks[key] = id
	track := message(nil).number(trackUuid, id).text(trackName, valid(name))
	if of != 0 {
		track = track.number(trackParent, of)
	}
	w.packet(message(nil).number(packetSequence, sequence).inside(packetDescriptor, track))
	return id
}

// write writes the beginning or the end of a slice, or an instant, with the fields of the event.
func (w *writer) write(kind, track uint64, name string, e *trace.Event) {
	event := message(nil).number(eventType, kind).number(eventTrack, track)
	if name != "" {
		event = event.text(eventName, valid(name))
	}
	if e != nil {
		for _, field := range append(eventtext.Fields(e), fmt.Sprint("line=", e.Line)) {
			key, value, _ := strings.Cut(field, "=")
			if kind == sliceEnd {
				key = "returned " + key
			}
			event = event.inside(eventAnnotation, message(nil).text(annotationName, key).text(annotationText, valid(value)))
		}
	}
	w.packet(message(nil).number(packetTimestamp, w.now).number(packetSequence, sequence).inside(packetEvent, event))
}

func (w *writer) packet(m message) {
	if w.err == nil {
		if _, err := w.out.Write(message(nil).inside(tracePacket, m)); err != nil {
			w.err = fmt.Errorf("writing the trace: %w", err)
		}
	}
}

// valid returns text that Protocol Buffers take as a string.
func valid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
