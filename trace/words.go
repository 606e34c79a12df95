package trace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ndkoracle/ndk"
)

// words are the vocabularies of a family of functions. Each takes a name, or an integer in decimal, to the name that
// traces use; an integer that has no name stays in decimal. The error says what was expected.
type words struct {
	status     func(string) (string, error)
	flags      func([]string) ([]string, error) // nil: any, as of ibv_reg_mr
	typ        func(fn, word string) (string, error)
	resultType func(string) (string, error)
}

var ndkWords = words{
	status: ndkStatus,
	flags:  ndkFlags,
	typ: func(_, word string) (string, error) {
		return named(word, func(n uint32) string { return ndk.NotifyType(n).String() },
			func(word string) error { _, err := ndk.ParseNotifyType(word); return err })
	},
	resultType: func(word string) (string, error) {
		return named(word, func(n uint32) string { return ndk.OperationType(n).String() },
			func(word string) error { _, err := ndk.ParseOperationType(word); return err })
	},
}

var verbsWords = words{
	status: wcStatuses.word,
	typ: func(fn, word string) (string, error) {
		if fn == "ibv_get_async_event" {
			return asyncEvents.word(word)
		}
		return word, nil
	},
	resultType: func(word string) (string, error) { return word, nil },
}

// normalise puts the words of e, of which the fn is known, into the form that traces use. Of an unknown fn nothing is
// known to normalise.
func normalise(e *Event) error {
	f, known := functions[e.Fn]
	if !known {
		return nil
	}
	if f.kind == points {
		return rename("status", &e.Status, eitherStatus)
	}
	w := f.words
	if err := rename("status", &e.Status, w.status); err != nil {
		return err
	}
	if err := rename("errno", &e.Errno, errnoWord); err != nil {
		return err
	}
	if err := rename("state", &e.State, qpStates.word); err != nil {
		return err
	}
	if err := rename("type", &e.Type, func(word string) (string, error) { return w.typ(e.Fn, word) }); err != nil {
		return err
	}
	var err error
	if w.flags != nil {
		if e.Flags, err = w.flags(e.Flags); err != nil {
			return fmt.Errorf("flags: %w", err)
		}
	}
	for i := range e.Wrs {
		r := &e.Wrs[i]
		if err := rename("opcode", &r.Opcode, wrOpcodes.word); err != nil {
			return fmt.Errorf("wrs[%d]: %w", i, err)
		}
		if r.Flags, err = sendFlagWords(r.Flags); err != nil {
			return fmt.Errorf("wrs[%d]: flags: %w", i, err)
		}
	}
	for i := range e.Results {
		r := &e.Results[i]
		err := rename("status", &r.Status, w.status)
		if err == nil {
			err = rename("type", &r.Type, w.resultType)
		}
		if err == nil {
			err = rename("opcode", &r.Opcode, wcOpcodes.word)
		}
		if err != nil {
			return fmt.Errorf("results[%d]: %w", i, err)
		}
	}
	return nil
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

func named(word string, name func(uint32) string, check func(string) error) (string, error) {
	if n, ok := integer(word); ok {
		return name(n), nil
	}
	return word, check(word)
}

func ndkStatus(word string) (string, error) {
	if n, ok := integer(word); ok {
		return ndk.Status(n).String(), nil
	}
	status, err := ndk.ParseStatus(word)
	return status.String(), err
}

// eitherStatus is of points, which traces of both levels have.
func eitherStatus(word string) (string, error) {
	if strings.HasPrefix(word, "IBV_") {
		return wcStatuses.word(word)
	}
	return ndkStatus(word)
}

// ndkFlags reads names, hexadecimal digits after 0x, and integers; integers are taken apart into names.
func ndkFlags(list []string) ([]string, error) {
	var flags ndk.OpFlags
	for _, word := range list {
		flag, err := ndk.ParseOpFlag(word)
		if err != nil {
			n, parseErr := strconv.ParseUint(word, 0, 32)
			if parseErr != nil {
				return nil, err
			}
			flag = ndk.OpFlags(n)
		}
		flags |= flag
	}
	return flags.Names(), nil
}

// sendFlagWords is ndkFlags for ibv_send_flags.
func sendFlagWords(list []string) ([]string, error) {
	var flags uint64
	for _, word := range list {
		if bit := slices.Index(sendFlags[:], word); bit >= 0 {
			flags |= 1 << bit
			continue
		}
		n, err := strconv.ParseUint(word, 0, 32)
		if err != nil {
			return nil, fmt.Errorf("%q is no IBV_SEND flag", word)
		}
		flags |= n
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
