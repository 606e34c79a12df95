package monitor

import (
	"fmt"

	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// connecting checks when NdkCompleteConnect is called, and how it ends: CONN-01 and CONN-02.
type connecting struct {
	seldom
	m             *Monitor
	called, ended *int
	attempts      map[*object]attempt // the latest of each queue pair
	before        map[*Call]attempt   // of NdkCompleteConnect: where its queue pair stood when it was called
}

// An attempt is where a queue pair stands between NdkConnect and NdkCompleteConnect, and which call brought it there.
type attempt struct {
	stage connectStage
	by    *Call
	from  connectStage // where it stood before an attempt that is pending
	first *Call        // the call that brought it to the stage from
}

type connectStage uint8

const (
	notConnected       connectStage = iota
	connectPending                  // NdkConnect was called, and has not completed
	connectSucceeded                // NdkConnect has succeeded
	connectFailed                   // NdkConnect has failed
	connectCompleted                // NdkCompleteConnect has succeeded
	connectionFinished              // NdkDisconnect has succeeded
	connectedOtherwise              // by NdkAccept, or in an unknown way
)

var _ = group(newConnecting,
	rule{ID: "CONN-01", On: on{"a function of the connecting sequence is called"}, OnlyNdk: true},
	rule{ID: "CONN-02", On: on{"the trace records NdkConnect or NdkAccept"}, OnlyNdk: true},
)

func newConnecting(m *Monitor) checks {
	return &connecting{m: m, called: m.counter("CONN-01"), ended: m.counter("CONN-02"), attempts: map[*object]attempt{}, before: map[*Call]attempt{}}
}

// queuePair returns the queue pair that a call names, where the trace holds its creation, or nil.
func (c *Call) queuePair() *object {
	for _, o := range c.objects {
		if o.Kind == Qp && o.created && o.exists {
			return o
		}
	}
	return nil
}

func (n *connecting) begin(c *Call, e *trace.Event) {
	p := c.queuePair()
	if p == nil || c.Entered {
		return
	}
	switch c.Fn {
	case "NdkConnect", "NdkConnectWithSharedEndpoint":
		a := n.attempts[p]
		n.attempts[p] = attempt{connectPending, c, a.stage, a.by}
	case "NdkAccept", "NdkAcceptEx":
		n.attempts[p] = attempt{stage: connectedOtherwise, by: c}
	case "NdkCompleteConnect", "NdkCompleteConnectEx":
		*n.called++
		n.before[c] = n.attempts[p]
		n.checkCalled(c, p)
	}
}

// checkCalled is CONN-01.
func (n *connecting) checkCalled(c *Call, p *object) {
	f := Finding{Verdict: verdict.ConsumerViolation, Rule: "CONN-01", Objects: c.named(), Follows: true}
	switch a := n.attempts[p]; a.stage {
	case notConnected:
		f.Message = fmt.Sprintf("%s of %s was called, and NdkConnect was not", c.Fn, p.Name)
	case connectPending:
		f.Message = fmt.Sprintf("%s of %s was called, and its %s had not completed", c.Fn, p.Name, a.by.Fn)
		f.See = []int{a.by.Begun.Line}
	case connectFailed:
		f.Message = fmt.Sprintf("%s of %s was called, and its %s had failed", c.Fn, p.Name, a.by.Fn)
		f.See = []int{a.by.Begun.Line}
	default:
		return
	}
	n.m.report(f)
}

func (n *connecting) done(c *Call, succeeded bool) {
	p := c.queuePair()
	if p == nil {
		return
	}
	a, known := n.attempts[p]
	switch c.Fn {
	case "NdkConnect", "NdkConnectWithSharedEndpoint":
		switch {
		case a.first == c && a.stage == connectPending: // another one was called meanwhile
			if a.from = connectFailed; succeeded {
				a.from = connectSucceeded
			}
			n.attempts[p] = a
		case a.by != c:
		case succeeded:
			n.attempts[p] = attempt{stage: connectSucceeded, by: c}
		case !c.pends && a.from != notConnected: // it was refused, which changes nothing
			n.attempts[p] = attempt{stage: a.from, by: a.first}
		default:
			n.attempts[p] = attempt{stage: connectFailed, by: c}
		}
	case "NdkCloseQp":
		if succeeded {
			delete(n.attempts, p)
		}
	case "NdkDisconnect":
		if known && succeeded {
			n.attempts[p] = attempt{stage: connectionFinished, by: c}
		}
	case "NdkCompleteConnect", "NdkCompleteConnectEx":
		before := n.before[c]
		delete(n.before, c)
		if succeeded && a == before {
			n.checkEnded(c, p, a)
			n.attempts[p] = attempt{stage: connectCompleted, by: c}
		}
	}
}

// checkEnded is CONN-02 for a call that has succeeded.
func (n *connecting) checkEnded(c *Call, p *object, a attempt) {
	*n.ended++
	why := ""
	switch a.stage {
	case connectFailed:
		why = "had failed"
	case connectCompleted, connectionFinished:
		why = "had succeeded"
	default:
		return
	}
	n.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: "CONN-02", See: []int{c.Begun.Line, a.by.Begun.Line}, Objects: c.named(), Follows: true,
		Message: fmt.Sprintf("%s of %s succeeded, and %s of it %s before: it was not connecting", c.Fn, p.Name, a.by.Fn, why), Instead: c.Fn + " fails with STATUS_CONNECTION_INVALID"})
}
