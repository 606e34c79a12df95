package mc

import (
	"slices"

	"ndkoracle/model"
)

// A part of a moment is what some steps look at or change while others have nothing to do with it: a CQ, a QP, a ghost
// variable. The parts of a module together are its variables.
type part struct {
	value     func(*Moment) any
	set       func(*Moment, any)
	appendKey func(key []byte, m *Moment) []byte // two values are equal exactly when their keys are
	touched   func(*step) bool                   // reports whether the step looks at the part, or changes it
}

// partAt returns the part that is in one place of each moment.
func partAt[T any](at func(*Moment) *T, appendKey func([]byte, T) []byte, touched func(*step) bool) part {
	return part{
		value:     func(m *Moment) any { return *at(m) },
		set:       func(m *Moment, value any) { *at(m) = value.(T) },
		appendKey: func(key []byte, m *Moment) []byte { return appendKey(key, *at(m)) },
		touched:   touched,
	}
}

// cqParts are the CQs of a contract.
func cqParts(c *model.Contract) (parts []part) {
	for i := range c.Depth {
		at := func(m *Moment) *model.Cq { return &m.state.Cqs[i] }
		parts = append(parts, partAt(at, appendCq, func(s *step) bool { return touchesCq(c, &s.action, i) }))
	}
	return parts
}

// touchesCq says whether an action looks at a CQ or changes it: one that names it, the completion of a request into it, and
// the end of a QP's close, with which the QP's completions may vanish (A21).
func touchesCq(c *model.Contract, a *model.Action, cq int) bool {
	switch a.Name {
	case model.Complete, model.CompletionLost:
		return c.Qps[a.Qp].Cq(a.Queue) == cq
	case model.NdkCloseCompletionEnter:
		return true
	case model.NdkArmCq, model.NdkGetCqResults, model.NdkGetCqResultsEx, model.NdkCqNotificationCallbackEnter,
		model.NdkCqNotificationCallbackExit, model.NdkResizeCq, model.Resize, model.NdkRequestCompletionEnter,
		model.NdkRequestCompletionExit, model.NdkCloseCq, model.NdkCloseCompletion, model.Place, model.Overflow,
		model.CqInternalError, model.ExtraEvent:
		return a.Cq == cq
	}
	return false
}

// qpParts are the QPs of a contract.
func qpParts(c *model.Contract) (parts []part) {
	for i := range c.Qps {
		at := func(m *Moment) *model.Qp { return &m.state.Qps[i] }
		parts = append(parts, partAt(at, appendQp, func(s *step) bool { return touchesQp(c, &s.action, i) }))
	}
	return parts
}

// touchesQp reports whether an action reads or changes a QP. Such actions are: those that name it, a message of its peer, a read that its peer answers, a
// failure or the close of its CQ, and a refused post, which may indicate the deferred requests of every QP (A10).
func touchesQp(c *model.Contract, a *model.Action, qp int) bool {
	switch a.Name {
	case model.Deliver, model.Abort:
		return a.Qp == qp || c.Qps[a.Qp].Peer == qp
	case model.Execute:
		return a.Qp == qp || a.Queue == model.Initiator && a.Outcome == model.SUCCESS && c.Qps[a.Qp].Peer == qp
	case model.Overflow, model.CqInternalError, model.NdkCloseCompletion:
		return c.Qps[qp].InitiatorCq == a.Cq || c.Qps[qp].ReceiveCq == a.Cq
	case model.PostRefused:
		return a.Qp == qp || c.Dialect.A10 == model.A10All
	case model.NdkConnect, model.ConnectionLost, model.Post, model.HwIndicate, model.Complete,
		model.CompletionLost, model.NdkFlush, model.NdkDisconnect, model.NdkCloseQp, model.CloseBegins,
		model.NdkCloseCompletionEnter, model.NdkCloseCompletionExit:
		return a.Qp == qp
	}
	return false
}

// by is for a part that actions of some names touch. With onCq and onQp they do so only if they are on one CQ, or QP.
func by(names ...model.Name) func(*step) bool {
	return func(s *step) bool { return slices.Contains(names, s.action.Name) }
}

func onCq(cq int, names ...model.Name) func(*step) bool {
	return func(s *step) bool { return s.action.Cq == cq && slices.Contains(names, s.action.Name) }
}

func onQp(qp int, names ...model.Name) func(*step) bool {
	return func(s *step) bool { return s.action.Qp == qp && slices.Contains(names, s.action.Name) }
}

func appendCq(key []byte, q model.Cq) []byte { return model.State{Cqs: []model.Cq{q}}.AppendKey(key) }

func appendQp(key []byte, p model.Qp) []byte { return model.State{Qps: []model.Qp{p}}.AppendKey(key) }

func appendTokens(key []byte, tokens []model.Validity) []byte {
	return model.State{Tokens: tokens}.AppendKey(key)
}

func appendNumber(key []byte, n int) []byte { return appendNumbers(key, n) }

func appendList(key []byte, ids []int) []byte {
	return appendNumbers(appendNumber(key, len(ids)), ids...)
}

func appendBool(key []byte, b bool) []byte {
	if b {
		return append(key, 1)
	}
	return append(key, 0)
}
