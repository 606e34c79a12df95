package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ndkoracle/ndk"
)

// normalise puts the words of e into the form that traces use: a name, where an integer or another form of it was given.
// An integer that has no name stays in decimal. The words of an unknown fn stay as they are.
func normalise(e *Event) error {
	f, known := functions[e.Fn]
	if !known {
		return nil
	}
	return f.normalise(e)
}

func normaliseNdk(e *Event) (err error) {
	if e.Flags, err = ndkFlags(e.Flags); err != nil {
		return fmt.Errorf("flags: %w", err)
	}
	if err := rename("status", &e.Status, ndkStatus); err != nil {
		return err
	}
	if err := rename("type", &e.Type, notifyType); err != nil {
		return err
	}
	for i := range e.Results {
		r := &e.Results[i]
		err := cmp.Or(rename("status", &r.Status, ndkStatus), rename("type", &r.Type, operationType))
		if err != nil {
			return fmt.Errorf("results[%d]: %w", i, err)
		}
	}
	return nil
}

func normaliseVerbs(e *Event) (err error) {
	err = cmp.Or(rename("status", &e.Status, wcStatuses.word), rename("errno", &e.Errno, errnoWord),
		rename("state", &e.State, qpStates.word))
	if err == nil && e.Fn == "ibv_get_async_event" {
		err = rename("type", &e.Type, asyncEvents.word)
	}
	if err != nil {
		return err
	}
	for i := range e.Wrs {
		w := &e.Wrs[i]
		err := rename("opcode", &w.Opcode, wrOpcodes.word)
		if err == nil {
			w.Flags, err = sendFlagWords(w.Flags)
		}
		if err != nil {
			return fmt.Errorf("wrs[%d]: %w", i, err)
		}
	}
	for i := range e.Results {
		r := &e.Results[i]
		err := cmp.Or(rename("status", &r.Status, wcStatuses.word), rename("opcode", &r.Opcode, wcOpcodes.word))
		if err != nil {
			return fmt.Errorf("results[%d]: %w", i, err)
		}
	}
	return nil
}

// normalisePoint is of both levels, so that a status may be of either.
func normalisePoint(e *Event) error {
	if strings.HasPrefix(e.Status, "IBV_") {
		return rename("status", &e.Status, wcStatuses.word)
	}
	return rename("status", &e.Status, ndkStatus)
}

// rename replaces a word that is present by its normal form.
func rename(field string, word *string, normal func(string) (string, error)) error {
	if *word == "" {
		return nil
	}
	renamed, err := normal(*word)
	if err != nil {
		return fmt.Errorf("%s: %w", field, err)
	}
	*word = renamed
	return nil
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
