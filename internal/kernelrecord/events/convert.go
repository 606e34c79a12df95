package events

import (
	"strconv"

	"ndkoracle/trace"
)

// Options of a Converter.
type Options struct {
	Rest     uint64            // nanoseconds of silence that are told as rest; 0 tells none
	Start    uint64            // nanoseconds: the trace's t is counted from here
	Opcodes  map[uint32]string // the kernel's enum ib_wc_opcode, without IB_WC_
	Handlers map[uint64]bool   // addresses of the completion handlers that are recorded; nil: all are
}

// Report says what a Converter has seen.
type Report struct {
	Events       uint64
	Dropped      uint64 // events that could not be told, as what belongs to them is missing
	Cqs, Qps     int    // created while it was recorded
	OlderQps     int    // left out: they use completion queues that were created before, and so were not seen
	PartlyQps    int    // left out, and counted as dropped: they use such a queue and one that is recorded
	Unheard      []uint64
	Rests        int
	Duplicates   uint64
	LostReturns  int
	Unidentified uint64 // completions that belong to no request that was seen
}

// Converter turns records, in their order, into events.
type Converter struct {
	options Options
	out     polls
	report  Report

	threads threads
	cqs     map[uint64]*cq
	qps     map[uint64]*qp
	srqs    map[uint64]*srq
	mrs     map[uint64]string

	last   uint64 // when the last record was taken
	ticked uint64 // when Tick was called last
	quiet  uint64 // for how many nanoseconds there has been no record
	rested bool   // that was told as rest
	op     uint64
	wr     uint64
	made   [4]uint64 // how many CQs, QPs, SRQs and MRs have ids
}

// New returns a converter that hands each event to emit. An event is emit's until it returns.
func New(o Options, emit func(*trace.Event) error) *Converter {
	return &Converter{
		options: o, out: polls{emit: emit}, threads: newThreads(),
		cqs: map[uint64]*cq{}, qps: map[uint64]*qp{}, srqs: map[uint64]*srq{}, mrs: map[uint64]string{}, last: o.Start,
	}
}

// Record handles one record. The error is emit's.
func (c *Converter) Record(r *Record) error {
	c.last = max(c.last, r.T)
	c.quiet, c.rested = 0, false
	if r.End {
		return c.end(r)
	}
	return c.begin(r)
}

// longestTick is the longest time between two ticks that counts as silence. Where it was longer the machine, or the reader of the records, stood still, and silence
// begins anew.
const longestTick = 100_000_000

// Tick says that it is now, and that all records there are were taken. Where that has been so for long enough, and no call is under way, it tells of a moment of rest.
func (c *Converter) Tick(now uint64) error {
	before := max(c.last, c.ticked)
	c.ticked = now
	switch {
	case now <= before:
	case now-before > longestTick: // what was held up by that may come yet
		c.quiet = 0
	default:
		c.quiet += now - before
	}
	if c.rested || !c.AtRest() || c.out.events == 0 {
		return nil
	}
	c.rested = true
	c.report.Rests++
	return c.out.put(&trace.Event{T: c.time(now), Thr: "rest", Ph: trace.Point, Fn: "quiesce"})
}

// AtRest reports whether silence has lasted for the time of rest, and no call is under way.
func (c *Converter) AtRest() bool {
	return c.options.Rest > 0 && c.quiet >= c.options.Rest && c.threads.open() == 0
}

func (c *Converter) time(t uint64) int64 { return int64(max(t, c.options.Start) - c.options.Start) }

// Finish ends the events, and says what there was, and whether the provider is at rest as far as silence shows it.
func (c *Converter) Finish() (r Report, atRest bool, err error) {
	err = c.out.flush()
	r = c.report
	r.Events, r.LostReturns = c.out.events, c.threads.lost
	return r, c.AtRest(), err
}

// begin handles the beginning of a call or a handler.
func (c *Converter) begin(r *Record) error {
	call := c.threads.begin(r)
	if call == nil {
		c.report.Duplicates++
		return nil
	}
	e := trace.Event{T: c.time(r.T), Ph: trace.Call, Fn: functions[r.Kind], Thr: call.thread}
	if r.Kind == CompHandler {
		e.Ph = trace.Enter
	}
	if !c.fillBegin(r, call, &e) {
		call.ignored = true
		return nil
	}
	c.op++
	call.op = strconv.FormatUint(c.op, 10)
	e.Op = call.op
	return c.out.put(&e)
}

// end handles the end of a call or a handler.
func (c *Converter) end(r *Record) error {
	call, duplicate := c.threads.end(r)
	switch {
	case duplicate:
		c.report.Duplicates++
		return nil
	case call == nil:
		if c.knows(r) {
			c.report.Dropped++
		}
		return nil
	case call.ignored:
		c.forget(r)
		return nil
	}
	e := trace.Event{T: c.time(r.T), Ph: trace.Ret, Fn: functions[r.Kind], Thr: call.thread, Op: call.op}
	if r.Kind == CompHandler {
		e.Ph = trace.Exit
	} else if r.Kind != PollCq {
		e.Errno = errno(r.Value)
	}
	c.fillEnd(r, call, &e)
	return c.out.put(&e)
}

// knows reports whether the object of a record is recorded.
func (c *Converter) knows(r *Record) bool {
	_, isCq := c.cqs[r.Object]
	_, isQp := c.qps[r.Object]
	_, isSrq := c.srqs[r.Object]
	return isCq || isQp || isSrq
}

// newId returns the id of a new object.
func (c *Converter) newId(of int, prefix string) string {
	c.made[of]++
	return prefix + strconv.FormatUint(c.made[of], 10)
}
