package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ndkoracle/ndk"
)

// spelling puts words of one kind into the form that traces use: a name, where an integer or another form of it was given.
// An integer that has no name stays in decimal. It remembers the newest words, most of which come again.
type spelling struct {
	normal func(string) (string, error)
	recent [16]struct{ given, normal string }
}

// set replaces a word that is present by its normal form.
func (s *spelling) set(name string, word *string) error {
	if *word == "" {
		return nil
	}
	recent := &s.recent[(len(*word)+int((*word)[len(*word)-1]))%len(s.recent)]
	if recent.given != *word {
		normal, err := s.normal(*word)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		recent.given, recent.normal = *word, normal
	}
	*word = recent.normal
	return nil
}

// speller normalises events. The words of an unknown fn stay as they are.
type speller struct {
	ndkStatus, notifyType, operationType                         spelling
	wcStatus, wcOpcode, wrOpcode, qpState, asyncEvent, errnoName spelling
	opFlags, sendFlags                                           flagSpelling
}

func newSpeller() *speller {
	return &speller{
		ndkStatus: spelling{normal: ndkStatus}, notifyType: spelling{normal: notifyType},
		operationType: spelling{normal: operationType}, wcStatus: spelling{normal: wcStatuses.word},
		wcOpcode: spelling{normal: wcOpcodes.word}, wrOpcode: spelling{normal: wrOpcodes.word},
		qpState: spelling{normal: qpStates.word}, asyncEvent: spelling{normal: asyncEvents.word},
		errnoName: spelling{normal: errnoWord},
		opFlags:   flagSpelling{normal: ndkFlags}, sendFlags: flagSpelling{normal: sendFlagWords},
	}
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
	err := cmp.Or(s.wcStatus.set("status", &e.Status), s.errnoName.set("errno", &e.Errno), s.qpState.set("state", &e.State))
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
	if strings.HasPrefix(e.Status, "IBV_") {
		return s.wcStatus.set("status", &e.Status)
	}
	return s.ndkStatus.set("status", &e.Status)
}

// flagSpelling is spelling for lists of flags. Equal lists are mostly one, which nobody may change.
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

func ndkStatus(word string) (string, error) {
	if n, ok := integer(word); ok {
		return ndk.Status(n).String(), nil
	}
	status, err := ndk.ParseStatus(word)
	return status.String(), err
}

func notifyType(word string) (string, error) {
	if n, ok := integer(word); ok {
		return ndk.NotifyType(n).String(), nil
	}
	t, err := ndk.ParseNotifyType(word)
	return t.String(), err
}

func operationType(word string) (string, error) {
	if n, ok := integer(word); ok {
		return ndk.OperationType(n).String(), nil
	}
	t, err := ndk.ParseOperationType(word)
	return t.String(), err
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
		flag, err := ndk.ParseOpFlag(word)
		if err != nil {
			bits, ok := flagBits(word)
			if !ok {
				return nil, err
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
		if bit := slices.Index(sendFlags[:], word); bit >= 0 {
			flags |= 1 << bit
			continue
		}
		bits, ok := flagBits(word)
		if !ok {
			return nil, fmt.Errorf("%q is no IBV_SEND flag", word)
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
