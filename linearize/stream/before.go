package stream

import (
	"fmt"

	"ndkoracle/linearize/automaton"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// before describes the explanations of a CQ that were alive before what was seen, and what each would have allowed in place of it.
func (q *cq) before(a *automaton.Queue, e *observation) (before, instead []string) {
	states := a.Before(verdict.MaxDescribed + 1)
	for i := range states {
		if i == verdict.MaxDescribed {
			return append(before, "and others"), append(instead, "")
		}
		before, instead = append(before, q.describe(&states[i])), append(instead, q.instead(&states[i], e))
	}
	return before, instead
}

func (q *cq) describe(s *automaton.State) string {
	text := fmt.Sprintf("%s: armed %v, ", q.name, s.Cq.Arm)
	if s.Holds > 0 {
		text += fmt.Sprintf("at least %s placed, ", verdict.Counted(s.Holds, "completion"))
	}
	if text += verdict.Counted(s.Cq.Due, verdict.Notice(&q.s.dialect)); s.Most > s.Cq.Due {
		text = fmt.Sprintf("%s to %d", text, s.Most)
	}
	if text += " owed"; s.Ahead > 0 {
		text += fmt.Sprintf(", %d entered and not told", s.Ahead)
	}
	if s.Cq.Running {
		text += ", one running"
	}
	if s.Cq.Health != model.OK {
		text += ", " + s.Cq.Health.String()
	}
	if s.Cq.Open != model.Open {
		text += ", " + s.Cq.Open.String()
	}
	return text
}

// instead says what an explanation would have allowed in place of what was seen, or "" where that is nothing else.
func (q *cq) instead(s *automaton.State, e *observation) string {
	switch {
	case e.what == enter:
		return verdict.NoCallback("no callback", &s.Cq)
	case e.what == read:
		return verdict.NoCallback("no event", &s.Cq)
	case e.what == foundNothing && s.Holds > 0:
		return fmt.Sprintf("the poll returns at least %s", verdict.Counted(s.Holds, "completion"))
	case e.what == restful && s.Cq.ErrorDue:
		return fmt.Sprintf("first a callback of %s with %v", q.name, s.Cq.Health)
	case e.what == restful && s.Cq.Due > 0:
		return "first " + verdict.NoticesOf(&q.s.dialect, s.Cq.Due, q.name)
	case e.what == readers && s.Ahead > 0:
		return "first " + verdict.NoticesOf(&q.s.dialect, s.Ahead, q.name)
	case e.what == restful && len(e.list) > 0:
		return fmt.Sprintf("first what is owed completes, and the %s that it makes due", verdict.Notice(&q.s.dialect))
	case (e.what == delivered || e.what == remaining) && e.owed != 0 && s.Cq.Arm != model.NONE:
		return fmt.Sprintf("before the rest the completion of %s, and the %s that it makes due", e.request.wr, verdict.Notice(&q.s.dialect))
	case e.what == closeFinished && s.Cq.Running:
		return verdict.ClosesLater
	}
	return ""
}
