package trace

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ndkoracle/ndk"
)

// spelling puts words of one kind into the form that traces use: a name, where an integer or another form of it was given.
// An integer that has no name stays in decimal. It remembers the newest words, most of which come again.
type spelling struct {
	normal  func(string) (string, error) // an unknownWord stays as it is
	recent  [16]recentWord
	unknown *[]unknownWord
}

type recentWord struct {
	given, normal string
	unknown       bool
}

// unknownWord is a word that may have a meaning which the format does not know. As an error it says of which kind it is.
type unknownWord struct{ kind, word string }

func (u unknownWord) Error() string { return fmt.Sprintf("%q is not a known %s", u.word, u.kind) }

// maxUnknownWords bounds the unknown words that are looked at in one event.
const maxUnknownWords = 16

// set replaces a word that is present by its normal form.
func (s *spelling) set(name string, word *string) error {
	if *word == "" {
		return nil
	}
	recent := &s.recent[(len(*word)+int((*word)[len(*word)-1]))%len(s.recent)]
	if recent.given != *word {
		normal, err := s.normal(*word)
		_, unknown := err.(unknownWord)
		if err != nil && !unknown {
			return fmt.Errorf("%s: %w", name, err)
		}
		*recent = recentWord{*word, normal, unknown}
	}
	if *word = recent.normal; recent.unknown && len(*s.unknown) < maxUnknownWords {
		*s.unknown = append(*s.unknown, unknownWord{name, *word})
	}
	return nil
}

// speller normalises events. The words of an unknown fn stay as they are.
type speller struct {
	ndkStatus, notifyType, operationType                                 spelling
	wcStatus, wcOpcode, wrOpcode, qpState, qpType, asyncEvent, errnoName spelling
	opFlags, sendFlags                                                   flagSpelling

	unknown []unknownWord // of the event that was normalised last, each with the name of its field
}

func newSpeller() *speller {
	s := &speller{opFlags: flagSpelling{normal: ndkFlags}, sendFlags: flagSpelling{normal: sendFlagWords}}
	for of, normal := range map[*spelling]func(string) (string, error){
		&s.ndkStatus: ndkStatus, &s.notifyType: notifyType, &s.operationType: operationType,
		&s.wcStatus: wcStatuses.word, &s.wcOpcode: wcOpcodes.word, &s.wrOpcode: wrOpcodes.word,
		&s.qpState: qpStates.word, &s.qpType: qpTypes.word, &s.asyncEvent: asyncEvents.word, &s.errnoName: errnoWord,
	} {
		of.normal, of.unknown = normal, &s.unknown
	}
	return s
}

// normalise puts the words of an event of a known function into their form.
func (s *speller) normalise(e *Event, f *function) error {
	s.unknown = s.unknown[:0]
	return f.normalise(s, e)
}

func (s *speller) ndk(e *Event) (err error) {
	if e.Flags, err = s.opFlags.list(e.Flags); err != nil {
		return fmt.Errorf("flags: %w", err)
	}
	if err := s.ndkStatus.set("status", &e.Status); err != nil {
		return err
	}
	if err := s.notifyType.set("type", &e.Type); err != nil {
		return err
	}
	for i := range e.Results {
		r := &e.Results[i]
		err := s.ndkStatus.set("status", &r.Status)
		if err == nil {
			err = s.operationType.set("type", &r.Type)
		}
		if err != nil {
			return under(element{fieldResults, i}, err)
		}
	}
	return nil
}

func (s *speller) libibverbs(e *Event) error {
	err := cmp.Or(s.wcStatus.set("status", &e.Status), s.errnoName.set("errno", &e.Errno), s.qpState.set("state", &e.State),
		s.qpType.set("qp_type", &e.QpType))
	if err == nil && e.Fn == "ibv_get_async_event" {
		err = s.asyncEvent.set("type", &e.Type)
	}
	if err != nil {
		return err
	}
	for i := range e.Wrs {
		w := &e.Wrs[i]
		err := s.wrOpcode.set("opcode", &w.Opcode)
		if err == nil {
			w.Flags, err = s.sendFlags.list(w.Flags)
		}
		if err != nil {
			return under(element{fieldWrs, i}, err)
		}
	}
	for i := range e.Results {
		r := &e.Results[i]
		err := s.wcStatus.set("status", &r.Status)
		if err == nil {
			err = s.wcOpcode.set("opcode", &r.Opcode)
		}
		if err != nil {
			return under(element{fieldResults, i}, err)
		}
	}
	return nil
}

// point is of both levels, so that a status may be of either.
func (s *speller) point(e *Event) error {
	if strings.HasPrefix(e.Status, ntPrefix) || strings.ContainsAny(e.Status[:min(len(e.Status), 1)], "-0123456789") {
		return s.ndkStatus.set("status", &e.Status)
	}
	return s.wcStatus.set("status", &e.Status)
}

// flagSpelling is spelling for lists of flags. Equal lists mostly share memory, so no caller may change one.
type flagSpelling struct {
	normal func([]string) ([]string, error)
	recent [4]struct{ given, normal []string }
	oldest int // of recent
}

func (s *flagSpelling) list(flags []string) ([]string, error) {
	if len(flags) == 0 {
		return nil, nil
	}
	for i := range s.recent {
		if slices.Equal(s.recent[i].given, flags) {
			return s.recent[i].normal, nil
		}
	}
	normal, err := s.normal(flags)
	if err != nil {
		return nil, err
	}
	s.recent[s.oldest].given, s.recent[s.oldest].normal = slices.Clone(flags), normal
	s.oldest = (s.oldest + 1) % len(s.recent)
	return normal, nil
}

// integer reads a decimal below 2^32 without leading zeros.
func integer(word string) (uint32, bool) {
	n, err := strconv.ParseUint(word, 10, 32)
	return uint32(n), err == nil && strconv.FormatUint(n, 10) == word
}

// ntPrefix is what the names of NTSTATUS begin with.
const ntPrefix = "STATUS_"

func ndkStatus(word string) (string, error) {
	if n, ok := integer(word); ok {
		return ndk.Status(n).String(), nil
	}
	if n, err := strconv.ParseInt(word, 10, 32); err == nil && n < 0 && strconv.FormatInt(n, 10) == word {
		return ndk.Status(uint32(n)).String(), nil // NTSTATUS is a signed type of C
	}
	status, err := ndk.ParseStatus(word)
	if name, ok := strings.CutPrefix(word, ntPrefix); err != nil && ok && isMacro(name) {
		return word, unknownWord{"NTSTATUS", word}
	}
	if err != nil {
		return "", fmt.Errorf("%w%s", err, suggestStatus(ntPrefix+strings.TrimPrefix(word, wcStatuses.prefix)))
	}
	return status.String(), nil
}

// isMacro reports whether a word is written as macros are.
func isMacro(word string) bool {
	return word != "" && strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

var notifyTypeNames = []string{"ERRORS", "ANY", "SOLICITED"}

func notifyType(word string) (string, error) {
	if n, ok := integer(word); ok {
		return ndk.NotifyType(n).String(), nil
	}
	t, err := ndk.ParseNotifyType(strings.TrimPrefix(word, "NDK_CQ_NOTIFY_"))
	if err != nil {
		return "", fmt.Errorf("%q is not a known NDK_CQ_NOTIFY type, of %s%s", word, strings.Join(notifyTypeNames, ", "), suggestion(word, notifyTypeNames))
	}
	return t.String(), nil
}

func operationType(word string) (string, error) {
	if n, ok := integer(word); ok {
		return ndk.OperationType(n).String(), nil
	}
	t, err := ndk.ParseOperationType(strings.TrimPrefix(word, "NdkOperationType"))
	if err != nil {
		return word, unknownWord{"NDK_OPERATION_TYPE", word}
	}
	return t.String(), nil
}

// flagBits reads flags given in decimal, or in hexadecimal after 0x.
func flagBits(word string) (uint32, bool) {
	if digits, ok := strings.CutPrefix(word, "0x"); ok {
		n, err := strconv.ParseUint(digits, 16, 32)
		return uint32(n), err == nil
	}
	return integer(word)
}

// ndkFlags reads names, hexadecimal digits after 0x, and integers; integers are taken apart into names.
func ndkFlags(list []string) ([]string, error) {
	var flags ndk.OpFlags
	for _, word := range list {
		flag, err := ndk.ParseOpFlag(strings.TrimPrefix(word, "NDK_OP_FLAG_"))
		if err != nil {
			bits, ok := flagBits(word)
			if !ok {
				return nil, fmt.Errorf("%q is not a known NDK_OP_FLAG%s", word, suggestion(word, ndk.OpFlags(math.MaxUint32).Names()))
			}
			flag = ndk.OpFlags(bits)
		}
		flags |= flag
	}
	return flags.Names(), nil
}

// sendFlagWords is ndkFlags for ibv_send_flags.
func sendFlagWords(list []string) ([]string, error) {
	var flags uint32
	for _, word := range list {
		name := strings.TrimPrefix(strings.TrimPrefix(word, "IBV_SEND_"), "IB_SEND_")
		if bit := slices.Index(sendFlags[:], name); bit >= 0 {
			flags |= 1 << bit
			continue
		}
		bits, ok := flagBits(word)
		if !ok {
			return nil, fmt.Errorf("%q is not a known IBV_SEND flag%s", word, suggestion(name, sendFlags[:]))
		}
		flags |= bits
	}
	var names []string
	for bit, name := range sendFlags {
		if flags&(1<<bit) != 0 {
			names = append(names, name)
			flags &^= 1 << bit
		}
	}
	if flags != 0 {
		names = append(names, fmt.Sprintf("0x%X", flags))
	}
	return names, nil
}
