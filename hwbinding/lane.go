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

// lane is one direction of a connection. What is sent enters before the device has it, and leaves when the receive that
// took it completes; as the device keeps the order, the oldest is always the one that belongs to a completed receive.
//
// Its lock is taken with the lock of an adapter held, never the other way round.
type lane struct {
	mu         sync.Mutex
	tokens     map[uint32]struct{} // of the receiver's, that a message may make invalid
	messages   []*message
	receives   int  // posted and not completed
	unattended bool // the receiver takes nothing more
}

func newLane() *lane { return &lane{tokens: map[uint32]struct{}{}} }

// allow lets a message of this lane, or the receiver itself, make the token invalid: once.
func (l *lane) allow(token uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tokens[token] = struct{}{}
}

// claim takes the right to make the token invalid, and says whether it was there. Who has it may tell the device to: one
// that is told twice may do anything (Soft-RoCE of Linux 6.12 stops the kernel).
func (l *lane) claim(token uint32) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, valid := l.tokens[token]
	delete(l.tokens, token)
	return valid
}

// send enters messages of a list that is about to be posted.
func (l *lane) send(messages []*message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.messages = append(l.messages, messages...)
}

// unsend takes back the newest n: the device refused them.
func (l *lane) unsend(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.messages = l.messages[:max(0, len(l.messages)-n)]
}

// receive returns the oldest message, an empty one when there is none.
func (l *lane) receive() *message {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.messages) == 0 {
		return &message{}
	}
	oldest := l.messages[0]
	l.messages = l.messages[1:]
	return oldest
}

// abort tells the sender that its message was why the connection ended.
func (l *lane) abort(m *message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m.aborted = true
}

func (l *lane) hasAborted(m *message) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return m.aborted
}

// addReceives counts receives that were posted, or with a negative number have completed.
func (l *lane) addReceives(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.receives += n
}

// abandon says that the receiver takes nothing more.
func (l *lane) abandon() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unattended = true
}

// arriving says that a receive is posted for a message, and has not completed as far as anybody looked.
func (l *lane) arriving() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.messages) > 0 && l.receives > 0
}

// unclear says that what becomes of the messages can be known only from the receiver's completions: there are more than
// receives, so some wait or have arrived and nobody looked, or one ends the connection (INV-05).
func (l *lane) unclear() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.messages) > l.receives ||
		slices.ContainsFunc(l.messages, func(m *message) bool { return m.invalidates && m.token == 0 })
}

// waiting returns how many messages wait for a receive, as far as the receiver's completions were looked at.
func (l *lane) waiting() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.unattended || l.receives > 0 {
		return 0
	}
	return len(l.messages)
}
