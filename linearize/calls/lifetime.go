package calls

// UsesCq reports whether a call of this kind uses a CQ, which has to exist by then (LIFE-01). So does CreateQp, up to two.
func UsesCq(k Kind) bool { return k == ArmCq || k == PollCq || k == ResizeCq || k == CloseCq }

// UsesQp reports whether a call of this kind uses a QP, which has to exist by then (LIFE-01).
func UsesQp(k Kind) bool { return k == Post || k == ConnectQp || k == FlushQp || k == CloseQp }
