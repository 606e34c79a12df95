package trace

import (
	"fmt"
	"slices"
	"strings"
)

// class is a kind of record: the events of one function in one phase.
type class struct {
	number int
	fn     string
	known  *function
	ph     Phase
	fields []slotField
	list   field  // fieldResults or fieldWrs, of which each element has a slot of its own, or noField
	rest   bool   // some fields are in a second slot, which a record that has none of them does not need
	has    uint32 // the bits of recordHas that have a meaning
	each   uint32 // the same, of an element of the list
	end    int    // behind the last field, in the first slot; more slots begin behind all of it
	alone  bool   // each field that is required is so by itself, not one of several
}

// slotField is where a field stands in a record, or in a slot of a list.
type slotField struct {
	field    field
	kind     slotKind
	at       int
	has      uint32 // the bit that says whether it is there; 0 where its number 0 says that it is not
	required bool   // by itself
}

// slotKind is how the value of a field is written.
type slotKind uint8

const (
	slotObject slotKind = iota // a number of four bytes: of a name, or of the object itself
	slotId                     // an idWord
	slotInt                    // four bytes
	slotLong                   // eight bytes
	slotToken                  // four bytes
	slotWord                   // four bytes: the number of a word
	slotFlags                  // four bytes
	slotTruth                  // four bytes: 1 for false, 2 for true
	slotList                   // nothing but its bit
)

func (k slotKind) size() int {
	switch k {
	case slotId, slotLong:
		return 8
	case slotList:
		return 0
	}
	return 4
}

// kindOf returns how a field is written. For each element of a list there is an entry of its own below.
func kindOf(f field) slotKind {
	switch f {
	case fieldWr, fieldBadWr, fieldFor:
		return slotId
	case fieldBytes, fieldLength:
		return slotLong
	case fieldToken, fieldProviderError:
		return slotToken
	case fieldStatus, fieldErrno, fieldType, fieldState, fieldQpType, fieldOpcode:
		return slotWord
	case fieldFlags:
		return slotFlags
	case fieldSolicited, fieldSolicitedOnly, fieldSqSigAll, fieldNotify:
		return slotTruth
	case fieldWrs, fieldResults:
		return slotList
	}
	if (&Event{}).object(eventField(f)) != nil {
		return slotObject
	}
	return slotInt
}

// eventField is the field by which an event has what functions of libibverbs have another name for.
func eventField(f field) field {
	switch f {
	case fieldRecvCq:
		return fieldReceiveCq
	case fieldSendCq:
		return fieldInitiatorCq
	case fieldMaxRecvWr:
		return fieldReceiveDepth
	case fieldMaxSendWr:
		return fieldInitiatorDepth
	case fieldMaxInlineData:
		return fieldInline
	}
	return f
}

// needsBit reports whether 0 is a value of a field.
func needsBit(f field) bool {
	switch kindOf(f) {
	case slotObject, slotId, slotFlags, slotTruth:
		return false
	}
	return f != fieldErrno
}

// numbered are the functions in the order of their numbers in binary traces, from 0 on. A new one goes to the end.
const numbered = `
	NdkOpenAdapter NdkQueryAdapterInfo NdkCloseAdapter NdkQueryExtension NdkCreatePd NdkClosePd NdkGetPrivilegedMemoryRegionToken
	NdkBuildLAM NdkReleaseLAM NdkCreateConnector NdkCloseConnector NdkReject NdkGetConnectionData NdkGetPeerAddress NdkCreateListener
	NdkCloseListener NdkListen NdkGetListenerLocalAddress NdkControlConnectEvents NdkCreateSharedEndpoint NdkCloseSharedEndpoint
	NdkGetSharedEndpointLocalAddress NdkGetLocalAddress NdkCreateCq NdkResizeCq NdkControlCqInterruptModeration NdkCloseCq NdkArmCq
	NdkGetCqResults NdkGetCqResultsEx NdkCreateQp NdkCreateQpWithSrq NdkConnect NdkAccept NdkAcceptEx NdkCompleteConnect
	NdkCompleteConnectEx NdkConnectWithSharedEndpoint NdkDisconnect NdkFlush NdkCloseQp NdkReceive NdkSend NdkWrite NdkRead
	NdkSendAndInvalidate NdkFastRegister NdkBind NdkInvalidate NdkCreateSrq NdkModifySrq NdkCloseSrq NdkSrqReceive NdkCreateMr
	NdkRegisterMr NdkInitializeFastRegisterMr NdkDeregisterMr NdkCloseMr NdkGetLocalTokenFromMr NdkGetRemoteTokenFromMr NdkCreateMw
	NdkCloseMw NdkGetRemoteTokenFromMw
	NdkCqNotificationCallback NdkSrqNotificationCallback NdkConnectEventCallback NdkDisconnectEventCallback
	NdkDisconnectEventCallbackEx NdkCreateCompletion NdkRequestCompletion NdkCloseCompletion
	ibv_open_device ibv_close_device ibv_query_device ibv_query_port ibv_alloc_pd ibv_dealloc_pd ibv_create_comp_channel
	ibv_destroy_comp_channel ibv_reg_mr ibv_dereg_mr ibv_alloc_mw ibv_dealloc_mw ibv_bind_mw ibv_create_cq ibv_create_cq_ex
	ibv_resize_cq ibv_destroy_cq ibv_req_notify_cq ibv_poll_cq ibv_get_cq_event ibv_ack_cq_events ibv_create_qp ibv_create_qp_ex
	ibv_modify_qp ibv_query_qp ibv_destroy_qp ibv_post_send ibv_post_recv ibv_create_srq ibv_create_srq_ex ibv_destroy_srq
	ibv_post_srq_recv ibv_get_async_event ibv_ack_async_event
	CqePlaced HwIndicate quiesce comp_handler
`

// classes are all classes of events by number, those of classBegin and classEnd of a function behind each other; nil for one that is none.
var classes = func() []*class {
	all := make([]*class, firstEventClass)
	for _, fn := range strings.Fields(numbered) {
		known := functions[fn]
		for _, ph := range []Phase{known.kind.begins(), known.kind.ends()} {
			if ph == "" {
				all = append(all, nil)
				continue
			}
			all = append(all, newClass(len(all), fn, known, ph))
		}
	}
	return all
}()

// classNumbers are those of the first classes of functions, by name.
var classNumbers = func() map[string]int {
	numbers := map[string]int{}
	for i, fn := range strings.Fields(numbered) {
		numbers[fn] = firstEventClass + 2*i
	}
	return numbers
}()

// classOf returns the class of an event, or nil where it has none.
func classOf(e *Event) *class {
	number, ok := classNumbers[e.Fn]
	if !ok {
		return nil
	}
	for _, c := range classes[number : number+2] {
		if c != nil && c.ph == e.Ph {
			return c
		}
	}
	return nil
}

// newClass lays out the fields of a function in a phase, in the order of its table. So a field that is added to the end of a row moves none.
func newClass(number int, fn string, known *function, ph Phase) *class {
	c := &class{number: number, fn: fn, known: known, ph: ph, alone: true}
	first, second := room{from: recordWords}, room{from: slotSize + moreFields}
	add := func(f field, required bool) {
		s := slotField{field: eventField(f), kind: kindOf(f), required: required}
		switch size := s.kind.size(); size {
		case 0:
			c.list = f
		default:
			var ok bool
			if s.at, ok = first.take(size); !ok {
				if s.at, ok = second.take(size); !ok {
					panic(fmt.Sprintf("no room for %s of %s", f, fn))
				}
				c.rest = true
			}
		}
		if needsBit(f) {
			s.has = c.has + 1
			c.has |= s.has
		}
		c.fields = append(c.fields, s)
	}
	for _, oneOf := range known.of(ph).required {
		c.alone = c.alone && len(oneOf) == 1
		for _, f := range oneOf {
			add(f, len(oneOf) == 1)
		}
	}
	for _, f := range known.of(ph).optional {
		add(f, false)
	}
	if ph == known.kind.ends() { // recorders may also name the objects of a call on its return
		for _, f := range known.begin.all() {
			if kindOf(f) == slotObject && !slices.Contains(known.end.all(), f) {
				add(f, false)
			}
		}
	}
	for _, s := range elementFields(c) {
		c.each |= s.has
	}
	c.end = recordWords
	for _, s := range c.fields {
		c.end = max(c.end, s.at+s.kind.size())
	}
	if c.list != noField || c.rest {
		c.end = slotSize
	}
	if c.list != noField && c.rest {
		panic("no room in the slot of " + fn)
	}
	return c
}

// room is the part of a slot that has fields of four and eight bytes.
type room struct {
	from int
	used uint32 // four bytes a bit
}

// take finds the first place that is free.
func (r *room) take(size int) (at int, ok bool) {
	step, mask := 1, uint32(1)
	if size == 8 {
		step, mask = 2, 3
	}
	for at = r.from; at+size <= slotSize*(1+(r.from-1)/slotSize); at += 4 * step {
		if i := (at - r.from) / 4; r.used>>i&mask == 0 {
			r.used |= mask << i
			return at, true
		}
	}
	return 0, false
}

// Where the fields of a result, and of a request of a list, stand in its slot.
const elementHas = 48

var (
	resultSlot = []slotField{
		{field: fieldWr, kind: slotId, at: 0, required: true},
		{field: fieldBytes, kind: slotLong, at: 16, has: 1},
		{field: fieldQp, kind: slotObject, at: 24},
		{field: fieldStatus, kind: slotWord, at: 28, has: 2, required: true},
		{field: fieldToken, kind: slotToken, at: 32, has: 4},
		{field: fieldProviderError, kind: slotToken, at: 36, has: 8},
		{field: fieldType, kind: slotWord, at: 40, has: 16},
		{field: fieldOpcode, kind: slotWord, at: 44, has: 32},
	}
	requestSlot = []slotField{
		{field: fieldWr, kind: slotId, at: 0, required: true},
		{field: fieldBytes, kind: slotLong, at: 16, has: 1},
		{field: fieldOpcode, kind: slotWord, at: 24, has: 2},
		{field: fieldFlags, kind: slotFlags, at: 28},
		{field: fieldToken, kind: slotToken, at: 32, has: 4},
		{field: fieldMr, kind: slotObject, at: 36},
		{field: fieldMw, kind: slotObject, at: 40},
	}
)

// elementFields are those of an element of a class's list. NDKPI has types, of NdkGetCqResultsEx alone, and libibverbs opcodes.
func elementFields(c *class) []slotField {
	var without []field
	switch {
	case c.list == noField:
		return nil
	case c.list == fieldWrs:
		return requestSlot
	case c.fn == "NdkGetCqResults":
		without = []field{fieldType, fieldToken, fieldProviderError, fieldOpcode}
	case c.fn == "NdkGetCqResultsEx":
		without = []field{fieldOpcode}
	default:
		without = []field{fieldType}
	}
	return slices.DeleteFunc(slices.Clone(resultSlot), func(s slotField) bool { return slices.Contains(without, s.field) })
}
