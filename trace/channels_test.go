package trace

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// verbsTrace builds a trace from events such as "call ibv_create_cq cq=a channel=c" and "rest". A call whose op is not told is the first event of
// its own op; "ret" ends the latest call of its function.
func verbsTrace(t *testing.T, lines ...string) *Trace {
	t.Helper()
	made := &Trace{}
	for i, line := range lines {
		words := strings.Fields(line)
		e := Event{Line: i + 2, Seq: uint64(i + 1), Thr: "t"}
		if words[0] == "rest" {
			e.Ph, e.Fn = Point, "quiesce"
			made.Events = append(made.Events, e)
			continue
		}
		e.Ph, e.Fn, e.Op = Phase(words[0]), words[1], words[1]
		for _, word := range words[2:] {
			key, value, _ := strings.Cut(word, "=")
			switch key {
			case "cq":
				e.Cq = value
			case "channel":
				e.Channel = value
			case "thr":
				e.Thr = value
			case "errno":
				e.Errno = value
			case "op":
				e.Op = value
			default:
				t.Fatalf("nothing is called %q", key)
			}
		}
		made.Events = append(made.Events, e)
	}
	return made
}

// Of which CQs a trace shows, at its only moment of rest, that no event lay unread (ARM-03, ARM-09).
func TestAwaited(t *testing.T) {
	const createA, createB, get = "call ibv_create_cq cq=a", "call ibv_create_cq cq=b", "call ibv_get_cq_event"
	for name, one := range map[string]struct {
		want  string
		lines []string
	}{
		"the only CQ":                          {"a", []string{createA, get, "rest"}},
		"the only CQ, of the only channel":     {"a", []string{"call ibv_create_comp_channel", createA, get, "rest"}},
		"the only CQ, and two channels":        {"", []string{"call ibv_create_comp_channel", "call ibv_create_comp_channel", createA, get, "rest"}},
		"one of two CQs":                       {"", []string{createA, createB, get, "rest"}},
		"a CQ that the call names":             {"b", []string{createA, createB, get + " cq=b", "rest"}},
		"a thread that is named by its CQ":     {"b", []string{createA, createB, get + " thr=b-events", "rest"}},
		"the CQs of a channel":                 {"a b", []string{createA + " channel=c", createB + " channel=c", "call ibv_create_cq cq=d channel=e", get + " channel=c", "rest"}},
		"a CQ without a channel":               {"", []string{createA, createB + " channel=c", get + " channel=e", "rest"}},
		"a thread named by a CQ with none":     {"", []string{createA, createB + " channel=c", get + " thr=a-events", "rest"}},
		"nobody waits any more":                {"", []string{createA, get, "ret ibv_get_cq_event cq=a", "rest"}},
		"EAGAIN after the rest":                {"a", []string{createA, "rest", get, "ret ibv_get_cq_event errno=EAGAIN"}},
		"EINTR after the rest":                 {"", []string{createA, "rest", get, "ret ibv_get_cq_event errno=EINTR"}},
		"EAGAIN of a call before the rest":     {"a", []string{createA, get, "rest", "ret ibv_get_cq_event errno=EAGAIN"}},
		"EAGAIN, and an event was read before": {"", []string{createA, "rest", get, "ret ibv_get_cq_event cq=a", get, "ret ibv_get_cq_event errno=EAGAIN"}},
		"EAGAIN, and another may have read it": {"", []string{createA, "rest", get + " op=1", get + " op=2", "ret ibv_get_cq_event op=2 errno=EAGAIN"}},
		"EAGAIN on another channel":            {"", []string{createA + " channel=c", "rest", get + " channel=e", "ret ibv_get_cq_event errno=EAGAIN"}},
	} {
		made := verbsTrace(t, one.lines...)
		var got []string
		for i := range made.Events {
			if made.Events[i].Fn == "quiesce" {
				got = slices.Sorted(maps.Keys(Awaited(made)[i]))
			}
		}
		if strings.Join(got, " ") != one.want {
			t.Errorf("%s: %q, want %q", name, got, one.want)
		}
	}
}

// An event comes on the channel that its CQ was created with (ARM-01).
func TestAstray(t *testing.T) {
	for name, one := range map[string]struct {
		astray bool
		lines  []string
	}{
		"its channel":                    {false, []string{"call ibv_create_cq cq=a channel=c", "call ibv_get_cq_event channel=c"}},
		"another channel":                {true, []string{"call ibv_create_cq cq=a channel=c", "call ibv_get_cq_event channel=e"}},
		"no channel":                     {true, []string{"call ibv_create_comp_channel channel=c", "call ibv_create_cq cq=a", "call ibv_get_cq_event channel=c"}},
		"a trace that names none":        {false, []string{"call ibv_create_cq cq=a", "call ibv_get_cq_event"}},
		"a CQ that the trace never made": {false, []string{"call ibv_create_comp_channel channel=c", "call ibv_get_cq_event channel=c"}},
	} {
		made := verbsTrace(t, one.lines...)
		var c Channels
		for i := range made.Events {
			c.Take(&made.Events[i])
		}
		w := c.WaiterOf(&made.Events[len(made.Events)-1])
		if why, astray := c.Astray(w, "a"); astray != one.astray {
			t.Errorf("%s: %v (%s), want %v", name, astray, why, one.astray)
		}
	}
}

// What is remembered of a CQ goes with it.
func TestChannelsForgetDestroyedCqs(t *testing.T) {
	var c Channels
	for range 100 {
		made := verbsTrace(t, "call ibv_create_cq cq=a channel=c", "call ibv_destroy_cq cq=a", "ret ibv_destroy_cq")
		for i := range made.Events {
			c.Take(&made.Events[i])
		}
	}
	if len(c.of)+len(c.gone)+len(c.on["c"]) > 0 {
		t.Errorf("%+v remembers CQs that are destroyed", c)
	}
}
