package stream

import (
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// tokens is what receives, and the lack of a record, show of tokens.
type tokens struct {
	tokenless string                // why it is not known what tokens are valid, or ""
	dead      map[uint32]eventIndex // tokens, by when a receive told latest that the peer had invalidated one
}

// A request whose token the trace does not record (field token) may have changed any token. If both ends of a connection are in the trace, and messages of
// one end name tokens of the other, it is not known which of the messages end the connection (INV-05).

// changesUnknown handles a request, or a receive, that changes a token which the trace does not record.
func (s *Stream) changesUnknown(r *request) {
	s.tokenless = r.wr + " changes a token that the trace does not record (field token), so the state of the others is unknown"
	if r.localInvalidate {
		s.tokenless = verdict.ReadInvalidates(r.wr)
	}
	for _, p := range s.qpsInOrder {
		p.checkTokenless()
	}
}

// checkTokenless leaves open a connection over which p sends messages that name tokens, where some are not known.
func (p *qp) checkTokenless() {
	if p.isRemote() {
		p = p.peer
	}
	if p.s.tokenless != "" && p.peer != nil && p.wqs[model.Initiator].names > 0 {
		p.leaveOpen(p.s.tokenless)
	}
}
