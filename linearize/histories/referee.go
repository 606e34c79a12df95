package histories

import (
	"slices"
	"strconv"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A referee decides a short trace by the plainest possible search. It keeps every state of the contract that the events so far may have led to. Before
// each event it performs every hidden step and every effect of an outstanding call, in every order. It looks ahead only at the return of the call that
// takes effect.
type referee struct {
	c     *model.Contract
	spans []*interval
	means *meaning       // of the trace's words
	ids   map[string]int // of requests, by wr
	posts map[int]posted // by id
	fails map[int]bool   // CQs that report an internal error

	candidates []model.Action    // all hidden steps that there are
	told       map[int]string    // how requests ended that a poll delivered, by id
	placed     map[int]*interval // points that say when a completion was placed, by the request's id
	consumer   bool              // the consumer recorded the run: the entries of callbacks may come late
	blame      bool              // a completion tells of a failure that was not a flush
	most       int               // configs at a time
	apart      map[int]bool      // QPs whose disconnect has returned success
	still      bool              // since a moment of rest nothing was called but polls and arms: the provider does nothing of itself
}

type posted struct {
	qp       int
	request  model.Request
	deferred bool
	span     int
	position int // among the accepted of its queue
}

func newReferee(m *meaning, t *trace.Trace) *referee {
	ref := &referee{c: m.contract, means: m, spans: intervals(t.Events), ids: map[string]int{}, posts: map[int]posted{}, fails: map[int]bool{},
		told: map[int]string{}, placed: map[int]*interval{}, apart: map[int]bool{}, consumer: t.Header.Side == "consumer"}
	for i := range ref.c.Depth {
		for _, name := range []model.Name{model.Overflow, model.CqInternalError, model.ExtraEvent, model.Resize} {
			ref.candidates = append(ref.candidates, model.Action{Name: name, Cq: i})
		}
	}
	for i, b := range ref.c.Qps {
		a := model.Action{Qp: i, Token: model.NoToken}
		for _, a.Name = range []model.Name{model.ConnectionLost, model.HwIndicate, model.Deliver} {
			ref.candidates = append(ref.candidates, a)
		}
		for _, a.Queue = range []model.Queue{model.Initiator, model.Receive} {
			a.Name, a.Solicited, a.Outcome = model.Complete, false, model.SUCCESS
			ref.candidates = append(ref.candidates, a)
			a.Name = model.Execute
			for a.At = range 5 {
				for _, a.Outcome = range []model.Outcome{model.SUCCESS, model.FAILED, model.CANCELLED} {
					ref.candidates = append(ref.candidates, a)
				}
				if a.Queue != model.Receive {
					continue
				}
				solicited := a
				solicited.Outcome, solicited.Solicited = model.SUCCESS, true
				ref.candidates = append(ref.candidates, solicited)
				for token := range ref.c.Tokens { // of a message whose sender the trace does not record
					if b.Peer < 0 {
						plain, asks := a, solicited
						plain.Outcome, plain.Token, asks.Token = model.SUCCESS, token, token
						ref.candidates = append(ref.candidates, plain, asks)
					}
				}
			}
			a.At = 0
		}
		a.Name = model.Abort
		for _, a.Outcome = range []model.Outcome{model.SUCCESS, model.FAILED} {
			for _, a.Received = range []model.Outcome{model.FAILED, model.CANCELLED} {
				ref.candidates = append(ref.candidates, a)
			}
		}
	}
	positions := map[string]int{}
	for i, s := range ref.spans {
		if s.kind == calls.Placed {
			ref.placed[idOf(s.begin.Wr)] = s
			ref.blame = ref.blame || calls.OutcomeOf(s.begin.Status) == model.FAILED
		}
		if s.kind == calls.Callback && s.begin.Status == "STATUS_INTERNAL_ERROR" {
			ref.fails[index(s.begin.Cq)] = true
		}
		if s.kind == calls.PollCq && s.returned() {
			for _, result := range s.end.Results {
				ref.blame = ref.blame || calls.OutcomeOf(result.Status) == model.FAILED
				ref.told[idOf(result.Wr)] = result.Status
			}
		}
		if s.kind != calls.Post {
			continue
		}
		wr, flags := s.begin.Wr, s.begin.Flags
		if len(s.begin.Wrs) > 0 {
			wr, flags = s.begin.Wrs[0].Wr, s.begin.Wrs[0].Flags
		}
		id := idOf(wr)
		p := posted{qp: index(s.begin.Qp), request: m.requests[id], deferred: slices.Contains(flags, "DEFER"), span: i}
		if ref.accepted(s) {
			lane := s.begin.Qp + p.request.Op.Queue().String()
			p.position = positions[lane]
			positions[lane]++
		}
		ref.ids[wr], ref.posts[id] = id, p
	}
	return ref
}

func (ref *referee) accepted(s *interval) bool { return !s.returned() || s.succeeded() }

// index is the number in the name of an object, from 0.
func index(name string) int {
	i, err := strconv.Atoi(name[2:])
	if err != nil {
		panic(err)
	}
	return i - 1
}

// idOf is the number in the name of a request.
func idOf(wr string) int {
	id, err := strconv.Atoi(wr[1:])
	if err != nil {
		panic(err)
	}
	return id
}

// plainly searches for a way on which the contract allows a trace, whatever it means: it returns one, or nil and the last event at which there
// is none left. known is false where there are too many meanings or states to tell; most bounds the states at a time.
func plainly(d model.Dialect, t *trace.Trace, quiescent bool, most int) (way *taken, known bool, at int) {
	for _, breaks := range []func([]trace.Event) int{succeedsOnUnusable, receivesUnsent} {
		if at := breaks(t.Events); at >= 0 {
			return nil, true, at
		}
	}
	all := meanings(d, t.Events)
	known = len(all) > 0
	for _, m := range all {
		ref := newReferee(m, t)
		if ref.most = most; len(ref.spans) > mostSpans {
			return nil, false, 0
		}
		one, told, until := ref.allows(t.Events, quiescent)
		if one != nil {
			return one, true, len(t.Events)
		}
		known, at = known && told, max(at, until)
	}
	return nil, known, at
}

// mostConfigs bounds the states that a referee keeps at a time, where little has to be searched.
const mostConfigs = 2_000

// mostSpans bounds the calls and callbacks of a trace that a referee can distinguish.
const mostSpans = 64

// allows returns a way on which the contract allows the events, or nil and the event at which there is none left; known is
// false when there are too many states to tell.
func (ref *referee) allows(events []trace.Event, quiescent bool) (way *taken, known bool, at int) {
	w := &ways{ref: ref, reached: map[string]config{}, number: map[*interval]int{}}
	w.put(config{s: ref.c.Init()})
	byEvent := map[int]*interval{}
	for i, s := range ref.spans {
		byEvent[s.call], w.number[s] = s, i
		if s.returned() {
			byEvent[s.ret] = s
		}
	}
	for i := range ref.c.Depth {
		w.begin(ref.turns(CqName(i), 0)...)
	}
	for i := range len(events) + 1 {
		if !w.explore() {
			return nil, false, i
		}
		if i == len(events) {
			if quiescent {
				w.keep(func(k config) bool { return ref.atRest(k, w.open, i) })
			}
			break
		}
		s := byEvent[i]
		if ref.still && i == s.call && wakes(s.begin) {
			ref.still = false
			w.again()
		}
		switch {
		case s.kind == calls.Quiesce:
			w.keep(func(k config) bool { return ref.atRest(k, w.open, i) })
			w.again()
			ref.still = !slices.ContainsFunc(w.open, func(s *interval) bool { return wakes(s.begin) })
		case s.kind == calls.Placed:
			w.replace(s, func(k config) []model.State { return ref.places(k.s, s) })
		case s.kind == calls.Callback && ref.consumer && i == s.call:
			w.returns(s)
		case s.kind == calls.Callback || s.kind == calls.CloseDone || s.fn == "NdkRequestCompletion":
			w.replace(s, func(k config) []model.State { return ref.moment(k.s, s, i == s.call) })
			w.begin(ref.turns(s.begin.Cq, i)...)
		case i == s.call:
			w.begin(s)
		default:
			w.returns(s)
			if s.fn == "NdkDisconnect" && s.succeeded() && !s.pending() {
				ref.apart[index(s.begin.Qp)] = true
			}
			if s.kind == calls.ConnectQp && !s.succeeded() {
				w.replace(s, func(k config) []model.State { return ref.lost(k.s, index(s.begin.Qp)) })
			}
			if s.kind == calls.CloseQp && !s.pending() {
				w.replace(s, func(k config) []model.State { return ref.closed(k.s, index(s.begin.Qp)) })
			}
		}
		if len(w.reached) == 0 {
			return nil, true, i
		}
	}
	for _, k := range w.reached {
		return &taken{nil, nil, k.how}, true, len(events)
	}
	return nil, true, len(events)
}

// asTold reports whether each request that has its outcome has the one that a poll tells. Without it the search would find
// out at the poll, and try all the others until then.
func (ref *referee) asTold(s model.State) bool {
	for _, p := range s.Qps {
		for _, queue := range [][]model.Request{p.Initiator, p.Receive} {
			for _, q := range queue {
				if status := ref.told[q.Id]; status != "" && q.Phase >= model.Executed && !ref.tells(status, model.Outcome(q.Phase-model.Executed)) {
					return false
				}
			}
		}
	}
	return true
}

// atRest reports whether nothing is owed in a state at a moment: no callback, no event to a call that waits for one, no close, and no completion
// of a request that waits for the provider alone.
func (ref *referee) atRest(k config, open []*interval, at int) bool {
	quiet := !slices.ContainsFunc(ref.spans, func(s *interval) bool { return s.begin.Ph == trace.Enter && s.call < at && s.ret > at })
	for i, q := range k.s.Cqs {
		if quiet && (q.Open == model.Closing || q.Resize != model.NotResizing) {
			return false // its QPs were closed before
		}
		read := slices.ContainsFunc(open, func(s *interval) bool { return s.kind == calls.ReadEvent && ref.means.waits(s.begin, i) })
		if ref.c.Dialect.Serialised && q.Running || q.Open == model.Closed || ref.c.Dialect.EventsAreRead && !read {
			continue
		}
		waits := len(q.Entries) == 0 && ref.c.Dialect.A6 == model.A6Never
		if q.Due > 0 && !waits || q.ErrorDue {
			return false
		}
	}
	for i := range k.s.Qps {
		if ref.c.Owes(ref.answered(k.s, i), i, model.Initiator) || ref.c.Owes(k.s, i, model.Receive) {
			return false
		}
	}
	return true
}
