package trace

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"ndkoracle/ndk"
)

// numbering gives the words of a field their numbers in binary traces. Those of the format are C's own.
type numbering struct {
	name   string // in the metadata
	text   func(uint32) string
	number func(string) (uint32, bool)
	names  map[uint32]string // for the metadata
}

// firstOwnNumber is that of the first name that has none in C which is always the same.
const firstOwnNumber = 1 << 16

// numbers makes a numbering of an enumeration.
func (e enumeration) numbers(name string) *numbering {
	names := map[uint32]string{}
	for n, word := range e.values {
		names[n] = e.written(word)
	}
	own := uint32(firstOwnNumber)
	for _, alias := range slices.Sorted(maps.Keys(e.aliases)) {
		if e.aliases[alias] == "" {
			names[own], own = e.written(alias), own+1
		}
	}
	return numbersOf(name, names)
}

// numbersOf makes a numbering of names. Another number is its decimal.
func numbersOf(name string, names map[uint32]string) *numbering {
	values := map[string]uint32{}
	for n, word := range names {
		values[word] = n
	}
	return &numbering{name: name, names: names,
		text: func(n uint32) string {
			if word, ok := names[n]; ok {
				return word
			}
			return strconv.FormatUint(uint64(n), 10)
		},
		number: func(word string) (uint32, bool) {
			if n, ok := values[word]; ok {
				return n, true
			}
			return integer(word)
		}}
}

var (
	wcStatusNumbers   = wcStatuses.numbers("wc_status")
	wcOpcodeNumbers   = wcOpcodes.numbers("wc_opcode")
	wrOpcodeNumbers   = wrOpcodes.numbers("wr_opcode")
	qpStateNumbers    = qpStates.numbers("qp_state")
	qpTypeNumbers     = qpTypes.numbers("qp_type")
	asyncEventNumbers = asyncEvents.numbers("async_event")
	errnoNumbers      = numbersOf("errno", errnoNames)
	notifyNumbers     = numbersOf("notify_type", map[uint32]string{0: notifyTypeNames[0], 1: notifyTypeNames[1], 2: notifyTypeNames[2]})
	operationNumbers  = numbersOf("operation_type", operationNames())
	ndkStatusNumbers  = &numbering{name: "ntstatus", names: statusNames(),
		text: func(n uint32) string { return ndk.Status(n).String() },
		number: func(word string) (uint32, bool) {
			status, err := ndk.ParseStatus(word)
			return uint32(status), err == nil
		}}
)

func operationNames() map[uint32]string {
	names := map[uint32]string{}
	for _, t := range []ndk.OperationType{ndk.NdkOperationTypeReceive, ndk.NdkOperationTypeSend, ndk.NdkOperationTypeFastRegister, ndk.NdkOperationTypeBind,
		ndk.NdkOperationTypeInvalidate, ndk.NdkOperationTypeRead, ndk.NdkOperationTypeWrite, ndk.NdkOperationTypeReceiveAndInvalidate} {
		names[uint32(t)] = t.String()
	}
	return names
}

func statusNames() map[uint32]string {
	names := map[uint32]string{}
	for _, s := range ndk.Statuses() {
		names[uint32(s)] = s.String()
	}
	return names
}

// numberingOf returns the numbering of a word of a function's events, or of the elements of its list. The status of a point is one of the
// trace's dialect.
func numberingOf(fn string, list, f field, verbs bool) *numbering {
	if strings.HasPrefix(fn, "ibv_") {
		verbs = true
	} else if strings.HasPrefix(fn, "Ndk") {
		verbs = false
	}
	switch f {
	case fieldStatus:
		if verbs {
			return wcStatusNumbers
		}
		return ndkStatusNumbers
	case fieldErrno:
		return errnoNumbers
	case fieldState:
		return qpStateNumbers
	case fieldQpType:
		return qpTypeNumbers
	case fieldOpcode:
		if list == fieldWrs {
			return wrOpcodeNumbers
		}
		return wcOpcodeNumbers
	}
	switch {
	case list != noField:
		return operationNumbers
	case verbs:
		return asyncEventNumbers
	}
	return notifyNumbers
}

// flagsOf splits flags into their names, and flagBitsOf combines names.
func flagsOf(bits uint32, verbs bool) []string {
	if verbs {
		names, _ := sendFlagWords([]string{strconv.FormatUint(uint64(bits), 10)})
		return names
	}
	return ndk.OpFlags(bits).Names()
}

func flagBitsOf(flags []string, verbs bool) (bits uint32, ok bool) {
	for _, word := range flags {
		bit := uint32(math.MaxUint32)
		if verbs {
			if i := slices.Index(sendFlags[:], word); i >= 0 {
				bits |= 1 << i
				continue
			}
		} else if flag, err := ndk.ParseOpFlag(word); err == nil {
			bits |= uint32(flag)
			continue
		}
		if bit, ok = flagBits(word); !ok {
			return 0, false
		}
		bits |= bit
	}
	return bits, true
}

// newest remembers what numbers were the newest of their kind.
type newest[T any] struct {
	slots [64]struct {
		number uint32
		known  bool
		value  T
	}
}

// of returns what stands for a number.
func (n *newest[T]) of(number uint32, value func(uint32) T) T {
	slot := &n.slots[(number^number>>8)%uint32(len(n.slots))]
	if !slot.known || slot.number != number {
		slot.number, slot.known, slot.value = number, true, value(number)
	}
	return slot.value
}
