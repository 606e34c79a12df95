package trace

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// An id is a number in a record. In eight bytes, an idWord, it is a name, whose number the twelve highest bits are, and a decimal behind it; 0 stands
// for no name. In four bytes it is the number of a name; of one that has no text it is the kind of object and the number, such as cq5.
//
// The decimals of calls and requests are mostly the next ones, or among the newest. So an idWord of those has not the decimal but where it is among
// all that came behind its name: 1 for the next one above the highest, 2 for the one above that; -1 for the highest, -2 for the one below. These are
// the same numbers again and again, which zstd makes little of.
const (
	nameBits = 12
	maxNames = 1 << nameBits // of which 0 is none
	idBits   = 64 - nameBits
	wholeId  = 1 << (idBits - 1) // the name alone
	idMask   = 1<<idBits - 1
)

// longName is as long as a name may be, in bytes, for an id of it and a number to need no look at its length.
const longName = maxId - 20

// slotNames are the names of a binary trace, and the ids that were made of them last.
type slotNames struct {
	names   [maxNames]string
	digits  [maxNames]bool   // it ends in a digit: the decimal of an id is not all behind it
	highest [maxNames]uint64 // the highest decimal that came behind each
	raised  []raised         // since they were lowered, in a writer
	journal bool             // that is noted
	ids     [1024]struct {
		word uint64
		text string
	}
	objects [64]struct {
		kind   string
		number uint32
		text   string
	}
	arena arena
}

// raised is a name whose highest decimal has become higher, and what it was.
type raised struct{ name, from uint64 }

// define gives a name its text.
func (n *slotNames) define(number uint64, text string) error {
	if number == 0 || number >= maxNames {
		return fmt.Errorf("the number of a name is %d, out of the range 1 to %d", number, maxNames-1)
	}
	if text == "" {
		return fmt.Errorf("name %d is empty", number)
	}
	if err := checkWord(text); err != nil {
		return fmt.Errorf("name %d: %w", number, err)
	}
	if n.names[number] != "" {
		clear(n.ids[:]) // some may have been made of it
	}
	last := text[len(text)-1]
	n.names[number], n.highest[number], n.digits[number] = text, 0, '0' <= last && last <= '9'
	return nil
}

// counted returns the text of the idWord of a call or a request, which is not 0, and takes it apart.
func (n *slotNames) counted(word uint64, apart *splitId) (text string, err error) {
	name := word >> idBits
	place := int64(word<<nameBits) >> nameBits
	if word&idMask == wholeId {
		return n.id(word)
	}
	number := n.highest[name] + uint64(place)
	if place < 0 {
		number++
	} else {
		n.raise(name, number)
	}
	if number >= wholeId {
		return "", errors.New("the number of an id is out of range")
	}
	text, err = n.id(name<<idBits | number)
	if apart.text = ""; !n.digits[name] {
		apart.text, apart.block.prefix, apart.block.block, apart.bit = text, n.names[name], number/64, 1<<(number%64)
	}
	return text, err
}

// raise has a number be the highest behind a name.
func (n *slotNames) raise(name, number uint64) {
	if n.journal {
		n.raised = append(n.raised, raised{name, n.highest[name]})
	}
	n.highest[name] = number
}

// place returns the idWord of a call or a request whose number is that of an id. It is the one for which counted returns the id.
func (n *slotNames) place(word uint64) uint64 {
	name, number := word>>idBits, word&idMask
	if number == wholeId {
		return word
	}
	highest := n.highest[name]
	if number > highest {
		n.raise(name, number)
		return name<<idBits | number - highest
	}
	return name<<idBits | (number-highest-1)&idMask
}

// lower undoes what was raised since the last time.
func (n *slotNames) lower() {
	for i := len(n.raised) - 1; i >= 0; i-- {
		n.highest[n.raised[i].name] = n.raised[i].from
	}
	n.raised = n.raised[:0]
}

// id returns the text of an idWord that is not 0, and has the decimal itself.
func (n *slotNames) id(word uint64) (string, error) {
	slot := &n.ids[(word^word>>idBits)%uint64(len(n.ids))]
	if slot.word == word {
		return slot.text, nil
	}
	name, number := word>>idBits, word&idMask
	prefix := n.names[name]
	if name != 0 && prefix == "" {
		return "", fmt.Errorf("an id has the name %d, which has no text so far", name)
	}
	text := prefix
	if number != wholeId {
		text = n.arena.number(prefix, number)
	}
	if len(text) > longName {
		if err := checkWord(text); err != nil {
			return "", fmt.Errorf("an id: %w", err)
		}
	}
	slot.word, slot.text = word, text
	return text, nil
}

// object returns the id of an object of a kind, whose number is not 0.
func (n *slotNames) object(kind string, number uint32) string {
	if number < maxNames {
		if name := n.names[number]; name != "" {
			return name
		}
	}
	slot := &n.objects[(number+uint32(kind[0])*37+uint32(len(kind))*5)%uint32(len(n.objects))]
	if slot.number != number || slot.kind != kind {
		slot.kind, slot.number, slot.text = kind, number, n.arena.number(kind, uint64(number))
	}
	return slot.text
}

// objectKind is the kind of the objects that a field names, with which their ids begin.
func objectKind(f field) string {
	switch f {
	case fieldReceiveCq, fieldInitiatorCq:
		return fieldCq.String()
	}
	return f.String()
}

// nameWriter finds numbers for ids. It gives the same names out again, once there are no new ones.
type nameWriter struct {
	names   *slotNames // as a reader will have them
	numbers map[string]uint32
	next    uint32                           // the name that was given out last
	define  func(number uint32, text string) // writes it
}

// name returns the number of a name. An event that has more names than there are numbers is not read back as it was.
func (w *nameWriter) name(text string) (number uint32, ok bool) {
	if number, ok = w.numbers[text]; ok {
		return number, true
	}
	if w.next--; w.next == 0 || w.next >= maxNames {
		w.next = maxNames - 1
	}
	before := w.names.names[w.next]
	if w.names.define(uint64(w.next), text) != nil {
		return 0, false
	}
	delete(w.numbers, before)
	if w.numbers == nil {
		w.numbers = map[string]uint32{}
	}
	w.numbers[strings.Clone(text)] = w.next
	w.define(w.next, text)
	return w.next, true
}

// id returns the idWord of an id, with the decimal itself; 0 for no id.
func (w *nameWriter) id(text string) (word uint64, ok bool) {
	if text == "" {
		return 0, true
	}
	prefix, number := text, uint64(wholeId)
	if i := numberAt(text); i < len(text) {
		if n, err := strconv.ParseUint(text[i:], 10, idBits-1); err == nil {
			prefix, number = text[:i], n
		}
	}
	if prefix == "" && number > 0 {
		return number, true
	}
	if prefix == "" {
		prefix, number = text, wholeId // "0"
	}
	name, ok := w.name(prefix)
	return uint64(name)<<idBits | number, ok
}

// counted returns the idWord of the id of a call or a request.
func (w *nameWriter) counted(text string) (word uint64, ok bool) {
	word, ok = w.id(text)
	if word != 0 {
		word = w.names.place(word)
	}
	return word, ok
}

// numberAt returns where the decimal begins with which an id ends, of at most 15 digits and without zeros before it.
func numberAt(id string) int {
	at := len(id)
	for i := len(id) - 1; i >= max(0, len(id)-15) && '0' <= id[i] && id[i] <= '9'; i-- {
		if id[i] != '0' || i == len(id)-1 {
			at = i
		}
	}
	return at
}

// object returns the number of an object's id.
func (w *nameWriter) object(kind, text string) (number uint32, ok bool) {
	if text == "" {
		return 0, true
	}
	if digits, ok := strings.CutPrefix(text, kind); ok {
		if n, ok := integer(digits); ok && n > 0 && (n >= maxNames || w.names.names[n] == "") {
			return n, true
		}
	}
	return w.name(text)
}
