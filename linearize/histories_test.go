package linearize

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ndkoracle/linearize/cases"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// The bounds of the searches. One that needs more gives no answer, on each machine alike.
const (
	memoryOfSearch  = 2 << 20 // bytes, of porcupine
	configsOfSearch = 300     // of the plain search
)

const mostDiffering = 5 // histories, before no more are drawn

// The streaming engine gives each random history the verdict of porcupine and of the plain search, where they have one:
// histories of at most 40 operations, of all dialects and readings, legal and spoilt. NDK_HISTORIES says how many, NDK_SEED and
// NDK_FROM which: what differs is told by its number, and NDK_HISTORIES=1 NDK_FROM=<number> draws it again.
func TestRandomHistories(t *testing.T) {
	from, n, seed := environment(t, "NDK_FROM", 0), environment(t, "NDK_HISTORIES", 2000), environment(t, "NDK_SEED", 1)
	start := time.Now()
	var mu sync.Mutex
	next, compared, differing, counts := from, 0, 0, map[string]int{}
	take := func() (number int, more bool) {
		mu.Lock()
		defer mu.Unlock()
		next++
		return next - 1, next <= from+n && differing < mostDiffering
	}
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for number, more := take(); more; number, more = take() {
				d := quick{rand.New(rand.NewPCG(uint64(seed), uint64(number)))}
				h := drawHistory(d, number%8 == 3)
				c := h.compare()
				mu.Lock()
				if c.differ != "" {
					differing++
					t.Errorf("history %d of seed %d differs\n%s\n%s", number, seed, c.differ, h)
				}
				for _, what := range c.counts {
					counts[what]++
				}
				if compared++; compared%50_000 == 0 {
					t.Logf("%d histories, %.0f a second", compared, float64(compared)/time.Since(start).Seconds())
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	t.Logf("seed %d, histories %d to %d, in %v: %d differ", seed, from, from+compared-1, time.Since(start).Round(time.Second), differing)
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%8d %5.1f%% %s", counts[what], 100*float64(counts[what])/float64(compared), what)
	}
	if n < 1000 {
		return
	}
	for _, what := range []string{"both searches answer", "a partial order", "a hidden case is counted for certain", "with points", "taken down by the consumer", "spoilt", "overlaps", "a CQ is resized",
		"stream: conformant", "stream: provider violation", "plain search: allowed", "plain search: forbidden"} {
		if counts[what] == 0 {
			t.Errorf("none of the histories: %s", what)
		}
	}
}

func environment(t *testing.T, name string, otherwise int) int {
	n, err := strconv.Atoi(cmp.Or(os.Getenv(name), strconv.Itoa(otherwise)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// A comparison is what came of a history.
type comparison struct {
	differ string // how the engines do, or ""
	counts []string
}

func (c *comparison) count(is bool, what string) {
	if is {
		c.counts = append(c.counts, what)
	}
}

func (h *drawn) compare() *comparison {
	c := &comparison{}
	c.count(h.trace.Header.Side == "consumer", "taken down by the consumer")
	c.count(h.run.points, "with points")
	c.count(h.spoilt != "nothing", "spoilt")
	c.count(h.run.overlaps, "overlaps")
	c.count(slices.ContainsFunc(h.trace.Events, isResize), "a CQ is resized")
	c.count(len(h.options.Assume) > 0, "another reading than the default")
	c.count(true, "dialect "+h.run.c.Dialect.Name)
	streamed := streaming(h.trace, h.options)
	c.count(true, "stream: "+string(streamed.Verdict))
	h.withCases(streamed, c)
	if !streamed.Decided() {
		c.count(true, "stream leaves it open")
		return c
	}
	if h.orders != nil {
		c.count(true, "a partial order")
		h.inAnyOrder(streamed, c)
		return c
	}
	searched := h.againstPorcupine(streamed, c)
	plain := h.againstPlainSearch(streamed, c)
	c.count(searched && plain, "both searches answer")
	c.count(!searched && !plain, "neither search answers")
	return c
}

// withCases holds what the engine counts of hidden cases against what the provider did that drew the history.
func (h *drawn) withCases(streamed *verdict.Report, c *comparison) {
	if h.spoilt != "nothing" || h.orders != nil || streamed.Cases == nil {
		return
	}
	certain := false
	for _, which := range hiddenCases {
		n, told := h.run.met[which].AtLeast, streamed.Cases[which]
		if n < told.AtLeast || n > told.AtMost {
			c.differ += fmt.Sprintf("\n%s was met %d times, and by stream %d to %d times", which.ID(), n, told.AtLeast, told.AtMost)
		}
		certain = certain || n > 0 && told.AtLeast == n
	}
	c.count(certain, "a hidden case is counted for certain")
}

// hiddenCases lists the cases that a trace does not show, as what is outstanding, and what the CQ holds, is hidden.
var hiddenCases = slices.DeleteFunc(cases.All(), func(c cases.Case) bool {
	return c > cases.Merge(model.ANY, model.ANY) || c == cases.ArmInCallback
})

// againstPorcupine reports whether porcupine has an answer.
func (h *drawn) againstPorcupine(streamed *verdict.Report, c *comparison) bool {
	o := h.options
	o.Engine = Porcupine
	searched := Check(context.Background(), h.trace, o)
	switch {
	case !searched.Decided():
		c.count(true, "porcupine leaves it open")
		return false
	case searched.Verdict != streamed.Verdict:
		c.differ = fmt.Sprintf("porcupine: %s: %+v\nstream: %s: %+v", searched.Verdict, searched.Findings, streamed.Verdict, streamed.Findings)
	case streamed.Verdict == verdict.ProviderViolation && !equivalent(streamed.Findings[0], searched.Findings[0].Rule):
		c.count(true, "by another rule: "+streamed.Findings[0].Rule+" by stream, "+searched.Findings[0].Rule+" by porcupine")
	}
	return true
}

// againstPlainSearch reports whether the plain search has an answer. The judge looks at each end of a connection by itself, and
// only then at what it knows of the messages: it may accept what the whole does not allow.
func (h *drawn) againstPlainSearch(streamed *verdict.Report, c *comparison) bool {
	if h.run.points || h.trace.Header.Side == "consumer" {
		return false
	}
	ref := newReferee(h.run)
	ref.most = configsOfSearch
	way, known, at := ref.allows(h.trace.Events, h.quiescent)
	if !known {
		c.count(true, "too large for the plain search")
		return false
	}
	accepts := streamed.Verdict == verdict.Conformant || streamed.Verdict == verdict.Inconclusive && !h.quiescent
	rejects := streamed.Verdict == verdict.ProviderViolation
	c.count(way != nil, "plain search: allowed")
	c.count(way == nil, "plain search: forbidden")
	switch {
	case rejects && way != nil:
		c.differ += fmt.Sprintf("\nplain search: allowed: %v\nstream: %+v", way, streamed.Findings)
	case accepts && way == nil && h.run.connection():
		c.count(true, "plain search: forbidden, of a connection of which each end by itself is allowed")
	case accepts && way == nil:
		c.differ += fmt.Sprintf("\nplain search: forbidden, from event %d\nstream: %s: %+v", at, streamed.Verdict, streamed.Findings)
	}
	return true
}

// inAnyOrder holds the verdict on a partial order against those of porcupine on each order that it leaves open.
func (h *drawn) inAnyOrder(streamed *verdict.Report, c *comparison) {
	o := h.options
	o.Engine = Porcupine
	want, _, known := ofOrders(h.trace, h.orders, o)
	bounded := slices.ContainsFunc(streamed.Findings, func(f verdict.Finding) bool { return strings.Contains(f.Message, "were tried") })
	switch {
	case !known:
		c.count(true, "porcupine leaves it open")
	case bounded:
		c.count(true, "more orders than the stream tries")
	case streamed.Verdict != want:
		c.differ = fmt.Sprintf("porcupine: %s, of %d orders\nstream: %s: %+v", want, len(h.orders), streamed.Verdict, streamed.Findings)
	}
}

func (h *drawn) String() string {
	text := fmt.Sprintf("dialect %s, %v, at rest: %v, spoilt: %s\n", h.run.c.Dialect.Name, h.options.Assume, h.quiescent, h.spoilt)
	if h.orders != nil {
		for i := range h.trace.Events {
			e := &h.trace.Events[i]
			text += fmt.Sprintf("line %d: thread %s at %d: %s %s\n", e.Line, e.Thr, e.T, e.Ph, e.Op)
		}
	}
	return text + h.run.String()
}
