"""Reads a trace of Perfetto by the schema that its Python package has, and prints how many fields the schema lacks, and the slices that stay open."""

import sys

from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace import perfetto_trace_pb2


def unknown(message):
    count = len(UnknownFieldSet(message))
    for field, value in message.ListFields():
        if field.message_type:
            count += sum(unknown(one) for one in (value if field.is_repeated else [value]))
    return count


trace = perfetto_trace_pb2.Trace()
trace.ParseFromString(sys.stdin.buffer.read())
tracks, parents, slices, unknowns, latest = {}, {}, {}, 0, 0
for packet in trace.packet:
    unknowns += unknown(packet)
    if packet.HasField("track_descriptor"):
        track = packet.track_descriptor
        tracks[track.uuid], parents[track.uuid] = track.name, tracks.get(track.parent_uuid, "")
        continue
    event = packet.track_event
    assert event.track_uuid in tracks and packet.timestamp >= latest and packet.trusted_packet_sequence_id
    latest = packet.timestamp
    under_way = slices.setdefault(event.track_uuid, [])
    if event.type == event.TYPE_SLICE_BEGIN:
        under_way.append(event.name)
    elif event.type == event.TYPE_SLICE_END:
        under_way.pop()
print("unknown fields:", unknowns)
for track, under_way in slices.items():
    for name in under_way:
        print(f"open: {parents[track]}/{tracks[track]}: {name}")
