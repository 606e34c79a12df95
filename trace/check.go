package trace

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
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
		{"dialect", h.Dialect, []string{"ndkpi", "ndspi", "verbs"}},
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
		return fmt.Errorf("%s is %q, not one of %s", field.name, field.value, strings.Join(field.allowed, ", "))
	}
	return nil
}

// checkWord says why text can't be an id or another word of an event.
func checkWord(text string) error {
	switch {
	case text == "":
		return errors.New("empty")
	case utf8.RuneCountInString(text) > maxId:
		return fmt.Errorf("longer than %d characters", maxId)
	}
	for _, c := range text {
		if c == utf8.RuneError || unicode.IsControl(c) {
			return fmt.Errorf("has the character %U", c)
		}
	}
	return nil
}

// checker judges whether events form a trace: their order, their pairing, and that each has what its fn needs. It keeps
// less memory than the events' own text takes.
type checker struct {
	events uint64
	seq    uint64            // of the newest event
	open   map[string]string // fn of the calls and callbacks that have not returned, by op
	ops    idSet
	wrs    idSet
}

// event takes the next event in. The error is a reason without a place.
func (c *checker) event(e *Event) error {
	if c.events > 0 && e.Seq <= c.seq {
		return fmt.Errorf("seq %d is not above %d, the seq before it", e.Seq, c.seq)
	}
	if e.Fn == "" {
		return errors.New("no fn")
	}
	if e.Thr == "" {
		return errors.New("no thr")
	}
	if err := c.pair(e); err != nil {
		return err
	}
	if err := required(e); err != nil {
		return err
	}
	if e.For != "" && !c.ops.has(e.For) {
		return fmt.Errorf("%s is for op %q, which was never called", e.Fn, e.For)
	}
	if err := c.posted(e); err != nil {
		return err
	}
	c.events, c.seq = c.events+1, e.Seq
	return nil
}

// pair checks that ops are used once, by a call and its return.
func (c *checker) pair(e *Event) error {
	switch e.Ph {
	case Point:
		return nil
	case Call, Enter, Ret, Exit:
		if e.Op == "" {
			return errors.New("no op")
		}
	case "":
		return errors.New("no ph")
	default:
		return fmt.Errorf("ph is %q, not one of call, ret, enter, exit, point", e.Ph)
	}
	if e.Ph == Call || e.Ph == Enter {
		if !c.ops.add(e.Op) {
			return fmt.Errorf("op %q is used a second time", e.Op)
		}
		if c.open == nil {
			c.open = map[string]string{}
		}
		c.open[e.Op] = pairing(e.Ph, e.Fn)
		return nil
	}
	begin := Call
	if e.Ph == Exit {
		begin = Enter
	}
	opened, ok := c.open[e.Op]
	if !ok {
		return fmt.Errorf("%s without %s: op %q is not open", e.Ph, begin, e.Op)
	}
	if opened != pairing(begin, e.Fn) {
		return fmt.Errorf("%s of %s, but op %q is the %s", e.Ph, e.Fn, e.Op, opened)
	}
	delete(c.open, e.Op)
	return nil
}

func pairing(begin Phase, fn string) string { return string(begin) + " of " + fn }

// required checks that e has what its fn needs.
func required(e *Event) error {
	f, known := functions[e.Fn]
	if !known {
		return nil
	}
	fields := f.begin
	switch e.Ph {
	case f.kind.begins():
	case f.kind.ends():
		fields = f.end
	default:
		return fmt.Errorf("%s has no %s", e.Fn, e.Ph)
	}
	for _, field := range fields {
		if !slices.ContainsFunc(strings.Split(field, "|"), func(name string) bool { return present[name](e) }) {
			return fmt.Errorf("%s of %s has no %s", e.Ph, e.Fn, strings.ReplaceAll(field, "|", " and no "))
		}
	}
	return nil
}

// posted checks that no request has the id of an earlier one: results could not be told apart.
func (c *checker) posted(e *Event) error {
	if e.Ph != Call {
		return nil
	}
	if e.Wr != "" && !c.wrs.add(e.Wr) {
		return fmt.Errorf("wr %q is posted a second time", e.Wr)
	}
	for i := range e.Wrs {
		if !c.wrs.add(e.Wrs[i].Wr) {
			return fmt.Errorf("wr %q is posted a second time", e.Wrs[i].Wr)
		}
	}
	return nil
}

// idSet is a set of ids. Ids are mostly a prefix and a running number, of which 64 in a row share one entry.
type idSet struct {
	numbered map[numberedIds]uint64
	others   map[string]struct{}
}

// numberedIds stands for the ids of prefix with the numbers 64*block to 64*block+63, a bit each.
type numberedIds struct {
	prefix string
	block  uint64
}

// split takes an id apart; ok is false when its end is no number in the usual form.
func split(id string) (block numberedIds, bit uint64, ok bool) {
	prefix := strings.TrimRight(id, "0123456789")
	digits := id[len(prefix):]
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || len(digits) > 1 && digits[0] == '0' {
		return numberedIds{}, 0, false
	}
	return numberedIds{prefix, n / 64}, 1 << (n % 64), true
}

func (s *idSet) has(id string) bool {
	if block, bit, ok := split(id); ok {
		return s.numbered[block]&bit != 0
	}
	_, found := s.others[id]
	return found
}

// add reports whether id is new.
func (s *idSet) add(id string) bool {
	if s.has(id) {
		return false
	}
	if s.numbered == nil {
		s.numbered, s.others = map[numberedIds]uint64{}, map[string]struct{}{}
	}
	if block, bit, ok := split(id); ok {
		s.numbered[block] |= bit
	} else {
		s.others[id] = struct{}{}
	}
	return true
}
