package monitor

import (
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// Unmatched has the messages that the receives of a queue pair may still take, if it is not known which takes which: a message may have failed without
// arriving. Receives take messages in the order in which they were sent. So the earliest message for a receive is the first that fits behind the earliest
// one for the receive before it. If no message fits, no choice explains the completions (RES-02, RES-03).
type Unmatched struct {
	sends   []Half
	skipper *Delivery // the latest receive that did not fit a message which it may have taken, and that
	names   bool      // one of the messages that the skipper does not fit names a token
	Lost    bool      // the messages are not known any more
}

// Sent adds a message.
func (u *Unmatched) Sent(h Half) {
	if !u.Lost {
		u.sends = append(u.sends, h)
	}
}

// Unsent removes a message whose post was refused.
func (u *Unmatched) Unsent(wr string) {
	u.sends = slices.DeleteFunc(u.sends, func(h Half) bool { return h.Wr == wr })
}

// Len returns how many messages are left.
func (u *Unmatched) Len() int { return len(u.sends) }

// Passed drops a message that a receive is known to have taken, and those before it.
func (u *Unmatched) Passed(wr string) {
	if i := slices.IndexFunc(u.sends, func(h Half) bool { return h.Wr == wr }); i >= 0 {
		u.sends = u.sends[i+1:]
	}
	u.skipper = nil
}

// Took handles a receive that succeeded, with what its completion tells, or nil. It returns what no choice explains.
func (u *Unmatched) Took(d model.Dialect, receive Half, result *trace.Result) (breach.Breach, bool) {
	if u.Lost || result == nil {
		result = &trace.Result{}
	}
	at := Delivery{Dialect: d, Receive: receive, Result: result}
	passed := false // one that names a token
	for i, send := range u.sends {
		if at.Send = send; at.fits() {
			if i > 0 {
				first := at
				first.Send = u.sends[0]
				u.skipper, u.names = &first, passed
			}
			u.sends = u.sends[i+1:]
			return breach.Breach{}, false
		}
		passed = passed || send.Op == model.SendAndInvalidate
	}
	wrong := u.skipper
	switch {
	case u.Lost:
		return breach.Breach{}, false
	case len(u.sends) > 0:
		wrong, u.names = &at, passed
	case wrong == nil:
		return breach.Breach{}, false // there were fewer messages than receives
	}
	u.sends, u.skipper, u.Lost = nil, nil, true
	wr, told := wrong.Receive.Wr, wrong.Result.Type
	switch {
	case told == "Receive":
		return breach.TokenOfEach(wr, told), true
	case told == "ReceiveAndInvalidate" && !u.names:
		return breach.TokenOfNone(wr, told), true
	}
	return breach.OtherToken(wr, *wrong.Result.Token), true
}

// fits reports whether the receive may have taken the message.
func (d *Delivery) fits() bool {
	_, otherType := d.checkType()
	return !otherType && !d.NamesAnotherToken()
}
