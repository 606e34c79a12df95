package main

import (
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"
	"time"

	"ndkoracle/linearize/calls"
	"ndkoracle/trace"
)

// latencies measures by the clock of a trace how long a consumer waits: from an arm to the callback, from the placing of a completion to the callback that
// follows, and from a post to the poll that delivers the completion. In libibverbs the event that is read is the callback.
type latencies struct {
	armed, placed, posted     spread
	armsOf, placedIn, postsOf map[string]int64 // the first time since the latest callback, by CQ; that of the post, by request
	earliest, latest          int64            // time of any event
}

func newLatencies() *latencies {
	return &latencies{armsOf: map[string]int64{}, placedIn: map[string]int64{}, postsOf: map[string]int64{}, earliest: math.MaxInt64, latest: math.MinInt64}
}

func (l *latencies) take(e *trace.Event) {
	l.earliest, l.latest = min(l.earliest, e.T), max(l.latest, e.T)
	begins := e.Ph == trace.Call || e.Ph == trace.Enter
	switch kind := calls.KindOf(e); {
	case kind == calls.Placed:
		first(l.placedIn, e.Cq, e.T)
	case kind == calls.ArmCq && begins:
		first(l.armsOf, e.Cq, e.T)
	case kind == calls.Callback && begins, kind == calls.ReadEvent && !begins && e.Cq != "":
		l.armed.close(l.armsOf, e.Cq, e)
		l.placed.close(l.placedIn, e.Cq, e)
	case (kind == calls.Post || kind == calls.PostShared) && begins:
		if e.Wr != "" {
			first(l.postsOf, e.Wr, e.T)
		}
		for _, wr := range e.Wrs {
			first(l.postsOf, wr.Wr, e.T)
		}
	case kind == calls.PollCq && !begins:
		for _, result := range e.Results {
			l.posted.close(l.postsOf, result.Wr, e)
		}
	}
}

// first records the first time for a name. It records at most maxNames names.
func first(times map[string]int64, name string, t int64) {
	if _, noted := times[name]; !noted && len(times) < maxNames {
		times[strings.Clone(name)] = t
	}
}

// A spread counts durations in buckets, each at most 1/128 wide, and keeps the longest with its line.
type spread struct {
	buckets map[int64]int // by the longest duration of each
	count   int
	longest int64
	line    int
}

// close adds the time since name was noted, and forgets it.
func (s *spread) close(times map[string]int64, name string, e *trace.Event) {
	since, noted := times[name]
	if !noted {
		return
	}
	delete(times, name)
	d := max(0, e.T-since)
	if s.count == 0 || d > s.longest {
		s.longest, s.line = d, e.Line
	}
	if s.buckets == nil {
		s.buckets = map[int64]int{}
	}
	low := max(0, bits.Len64(uint64(d))-8) // bits that a bucket does not distinguish
	s.buckets[d|(1<<low-1)]++
	s.count++
}

// at returns the duration that a share of them does not exceed.
func (s *spread) at(share float64) time.Duration {
	left := int(share * float64(s.count))
	for _, d := range slices.Sorted(maps.Keys(s.buckets)) {
		if left -= s.buckets[d]; left < 0 {
			return time.Duration(min(d, s.longest))
		}
	}
	return time.Duration(s.longest)
}

// write writes the measurements, if the trace has a clock.
func (l *latencies) write(w *textReporter, unit string) {
	if unit != "ns" {
		w.line(0, "latencies: not known; the clock of the trace has no unit ns")
		return
	}
	if l.earliest == l.latest {
		w.line(0, "latencies: not known; all events have the same time")
		return
	}
	w.line(0, "%-28s %9s %10s %10s %10s", "latency", "count", "p50", "p99", "max")
	for _, row := range []struct {
		name string
		of   *spread
	}{{"arm to callback", &l.armed}, {"placed to callback", &l.placed}, {"post to completion", &l.posted}} {
		if row.of.count == 0 {
			w.line(2, "%-26s %9d", row.name, 0)
			continue
		}
		w.line(2, "%-26s %9d %10s %10s %10s in line %d", row.name, row.of.count, row.of.at(0.5), row.of.at(0.99), time.Duration(row.of.longest), row.of.line)
	}
}
