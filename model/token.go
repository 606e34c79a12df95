package model

import "slices"

// Validity is the state of a memory token.
type Validity uint8

// A token is good for nothing until memory is registered or bound under it. An Undefined one may serve as valid or as
// invalid: a read that was to invalidate it has failed (INV-02).
const (
	Invalid Validity = iota
	Valid
	Undefined
)

var validityNames = [...]string{"INVALID", "VALID", "UNDEFINED"}

func (v Validity) String() string { return validityNames[v] }

// spoilt is Spoilt: what a token is after a read that was to invalidate it has failed (INV-02).
func (v Validity) spoilt() Validity {
	if v == Invalid {
		return Invalid
	}
	return Undefined
}

func (s State) withToken(t int, v Validity) State {
	if s.Tokens[t] == v {
		return s
	}
	s.Tokens = slices.Clone(s.Tokens)
	s.Tokens[t] = v
	return s
}

// readThatInvalidates is ReadThatInvalidates: a read with NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE, where the adapter has it
// (INV-01, INV-03).
func (c *Contract) readThatInvalidates(r Request) bool {
	return r.Op == Read && r.Token != NoToken && c.ReadInvalidates
}

// executeToken is Execute of Tokens.tla: what the execution of r, as opposed to its post, does to its token. A request whose token is not known
// names NoToken and changes no token.
func (c *Contract) executeToken(s State, r Request, o Outcome) (State, *Refusal) {
	if r.Token == NoToken {
		return s, nil
	}
	dead := s.Tokens[r.Token] == Invalid
	switch {
	case c.readThatInvalidates(r) && o != SUCCESS:
		return s.withToken(r.Token, s.Tokens[r.Token].spoilt()), nil
	case o != SUCCESS:
		return s, nil
	case r.Op == FastRegister || r.Op == Bind:
		return s.withToken(r.Token, Valid), nil
	case r.Op == Invalidate && dead:
		return s, deadToken
	case r.Op == Write && dead && r.Phase != Unacknowledged:
		return s, deadAccess
	case r.Op == Invalidate || c.readThatInvalidates(r):
		return s.withToken(r.Token, Invalid), nil
	}
	return s, nil
}

// cancelTokens is Cancel: of requests that were cancelled, the reads leave undefined what they were to invalidate.
func (c *Contract) cancelTokens(s State, cancelled []Request) State {
	for _, r := range cancelled {
		if c.readThatInvalidates(r) {
			s = s.withToken(r.Token, s.Tokens[r.Token].spoilt())
		}
	}
	return s
}

// namesDeadToken is NamesDeadToken: NdkInvalidate of a token that is invalid, and that nothing posted before it will make
// valid.
func (s State) namesDeadToken(r Request, queue []Request) bool {
	return r.Op == Invalidate && r.Token != NoToken && s.Tokens[r.Token] == Invalid &&
		!slices.ContainsFunc(queue, func(earlier Request) bool {
			return (earlier.Op == FastRegister || earlier.Op == Bind) && earlier.Token == r.Token && !earlier.Phase.executed()
		})
}
