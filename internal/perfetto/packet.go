package perfetto

import (
	"google.golang.org/protobuf/encoding/protowire"
)

// Numbers of fields and values in Perfetto's schema, protos/perfetto/trace.
const (
	tracePacket protowire.Number = 1 // of Trace

	packetTimestamp  protowire.Number = 8 // of TracePacket
	packetSequence   protowire.Number = 10
	packetEvent      protowire.Number = 11
	packetDescriptor protowire.Number = 60

	trackUuid   protowire.Number = 1 // of TrackDescriptor
	trackName   protowire.Number = 2
	trackParent protowire.Number = 5

	eventAnnotation protowire.Number = 4 // of TrackEvent
	eventType       protowire.Number = 9
	eventTrack      protowire.Number = 11
	eventName       protowire.Number = 23

	annotationText protowire.Number = 6 // of DebugAnnotation
	annotationName protowire.Number = 10

	sliceBegin = 1 // of TrackEvent.Type
	sliceEnd   = 2
	instant    = 3

	sequence = 1 // of packets: there is one
)

// message is a message of Protocol Buffers that is being written.
type message []byte

func (m message) number(field protowire.Number, value uint64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), value)
}

func (m message) text(field protowire.Number, value string) message {
	return protowire.AppendString(protowire.AppendTag(m, field, protowire.BytesType), value)
}

func (m message) inside(field protowire.Number, value message) message {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), value)
}
