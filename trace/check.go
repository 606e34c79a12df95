package trace

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxId is the length of an id, and of every other word of an event, in characters.
const maxId = 256

// checkHeader says what is wrong with a header, other than its format and version.
func checkHeader(h *Header) error {
	for _, field := range []struct {
		name, value string
		allowed     []string
	}{
		{"dialect", h.Dialect, []string{"ndkpi", "ndspi", "verbs", "kverbs"}},
		{"side", h.Side, []string{"provider", "consumer"}},
		{"order", h.Order, []string{"total", "partial"}},
		{"clock.unit", h.Clock.Unit, []string{"", "ns"}},
	} {
		if slices.Contains(field.allowed, field.value) {
			continue
		}
		if field.value == "" {
			return fmt.Errorf("no %s", field.name)
		}
		allowed := slices.DeleteFunc(field.allowed, func(word string) bool { return word == "" })
		return fmt.Errorf("%s is %.40q, not one of %s%s", field.name, field.value, strings.Join(allowed, ", "), suggestion(strings.ToLower(field.value), allowed))
	}
	return checkDescriptions(h)
}

// maxDescription is the length of a header's descriptions, in characters.
const maxDescription = 4096

func checkDescriptions(h *Header) error {
	descriptions := map[string]string{"ndk": h.Ndk, "clock.id": h.Clock.Id, "producer.name": h.Producer.Name,
		"producer.version": h.Producer.Version}
	for name, values := range map[string]map[string]string{"adapter": h.Adapter, "run": h.Run} {
		for key, value := range values {
			descriptions["a key of "+name+": "+key] = key
			descriptions[name+"."+key] = value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(descriptions)) {
		if err := checkText(descriptions[name], maxDescription); err != nil {
			return fmt.Errorf("%.100q: %w", name, err)
		}
	}
	return nil
}

func checkWord(text string) error { return checkText(text, maxId) }

// checkText says why text can't be an id, another word of an event, or a description. Characters that control a
// terminal have no place in any, since all are printed.
func checkText(text string, length int) error {
	if utf8.RuneCountInString(text) > length {
		return fmt.Errorf("longer than %d characters", length)
	}
	for _, c := range text {
		if c == utf8.RuneError || unicode.IsControl(c) {
			return fmt.Errorf("has the character %U", c)
		}
	}
	return nil
}

// checkFields says which word or integer of e can't be in a trace, whatever its fn.
func checkFields(e *Event) error {
	if e.Seq > math.MaxInt64 || e.T < 0 {
		return fmt.Errorf("seq or t is out of the range 0 to %d", int64(math.MaxInt64))
	}
	for _, field := range []struct{ name, word string }{
		{"thr", e.Thr}, {"ph", string(e.Ph)}, {"op", e.Op}, {"fn", e.Fn}, {"cq", e.Cq}, {"qp", e.Qp}, {"srq", e.Srq},
		{"mr", e.Mr}, {"mw", e.Mw}, {"conn", e.Conn}, {"receive_cq", e.ReceiveCq}, {"initiator_cq", e.InitiatorCq},
		{"state", e.State}, {"wr", e.Wr}, {"bad_wr", e.BadWr}, {"type", e.Type}, {"status", e.Status},
		{"errno", e.Errno}, {"for", e.For}, {"adapter", e.Adapter}, {"pd", e.Pd}, {"lam", e.Lam},
		{"connector", e.Connector}, {"listener", e.Listener}, {"endpoint", e.Endpoint}, {"channel", e.Channel},
		{"qp_type", e.QpType},
	} {
		if err := checkWord(field.word); err != nil {
			return fmt.Errorf("%s: %w", field.name, err)
		}
	}
	for _, field := range []struct {
		name  string
		value *int64
	}{
		{"receive_depth", e.ReceiveDepth}, {"initiator_depth", e.InitiatorDepth}, {"inline", e.Inline},
		{"depth", e.Depth}, {"threshold", e.Threshold}, {"n", e.N},
	} {
		if err := checkRange(field.value); err != nil {
			return fmt.Errorf("%s: %w", field.name, err)
		}
	}
	for name, value := range map[string]*int64{"bytes": e.Bytes, "length": e.Length} {
		if err := checkLength(value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := checkFlags(e.Flags); err != nil {
		return err
	}
	for i := range e.Wrs {
		w := &e.Wrs[i]
		err := errors.Join(checkWord(w.Wr), checkWord(w.Opcode), checkWord(w.Mr), checkWord(w.Mw), checkFlags(w.Flags),
			checkLength(w.Bytes))
		if err != nil || w.Wr == "" {
			return fmt.Errorf("wrs[%d]: %w", i, cmp.Or(err, errors.New("no wr")))
		}
	}
	for i := range e.Results {
		r := &e.Results[i]
		err := errors.Join(checkWord(r.Wr), checkWord(r.Qp), checkWord(r.Status), checkWord(r.Type), checkWord(r.Opcode),
			checkLength(r.Bytes))
		switch {
		case err != nil:
		case r.Wr == "":
			err = errors.New("no wr")
		case r.Status == "":
			err = errors.New("no status")
		}
		if err != nil {
			return fmt.Errorf("results[%d]: %w", i, err)
		}
	}
	return nil
}

func checkFlags(flags []string) error {
	if len(flags) > maxFlags {
		return fmt.Errorf("flags: more than %d", maxFlags)
	}
	for i, flag := range flags {
		if err := checkWord(flag); err != nil || flag == "" {
			return fmt.Errorf("flags[%d]: %w", i, cmp.Or(err, errors.New("empty")))
		}
	}
	return nil
}

func checkRange(value *int64) error {
	if value != nil && (*value < 0 || *value > math.MaxUint32) {
		return fmt.Errorf("%d is out of the range 0 to %d", *value, uint32(math.MaxUint32))
	}
	return nil
}

func checkLength(value *int64) error {
	if value != nil && *value < 0 {
		return fmt.Errorf("%d is out of the range 0 to %d", *value, int64(math.MaxInt64))
	}
	return nil
}

// maxFlags is as many as an integer has bits.
const maxFlags = 32

// hasIbverbs reports whether the words of the trace are libibverbs's.
func (h *Header) hasIbverbs() bool { return h.Dialect == "verbs" || h.Dialect == "kverbs" }
