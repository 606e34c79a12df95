package monitor

import (
	"fmt"
	"strings"

	"ndkoracle/linearize/declared"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// Half is the send or the receive of a message, as its post has it.
type Half struct {
	Wr    string
	Op    model.Op
	Token *uint32
	Bytes Length
}

// A Length is how many bytes a message has, or the buffers of a receive. The bytes of an RDMA write with immediate data do not go into the buffers of the
// receive that it consumes: such a length is below written, and is written-1 less its bytes.
type Length int64

const (
	Unknown Length = unknown     // the trace does not record it
	Either  Length = unknown - 1 // one of several messages that differ, in kind or in length
	written Length = unknown - 2 // that of an RDMA write with immediate data, which the trace does not record
)

// LengthOf returns the length of the data of a work request, or of its buffers.
func LengthOf(w *trace.WorkRequest) Length { return lengthOf(w.Opcode, known(w.Bytes)) }

func lengthOf(opcode string, bytes int64) Length {
	n := Length(bytes)
	switch {
	case strings.TrimPrefix(opcode, "IBV_WR_") != "RDMA_WRITE_WITH_IMM":
		return n
	case n == Unknown:
		return written
	}
	return written - 1 - n
}

// isWritten reports whether the bytes go elsewhere than into the buffers of the receive.
func (n Length) isWritten() bool { return n <= written }

// bytes returns the number of bytes, or Unknown.
func (n Length) bytes() Length {
	switch {
	case n < written:
		return written - 1 - n
	case n < 0:
		return Unknown
	}
	return n
}

var _ = decides(
	rule{ID: "RES-03", On: on{"a receive reports which token its message invalidated"}, Alone: true, Rests: declared.Matching | declared.Tokens},
	rule{ID: "RES-12", On: on{"a receive succeeds, and its length and that of its message are known"}, Alone: true, Rests: declared.TheMessage, Undefined: "a property of one result: the contract has no lengths"},
)

// A Breach is a rule that the completion of a receive breaks.
type Breach struct {
	Rule    string
	Message string
	Instead string // what it would have said
	Of      Compared
}

// Compared is what of a receive and its message a breach compares.
type Compared uint8

// What is compared.
const (
	OfType    Compared = iota // which the messages have in common of a peer that names a token with all of them, or with none
	OfToken                   // the token
	OfContent                 // what another message of the same kind may have otherwise
)

// A Delivery is a receive that succeeded with the message that it took. Which one that is an engine finds.
type Delivery struct {
	Dialect       model.Dialect
	Send, Receive Half
	Result        *trace.Result
}

// Check compares what the completion of the receive says with its message: RES-01, RES-02, RES-03, RES-12 and RES-13. It calls count for each of these that
// has something to compare, and returns the first that is broken.
func (d *Delivery) Check(count func(rule string)) (Breach, bool) {
	if b, broken := d.checkType(); broken {
		return b, true
	}
	if b, broken := d.checkToken(count); broken {
		return b, true
	}
	if b, broken := d.checkOpcode(); broken {
		return b, true
	}
	return d.checkLength(count)
}

func (d *Delivery) verbs() bool { return d.Dialect.Ibverbs }

// checkType is RES-02.
func (d *Delivery) checkType() (Breach, bool) {
	want := "Receive"
	if d.Send.Op == model.SendAndInvalidate {
		want = "ReceiveAndInvalidate"
	}
	if d.verbs() || d.Result.Type == "" || d.Result.Type == want {
		return Breach{}, false
	}
	return Breach{wrongType, fmt.Sprintf("%s took the %v %s, and its completion has type %s: it is %s",
		d.Receive.Wr, d.Send.Op, d.Send.Wr, d.Result.Type, want), "type " + want, OfType}, true
}

// checkOpcode is RES-01 of a receive of libibverbs. An opcode without a name, or of tag matching, says nothing here.
func (d *Delivery) checkOpcode() (Breach, bool) {
	want := "RECV"
	if d.Send.Bytes.isWritten() {
		want = "RECV_RDMA_WITH_IMM"
	}
	got := strings.TrimPrefix(d.Result.Opcode, "IBV_WC_")
	if !d.verbs() || got == want || got != "RECV" && got != "RECV_RDMA_WITH_IMM" || d.Send.Bytes == Either {
		return Breach{}, false
	}
	return Breach{"RES-01", fmt.Sprintf("%s took the message %s, and its completion has the opcode IBV_WC_%s: it is IBV_WC_%s", d.Receive.Wr, d.Send.Wr, got, want),
		"opcode IBV_WC_" + want, OfContent}, true
}

// NamesAnotherToken reports whether the completion of the receive names another token than its message (RES-03). With a message that names none the
// field is undefined.
func (d *Delivery) NamesAnotherToken() bool {
	return d.namesTokens() && *d.Result.Token != *d.Send.Token
}

func (d *Delivery) namesTokens() bool {
	told := d.verbs() || d.Result.Type == "ReceiveAndInvalidate"
	return told && d.Send.Op == model.SendAndInvalidate && d.Result.Token != nil && d.Send.Token != nil
}

// checkToken is RES-03.
func (d *Delivery) checkToken(count func(string)) (Breach, bool) {
	if d.namesTokens() {
		count("RES-03")
	}
	if !d.NamesAnotherToken() {
		return Breach{}, false
	}
	return Breach{"RES-03", fmt.Sprintf("%s names the invalidated token %d, and the peer's %s invalidated %d",
		d.Receive.Wr, *d.Result.Token, d.Send.Wr, *d.Send.Token), fmt.Sprintf("token %d", *d.Send.Token), OfToken}, true
}

// checkLength is RES-12 and RES-13. That a completion has more bytes than the buffers needs no message, and is told without.
func (d *Delivery) checkLength(count func(string)) (Breach, bool) {
	sent, room, got := d.Send.Bytes.bytes(), d.Receive.Bytes, Length(known(d.Result.Bytes))
	if d.Send.Bytes.isWritten() {
		room = Unknown // it does not matter
	}
	switch {
	case sent == Unknown || room != Unknown && got > room:
		return Breach{}, false
	case room != Unknown && sent > room:
		return Breach{tooLong, fmt.Sprintf("the receive %s succeeded with buffers of %d bytes, and its message %s has %d", d.Receive.Wr, room, d.Send.Wr, sent),
			"a failure of " + d.Receive.Wr, OfContent}, true
	case got == Unknown:
		return Breach{}, false
	}
	if count("RES-12"); got == sent {
		return Breach{}, false
	}
	return Breach{"RES-12", fmt.Sprintf("the receive %s succeeded with %d bytes, and its message %s has %d", d.Receive.Wr, got, d.Send.Wr, sent),
		fmt.Sprintf("%d bytes", sent), OfContent}, true
}
