package linearize

import (
	"context"
	"errors"
	"fmt"

	"ndkoracle/trace"
)

// stream decides a trace that is in memory in one pass.
func (r *Report) stream(ctx context.Context, t *trace.Trace, o Options) {
	s, err := NewStream(t.Header, o)
	if err != nil {
		r.undecided("", err.Error())
		return
	}
	if t.More > 0 {
		r.undecided("", fmt.Sprintf("the trace has %d events, of which only %d are at hand", uint64(len(t.Events))+t.More,
			len(t.Events)))
		return
	}
	for i := range t.Events {
		if i%eventsBetweenLooks == 0 && ctx.Err() != nil {
			reason := fmt.Sprintf("%v after %d events", context.Cause(ctx), i)
			if errors.Is(context.Cause(ctx), context.Canceled) {
				reason = "interrupted " + reason
			}
			r.undecided("", reason)
			return
		}
		s.Take(&t.Events[i])
	}
	s.Finish(t.End, r)
}

// eventsBetweenLooks is how many events pass before the context is looked at again.
const eventsBetweenLooks = 1 << 10
