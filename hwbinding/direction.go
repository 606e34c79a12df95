package hwbinding

import (
	"slices"
	"sync"
)

// message is what the sender of a message knows and the receiver's completion need not say.
type message struct {
	solicited   bool
	invalidates bool
	token       uint32 // 0 for one that was invalid
	aborted     bool   // the receiver aborted the connection for the token
}

// direction is one direction of a connection: the messages that one QP sends and the other receives. A message enters before it is posted to the
// device, and leaves when its receive completes. The device keeps the order, so a receive that completes belongs to the oldest message.
//
// Lock order: a goroutine may lock mu while it holds the lock of an adapter, never the other way round.
type direction struct {
	mu         sync.Mutex
	tokens     map[uint32]struct{} // of the receiver's, that a message may make invalid
	messages   []*message
	receives   int  // posted and not completed
	unattended bool // the receiver accepts no more messages
}

func newDirection() *direction { return &direction{tokens: map[uint32]struct{}{}} }

// allow lets a message of this direction, or the receiver itself, make the token invalid: once.
func (d *direction) allow(token uint32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tokens[token] = struct{}{}
}

// claim removes the right to make the token invalid, and reports whether it existed. Only the caller that gets it may invalidate the token in
// the device: a device may behave arbitrarily at a second invalidation (Soft-RoCE of Linux 6.12 stops the kernel).
func (d *direction) claim(token uint32) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, valid := d.tokens[token]
	delete(d.tokens, token)
	return valid
}

// send enters messages of a list that is about to be posted.
func (d *direction) send(messages []*message) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.messages = append(d.messages, messages...)
}

// unsend removes the newest n messages, which the device refused.
func (d *direction) unsend(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.messages = d.messages[:max(0, len(d.messages)-n)]
}

// receive returns the oldest message, an empty one when there is none.
func (d *direction) receive() *message {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.messages) == 0 {
		return &message{}
	}
	oldest := d.messages[0]
	d.messages = d.messages[1:]
	return oldest
}

// abort records, for the sender, that its message ended the connection.
func (d *direction) abort(m *message) {
	d.mu.Lock()
	defer d.mu.Unlock()
	m.aborted = true
}

func (d *direction) hasAborted(m *message) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return m.aborted
}

// addReceives counts n receives that were posted. A negative n counts receives that completed.
func (d *direction) addReceives(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.receives += n
}

// abandon records that the receiver accepts no more messages.
func (d *direction) abandon() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.unattended = true
}

// arriving reports whether a receive is posted for a message and no poll has returned its completion.
func (d *direction) arriving() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.messages) > 0 && d.receives > 0
}

// unclear reports whether only the receiver's completions show the fate of the messages. That is so with more messages than receives: the
// surplus may wait, or may have arrived without a poll. It is also so where a message ends the connection (INV-05).
func (d *direction) unclear() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.messages) > d.receives ||
		slices.ContainsFunc(d.messages, func(m *message) bool { return m.invalidates && m.token == 0 })
}

// waiting returns how many messages wait for a receive, as far as the polled completions of the receiver show.
func (d *direction) waiting() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.unattended || d.receives > 0 {
		return 0
	}
	return len(d.messages)
}
