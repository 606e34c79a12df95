package calls

// UsesCq reports whether a call of this kind uses a CQ, which has to exist by then (LIFE-01). So does CreateQp, up to two.
func UsesCq(k Kind) bool { return k == ArmCq || k == PollCq || k == ResizeCq || k == CloseCq }

// UsesQp reports whether a call of this kind uses a QP, which has to exist by then (LIFE-01).
func UsesQp(k Kind) bool { return k == Post || k == ConnectQp || k == FlushQp || k == CloseQp }

// IsOfObject reports whether a function is one of its CQ or QP, which is not closed while it runs (LIFE-02). NDKPI connects and
// disconnects a QP by functions of a connector.
func IsOfObject(k Kind, fn string) bool {
	switch k {
	case ArmCq, PollCq, ResizeCq, Post:
		return true
	case ConnectQp, FlushQp:
		return fn == "NdkFlush" || fn == "ibv_modify_qp"
	}
	return false
}

// IsOverAtClose reports whether a function that uses a CQ or a QP is not called any more once its close was (LIFE-06). A connector outlives
// its QP, and may be disconnected.
func IsOverAtClose(fn string) bool { return fn != "NdkDisconnect" }
