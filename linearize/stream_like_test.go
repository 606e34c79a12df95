package linearize_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// What both engines decide they decide alike: the verdict, and the rule or one that says the same.
var alike = []struct {
	name    string
	verdict verdict.Verdict
	rule    string
	text    string
}{
	{"a post after a connect that failed", verdict.ProviderViolation, "POST-08",
		"new qp3; a< NdkConnect qp3; a> STATUS_PENDING; a! STATUS_CONNECTION_REFUSED; NdkWrite qp3 w1; get cq1 w1; rest; get cq1"},
	{"a post while a connect is pending that fails", verdict.ProviderViolation, "POST-08",
		"new qp3; a< NdkConnect qp3; a> STATUS_PENDING; NdkWrite qp3 w1; a! STATUS_CONNECTION_REFUSED; rest"},
	{"a post while a connect is pending that succeeds", verdict.Conformant, "",
		"new qp3; a< NdkConnect qp3; a> STATUS_PENDING; NdkWrite qp3 w1; a! STATUS_SUCCESS; get cq1 w1; rest; get cq1"},
	{"a receive before the connect that failed", verdict.Conformant, "",
		"new qp3; NdkReceive qp3 r1; a< NdkConnect qp3; a> STATUS_PENDING; a! STATUS_CONNECTION_REFUSED; rest; get cq1"},
	// NdkReceive takes no flags.
	{"a receive with SILENT_SUCCESS succeeds", verdict.ConsumerViolation, "POST-11", "NdkReceive qp2 r1 SILENT_SUCCESS; NdkSend qp1 s1; get cq1 s1; get cq2 r1; rest"},
	{"… and its completion is missing", verdict.ConsumerViolation, "POST-11",
		"NdkReceive qp2 r1 SILENT_SUCCESS; NdkSend qp1 s1; get cq1 s1; rest; get cq2; get cq1"},
	{"a flush that returned success is completed all the same", verdict.ProviderViolation, "ASY-02", "a< NdkFlush qp1; a>; a! STATUS_SUCCESS; rest"},
	{"a CQ is closed, and its QP is open", verdict.ProviderViolation, "LIFE-04", "NdkCloseCq cq1; NdkWrite qp1 w1; rest"},
	{"… and the close completes before its call has returned", verdict.ProviderViolation, "LIFE-04", "a< NdkCloseCq cq1; a!; a> STATUS_PENDING; rest"},
	{"… as that of its QP does", verdict.Conformant, "",
		"a< NdkCloseQp qp1; a!; a> STATUS_PENDING; b< NdkCloseCq cq1; b!; b> STATUS_PENDING; rest"},
	{"… while its QP is being closed", verdict.Conformant, "", "a< NdkCloseQp qp1; b< NdkCloseCq cq1; b!; b> STATUS_PENDING; a!; a> STATUS_PENDING; rest"},
	{"a callback of a CQ whose close completes before its call has returned", verdict.ProviderViolation, "ARM-20",
		"NdkArmCq cq1 ANY; NdkWrite qp1 w1; NdkCloseQp qp1; a< NdkCloseCq cq1; a!; a> STATUS_PENDING; enter cq1"},
	{"… and before that return", verdict.ProviderViolation, "ARM-20",
		"NdkArmCq cq1 ANY; NdkWrite qp1 w1; NdkCloseQp qp1; a< NdkCloseCq cq1; a!; enter cq1; a> STATUS_PENDING"},
	{"… and before the completion", verdict.Conformant, "",
		"NdkArmCq cq1 ANY; NdkWrite qp1 w1; NdkCloseQp qp1; a< NdkCloseCq cq1; enter cq1; a!; a> STATUS_PENDING; rest"},
	{"a CQ completes its close, which is refused then", verdict.ProviderViolation, "ASY-02",
		"NdkCloseQp qp1; a< NdkCloseCq cq1; a!; a> STATUS_INVALID_PARAMETER; NdkArmCq cq1 ANY; rest"},
	// What is found before a send was posted does not rest on whether it waited, nor what is found before the connection on its end.
	{"a callback without an arm, before a send that may have waited", verdict.ProviderViolation, "ARM-01",
		"enter cq1; NdkReceive qp1 r1; NdkSendAndInvalidate qp2 s1#7; rest; get cq1 r1c; get cq2; rest"},
	{"… before a silent send", verdict.ProviderViolation, "ARM-01",
		"enter cq1; NdkReceive qp1 r1; NdkSendAndInvalidate qp2 s1#7 SILENT_SUCCESS; rest; get cq2 s1c; get cq1 r1c; rest"},
	{"… before a connection whose end is told", verdict.ProviderViolation, "ARM-01", "new qp4 cq4; enter cq4; NdkConnect qp4 d; event; rest"},
	// RES-02: where no message names a token, no receive took one that does.
	{"a receive of a message that names a token, and none does", verdict.ProviderViolation, "RES-02",
		"NdkReceive qp1 r1; NdkSend qp2 s1; get cq2 s1x; get cq1 r1i; rest"},
	{"… and one behind it might have been received", verdict.ProviderViolation, "RES-02",
		"NdkReceive qp1 r1; NdkSend qp2 s1; NdkSend qp2 s2; get cq2 s1x; get cq1 r1i; rest; get cq2 s2c"},
	{"… and that was refused which would have", verdict.ProviderViolation, "RES-02",
		"NdkReceive qp1 r1; NdkSend qp2 s1; a< NdkSendAndInvalidate qp2 s2#7; a> STATUS_INSUFFICIENT_RESOURCES; get cq2 s1x; get cq1 r1i; rest"},
	{"… and one that does is posted later", verdict.ProviderViolation, "RES-02",
		"NdkReceive qp1 r1; NdkSend qp2 s1; get cq2 s1x; get cq1 r1i; NdkSendAndInvalidate qp2 s2#7; rest; get cq2 s2c"},
	{"a post that may have completed before its CQ was closed", verdict.Conformant, "", "NdkWrite qp1 w1; NdkCloseQp qp1; NdkCloseCq cq1; rest"},
	{"both ends were cancelled, and nobody says why", verdict.Conformant, "",
		"NdkReceive qp1 r1; NdkReceive qp2 r2; get cq1 r1c; get cq2 r2c; rest; get cq1; get cq2"},
	{"a message that had to arrive before a rest, told of later than its receive", verdict.ProviderViolation, "DEF-04",
		"NdkReceive qp1 r1; NdkSend qp2 s1; rest; get cq1; get cq1 r1; get cq2 s1; rest; get cq1; get cq2"},
	{"a token is invalidated, and the peer's message comes too late", verdict.Conformant, "",
		notation.Registered + "NdkInvalidate qp1 i1#7; NdkSendAndInvalidate qp2 s1#7; get cq1 i1; get cq2 s1; get cq1 r1c; rest; get cq1; get cq2"},
	{"the peer's message comes first", verdict.Conformant, "",
		notation.Registered + "NdkInvalidate qp1 i1#7; NdkSendAndInvalidate qp2 s1#7; get cq1 r1; get cq2 s1; get cq1 i1x; rest; get cq1; get cq2"},
	{"both come first", verdict.ProviderViolation, "POLL-07",
		notation.Registered + "NdkInvalidate qp1 i1#7; NdkSendAndInvalidate qp2 s1#7; get cq1 r1; get cq2 s1; get cq1 i1; rest"},
	{"both come first, told the other way", verdict.ProviderViolation, "INV-05",
		notation.Registered + "NdkInvalidate qp1 i1#7; NdkSendAndInvalidate qp2 s1#7; get cq1 i1; get cq1 r1; rest"},
	{"it is registered again in between", verdict.Conformant, "",
		notation.Registered + "NdkInvalidate qp1 i1#7; NdkFastRegister qp1 f2#7; NdkSendAndInvalidate qp2 s1#7; get cq1 i1; get cq1 r1; get cq1 f2; get cq2 s1; rest; get cq1"},
	{"it is registered again, and too late", verdict.ProviderViolation, "INV-05",
		notation.Registered + "NdkInvalidate qp1 i1#7; NdkSendAndInvalidate qp2 s1#7; get cq1 i1; get cq1 r1; NdkFastRegister qp1 f2#7; get cq1 f2; rest"},
	{"a message that names a token, and nobody received", verdict.ProviderViolation, "POLL-05",
		"NdkFastRegister qp1 f1#7; get cq1 f1; NdkSendAndInvalidate qp2 s1#7; get cq2 s1; rest"},
	{"… of a QP that was closed meanwhile", verdict.ProviderViolation, "POLL-05",
		"NdkFastRegister qp1 f1#7; get cq1 f1; NdkSendAndInvalidate qp2 s1#7; NdkCloseQp qp2; get cq2 s1; rest"},
	{"a token that nobody registered", verdict.ProviderViolation, "INV-05", "NdkReceive qp1 r1; NdkSendAndInvalidate qp2 s1#7; get cq2 s1; get cq1 r1; rest"},
	{"a token that nobody registered ends the connection", verdict.Conformant, "",
		"NdkReceive qp1 r1; NdkSendAndInvalidate qp2 s1#7; get cq2 s1; get cq1 r1c; NdkWrite qp1 w1; get cq1 w1c; rest; get cq1; get cq2"},
	{"and nothing succeeds on it afterwards", verdict.ProviderViolation, "INV-05",
		"NdkReceive qp1 r1; NdkSendAndInvalidate qp2 s1#7; get cq2 s1; get cq1 r1c; NdkWrite qp1 w1; get cq1 w1; rest"},
	{"… nor what would have made its token valid", verdict.ProviderViolation, "INV-05",
		"NdkReceive qp2 r1; NdkSendAndInvalidate qp1 s1#7; NdkFastRegister qp2 f1#7; get cq1 s1; get cq2 r1c f1; rest; get cq1; get cq2"},
	{"… as the message is told later than its receive", verdict.ProviderViolation, "INV-05",
		"NdkReceive qp2 r1; NdkSendAndInvalidate qp1 s1#7; NdkFastRegister qp2 f1#7; get cq2 r1c; get cq1 s1; get cq2 f1; rest; get cq1; get cq2"},
	{"… but on another connection", verdict.Conformant, "",
		"new qp3; NdkConnect qp3 d; NdkReceive qp2 r1; NdkSendAndInvalidate qp1 s1#7; NdkFastRegister qp3 f1#7; get cq1 s1 f1; get cq2 r1c; rest; get cq1; get cq2"},
	{"a message with a bad token ends the connection, while the token is named by another request", verdict.Conformant, "",
		"NdkSendAndInvalidate qp2 s1#7; NdkInvalidate qp1 i1#7; NdkReceive qp1 r1; rest; get cq1 i1c r1c; get cq2 s1; rest; get cq1; get cq2"},
	{"… and another receive may have taken it", verdict.Conformant, "",
		"NdkSendAndInvalidate qp2 s1#7; NdkInvalidate qp1 i1#7; NdkReceive qp1 r1; NdkReceive qp1 r2; get cq1 i1c r1c; get cq2 s1; get cq1 r2c; rest; get cq1; get cq2"},
	{"a receive that is told before its send may have taken another one, which names no token", verdict.Conformant, "",
		"NdkReceive qp1 r1; NdkSendAndInvalidate qp2 s1#7; NdkSend qp2 s2; get cq1 r1; get cq2 s1x s2; rest; get cq1; get cq2"},
	{"… as neither send is told", verdict.Conformant, "", "NdkReceive qp1 r1; NdkSendAndInvalidate qp2 s1#7; NdkSend qp2 s2; get cq1 r1"},
	{"two messages with bad tokens end one connection", verdict.ProviderViolation, "",
		"NdkReceive qp1 r1; NdkReceive qp2 r2; NdkSendAndInvalidate qp1 s1#8; NdkSendAndInvalidate qp2 s2#7; get cq1 r1c s1; get cq2 s2; get cq2 r2c; rest"},
	{"a bad token ended the connection, and cancelled what was pending at one end", verdict.ProviderViolation, "",
		"NdkReceive qp2 r1; NdkReceive qp1 r2; NdkSendAndInvalidate qp1 s1#7; rest; get cq1 s1; get cq1; get cq2 r1c; rest; get cq1; get cq2"},
	{"… at the other", verdict.ProviderViolation, "",
		"NdkReceive qp2 r1; NdkReceive qp2 r2; NdkSendAndInvalidate qp1 s1#7; rest; get cq1 s1; get cq1; get cq2 r1c; get cq2; rest; get cq1; get cq2"},
	{"… and both ends tell", verdict.Conformant, "",
		"NdkReceive qp2 r1; NdkReceive qp1 r2; NdkReceive qp2 r3; NdkSendAndInvalidate qp1 s1#7; rest; get cq1 r2c s1; get cq1; get cq2 r1c r3c; " +
			"rest; get cq1; get cq2"},
	{"… by the next rest", verdict.ProviderViolation, "",
		"NdkReceive qp2 r1; NdkReceive qp1 r2; NdkSendAndInvalidate qp1 s1#7; get cq1 s1; get cq2 r1c; rest; get cq1; get cq2; get cq1 r2c"},
	{"… but for what may have been posted later", verdict.Conformant, "",
		"NdkReceive qp2 r1; a< NdkReceive qp1 r2; NdkSendAndInvalidate qp1 s1#7; a>; rest; get cq1 s1; get cq1; get cq2 r1c; rest; get cq1; get cq2"},
	{"… and a send that had no receive, posted as it ended", verdict.ProviderViolation, "",
		"a< NdkSend qp2 s1; NdkReceive qp2 r1; NdkSendAndInvalidate qp1 s2#7; a>; rest; get cq1 s2; get cq1; get cq2 r1x; get cq2; rest; get cq1; get cq2"},
	{"… and posted later", verdict.ProviderViolation, "",
		"NdkReceive qp2 r1; NdkSendAndInvalidate qp1 s2#7; NdkSend qp2 s1; rest; get cq1 s2; get cq1; get cq2 r1x; get cq2; NdkReceive qp1 r2; get cq2 s1c"},
	{"… and a silent one", verdict.ProviderViolation, "",
		"NdkReceive qp2 r1; NdkSendAndInvalidate qp1 s2#7; NdkSend qp2 s1 SILENT_SUCCESS; rest; get cq1 s2; get cq1; get cq2 r1x; get cq2"},
	{"… but a chain that is open, and a receive", verdict.Conformant, "",
		"NdkReceive qp2 r1; NdkSendAndInvalidate qp1 s2#7; NdkSend qp2 s1 DEFER; NdkReceive qp2 r2; rest; get cq1 s2; get cq1; get cq2 r1x; get cq2; " +
			"NdkSend qp2 s3; rest; get cq2 s1c s3c; get cq2"},
	{"a receive took the message with a bad token, of which nothing is told, and one before it was cancelled", verdict.ProviderViolation, "",
		"NdkReceive qp1 r1; NdkReceive qp1 r2; NdkReceive qp2 r3; NdkSendAndInvalidate qp2 s1#7 SILENT_SUCCESS; rest; get cq1 r1c r2; get cq1; " +
			"get cq2 r3c; get cq2; rest; get cq1; get cq2"},
	{"a bad token may have ended the connection, and explains no request that had not completed by a rest", verdict.ProviderViolation, "DEF-04",
		"NdkReceive qp1 r1; NdkSendAndInvalidate qp2 s1#7 SILENT_SUCCESS; NdkWrite qp1 w1; rest; get cq1"},
	{"… nor a callback that was not entered", verdict.ProviderViolation, "",
		"NdkReceive qp1 r1; NdkSendAndInvalidate qp2 s1#7 SILENT_SUCCESS; NdkArmCq cq1 ANY; NdkWrite qp1 w1; get cq1 w1; rest; get cq1 r1c"},
	{"… but what was posted before it was connected", verdict.ProviderViolation, "",
		"new qp3; new qp4; NdkReceive qp4 r1; NdkConnect qp3 d; NdkSendAndInvalidate qp3 s1#7; NdkReceive qp3 r2; NdkConnect qp4 d; " +
			"rest; get cq1 s1 r1c; rest; get cq1"},
	{"… and one of them fails", verdict.Conformant, "",
		"NdkReceive qp1 r1; NdkReceive qp2 r2; NdkSendAndInvalidate qp1 s1#8; NdkSendAndInvalidate qp2 s2#7; get cq1 r1c s1; get cq2 s2x; get cq2 r2c; rest"},
	{"what made a token valid had not completed by a rest, and what needs it had", verdict.ProviderViolation, "",
		"NdkFastRegister qp1 f1#7 DEFER; NdkInvalidate qp2 i2#7 SILENT_SUCCESS; rest; get cq1; get cq2; NdkWrite qp1 w2; get cq1 f1 w2; rest; get cq1"},
	{"… and both had", verdict.Conformant, "",
		"NdkFastRegister qp1 f1#7 DEFER; NdkInvalidate qp2 i2#7 SILENT_SUCCESS; rest; get cq1 f1; get cq1; get cq2; NdkWrite qp1 w2; get cq1 w2; rest; get cq1"},
	{"a registration that failed", verdict.ProviderViolation, "INV-05",
		"NdkFastRegister qp1 f1#7; get cq1 f1x; NdkReceive qp1 r1; NdkSendAndInvalidate qp2 s1#7; get cq1 r1; rest"},
	{"a registration that is told after what it made possible", verdict.Conformant, "",
		"NdkFastRegister qp1 f1#7; rest; NdkReceive qp1 r1; NdkSendAndInvalidate qp2 s1#7; get cq2 s1; get cq1 f1 r1; rest; get cq1"},
	{"a silent registration", verdict.Conformant, "",
		"NdkFastRegister qp1 f1#7 SILENT_SUCCESS; NdkWrite qp1 w1; NdkReceive qp1 r1; NdkSendAndInvalidate qp2 s1#7; get cq1 r1; get cq2 s1; get cq1 w1; rest; get cq1"},
	{"a silent registration that comes too late", verdict.ProviderViolation, "INV-05",
		"NdkReceive qp1 r1; NdkSendAndInvalidate qp2 s1#7; get cq1 r1; NdkFastRegister qp1 f1#7 SILENT_SUCCESS; NdkWrite qp1 w1; get cq1 w1; rest"},
	{"a receive succeeds before the peer is connected", verdict.ProviderViolation, "POLL-05",
		"new qp3; new qp4; NdkConnect qp3 d; NdkReceive qp3 r1; get cq1 r1; NdkConnect qp4 d; rest; get cq1"},
	{"a message with a bad token is received, and its send fails", verdict.ProviderViolation, "",
		"NdkReceive qp1 r1; NdkSendAndInvalidate qp2 s1#7; get cq1 r1; get cq2 s1x; rest; get cq1; get cq2"},
	{"a silent request that can't have succeeded is not told of", verdict.ProviderViolation, "",
		"NdkFastRegister qp1 f1#7; get cq1 f1; NdkInvalidate qp1 i1#7; get cq1 i1; NdkInvalidate qp2 i2#7 SILENT_SUCCESS; rest; get cq2"},
	{"a silent request was cancelled before anything can have cancelled it", verdict.ConsumerViolation, "DEF-06",
		"NdkRead qp2 w1 SILENT_SUCCESS DEFER; NdkWrite qp1 w2 SILENT_SUCCESS; rest; get cq1 w2c; get cq1; get cq2"},
	{"a silent message with a bad token ends the connection", verdict.Conformant, "",
		"NdkReceive qp2 r1; NdkSendAndInvalidate qp1 s1#7 SILENT_SUCCESS; rest; get cq1; get cq2 r1c; get cq2; rest"},
	{"two receives succeed by one send", verdict.ProviderViolation, "POLL-05",
		"NdkReceive qp1 r1; NdkReceive qp1 r2; NdkSend qp2 s1; get cq1 r1 r2; get cq2 s1x; rest; get cq1; get cq2"},
	{"a receive was cancelled before a completion that was placed by the close of its QP, and what may have failed had not by a later rest",
		verdict.Conformant, "", "new qp3 cq3 cq2; NdkConnect qp3 d; NdkReceive qp3 r3; NdkReceive qp2 r1; NdkReceive qp1 r2; " +
			"a< NdkCloseQp qp3; a> STATUS_PENDING; a! STATUS_SUCCESS; rest; get cq1; get cq2 r1c r3c; rest; get cq2; get cq3"},
	{"… or behind it", verdict.Conformant, "", "new qp3 cq3 cq2; NdkConnect qp3 d; NdkReceive qp3 r3; NdkReceive qp2 r1; NdkReceive qp1 r2; " +
		"a< NdkCloseQp qp3; a> STATUS_PENDING; a! STATUS_SUCCESS; rest; get cq1; get cq2 r3c r1c; rest; get cq2; get cq3"},
	{"… or had by then", verdict.Conformant, "", "new qp3 cq3 cq2; NdkConnect qp3 d; NdkReceive qp3 r3; NdkReceive qp2 r1; NdkReceive qp1 r2; rest; " +
		"get cq1; a< NdkCloseQp qp3; a> STATUS_PENDING; a! STATUS_SUCCESS; rest; get cq2 r1c r3c; rest; get cq2; get cq3"},
	{"a receive succeeds behind one that was cancelled, and nothing was sent", verdict.ProviderViolation, "POLL-05",
		"NdkReceive qp1 r1; NdkFlush qp1; NdkReceive qp1 r2; get cq1 r1c r2; rest; get cq1; get cq2"},
	{"… and one of them had been pending at a rest", verdict.Conformant, "",
		"NdkSend qp1 s1 DEFER; NdkSend qp2 s2; placed cq2 s2c; rest; get cq1; get cq2 s2c; NdkFlush qp1; get cq1 s1c; rest; get cq1; get cq2"},
	// RES-10: a connection may be lost with nothing to tell why, but it does not go on then: not on the other queue, and not at the other end.
	{"cancelled, and a request behind it succeeds", verdict.ProviderViolation, "RES-10", "NdkWrite qp1 w1; NdkWrite qp1 w2; get cq1 w1c w2; rest; get cq1; get cq2"},
	{"… or one fails", verdict.Conformant, "", "NdkWrite qp1 w1; NdkWrite qp1 w2; get cq1 w1c w2x; rest; get cq1; get cq2"},
	{"… and one of the other queue, posted afterwards", verdict.ProviderViolation, "RES-10",
		"NdkReceive qp1 r1; get cq1 r1c; NdkWrite qp1 w1; get cq1 w1; rest; get cq1; get cq2"},
	{"… or posted before", verdict.Conformant, "", "NdkReceive qp1 r1; NdkWrite qp1 w1; get cq1 r1c; get cq1 w1; rest; get cq1; get cq2"},
	{"… and one of the other end, posted afterwards", verdict.ProviderViolation, "RES-10",
		"NdkReceive qp1 r1; get cq1 r1c; NdkWrite qp2 w1; get cq2 w1; rest; get cq1; get cq2"},
	{"… which needs nobody", verdict.Conformant, "", "NdkReceive qp1 r1; get cq1 r1c; NdkFastRegister qp2 f1#7; get cq2 f1; rest; get cq1; get cq2"},
	{"… and both ends go on", verdict.ProviderViolation, "RES-10",
		"NdkReceive qp1 r1; NdkReceive qp2 r2; get cq1 r1c; get cq2 r2c; NdkWrite qp1 w1; NdkWrite qp2 w2; get cq1 w1; get cq2 w2; rest; get cq1; get cq2"},
	{"… of a bad token that both ends tell as cancelled", verdict.ProviderViolation, "RES-10",
		"NdkReceive qp1 r1; NdkSendAndInvalidate qp2 s1#7; get cq2 s1c; get cq1 r1c; NdkWrite qp1 w1; NdkWrite qp2 w2; get cq1 w1; get cq2 w2; rest; get cq1; get cq2"},
	{"… where the other end is not told", verdict.ProviderViolation, "RES-10",
		"new qp3 cq3; NdkConnect qp3 d; NdkReceive qp3 r1; get cq3 r1c; NdkWrite qp3 w1; get cq3 w1; rest; get cq3"},
	{"… where a request of its own failed, and another was cancelled for that", verdict.ProviderViolation, "RES-10",
		"NdkReceive qp1 r1; NdkWrite qp1 w1; get cq1 w1x; get cq1 r1c; NdkWrite qp1 w2; get cq1 w2; rest; get cq1; get cq2"},
	{"… or is told later to have failed", verdict.ProviderViolation, "RES-10",
		"NdkReceive qp1 r1; NdkWrite qp1 w1; get cq1 r1c; NdkWrite qp1 w2; get cq1 w1x w2; rest; get cq1; get cq2"},
	{"… or was flushed", verdict.Conformant, "", "NdkReceive qp1 r1; NdkFlush qp1; get cq1 r1c; NdkWrite qp1 w2; get cq1 w2; rest; get cq1; get cq2"},
	{"one end was cancelled, and nobody says why", verdict.Conformant, "",
		"NdkReceive qp1 r1; NdkReceive qp2 r2; get cq1 r1c; rest; get cq1; get cq2"},
	{"a send was cancelled by a rest, and at the other end a receive, that had been pending then", verdict.Conformant, "",
		"NdkSend qp1 s1; NdkReceive qp2 r2; rest; get cq1 s1c; get cq1; get cq2; NdkFlush qp2; get cq2 r2c; rest; get cq1; get cq2"},
	{"… and no chain ends", verdict.ConsumerViolation, "DEF-06",
		"NdkWrite qp1 w1; NdkReceive qp2 r2; rest; get cq1 w1c; get cq1; get cq2; NdkWrite qp1 w2 DEFER; NdkFlush qp2; get cq2 r2c; rest; get cq1; get cq2"},
	{"… and was not known to be", verdict.Conformant, "",
		"NdkSend qp1 s1; NdkReceive qp2 r2; rest; get cq1 s1c; get cq1; NdkFlush qp2; get cq2 r2c; rest; get cq1; get cq2"},
	{"in verbs a receive is flushed beside a write that succeeds, and a receive of the peer that waits does not explain it", verdict.ProviderViolation, "RES-10",
		"verbs;recv qp2 r2; recv qp1 r1; post qp1 w1; rest; get cq1 r1c w1; get cq1; get cq2"},
	{"… beside an arm", verdict.ProviderViolation, "RES-10",
		"verbs;e< ibv_get_cq_event cq1; recv qp1 r1; ibv_req_notify_cq cq1; recv qp2 r2; rest; get cq1 r1c; get cq1"},
	{"… or a move of the other end to its error state", verdict.ProviderViolation, "RES-10",
		"verbs;e< ibv_get_cq_event cq1; recv qp1 r1; ibv_req_notify_cq cq1; err qp2; rest; get cq1 r1c; get cq1"},
	{"… a failed write of the other end does", verdict.Conformant, "",
		"verbs;recv qp1 r1; post qp2 w2; rest; get cq1 r1c; get cq1; get cq2 w2x; get cq2"},
	{"… but not where its own was", verdict.ProviderViolation, "",
		"verbs;e< ibv_get_cq_event cq1; recv qp1 r1; ibv_req_notify_cq cq1; err qp1; rest; get cq1 r1c; get cq1"},
	{"… and the first of two is not, where nothing flushed it", verdict.ProviderViolation, "RES-11", "verbs;post qp1 w1; post qp1 w2; rest; get cq1 w1c w2x; get cq1"},

	// DEF-04: what waits for the provider alone has completed by a moment of rest.
	{"behind a silent send that may wait something is told, and so is it", verdict.ProviderViolation, "DEF-04",
		"new qp3; NdkConnect qp3 d; NdkSend qp3 s1 SILENT_SUCCESS; NdkWrite qp3 w1 SILENT_SUCCESS; rest; get cq1 w1x; get cq1; NdkRead qp3 x1; rest; get cq1"},
	// FLAG-02, where it was silent.
	{"a message had to have arrived by a rest, as what failed is placed later", verdict.ProviderViolation, "FLAG-02",
		"NdkSend qp2 s1; NdkReceive qp2 r1; NdkSend qp1 s2 SILENT_SUCCESS; rest; placed cq2 s1x; placed cq2 r1x; rest; get cq1; get cq2 s1x r1x; get cq2"},
	{"a silent message took the receive, or ended it, as what is behind it tells", verdict.ProviderViolation, "",
		"NdkSendAndInvalidate qp1 s1#7 SILENT_SUCCESS; NdkReceive qp2 r1; NdkWrite qp1 w1 SILENT_SUCCESS; rest; get cq1; get cq1 w1c; get cq1; get cq2 r1x; get cq2"},
	{"a message of a CQ that has failed need not have arrived", verdict.Conformant, "",
		"NdkArmCq cq1 ANY; enter cq1 STATUS_INTERNAL_ERROR; NdkReceive qp2 r1; NdkArmCq cq2 ANY; NdkSend qp1 s1; rest; enter cq2; get cq2 r1; get cq2"},

	// ARM-03: on a connection that may have ended a send waits for a receive, and notifies once that is there.
	{"a send had a receive by a rest, as that tells, and no callback came", verdict.ProviderViolation, "ARM-09",
		"NdkFlush qp2; NdkReceive qp1 r1; NdkArmCq cq2 ANY; NdkSend qp2 s1; rest; enter cq2; get cq1 r1; get cq2 s1; rest; get cq1; get cq2"},
	{"… as a poll tells that finds none", verdict.ProviderViolation, "ARM-09",
		"NdkFlush qp2; NdkReceive qp1 r1; NdkArmCq cq2 ANY; NdkSend qp2 s1; rest; enter cq2; get cq1; get cq2 s1x; rest; get cq1; get cq2"},
	{"… as a poll tells that comes later", verdict.ProviderViolation, "ARM-09",
		"NdkFlush qp2; NdkReceive qp1 r1; NdkArmCq cq2 ANY; NdkSend qp2 s1; rest; enter cq2; get cq2 s1x; get cq2; get cq1; rest"},
	{"… and another poll had found none before the rest", verdict.Conformant, "",
		"NdkFlush qp2; NdkArmCq cq2 ANY; NdkSend qp2 s1; rest; NdkReceive qp1 r1; enter cq2; get cq2 s1x; get cq2; get cq1; rest"},
	{"… as the receive tells, which comes later", verdict.ProviderViolation, "ARM-09",
		"NdkFlush qp2; NdkReceive qp1 r1; NdkArmCq cq2 ANY; NdkSend qp2 s1; rest; enter cq2; get cq2 s1; get cq1 r1; rest; get cq1; get cq2"},
	{"… and the receive was posted after the rest", verdict.Conformant, "",
		"NdkFlush qp2; NdkArmCq cq2 ANY; NdkSend qp2 s1; rest; NdkReceive qp1 r1; enter cq2; get cq2 s1; get cq1 r1; rest; get cq1; get cq2"},
	{"… and a silent one, as its receive tells", verdict.ProviderViolation, "ARM-09",
		"NdkFlush qp1; NdkReceive qp1 r1; NdkArmCq cq1 ANY; NdkSend qp2 s1 SILENT_SUCCESS; rest; enter cq1; get cq1 r1; get cq1; get cq2; rest"},
	{"… as its receive tells, which came after another rest", verdict.ProviderViolation, "ARM-09",
		"NdkFlush qp1; NdkSend qp2 s1 SILENT_SUCCESS; rest; NdkReceive qp1 r1; NdkArmCq cq1 ANY; rest; enter cq1; get cq1 r1; get cq1; get cq2; rest"},
	{"… and the callback came before that", verdict.Conformant, "",
		"NdkFlush qp1; NdkSend qp2 s1 SILENT_SUCCESS; rest; NdkReceive qp1 r1; NdkArmCq cq1 ANY; enter cq1; rest; get cq1 r1; get cq1; get cq2; rest"},
	{"… and it was posted after that", verdict.Conformant, "",
		"NdkFlush qp1; NdkSend qp2 s1 SILENT_SUCCESS; rest; NdkArmCq cq1 ANY; rest; NdkReceive qp1 r1; enter cq1; get cq1 r1; get cq1; get cq2; rest"},
	{"… and the callback came before", verdict.Conformant, "",
		"NdkFlush qp2; NdkReceive qp1 r1; NdkArmCq cq2 ANY; NdkSend qp2 s1; enter cq2; rest; get cq1 r1; get cq2 s1; rest; get cq1; get cq2"},
	{"… and it may have failed before", verdict.Conformant, "",
		"NdkFlush qp2; NdkReceive qp1 r1; NdkArmCq cq2 ANY; NdkSend qp2 s1; rest; NdkReceive qp1 r2; enter cq2; get cq1 r1x; get cq2 s1x; rest; get cq1; get cq2"},

	// POLL-08, A21: what a poll tells of a QP that is closed tells what became of tokens.
	{"a dead token, of a QP that was closed", verdict.ProviderViolation, "",
		"NdkFastRegister qp1 f1#7; NdkInvalidate qp1 i1#7; get cq1 f1 i1; NdkInvalidate qp1 i2#7; NdkCloseQp qp1; get cq1 i2; rest"},
	{"… of which the close cancelled the request", verdict.Conformant, "",
		"NdkFastRegister qp1 f1#7; NdkInvalidate qp1 i1#7; get cq1 f1 i1; NdkInvalidate qp1 i2#7; NdkCloseQp qp1; get cq1 i2c; rest"},
	{"… and another QP names it afterwards", verdict.ProviderViolation, "",
		"new qp3; NdkConnect qp3 d; NdkFastRegister qp1 f1#7; get cq1 f1; NdkInvalidate qp1 i1#7; NdkCloseQp qp1; get cq1 i1; NdkInvalidate qp3 i2#7; get cq1 i2; rest"},
	{"… and the close lost the request", verdict.Conformant, "",
		"new qp3; NdkConnect qp3 d; NdkFastRegister qp1 f1#7; get cq1 f1; NdkInvalidate qp1 i1#7; NdkCloseQp qp1; get cq1; NdkInvalidate qp3 i2#7; get cq1 i2; rest"},

	// RES-10: a flush, or a close, that is refused cancels nothing.
	{"a flush that was refused", verdict.Conformant, "",
		"NdkReceive qp1 r1; a< NdkFlush qp1; a> STATUS_INVALID_PARAMETER; get cq1 r1c; rest; get cq1; get cq2"},
	{"… of the other end", verdict.Conformant, "",
		"NdkReceive qp1 r1; a< NdkFlush qp2; a> STATUS_INVALID_PARAMETER; get cq1 r1c; rest; get cq1; get cq2"},
	{"… while it was running", verdict.Conformant, "",
		"NdkReceive qp1 r1; a< NdkFlush qp1; get cq1 r1c; a> STATUS_INVALID_PARAMETER; rest; get cq1; get cq2"},
	{"… and another one was", verdict.Conformant, "",
		"NdkReceive qp1 r1; a< NdkFlush qp1; b< NdkFlush qp1; get cq1 r1c; a> STATUS_INVALID_PARAMETER; b>; rest; get cq1; get cq2"},
	{"… which was not refused", verdict.Conformant, "", "NdkReceive qp1 r1; a< NdkFlush qp2; get cq1 r1c; a>; rest; get cq1; get cq2"},
	{"a close that was refused", verdict.Conformant, "",
		"NdkReceive qp1 r1; a< NdkCloseQp qp1; a> STATUS_INVALID_PARAMETER; get cq1 r1c; rest; get cq1; get cq2"},

	// ARM-08, ARM-21, A21: what is placed while its QP is being closed, or delivered, had not vanished after a callback.
	{"a callback before the close, and the one completion after it", verdict.ProviderViolation, "ARM-21",
		"new qp3 cq3; NdkConnect qp3 d; NdkArmCq cq3 ANY; NdkWrite qp3 w1; enter cq3; a< NdkCloseQp qp3; placed cq3 w1x; a>; rest"},
	{"… which a poll delivers that runs while the QP is closed, of another kind", verdict.ProviderViolation, "ARM-08",
		"new qp3 cq3; NdkConnect qp3 d; NdkArmCq cq3 ERRORS; NdkReceive qp3 r1; rest; get cq3; a< NdkCloseQp qp3; b< get cq3; enter cq3; a>; b> r1; rest; get cq3"},
	{"… and of the right one", verdict.Conformant, "",
		"new qp3 cq3; NdkConnect qp3 d; NdkArmCq cq3 ERRORS; NdkReceive qp3 r1; rest; get cq3; a< NdkCloseQp qp3; b< get cq3; enter cq3; a>; b> r1c; rest; get cq3"},

	{"… or may be for a silent request that failed by then, and vanished", verdict.Conformant, "",
		"NdkReceive qp1 r1; new qp3; NdkConnect qp3 d; NdkWrite qp3 w1 SILENT_SUCCESS; get cq1; a< NdkCloseQp qp3; NdkArmCq cq1 ANY; a>; enter cq1; rest; get cq1"},
	{"… which a poll did not find after a moment of rest", verdict.ProviderViolation, "",
		"NdkReceive qp1 r1; new qp3; NdkConnect qp3 d; NdkWrite qp3 w1 SILENT_SUCCESS; rest; get cq1; a< NdkCloseQp qp3; NdkArmCq cq1 ANY; a>; enter cq1; rest; get cq1"},

	// ARM-21: a silent request had succeeded by a moment of rest, or its failure had notified.
	{"a callback after the rest, and all that is outstanding is silent", verdict.ProviderViolation, "ARM-21",
		"NdkArmCq cq1 ANY; NdkWrite qp1 w1 SILENT_SUCCESS; rest; enter cq1"},
	{"… and its QP was closed", verdict.ProviderViolation, "ARM-21",
		"NdkArmCq cq1 ANY; NdkWrite qp1 w1 SILENT_SUCCESS; rest; NdkCloseQp qp1; enter cq1; get cq1; rest"},
	{"… or is being closed", verdict.ProviderViolation, "ARM-21",
		"NdkArmCq cq1 ANY; NdkWrite qp1 w1 SILENT_SUCCESS; rest; a< NdkCloseQp qp1; enter cq1; a>; get cq1; rest"},
	{"… after the close alone", verdict.Conformant, "", "NdkArmCq cq1 ANY; NdkWrite qp1 w1 SILENT_SUCCESS; NdkCloseQp qp1; enter cq1; get cq1; rest"},
	{"… for what had failed by the rest, and an arm found later", verdict.Conformant, "",
		"NdkWrite qp1 w1 SILENT_SUCCESS; rest; NdkArmCq cq1 ANY; NdkCloseQp qp1; enter cq1; get cq1; rest"},
	{"… of a send that was received", verdict.ProviderViolation, "ARM-21",
		"NdkReceive qp2 r1; NdkArmCq cq1 ANY; NdkSend qp1 s1 SILENT_SUCCESS; rest; get cq2 r1; enter cq1"},

	// LIFE-07: nothing comes of a QP whose close has completed.
	{"a completion is placed after the close of its QP", verdict.ProviderViolation, "LIFE-07",
		"NdkWrite qp1 w1; NdkCloseQp qp1; placed cq1 w1; rest"},
	{"… and before it", verdict.Conformant, "", "NdkWrite qp1 w1; placed cq1 w1; NdkCloseQp qp1; get cq1 w1; rest"},
	{"… while it is pending", verdict.Conformant, "",
		"NdkWrite qp1 w1; a< NdkCloseQp qp1; a> STATUS_PENDING; placed cq1 w1; a!; get cq1 w1; rest"},
	{"… after the callback that completes it", verdict.ProviderViolation, "LIFE-07",
		"NdkWrite qp1 w1; a< NdkCloseQp qp1; a> STATUS_PENDING; a!; placed cq1 w1; get cq1 w1; rest"},
	{"a completion that came after the close, as a poll shows", verdict.ProviderViolation, "LIFE-07",
		"NdkWrite qp1 w1; NdkCloseQp qp1; get cq1; get cq1 w1; rest"},
	{"… of a silent request", verdict.ProviderViolation, "LIFE-07",
		"NdkWrite qp1 w1 SILENT_SUCCESS; NdkCloseQp qp1; get cq1; get cq1 w1c; rest"},
	{"… and the poll that found nothing came before", verdict.Conformant, "", "NdkWrite qp1 w1; get cq1; NdkCloseQp qp1; get cq1 w1; rest"},
	{"… or may have", verdict.Conformant, "", "NdkWrite qp1 w1; g< get cq1; NdkCloseQp qp1; g>; get cq1 w1; rest"},
	{"a completion had been placed by the close of its QP, and its callback comes after a rest", verdict.ProviderViolation, "",
		"NdkArmCq cq1 ANY; NdkWrite qp1 w1; NdkCloseQp qp1; rest; enter cq1; get cq1 w1; rest; get cq1"},
	{"… before it", verdict.Conformant, "", "NdkArmCq cq1 ANY; NdkWrite qp1 w1; NdkCloseQp qp1; enter cq1; rest; get cq1 w1; rest; get cq1"},
	{"… while the close was pending", verdict.Conformant, "",
		"NdkWrite qp1 w1; a< NdkCloseQp qp1; a> STATUS_PENDING; get cq1; a!; get cq1 w1; rest"},

	// POLL-09, POST-08: what points tell of requests that no poll delivers.
	{"two completions are placed out of turn", verdict.ProviderViolation, "POLL-09",
		"NdkWrite qp1 w1; NdkWrite qp1 w2; placed cq1 w2; placed cq1 w1; rest"},
	{"… of two queues", verdict.Conformant, "", "NdkReceive qp1 r1; NdkWrite qp1 w2; placed cq1 w2; NdkSend qp2 s1; placed cq1 r1; rest"},
	{"a receive succeeds on a QP that is not connected", verdict.ProviderViolation, "POST-08", "new qp3; NdkReceive qp3 r1; placed cq1 r1; rest"},
	{"… and is delivered", verdict.ProviderViolation, "POST-08",
		"new qp3; NdkReceive qp3 r1; NdkArmCq cq1 ANY; placed cq1 r1; enter cq1; get cq1 r1; rest; get cq1"},

	// RES-10: what may have cancelled a request came before it. Behind it on its own queue that is only what may pass a read
	// (FLAG-04).
	{"what failed was executed after what was cancelled", verdict.Conformant, "",
		"NdkWrite qp1 w1; NdkWrite qp1 w2; get cq1 w1c; get cq1 w2x; rest; get cq1; get cq2"},
	{"what failed passed the read that was cancelled", verdict.Conformant, "",
		"NdkRead qp1 w1; NdkWrite qp1 w2; get cq1 w1c; get cq1 w2x; rest; get cq1; get cq2"},
	{"what failed waited for the read that was cancelled", verdict.Conformant, "",
		"NdkRead qp1 w1; NdkWrite qp1 w2 READ_FENCE; get cq1 w1c; get cq1 w2x; rest; get cq1; get cq2"},
	{"what failed was executed after it, while another was suspected", verdict.Conformant, "",
		"NdkWrite qp2 w3; NdkWrite qp1 w1; NdkWrite qp1 w2; get cq1 w1c; get cq1 w2x; get cq2 w3; rest; get cq1; get cq2"},
	{"what failed waited for it, while another was suspected", verdict.Conformant, "",
		"NdkWrite qp2 w3; NdkRead qp1 w1; NdkWrite qp1 w2 READ_FENCE; get cq1 w1c; get cq1 w2x; get cq2 w3; rest; get cq1; get cq2"},
	{"what is pending behind it can't have cancelled it", verdict.Conformant, "",
		"NdkWrite qp1 w1; NdkWrite qp1 w2 DEFER; get cq1 w1c; get cq2"},
	{"the peer's receive may have failed by the message", verdict.Conformant, "",
		"NdkReceive qp2 r1; NdkSend qp1 s1; rest; get cq1 s1c; get cq1; rest"},

	{"… or does call back", verdict.Conformant, "", "NdkReceive qp2 r1; NdkArmCq cq1 ANY; NdkSend qp1 s1; get cq2 r1c; enter cq1; rest"},
	{"… or is not asked to", verdict.Conformant, "", "NdkReceive qp2 r1; NdkSend qp1 s1; get cq2 r1c; rest"},
	{"… or a flush ended the receive", verdict.Conformant, "", "NdkReceive qp2 r1; NdkArmCq cq1 ANY; NdkSend qp1 s1; NdkFlush qp2; get cq2 r1c; rest"},
	// ARM-09: a callback is for a send that had a receive by a moment of rest, as is told after it.
	{"a callback after the rest by which a receive was posted, that the send took", verdict.ProviderViolation, "ARM-09",
		"NdkArmCq cq1 ANY; NdkReceive qp2 r1; NdkSend qp1 s1; NdkFlush qp2; NdkReceive qp2 r2; rest; get cq1 s1; get cq1; get cq2 r1c r2; get cq2; enter cq1"},
	{"… which was posted later", verdict.Conformant, "",
		"NdkArmCq cq1 ANY; NdkReceive qp2 r1; NdkSend qp1 s1; NdkFlush qp2; rest; NdkReceive qp2 r2; get cq1 s1; get cq1; get cq2 r1c r2; get cq2; enter cq1"},

	// DEF-04: a point places a send after the rest at which a receive was pending, as is told later.
	{"a send before it failed, and left it a receive, and a point places it after the rest", verdict.ProviderViolation, "DEF-04",
		"NdkSend qp2 s1; NdkSend qp2 s2; NdkReceive qp1 r1; placed cq2 s1x; rest; placed cq2 s2c; rest; get cq1; get cq2 s1x s2c; get cq2"},
	{"… or before it", verdict.Conformant, "",
		"NdkSend qp2 s1; NdkSend qp2 s2; NdkReceive qp1 r1; placed cq2 s1x; placed cq2 s2c; rest; get cq1; get cq2 s1x s2c; get cq2"},
	{"… or the receive was posted later", verdict.Conformant, "",
		"NdkSend qp2 s1; NdkSend qp2 s2; placed cq2 s1x; rest; NdkReceive qp1 r1; placed cq2 s2c; rest; get cq1; get cq2 s1x s2c; get cq2"},
	{"… or had ended", verdict.ProviderViolation, "DEF-04",
		"NdkSend qp2 s1; NdkSend qp2 s2; NdkReceive qp1 r1; placed cq2 s1x; rest; placed cq2 s2c; rest; get cq1 r1c; get cq2 s1x s2c; get cq2"},

	{"a message with a bad token failed after the rest by which its peer's request was cancelled", verdict.Conformant, "",
		"NdkSendAndInvalidate qp2 s0#7 DEFER; NdkRead qp1 x1; rest; get cq1 x1c; get cq1; get cq2; NdkWrite qp2 w2; rest; get cq2 s0x w2x; get cq2"},
	{"… or before it", verdict.Conformant, "",
		"NdkSendAndInvalidate qp2 s0#7 DEFER; NdkRead qp1 x1; rest; get cq1 x1c; get cq1; NdkWrite qp2 w2; rest; get cq2 s0x w2x; get cq2"},
	{"cancelled before the peer was connected", verdict.Conformant, "",
		"new qp3; new qp4; NdkConnect qp3 d; NdkReceive qp3 r1; get cq1 r1c; NdkConnect qp4 d; rest; get cq1"},
	{"a message that was not silent, and had not ended by the rest", verdict.ConsumerViolation, "DEF-06",
		"NdkSendAndInvalidate qp1 s1#7 DEFER; NdkWrite qp2 w1 SILENT_SUCCESS; rest; get cq1; get cq2 w1c; rest; get cq1; get cq2"},

	{"a point tells what failed after what was cancelled", verdict.Conformant, "",
		"NdkWrite qp1 w1; NdkWrite qp1 w2; placed cq1 w1c; placed cq1 w2x; rest; get cq1 w1c w2x; get cq1; get cq2"},
	{"a point tells what failed, and passed what was cancelled", verdict.Conformant, "",
		"NdkRead qp1 w1; NdkWrite qp1 w2; placed cq1 w1c; placed cq1 w2x; rest; get cq1 w1c w2x; get cq1; get cq2"},
	{"a point tells what failed before what was cancelled", verdict.Conformant, "",
		"NdkWrite qp1 w1; NdkWrite qp1 w2; placed cq1 w1x; placed cq1 w2c; rest; get cq1 w1x w2c; get cq1; get cq2"},
	{"… and of which itself no point tells", verdict.Conformant, "",
		"NdkWrite qp1 w1 SILENT_SUCCESS; NdkWrite qp1 w2; placed cq1 w2c; rest; get cq1 w1x w2c; get cq1; get cq2"},
	{"what failed vanished, as its QP was closed", verdict.Conformant, "",
		"NdkWrite qp1 w1 DEFER; NdkReceive qp2 r1; rest; get cq1; get cq2 r1c; NdkCloseQp qp1; rest; get cq1; get cq2"},
	{"what failed had not vanished yet", verdict.Conformant, "",
		"NdkWrite qp1 w1 DEFER; NdkReceive qp2 r1; get cq2 r1c; rest; get cq1; NdkCloseQp qp1; rest; get cq1; get cq2"},
	{"a message was received whose send was cancelled, and that one is not solicited", verdict.ProviderViolation, "ARM-12",
		"NdkReceive qp2 r1; NdkArmCq cq2 SOLICITED; NdkSend qp1 s1; enter cq2; NdkFlush qp1; get cq1 s1c; get cq2 r1; rest"},
	{"… as all that were sent", verdict.ProviderViolation, "ARM-12",
		"NdkReceive qp2 r1; NdkReceive qp2 r2; NdkArmCq cq2 SOLICITED; NdkSend qp1 s1; NdkSend qp1 s2; enter cq2; NdkFlush qp1; get cq1 s1 s2c; get cq2 r1 r2; rest"},
	{"… but for one", verdict.Conformant, "",
		"NdkReceive qp2 r1; NdkArmCq cq2 SOLICITED; NdkSend qp1 s1; NdkSend qp1 s2 SEND_AND_SOLICIT_EVENT; enter cq2; NdkFlush qp1; get cq1 s1c s2c; get cq2 r1; rest; get cq1; get cq2"},
	{"… but for one that was sent later", verdict.ProviderViolation, "ARM-12",
		"NdkReceive qp2 r1; NdkArmCq cq2 SOLICITED; NdkSend qp1 s1; enter cq2; NdkFlush qp1; get cq1 s1c; get cq2 r1; NdkSend qp1 s2 SEND_AND_SOLICIT_EVENT; rest"},
	{"… and it is solicited", verdict.ProviderViolation, "ARM-10",
		"NdkReceive qp2 r1; NdkArmCq cq2 SOLICITED; NdkSend qp1 s1 SEND_AND_SOLICIT_EVENT; get cq1 s1x; get cq2 r1; rest"},
	{"a message may have named a bad token, of which nothing is told", verdict.Conformant, "",
		notation.Registered + "NdkSendAndInvalidate qp2 s1#7 SILENT_SUCCESS; NdkInvalidate qp1 i1#7; rest; get cq1 i1c r1c; get cq1"},
	{"… and was received", verdict.Conformant, "",
		notation.Registered + "NdkSendAndInvalidate qp2 s1#7 SILENT_SUCCESS; NdkInvalidate qp1 i1#7; rest; get cq1 r1i i1c; get cq1; get cq2"},
	{"… as is told after what was cancelled", verdict.Conformant, "",
		notation.Registered + "NdkSendAndInvalidate qp2 s1#7 SILENT_SUCCESS; NdkInvalidate qp1 i1#7; rest; get cq1 i1c r1i; get cq1; get cq2"},
	{"the peer's request fails, and was pending at a rest later than the cancel", verdict.ProviderViolation, "DEF-04",
		"NdkWrite qp1 w1 DEFER; NdkReceive qp2 r2; rest; get cq1; get cq2 r2c; rest; get cq1; get cq1 w1x; NdkWrite qp1 w2; get cq1 w2c; rest; get cq1"},
	{"… earlier than the cancel", verdict.ProviderViolation, "DEF-04",
		"NdkWrite qp1 w1 DEFER; NdkReceive qp2 r2; rest; get cq1; get cq2 r2c; get cq1 w1x; NdkWrite qp1 w2; get cq1 w2c; rest; get cq1; get cq2"},
	{"cancelled by the peer before the connection was", verdict.ProviderViolation, "",
		"new qp3; new qp4 cq3; NdkArmCq cq3 SOLICITED; NdkReceive qp4 r1; NdkConnect qp3 d; NdkWrite qp3 w1; enter cq3; NdkConnect qp4 d; " +
			"rest; get cq1 w1x; get cq1; get cq3 r1c; rest; get cq1; get cq3"},
	{"… by what the peer may have failed", verdict.ProviderViolation, "",
		"new qp3 cq3; new qp4 cq4; NdkArmCq cq3 ANY; NdkReceive qp3 r1; NdkConnect qp4 d; NdkWrite qp4 w1 DEFER; enter cq3; NdkConnect qp3 d; " +
			"get cq3 r1c; rest; get cq3"},
	{"… by a bad token that the peer's message may have named", verdict.ProviderViolation, "",
		"new qp3 cq3; new qp4 cq4; NdkArmCq cq3 ANY; NdkConnect qp4 d; NdkReceive qp3 r1; NdkSendAndInvalidate qp4 s1#7 SILENT_SUCCESS; enter cq3; " +
			"NdkConnect qp3 d; rest; get cq3 r1c; get cq3; get cq4; rest; get cq3; get cq4"},
	{"cancelled by the peer after the connection was", verdict.Conformant, "",
		"new qp3; new qp4 cq3; NdkArmCq cq3 SOLICITED; NdkReceive qp4 r1; NdkConnect qp3 d; NdkWrite qp3 w1; NdkConnect qp4 d; enter cq3; " +
			"rest; get cq1 w1x; get cq1; get cq3 r1c; rest; get cq1; get cq3"},
	{"what was cancelled came before what had completed by a rest", verdict.Conformant, "",
		"NdkReceive qp2 r2; NdkWrite qp1 w1 DEFER; NdkWrite qp2 w2; rest; get cq1; get cq2 r2c w2; NdkWrite qp1 w3; get cq1 w1x w3c; rest; get cq1; get cq2"},
	{"what was cancelled came after what had completed by a rest", verdict.Conformant, "",
		"NdkReceive qp2 r2; NdkWrite qp1 w1 DEFER; NdkWrite qp2 w2; rest; get cq1; get cq2 w2 r2c; NdkWrite qp1 w3; get cq1 w1x w3c; rest; get cq1; get cq2"},
	{"what a callback was for was cancelled before it", verdict.Conformant, "",
		"NdkArmCq cq2 ANY; NdkReceive qp2 r2; NdkWrite qp1 w1 DEFER; enter cq2; rest; get cq1; get cq2 r2c; NdkWrite qp1 w3; get cq1 w1x w3c; rest; get cq1; get cq2"},
	{"a callback was for another, and what was cancelled after it", verdict.Conformant, "",
		"NdkArmCq cq2 ANY; NdkReceive qp2 r2; NdkWrite qp1 w1 DEFER; NdkWrite qp2 w2; enter cq2; rest; get cq1; get cq2 w2 r2c; NdkWrite qp1 w3; get cq1 w1x w3c; rest; get cq1; get cq2"},
	{"a receive can't have failed by a message that is sent later", verdict.ProviderViolation, "RES-10",
		"NdkReceive qp2 r2; NdkWrite qp2 w2 DEFER; get cq2 w2c; NdkSend qp1 s1; get cq1 s1; get cq2 r2; rest; get cq1; get cq2"},
	{"what passed the read that was cancelled had not failed by a rest", verdict.Conformant, "",
		"NdkRead qp1 w1; NdkInvalidate qp1 i1#7 DEFER; rest; get cq1 w1c; get cq1; NdkWrite qp1 w2; get cq1 i1c w2c; rest; get cq1; get cq2"},
	{"a bad token ended the connection after what was cancelled, and its message failed", verdict.Conformant, "",
		"NdkReceive qp2 r1; NdkWrite qp1 w1; NdkSendAndInvalidate qp1 s1#7; get cq1 w1c; get cq1 s1x; rest; get cq1; get cq2"},
	{"a bad token can't have cancelled it before there was a receive for the message", verdict.ConsumerViolation, "DEF-06",
		"NdkWrite qp1 w1; NdkSendAndInvalidate qp2 s1#7 DEFER SILENT_SUCCESS; rest; get cq1 w1c; get cq1; get cq2; NdkReceive qp1 r1; " +
			"rest; get cq1; get cq2"},
	{"… nor without ending that receive", verdict.Conformant, "",
		"NdkReceive qp2 r2; a< NdkReceive qp1 r1; NdkSendAndInvalidate qp2 s1#7 DEFER SILENT_SUCCESS; a>; get cq2 r2c; rest; get cq1; get cq2"},
	{"cancelled by a flush before the peer was connected, and not what is behind it", verdict.ProviderViolation, "",
		"verbs;new qp3 cq3; new qp4 cq4; NdkConnect qp4 d; recv qp4 r1; recv qp4 r2; err qp4; NdkConnect qp3 d; rest; get cq4 r1c r2x; get cq4"},
	{"what was cancelled came before what ended otherwise, and that before the close", verdict.ConsumerViolation, "DEF-06",
		"NdkReceive qp1 r1; NdkReceive qp1 r2; NdkCloseQp qp1; NdkRead qp2 w1 DEFER; rest; get cq1 r1c r2x; get cq1; get cq2"},

	{"a point tells what failed after a rest, and may have passed a read before it", verdict.ProviderViolation, "RES-10",
		"NdkReceive qp1 r1; NdkRead qp1 w1 DEFER; NdkWrite qp1 w2 DEFER; NdkWrite qp2 w3; placed cq1 r1c; rest; placed cq1 w1; placed cq1 w2x; " +
			"get cq1 r1c w1 w2x; get cq2 w3; rest; get cq1; get cq2"},
	{"… a silent one", verdict.Conformant, "",
		"NdkReceive qp1 r1; NdkRead qp1 w1 DEFER SILENT_SUCCESS; NdkWrite qp1 w2 DEFER; NdkWrite qp2 w3; placed cq1 r1c; rest; placed cq1 w2x; " +
			"get cq1 r1c w2x; get cq2 w3; rest; get cq1; get cq2"},
	{"… one that was told before", verdict.ProviderViolation, "RES-10",
		"NdkReceive qp1 r1; NdkRead qp1 w1 DEFER; NdkWrite qp1 w2 DEFER; NdkWrite qp2 w3; placed cq1 r1c; rest; placed cq1 w1; " +
			"get cq1 r1c w1; placed cq1 w2x; get cq1 w2x; get cq2 w3; rest; get cq1; get cq2"},
	{"of what is told as flushed the first has no cause, though it is polled last", verdict.ProviderViolation, "", // which porcupine names, and the stream the next
		"verbs;new qp3 cq3 cq1; NdkConnect qp3 d; new qp4; NdkConnect qp4 d; recv qp3 r1; placed cq1 r1c; post qp3 w1; placed cq3 w1c; get cq3 w1c; get cq1 r1c"},
	{"… though what is behind it may have failed, too", verdict.ProviderViolation, "RES-11", "verbs;post qp1 w1; post qp1 w2; get cq1 w1c"},
	{"a CQ that may overflow later had lost nothing before", verdict.Conformant, "",
		crowded + "NdkWrite qp4 w1; NdkWrite qp3 w2 DEFER; rest; get cq1 w1c; get cq1; get cq3; NdkWrite qp3 w3 DEFER; NdkWrite qp3 w4"},

	// FLUSH-01: the flush that cancelled a request cancelled what had been posted behind it.
	{"a close cancels one, and the next one fails", verdict.Conformant, "",
		"NdkReceive qp1 r1; NdkReceive qp1 r2; a< NdkCloseQp qp1; a>; get cq1 r1c; get cq1 r2x; get cq1; get cq2"},
	{"a receive succeeds, and its QP was closed before anything was sent, which failed", verdict.ProviderViolation, "FLUSH-01",
		"NdkReceive qp1 r1; NdkCloseQp qp1; NdkSend qp2 s1; get cq2 s1x; get cq1 r1; rest; get cq1; get cq2"},
	{"a disconnect cancels one, and the next one succeeds", verdict.ProviderViolation, "FLUSH-01",
		"NdkWrite qp1 w1; NdkWrite qp1 w2; a< NdkDisconnect qp1; get cq1 w1c; a>; rest; get cq1 w2; get cq1; get cq2"},
	{"… or passed it", verdict.Conformant, "",
		"NdkRead qp1 w1; NdkWrite qp1 w2; a< NdkDisconnect qp1; get cq1 w1c; a>; rest; get cq1 w2; get cq1; get cq2"},

	{"a flush came after a rest within it, and so after a post that it crosses", verdict.ProviderViolation, "",
		"NdkReceive qp1 r1; a< NdkReceive qp1 r2; b< NdkFlush qp1; a>; rest; b>; placed cq1 r1c; rest; get cq1 r1c; get cq1; get cq2"},
	{"… and the post after the rest", verdict.Conformant, "",
		"NdkReceive qp1 r1; a< NdkReceive qp1 r2; b< NdkFlush qp1; rest; a>; b>; placed cq1 r1c; rest; get cq1 r1c; get cq1; get cq2"},

	// POLL-05: a send that succeeds takes a receive.
	{"a send succeeds, and there is no receive", verdict.ProviderViolation, "POLL-05", "NdkSend qp1 s1; get cq1 s1; NdkReceive qp2 r1; rest; get cq1; get cq2"},
	// POLL-05: a receive that succeeds takes a message, and one that was refused is none.
	{"a message is refused that was received while it was posted", verdict.ProviderViolation, "POLL-05",
		"NdkReceive qp2 r1; a< NdkSend qp1 s1; get cq2 r1; a> STATUS_INVALID_PARAMETER"},
	{"… and the receiver was closed meanwhile", verdict.ProviderViolation, "POLL-05",
		"NdkReceive qp2 r1; c< NdkCloseQp qp2; a< NdkSend qp1 s1; get cq2 r1; c>; a> STATUS_INVALID_PARAMETER"},
	{"… and its receive is placed", verdict.ProviderViolation, "POLL-05",
		"NdkReceive qp2 r1; a< NdkSend qp1 s1; placed cq2 r1; a> STATUS_INVALID_PARAMETER; get cq2 r1"},
	{"… and another was sent before", verdict.Conformant, "",
		"NdkReceive qp2 r1; NdkSend qp1 s0; a< NdkSend qp1 s1; get cq2 r1; a> STATUS_INVALID_PARAMETER; rest; get cq1 s0"},
	{"two sends succeed by one receive", verdict.ProviderViolation, "POLL-05",
		"NdkReceive qp2 r1; NdkSend qp1 s1; NdkSend qp1 s2; get cq1 s1 s2; get cq2 r1; rest; get cq1; get cq2"},
	{"a send succeeds, and its receive is told to have failed", verdict.ProviderViolation, "POLL-05",
		"NdkReceive qp2 r1; NdkSend qp1 s1; get cq1 s1; get cq2 r1x; rest; get cq1; get cq2"},
	{"… and another is posted only then", verdict.ProviderViolation, "POLL-05",
		"NdkReceive qp2 r1; NdkSend qp1 s1; get cq1 s1; NdkFlush qp2; NdkReceive qp2 r2; get cq2 r1c r2; rest; get cq1; get cq2"},
	{"a message comes before it can have been sent, and its send fails", verdict.ProviderViolation, "",
		"NdkArmCq cq1 ANY; NdkReceive qp1 r1; enter cq1; NdkSend qp2 s1; get cq2 s1x; get cq1 r1; rest; get cq1; get cq2"},
	{"a message comes when it was sent, and its send fails", verdict.Conformant, "",
		"NdkArmCq cq1 ANY; NdkReceive qp1 r1; NdkSend qp2 s1; enter cq1; get cq2 s1x; get cq1 r1; rest; get cq1; get cq2"},
	{"a message with a bad token is received as its QP is closed", verdict.ProviderViolation, "",
		"NdkReceive qp1 r1; NdkSendAndInvalidate qp2 s1#7; a< get cq1; NdkCloseQp qp1; a> r1; get cq2 s1c; rest; get cq2"},
	{"the send in its place fails later, and those behind it are like it", verdict.ProviderViolation, "",
		"NdkArmCq cq1 SOLICITED; NdkReceive qp1 r1; NdkSend qp2 s1; NdkSend qp2 s2; enter cq1; get cq1 r1; get cq2 s1x s2; rest; get cq1; get cq2"},
	{"the send in its place succeeds later, and those behind it are not like it", verdict.ProviderViolation, "",
		"NdkArmCq cq1 SOLICITED; NdkReceive qp1 r1; NdkSend qp2 s1; NdkSend qp2 s2 SEND_AND_SOLICIT_EVENT; enter cq1; get cq1 r1; get cq2 s1; rest; get cq1; get cq2"},
	{"a silent send had succeeded, and there was no receive", verdict.ProviderViolation, "FLAG-02",
		"NdkSend qp1 s1 SILENT_SUCCESS; NdkWrite qp1 w1; get cq1 w1; rest; get cq1; get cq2"},

	// DEF-04: as many receives are over as sends have succeeded, and what can't have succeeded has a completion.
	{"a silent message had arrived by a rest", verdict.ProviderViolation, "DEF-04",
		"NdkReceive qp2 r1; NdkSend qp1 s1 SILENT_SUCCESS; rest; get cq1; get cq2; get cq2 r1; rest; get cq1; get cq2"},
	{"a silent message had arrived by a rest, as what is behind it shows", verdict.ProviderViolation, "DEF-04",
		"NdkReceive qp2 r1; NdkSend qp1 s1 SILENT_SUCCESS; NdkWrite qp1 w1; rest; get cq1 w1; get cq1; get cq2; rest"},
	{"… and a poll of its receive came before that", verdict.ProviderViolation, "DEF-04",
		"NdkReceive qp2 r1; NdkSend qp1 s1 SILENT_SUCCESS; NdkWrite qp1 w1; rest; get cq2; get cq1 w1; get cq1; rest"},
	{"what was posted beside a post that is refused had completed by a rest", verdict.ProviderViolation, "DEF-04",
		"verbs;a< post qp1 s1; post qp1 w2; rest; get cq1; a> 12; get cq1 w2; rest; get cq1"},
	{"a silent message had ended by a rest, as its receive shows", verdict.ProviderViolation, "DEF-04",
		"NdkReceive qp2 r1; NdkSend qp1 s1 SILENT_SUCCESS; rest; get cq2; get cq2 r1; get cq1; rest; get cq1; get cq2"},
	{"a silent message had ended by a rest, as its receive shows, and failed", verdict.ProviderViolation, "DEF-04",
		"NdkReceive qp2 r1; NdkSend qp1 s1 SILENT_SUCCESS; rest; get cq2; get cq2 r1; get cq1 s1x; rest; get cq1; get cq2"},
	{"a poll between two rests returns after both", verdict.ProviderViolation, "DEF-04",
		"NdkReceive qp2 r1; NdkSend qp1 s1 SILENT_SUCCESS; rest; a< get cq1; rest; a>; get cq2"},
	{"a poll before the rest returns after it, and a callback is for nothing", verdict.ProviderViolation, "ARM-21",
		"NdkWrite qp1 w1; a< get cq1; rest; a> w1; NdkArmCq cq1 ANY; enter cq1"},
	{"… of a receive", verdict.ProviderViolation, "ARM-21",
		"NdkReceive qp1 r1; NdkSend qp2 s1; a< get cq1; rest; a> r1; NdkArmCq cq1 ANY; enter cq1; get cq2 s1"},
	{"… and nothing is left", verdict.Conformant, "", "NdkWrite qp1 w1; a< get cq1; rest; a> w1; rest; get cq1"},
	{"… and what the poll did not deliver is", verdict.Conformant, "",
		"NdkWrite qp1 w1; NdkWrite qp1 w2; a< get cq1; rest; a> w1; get cq1 w2"},
	{"… and is not", verdict.ProviderViolation, "DEF-04", "NdkWrite qp1 w1; NdkWrite qp1 w2; a< get cq1; rest; a> w1; get cq1; get cq1 w2"},
	{"a poll before the rest returns after it", verdict.Conformant, "",
		"NdkReceive qp2 r1; NdkSend qp1 s1 SILENT_SUCCESS; a< get cq1; rest; a>; get cq2"},
	{"a send that met no receive failed before a flush, and a silent request behind it succeeded", verdict.Conformant, "",
		"NdkSend qp1 s1; NdkWrite qp1 w1 SILENT_SUCCESS; NdkWrite qp1 w2; NdkFlush qp1; rest; get cq1 s1x; get cq1 w2c; get cq1; get cq2"},
	{"posts that are refused take no room", verdict.ProviderViolation, "DEF-04", crowded + "NdkReceive qp4 r1; NdkSend qp3 s1 SILENT_SUCCESS; " +
		"a< NdkWrite qp3 x1; a> STATUS_INSUFFICIENT_RESOURCES; a< NdkWrite qp3 x2; a> STATUS_INSUFFICIENT_RESOURCES; rest; get cq3; get cq1"},
	{"a flush cancelled a silent write behind another one, and a receive that came later may have failed by itself", verdict.ProviderViolation, "FLAG-02",
		"NdkWrite qp1 w1; NdkWrite qp1 w2 SILENT_SUCCESS; NdkFlush qp1; NdkReceive qp1 r1; rest; get cq1 w1c; get cq1"},
	{"… and came while the flush was running", verdict.ProviderViolation, "FLAG-02",
		"NdkWrite qp1 w1; NdkWrite qp1 w2 SILENT_SUCCESS; a< NdkFlush qp1; NdkReceive qp1 r1; a>; rest; get cq1 w1c; get cq1"},
	{"… and failed, which may have cancelled both", verdict.Conformant, "",
		"NdkWrite qp1 w1; NdkWrite qp1 w2 SILENT_SUCCESS; a< NdkFlush qp1; NdkReceive qp1 r1; a>; rest; get cq1 w1c r1x w2c; get cq1"},
	{"… which it can't have, as it came later", verdict.ProviderViolation, "FLAG-02",
		"NdkWrite qp1 w1; NdkWrite qp1 w2 SILENT_SUCCESS; NdkFlush qp1; NdkReceive qp1 r1; rest; get cq1 w1c r1x; get cq1"},
	{"… and the silent one may have come behind the flush", verdict.Conformant, "",
		"NdkWrite qp1 w1; a< NdkWrite qp1 w2 SILENT_SUCCESS; NdkFlush qp1; a>; NdkReceive qp1 r1; rest; get cq1 w1c; get cq1"},
	{"a send fails, and one behind it, and the receive waits", verdict.Conformant, "",
		"NdkArmCq cq2 ANY; NdkReceive qp2 r1; NdkSend qp1 s1; NdkSend qp1 s2 SILENT_SUCCESS; get cq1 s1x"},
	{"a silent message had arrived by a rest, and its receive was placed after it", verdict.ProviderViolation, "DEF-04",
		"NdkReceive qp2 r1; NdkSend qp1 s1 SILENT_SUCCESS; rest; placed cq2 r1; get cq2 r1; get cq1"},
	{"… or before it", verdict.Conformant, "",
		"NdkReceive qp2 r1; NdkSend qp1 s1 SILENT_SUCCESS; placed cq2 r1; rest; get cq2 r1; get cq1"},
	{"… and one that is not silent, and is not told", verdict.ProviderViolation, "DEF-04",
		"NdkReceive qp2 r1; NdkSend qp1 s1; rest; placed cq2 r1"},
	{"… and is told", verdict.ProviderViolation, "DEF-04",
		"NdkReceive qp2 r1; NdkSend qp1 s1; rest; placed cq2 r1; get cq1 s1; get cq2 r1"},
	{"… and the receive is posted behind the rest", verdict.Conformant, "",
		"NdkSend qp1 s1; rest; NdkReceive qp2 r1; placed cq2 r1; get cq1 s1; get cq2 r1"},
	{"a callback was for what no point tells, behind what a point tells", verdict.Conformant, "",
		"NdkArmCq cq1 ERRORS; NdkReceive qp1 r1; NdkSend qp2 s1; placed cq1 r1; NdkFlush qp1; NdkReceive qp1 r2; enter cq1"},
	{"a callback was for what is behind what a point places after it", verdict.ProviderViolation, "ARM-21",
		"NdkArmCq cq1 ANY; NdkWrite qp1 w1; NdkWrite qp1 w2; enter cq1; placed cq1 w1; rest"},
	{"… behind what another point had placed before", verdict.ProviderViolation, "ARM-21",
		"NdkArmCq cq1 ANY; NdkWrite qp1 w1; NdkWrite qp1 w2; NdkWrite qp1 w3; placed cq1 w1; get cq1 w1; enter cq1; NdkArmCq cq1 ANY; enter cq1; " +
			"placed cq1 w2; rest"},
	{"… for what is before it", verdict.Conformant, "",
		"NdkArmCq cq1 ANY; NdkWrite qp1 w1; NdkWrite qp1 w2; NdkWrite qp1 w3; placed cq1 w1; get cq1 w1; enter cq1; NdkArmCq cq1 ANY; enter cq1; " +
			"placed cq1 w3; rest"},
	{"… on another queue", verdict.Conformant, "",
		"NdkArmCq cq1 ANY; NdkWrite qp1 w1; NdkReceive qp1 r1; NdkSend qp2 s1; enter cq1; placed cq1 w1; rest; get cq2 s1"},
	{"… and what is behind it is refused, and was not", verdict.Conformant, "",
		"NdkArmCq cq1 ANY; NdkWrite qp1 w1; NdkReceive qp1 r1; NdkSend qp2 s1; a< NdkWrite qp1 w2; enter cq1; placed cq1 w1; " +
			"a> STATUS_INSUFFICIENT_RESOURCES; get cq1 r1 w1; get cq2 s1; rest; get cq1; get cq2"},
	{"a point tells of a receive, and none of the one before it", verdict.Conformant, "",
		"NdkReceive qp1 r1; NdkReceive qp1 r2; NdkSend qp2 s1; NdkSend qp2 s2; placed cq1 r2; rest"},
	{"a point places what is refused then", verdict.ProviderViolation, "DEF-03",
		"a< NdkWrite qp1 w1; placed cq1 w1; a> STATUS_INSUFFICIENT_RESOURCES; rest"},
	{"a point tells that a receive was solicited, before its send is told", verdict.Conformant, "",
		"NdkReceive qp2 r1; NdkSend qp1 s1 SEND_AND_SOLICIT_EVENT; placed cq2 r1 S; get cq1 s1; get cq2 r1; rest; get cq1; get cq2"},
	{"a silent request after a bad token can only fail", verdict.ProviderViolation, "",
		"NdkReceive qp1 r1; NdkSendAndInvalidate qp2 s1#7; get cq2 s1; get cq1 r1c; NdkWrite qp1 w1 SILENT_SUCCESS; rest; get cq1; get cq2; rest"},
	{"a write behind a send that was flushed", verdict.ProviderViolation, "DEF-04",
		"NdkSend qp1 s1; a< NdkWrite qp1 w1; NdkFlush qp1; a>; rest; get cq1 s1c; get cq1; get cq2"},
	{"a point tells that a send failed, and what is behind it waits no more", verdict.ProviderViolation, "DEF-04",
		"NdkSend qp1 s1; placed cq1 s1x; NdkWrite qp1 w1; rest; placed cq1 w1; get cq1 s1x w1; rest; get cq1; get cq2"},
	{"a send waits until its peer is connected", verdict.Conformant, "",
		"new qp3; new qp4; NdkConnect qp3 d; NdkReceive qp4 r1; NdkSend qp3 s1; rest; get cq1; NdkConnect qp4 d; get cq1 s1 r1; rest; get cq1"},
	{"a send and a receive were pending at a rest, and those before them had failed", verdict.ProviderViolation, "DEF-04",
		"NdkReceive qp2 r1; NdkReceive qp2 r2; NdkSend qp1 s1; NdkSend qp1 s2; rest; get cq2 r1x; get cq2; get cq1 s1x; get cq1; rest"},
	{"a send failed after a rest, and its receive before it, of which a callback had to tell", verdict.ProviderViolation, "ARM-11",
		connectedToo + "NdkArmCq cq1 SOLICITED; NdkReceive qp3 r1; NdkSend qp4 s1; rest; enter cq1; get cq1 r1x s1x; rest"},
	{"… and none had to", verdict.Conformant, "", connectedToo + "NdkReceive qp3 r1; NdkSend qp4 s1; rest; get cq1 r1x s1x; rest"},
	{"a message was received whose chain ended after a rest, and its receive had been pending then", verdict.Conformant, "",
		"NdkWrite qp1 w1; get cq1 w1x; NdkReceive qp2 r1; NdkSend qp1 s1 SILENT_SUCCESS DEFER; rest; get cq2; NdkWrite qp1 w2; rest; get cq2 r1; " +
			"get cq1 s1x w2; get cq1; get cq2; rest"},
	{"… and after its end", verdict.ProviderViolation, "DEF-04",
		"NdkWrite qp1 w1; get cq1 w1x; NdkReceive qp2 r1; NdkSend qp1 s1 SILENT_SUCCESS DEFER; rest; get cq2; NdkWrite qp1 w2; rest; get cq2; " +
			"get cq2 r1; get cq1 s1x w2; get cq1; get cq2; rest"},
	{"… and it had not been posted then", verdict.Conformant, "",
		"NdkWrite qp1 w1; get cq1 w1x; NdkReceive qp2 r1; rest; get cq2; NdkSend qp1 s1 SILENT_SUCCESS; NdkWrite qp1 w2; rest; get cq2 r1; " +
			"get cq1 s1x w2; get cq1; get cq2; rest"},
	{"a callback came after a rest, by which a send had its receive, as is told after another rest", verdict.ProviderViolation, "ARM-08",
		"NdkFlush qp2; NdkArmCq cq2 ERRORS; NdkSend qp2 s1; NdkReceive qp1 r1; rest; enter cq2; rest; get cq1; get cq2 s1x; get cq2"},
	{"a send was cancelled by a rest, and its receive was pending, and the callback came later", verdict.ProviderViolation, "",
		"NdkReceive qp1 r2; NdkArmCq cq1 SOLICITED; NdkReceive qp2 r1; NdkSend qp1 s1; rest; enter cq1; get cq1 r2x; get cq2; get cq1 s1c; get cq1"},
	{"a message had been received by a rest, and the receive that was not cancelled was pending", verdict.ProviderViolation, "DEF-04",
		"NdkFlush qp1; NdkReceive qp1 r1; NdkReceive qp1 r2; NdkSend qp2 s1; rest; get cq1 r1c; get cq1; get cq2 s1"},
	{"… of a silent one", verdict.ProviderViolation, "DEF-04",
		"NdkReceive qp1 r1; NdkReceive qp1 r2; NdkSend qp2 s1 SILENT_SUCCESS; rest; get cq1 r1x; get cq1; get cq2"},
	{"… as its CQ shows before", verdict.ProviderViolation, "DEF-04",
		"NdkFlush qp1; NdkReceive qp1 r1; NdkReceive qp1 r2; NdkSend qp2 s1 SILENT_SUCCESS; rest; get cq2; get cq1 r1c; get cq1"},
	{"… and two were cancelled", verdict.ProviderViolation, "DEF-04",
		"NdkFlush qp1; NdkReceive qp1 r1; NdkReceive qp1 r2; NdkReceive qp1 r3; NdkSend qp2 s1 SILENT_SUCCESS; NdkSend qp2 s2 SILENT_SUCCESS; " +
			"rest; get cq1 r1c r2c; get cq1; get cq2"},
	{"… and it was received after a poll had shown that", verdict.ProviderViolation, "DEF-04",
		"NdkFlush qp1; NdkReceive qp1 r1; NdkReceive qp1 r2; NdkSend qp2 s1; rest; get cq1 r1c; get cq1; get cq1 r2; get cq2 s1"},
	{"… and both were told before", verdict.ProviderViolation, "DEF-04",
		"NdkFlush qp1; NdkReceive qp1 r1; NdkReceive qp1 r2; NdkSend qp2 s1; get cq1 r1c; get cq2 s1; rest; get cq1"},
	{"… and it failed", verdict.Conformant, "",
		"NdkReceive qp1 r1; NdkReceive qp1 r2; NdkSend qp2 s1 SILENT_SUCCESS; rest; get cq1 r1x; get cq1; get cq2 s1x; get cq2"},
	{"… and a message behind it that names a token was cancelled", verdict.ProviderViolation, "DEF-04",
		"NdkReceive qp2 r1; NdkReceive qp2 r2; NdkSend qp1 s1 SILENT_SUCCESS; NdkSendAndInvalidate qp1 s2#7; rest; get cq1 s2c; get cq1; " +
			"get cq2 r1x; get cq2"},
	{"… or may have ended the connection", verdict.Conformant, "",
		"NdkReceive qp2 r1; NdkReceive qp2 r2; NdkReceive qp2 r3; NdkSend qp1 s1 SILENT_SUCCESS; NdkSendAndInvalidate qp1 s2#7; rest; get cq1 s2x; " +
			"get cq1; get cq2 r1 r2x r3c; get cq2"},
	{"a silent send may have waited at one rest, and not at a later one, as its receive was pending then", verdict.ProviderViolation, "DEF-04",
		"NdkFlush qp1; NdkReceive qp1 r1; NdkSend qp2 s1 SILENT_SUCCESS; rest; get cq1 r1c; NdkReceive qp1 r2; rest; get cq1; get cq2"},
	{"… as what is behind it tells", verdict.ProviderViolation, "DEF-04",
		"NdkFlush qp1; NdkReceive qp1 r1; NdkSend qp2 s1 SILENT_SUCCESS; rest; get cq1 r1c; NdkReceive qp1 r2; NdkWrite qp2 w1; rest; get cq2 w1x; " +
			"get cq1; get cq2"},
	{"… and that had failed, too", verdict.Conformant, "",
		"NdkFlush qp1; NdkReceive qp1 r1; NdkSend qp2 s1 SILENT_SUCCESS; rest; get cq1 r1c; NdkReceive qp1 r2; rest; get cq1 r2x; get cq2"},
	{"a send before it failed, and left it its receive, which was pending", verdict.ProviderViolation, "DEF-04",
		"NdkReceive qp2 r1; NdkSend qp1 s1; NdkSend qp1 s2; rest; get cq1 s1x; get cq1; get cq2"},
	{"… as a poll had shown", verdict.ProviderViolation, "DEF-04",
		"NdkReceive qp2 r1; NdkSend qp1 s1; get cq1 s1x; NdkSend qp1 s2; rest; get cq2; get cq1"},
	{"… and it is silent", verdict.ProviderViolation, "DEF-04",
		"NdkReceive qp2 r1; NdkSend qp1 s1; NdkSend qp1 s2 SILENT_SUCCESS; rest; get cq1 s1x; get cq1; get cq2"},
	{"… and a poll had shown that before", verdict.ProviderViolation, "DEF-04",
		"NdkReceive qp2 r1; NdkSend qp1 s1; NdkSend qp1 s2 SILENT_SUCCESS; rest; get cq2; get cq1 s1x; get cq1"},
	{"… and the receive had failed", verdict.Conformant, "",
		"NdkReceive qp2 r1; NdkSend qp1 s1; NdkSend qp1 s2; rest; get cq1 s1x; get cq1; get cq2 r1x; get cq2"},
	{"… and it was cancelled, and a write is behind it", verdict.ProviderViolation, "DEF-04",
		"NdkReceive qp2 r1; NdkSend qp1 s1; NdkSend qp1 s2; NdkWrite qp1 w1; rest; get cq1 s1x s2c; get cq1; get cq2"},
	{"… as a poll had shown", verdict.ProviderViolation, "DEF-04",
		"NdkReceive qp2 r1; NdkSend qp1 s1; NdkSend qp1 s2; NdkWrite qp1 w1; rest; get cq2; get cq1 s1x s2c; get cq1"},
	{"… and the receive had failed: what is cancelled by a rest was so with all that was behind it", verdict.ProviderViolation, "DEF-04",
		"NdkReceive qp2 r1; NdkSend qp1 s1; NdkSend qp1 s2; NdkWrite qp1 w1; rest; get cq1 s1x s2c; get cq1; get cq2 r1x; get cq2"},
	{"… and a send is behind it, for which there was none", verdict.Conformant, "",
		"NdkReceive qp2 r1; NdkSend qp1 s1; NdkSend qp1 s2; NdkSend qp1 s3; rest; get cq1 s1x s2; get cq1; get cq2 r1; get cq2"},
	{"… or a write whose chain had not ended", verdict.Conformant, "",
		"NdkReceive qp2 r1; NdkSend qp1 s1; NdkSend qp1 s2; NdkWrite qp1 w1 DEFER; rest; get cq1 s1x s2c; get cq1; get cq2; NdkWrite qp1 w2"},
	{"a send failed before another one was posted, and left it a receive, of which a callback had to tell", verdict.ProviderViolation, "ARM-09",
		"NdkSend qp1 s1; get cq1 s1x; NdkReceive qp2 r1; NdkArmCq cq1 ANY; NdkSend qp1 s2; rest; enter cq1; get cq1 s2x; get cq2"},
	{"… and the receive may have failed", verdict.Conformant, "",
		"NdkSend qp1 s1; get cq1 s1x; NdkReceive qp2 r1; NdkArmCq cq1 ANY; NdkSend qp1 s2; rest; NdkReceive qp2 r2; enter cq1; get cq1 s2x; get cq2 r1x; get cq2"},
	{"a bad token ended the connection, as no receive took its message, and a flush may have cancelled that", verdict.ProviderViolation, "",
		"NdkReceive qp2 r1; NdkFlush qp1; NdkReceive qp1 r2; NdkReceive qp1 r3; NdkSendAndInvalidate qp2 s1#7; rest; get cq1 r2c; get cq1; get cq2 s1"},
	{"… and nothing was pending", verdict.Conformant, "",
		"NdkReceive qp2 r1; NdkFlush qp1; NdkReceive qp1 r2; NdkReceive qp1 r3; NdkSendAndInvalidate qp2 s1#7 SILENT_SUCCESS; rest; get cq1 r2c r3c; " +
			"get cq1; get cq2"},
	{"a bad token had ended the connection by a rest, of a chain that has not ended, behind a silent request", verdict.Conformant, "",
		"NdkReceive qp1 r1; NdkReceive qp2 r2; NdkArmCq cq1 SOLICITED; NdkWrite qp1 w1 SILENT_SUCCESS DEFER; NdkSendAndInvalidate qp1 s1#8 DEFER; " +
			"enter cq1; rest; get cq1 r1c; get cq1; get cq2"},
	{"a send had ended by a rest, its receive was pending, and one poll delivers it behind another", verdict.ProviderViolation, "ARM-08",
		endedBefore + "NdkArmCq cq1 ERRORS; NdkReceive qp1 r2; NdkReceive qp2 r1; NdkSend qp1 s1; rest; enter cq1; get cq1 r2x s1x; get cq1; get cq2"},
	{"… or before it", verdict.Conformant, "",
		endedBefore + "NdkArmCq cq1 ERRORS; NdkReceive qp1 r2; NdkReceive qp2 r1; NdkSend qp1 s1; rest; NdkReceive qp2 r3; enter cq1; get cq1 s1x r2x; get cq1; get cq2"},
	{"a bad token had ended the connection by a rest, as all receives had been posted by then", verdict.ProviderViolation, "",
		"a< NdkFlush qp1; NdkSendAndInvalidate qp1 s1#8; NdkReceive qp1 r2; NdkReceive qp2 r1; a>; rest; get cq1 s1; get cq1; get cq2 r1c; get cq2"},
	{"… and cancelled what was pending", verdict.Conformant, "",
		"a< NdkFlush qp1; NdkSendAndInvalidate qp1 s1#8; NdkReceive qp1 r2; NdkReceive qp2 r1; a>; rest; get cq1 s1 r2c; get cq1; get cq2 r1c; get cq2"},
	{"… and one was posted later", verdict.ProviderViolation, "DEF-04",
		"a< NdkFlush qp1; NdkSendAndInvalidate qp1 s1#8; NdkReceive qp1 r2; NdkReceive qp2 r1; a>; rest; NdkReceive qp2 r3; get cq1 s1; get cq1; " +
			"get cq2 r1c; get cq2 r3c; get cq1 r2c"},
	{"a silent invalidation was over by a rest, and what made its token valid was deferred", verdict.ProviderViolation, "",
		"NdkFastRegister qp2 f1#7 DEFER; NdkInvalidate qp1 i1#7 SILENT_SUCCESS; rest; get cq1; get cq2; NdkWrite qp2 w2; get cq2 f1 w2; rest; get cq1; get cq2"},
	{"a silent message had succeeded, as its CQ shows later, and what it brought was not solicited", verdict.ProviderViolation, "ARM-12",
		"NdkArmCq cq2 SOLICITED; NdkReceive qp2 r1; NdkSend qp1 s1 SILENT_SUCCESS; NdkSend qp1 s2 SEND_AND_SOLICIT_EVENT; enter cq2; get cq2 r1; " +
			"rest; get cq1; get cq2"},
	{"a receive had completed by a rest at which all messages had been posted, whichever it took", verdict.ProviderViolation, "DEF-04",
		failedBefore + "NdkReceive qp2 r1; NdkSend qp1 s1 SILENT_SUCCESS; rest; placed cq2 r1; rest; get cq2 r1; get cq1; get cq2"},
	{"… as the one that it took failed", verdict.ProviderViolation, "DEF-04",
		"NdkReceive qp2 r1; NdkSend qp1 s1; rest; get cq1 s1x; get cq1; get cq2; get cq2 r1; get cq2"},
	{"… and a write was posted later", verdict.ProviderViolation, "DEF-04",
		"NdkReceive qp2 r1; NdkSend qp1 s1; rest; get cq1 s1x; get cq1; get cq2; NdkWrite qp1 w1; get cq2 r1; get cq2; get cq1 w1"},
	{"… and a write was deferred", verdict.ProviderViolation, "DEF-04",
		"NdkReceive qp2 r1; NdkSend qp1 s1; rest; get cq1 s1x; get cq1; get cq2; NdkWrite qp1 w1 DEFER; get cq2 r1; get cq2; NdkWrite qp1 w2; get cq1 w1 w2"},
	{"… and by a later rest a flush had cancelled what was pending", verdict.ProviderViolation, "DEF-04",
		"NdkReceive qp2 r1; NdkSend qp1 s1; rest; get cq1 s1x; get cq1; get cq2; NdkFlush qp2; rest; get cq2 r1; get cq2"},
	{"… and a send was posted before the flush", verdict.Conformant, "",
		"NdkReceive qp2 r1; rest; get cq2; NdkSend qp1 s1; NdkFlush qp2; rest; get cq1 s1x; get cq1; get cq2 r1; get cq2"},
	{"… and had to notify", verdict.ProviderViolation, "ARM-09",
		"NdkArmCq cq2 ANY; " + failedBefore + "NdkReceive qp2 r1; NdkSend qp1 s1; rest; enter cq2; get cq2 r1; get cq1 s1; get cq1; get cq2"},
	{"… and one was posted later", verdict.Conformant, "",
		failedBefore + "NdkReceive qp2 r1; NdkSend qp1 s1; rest; get cq2; NdkSend qp1 s2; get cq2 r1; get cq1 s1x s2; get cq2"},
	{"… and the chain of one had not ended", verdict.Conformant, "",
		failedBefore + "NdkReceive qp2 r1; NdkSend qp1 s1 DEFER; rest; get cq2; NdkSend qp1 s2; get cq2 r1; get cq1 s1 s2x; get cq2"},
	{"… and its sender was being closed", verdict.ProviderViolation, "DEF-04",
		"NdkReceive qp2 r1; NdkWrite qp1 w1; NdkSend qp1 s1; get cq1 w1x; NdkCloseQp qp1; rest; get cq2; get cq2 r1; get cq2"},
	{"… and the post of one had not returned", verdict.Conformant, "",
		failedBefore + "NdkReceive qp2 r1; a< NdkSend qp1 s1; rest; get cq2; a>; get cq2 r1; get cq1 s1; get cq2"},
	{"a message that names a token failed, and took no receive: the next one took the next", verdict.ProviderViolation, "", // DEF-04, or INV-05 of the success
		"NdkReceive qp1 r1; NdkSendAndInvalidate qp2 s1#7; get cq1 r1x; get cq2 s1x; NdkReceive qp1 r2; NdkSend qp2 s2; rest; get cq1; " +
			"get cq2 s2; get cq2"},
	{"… or had ended the connection, on which nothing succeeds", verdict.ProviderViolation, "INV-05",
		"NdkReceive qp1 r1; NdkSendAndInvalidate qp2 s1#7; get cq1 r1x; get cq2 s1x; NdkReceive qp1 r2; NdkSend qp2 s2; rest; get cq1 r2; " +
			"get cq1; get cq2 s2; get cq2"},
	{"which message a receive took that failed leaves the next waiting at rest", verdict.ProviderViolation, "DEF-04",
		"NdkReceive qp1 r1; NdkReceive qp1 r2; NdkSend qp2 s1; get cq2 s1; rest; get cq1 r1x; get cq1; get cq2"},
	{"posts overlap, and one of them waits at rest for nobody", verdict.ProviderViolation, "DEF-04",
		"verbs;a< post qp1 w1; b< post qp1 w2; b>; placed cq1 w1; rest; placed cq1 w2; a>; get cq1 w1 w2; get cq1"},
	{"a fenced message was received whose read was cancelled", verdict.ProviderViolation, "POLL-05",
		"NdkReceive qp2 r1; NdkRead qp1 x1; NdkSend qp1 s1 READ_FENCE; NdkFlush qp1; get cq2 r1; get cq1 x1c; event; rest; get cq1"},
	{"an abort came before its event, and a send behind it had not completed at rest", verdict.ProviderViolation, "FLUSH-02",
		"NdkReceive qp2 r1; NdkRead qp1 x1; NdkSend qp1 s1; NdkFlush qp1; get cq2 r1; get cq1 x1c; event; rest; get cq1"},
	{"libibverbs reports a failure before the QP is connected as flushed", verdict.Conformant, "",
		"verbs;new qp3; new qp4 cq3; ibv_modify_qp qp4 d; e< ibv_get_cq_event cq1; recv qp3 r3; post qp4 s4; ibv_req_notify_cq cq1 S; " +
			"ibv_modify_qp qp3 d; get cq1 r3c"},
	{"… and is not taken for one once it is connected", verdict.ProviderViolation, "ARM-11",
		"verbs;new qp3; new qp4 cq3; ibv_modify_qp qp4 d; e< ibv_get_cq_event cq1; post qp4 s4; ibv_req_notify_cq cq1 S; recv qp3 r3; " +
			"ibv_modify_qp qp3 d; get cq1 r3c"},
}

// crowded connects qp3, whose CQ has room for two completions.
const crowded = "new qp3 cq3; new qp4; NdkConnect qp3 d; NdkConnect qp4 d; "

// connectedToo connects two QPs of one CQ.
const connectedToo = "new qp3; new qp4; NdkConnect qp3 d; NdkConnect qp4 d; "

// failedBefore leaves it unknown which messages of qp1 go to which receives.
const failedBefore = "NdkSend qp1 s0; get cq1 s0x; "

// endedBefore may have ended the connection of qp1 and qp2.
const endedBefore = "NdkWrite qp2 w1; get cq2 w1x; "

func TestEnginesDecideAlike(t *testing.T) {
	for _, test := range alike {
		t.Run(test.name, func(t *testing.T) {
			for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
				r := linearize.Check(context.Background(), notation.Overlapped(t, test.text), linearize.Options{Engine: engine})
				if r.Verdict != test.verdict || test.rule != "" && !judging.Equivalent(r.Findings[0], test.rule) {
					t.Errorf("%s: %s, want %s %s: %+v", engine, r.Verdict, test.verdict, test.rule, r.Findings)
				}
			}
		})
	}
}

// In one reading of A15 what is executed behind a flush is cancelled, and wakes who waits for that (FLUSH-05, ARM-11): a receive that was
// pending at a moment of rest, what a point places, and what is there when its QP is closed.
func TestWhatIsBehindAFlush(t *testing.T) {
	for text, breaks := range map[string]bool{ // in that reading
		"new qp3; NdkConnect qp3 d; a< NdkReceive qp3 r1; NdkFlush qp3; a>; rest; get cq1; get cq1 r1; rest; get cq1": true,
		"NdkArmCq cq1 SOLICITED; NdkFlush qp1; NdkWrite qp1 w1; rest":                                                 true,
		"NdkArmCq cq1 SOLICITED; NdkWrite qp1 w1; NdkFlush qp1; rest":                                                 false,
		"NdkArmCq cq1 SOLICITED; NdkFlush qp1; NdkWrite qp1 w1; rest; NdkCloseQp qp1; rest":                           true,
		"NdkFlush qp1; NdkWrite qp1 w1; NdkCloseQp qp1; get cq1 w1":                                                   true,
		"NdkFlush qp1; NdkWrite qp1 w1; g< get cq1; NdkCloseQp qp1; g> w1":                                            true,
		"NdkFlush qp1; NdkWrite qp1 w1; a< NdkCloseQp qp1; get cq1 w1x; a>":                                           true,
		"NdkFlush qp1; NdkWrite qp1 w1; NdkCloseQp qp1; get cq1 w1c":                                                  false,
		"NdkWrite qp1 w1; NdkFlush qp1; NdkCloseQp qp1; get cq1 w1":                                                   false,
		"a< NdkFlush qp1; NdkWrite qp1 w1; a>; NdkCloseQp qp1; get cq1 w1":                                            false,
		"NdkReceive qp1 r1; a< NdkFlush qp1; NdkReceive qp1 r2; a>; get cq1 r1c r2x":                                  false, // the connection was lost before the flush
		"NdkReceive qp1 r1; NdkReceive qp2 r3; a< NdkFlush qp1; NdkReceive qp1 r2; a>; get cq2 r3x; get cq1 r1c r2x":  false,
		"new qp3; NdkConnect qp3 d; NdkFlush qp3; NdkReceive qp3 r1; get cq1 r1x":                                     false, // the other end is not in the trace
		"NdkDisconnect qp1; NdkFlush qp1; NdkRead qp1 x1; get cq1 x1x":                                                false, // it was disconnected before
		"NdkFlush qp1; NdkReceive qp1 r1; get cq1 r1x":                                                                true,
		"NdkRead qp1 x1; a< NdkFlush qp1; NdkWrite qp1 w1 READ_FENCE; a>; get cq1 x1c w1":                             true,
		"NdkRead qp1 x1; a< NdkFlush qp1; NdkWrite qp1 w1; a>; get cq1 x1c w1":                                        false,
		"new qp3; NdkReceive qp3 r1; a< NdkFlush qp3; NdkReceive qp3 r2; a>; get cq1 r1c r2x; NdkConnect qp3 d":       false, // it was not connected
		"NdkFlush qp1; NdkWrite qp1 w1; placed cq1 w1":                                                                true,
		"verbs;err qp1; post qp1 w1; placed cq1 w1x":                                                                  false, // libibverbs has no NdkFlush
		"verbs;err qp1; post qp1 w1; placed cq1 w1c":                                                                  false,
		"verbs;post qp1 w1; err qp1; placed cq1 w1":                                                                   false,
	} {
		for choice, want := range map[string]verdict.Verdict{"FREE": verdict.Conformant, "CANCELLED": verdict.ProviderViolation} {
			if !breaks {
				want = verdict.Conformant
			}
			for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
				r := linearize.Check(context.Background(), notation.Overlapped(t, text), linearize.Options{Engine: engine, Assume: map[string]string{"A15": choice}})
				if r.Verdict != want {
					t.Errorf("A15=%s: %s: %s: %s, want %s: %+v", choice, text, engine, r.Verdict, want, r.Findings)
				}
			}
		}
	}
}

// A receive that was told before its send may have taken a later message, if that send fails: porcupine accepts that, and the stream
// leaves open what it has found meanwhile (ARM-10).
func TestReceivesToldBeforeTheirSends(t *testing.T) {
	for _, text := range []string{
		solicitedLater + "get cq1 r1; get cq2 s1x s2; rest; get cq1; get cq2",
		solicitedLater + "get cq1 r1; rest; get cq1",
	} {
		if r := judging.Stream(notation.Overlapped(t, text), linearize.Options{}); r.Decided() || !strings.Contains(r.Findings[0].Message, "s1 may have failed") {
			t.Errorf("%s: %s: %+v", text, r.Verdict, r.Findings)
		}
		if r := linearize.Check(context.Background(), notation.Overlapped(t, text), linearize.Options{Engine: linearize.Porcupine}); r.Verdict != verdict.Conformant {
			t.Errorf("%s: porcupine: %s: %+v", text, r.Verdict, r.Findings)
		}
	}
}

const solicitedLater = "NdkArmCq cq1 SOLICITED; NdkReceive qp1 r1; NdkSend qp2 s1; NdkSend qp2 s2 SEND_AND_SOLICIT_EVENT; enter cq1; "

// A CQ may have failed before it was armed and told so, and its QPs, and their peers, with it, or the connection was lost: either explains
// what was cancelled (ARM-17, ARM-18).
func TestCancelledByACqThatTellsLater(t *testing.T) {
	text := "NdkReceive qp2 r2; rest; get cq2 r2c; get cq1; NdkArmCq cq1 ANY; enter cq1 STATUS_INTERNAL_ERROR; rest; get cq2"
	for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
		if r := linearize.Check(context.Background(), notation.Overlapped(t, text), linearize.Options{Engine: engine}); r.Verdict != verdict.Conformant {
			t.Errorf("%s: %s: %+v", engine, r.Verdict, r.Findings)
		}
	}
}

// For a QP whose creation the trace does not record, it is not known what had completed: its receives don't show when a bad token can have ended the
// connection (INV-05).
func TestStreamOnAPeerWhoseCqIsNotKnown(t *testing.T) {
	r := judging.Stream(notation.Overlapped(t, "new qp4 cq4; NdkConnect qp3 d; NdkConnect qp4 d; NdkReceive qp3 r3; NdkReceive qp4 r4; "+
		"NdkSendAndInvalidate qp4 s1#7 SILENT_SUCCESS; get cq4 r4c; rest; get cq4"), linearize.Options{})
	if r.Verdict != verdict.Inconclusive || r.Violated() {
		t.Errorf("%s: %+v", r.Verdict, r.Findings)
	}
}

// What the stream would have to search for it leaves open: a send had succeeded before its CQ failed, which is polled later (ARM-17, DEF-04).
func TestStreamLeavesOpenWhatIsKnownTooLate(t *testing.T) {
	for text, why := range map[string]string{
		"NdkArmCq cq2 ANY; NdkSend qp2 s1; NdkReceive qp1 r1; enter cq2 STATUS_INTERNAL_ERROR; rest; get cq1; get cq2 s1; get cq2": "when cq2 failed",
	} {
		trace := notation.Overlapped(t, text)
		r := judging.Stream(trace, linearize.Options{})
		if r.Decided() || !strings.Contains(r.Findings[0].Message, why) {
			t.Errorf("%s: %s: %+v", text, r.Verdict, r.Findings)
		}
		undecidedBy(t, text, r)
		if r = linearize.Check(context.Background(), trace, linearize.Options{Engine: linearize.Porcupine}); r.Verdict != verdict.ProviderViolation {
			t.Errorf("%s: porcupine: %s: %+v", text, r.Verdict, r.Findings)
		}
	}
}

// A receive that was told to have succeeded took the message in its place, though that send is told later to have failed: was
// it solicited, it has to notify, and was it not, it has not (ARM-10, ARM-12).
func TestMessagesArriveWhoseSendFails(t *testing.T) {
	for _, test := range []struct {
		text    string
		verdict verdict.Verdict
	}{
		{"arm SOLICITED; recv q1; peer s1 S; get q1; peerget s1x; rest; get", verdict.ProviderViolation},
		{"arm SOLICITED; recv q1; peer s1 S; cb<; get q1; cb>; peerget s1x; rest; get", verdict.Conformant},
		{"arm SOLICITED; recv q1; peer s1; get q1; peerget s1x; rest; get", verdict.Conformant},
		{"arm SOLICITED; recv q1; peer s1; cb<; get q1; cb>; peerget s1x; rest; get", verdict.ProviderViolation},
		{"arm SOLICITED; recv q1; recv q2; peer s1; peer s2 S; get q1 q2; peerget s1x s2c; rest; get", verdict.ProviderViolation},
		{"arm SOLICITED; recv q1; recv q2; peer s1; peer s2 S; get q1; peerget s1x s2c; get q2; rest; get", verdict.Conformant}, // told too late to know
	} {
		for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
			if r := linearize.Check(context.Background(), notation.Script(t, test.text), linearize.Options{Engine: engine}); r.Verdict != test.verdict {
				t.Errorf("%s: %s: %s, want %s: %+v", test.text, engine, r.Verdict, test.verdict, r.Findings)
			}
		}
	}
}

// A silent request that has succeeded leaves no completion: the next one's may be what a callback is for (ARM-09, FLAG-01).
func TestCallbackForWhatNoPollDelivered(t *testing.T) {
	for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
		r := linearize.Check(context.Background(), notation.Script(t, "arm ANY; post 1 Q; rest; post 2; cb<; cb>; cut"), linearize.Options{Engine: engine})
		if r.Verdict != verdict.Inconclusive || r.Findings[0].Message != verdict.NotAtRest {
			t.Errorf("%s: %s: %+v", engine, r.Verdict, r.Findings)
		}
	}
}

// A completion that no poll delivers need not be a success, which would not match SOLICITED (ARM-11).
func TestUntoldOutcomeIsNoSuccess(t *testing.T) {
	r := linearize.Check(context.Background(), notation.Script(t, "arm SOLICITED; post 1; flush; arm ANY"), linearize.Options{Engine: linearize.Porcupine})
	if want := "(its outcome is not recorded)"; len(r.Findings) == 0 || !strings.Contains(r.Findings[0].Message, want) {
		t.Errorf("%s: %+v, want %q", r.Verdict, r.Findings, want)
	}
}

// A breach that leaves the state as it is known hides nothing that comes after it, and is told once: RES-01 beside ARM-03.
func TestStreamGoesOnAfterABreach(t *testing.T) {
	traced := notation.Script(t, "arm ANY; post 1; post 2; exget 1 2; rest; get")
	for i := range traced.Events {
		for j := range traced.Events[i].Results {
			traced.Events[i].Results[j].Type = "Read"
		}
	}
	r := judging.Stream(traced, linearize.Options{})
	if len(r.Findings) != 2 || r.Findings[0].Rule != "RES-01" || !judging.Equivalent(r.Findings[1], "ARM-03") {
		t.Errorf("%+v", r.Findings)
	}
}

// A registration that a callback polls within its call makes its token valid only if it succeeded (INV-05).
func TestStreamFollowsRegistrationsPolledWithinTheirCall(t *testing.T) {
	text, err := os.ReadFile("../traces/accept/bind-polled-before-its-call-returns.ndktrace.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	succeeded := []byte(`{"wr":"b1","qp":"qp2","status":"STATUS_SUCCESS"}`)
	failed := bytes.Replace(text, succeeded, []byte(`{"wr":"b1","qp":"qp2","status":"STATUS_ACCESS_VIOLATION"}`), 1)
	for _, test := range []struct {
		text    []byte
		verdict verdict.Verdict
		rule    string
	}{{text, verdict.Conformant, ""}, {failed, verdict.ProviderViolation, "INV-05"}} {
		traced, err := trace.Read(t.Name(), bytes.NewReader(test.text), 0)
		if err != nil {
			t.Fatal(err)
		}
		r := judging.Stream(traced, linearize.Options{})
		if r.Verdict != test.verdict || test.rule != "" && r.Findings[0].Rule != test.rule {
			t.Errorf("%s, want %s of %q: %+v", r.Verdict, test.verdict, test.rule, r.Findings)
		}
	}
}
