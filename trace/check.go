package trace

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
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
		return fmt.Errorf("%s is %.40q, not one of %s", field.name, field.value,
			strings.Join(slices.DeleteFunc(field.allowed, func(word string) bool { return word == "" }), ", "))
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
		{"errno", e.Errno}, {"for", e.For},
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
		{"depth", e.Depth}, {"bytes", e.Bytes}, {"n", e.N},
	} {
		if err := checkRange(field.value); err != nil {
			return fmt.Errorf("%s: %w", field.name, err)
		}
	}
	if err := checkFlags(e.Flags); err != nil {
		return err
	}
	for i := range e.Wrs {
		w := &e.Wrs[i]
		err := errors.Join(checkWord(w.Wr), checkWord(w.Opcode), checkWord(w.Mw), checkFlags(w.Flags), checkRange(w.Bytes))
		if err != nil || w.Wr == "" {
			return fmt.Errorf("wrs[%d]: %w", i, cmp.Or(err, errors.New("no wr")))
		}
	}
	for i := range e.Results {
		r := &e.Results[i]
		err := errors.Join(checkWord(r.Wr), checkWord(r.Qp), checkWord(r.Status), checkWord(r.Type), checkWord(r.Opcode),
			checkRange(r.Bytes))
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

// maxFlags is as many as an integer has bits.
const maxFlags = 32

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
	if err := checkFields(e); err != nil {
		return err
	}
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
