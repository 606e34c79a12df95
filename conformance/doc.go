// Package conformance drives any NDK provider through scenarios and records what happens at its boundary. It does not
// judge the recording: linearize does. The one thing it judges itself is data: bytes received must be bytes sent.
//
// A recording tells most when little is left open, so every scenario works in rounds. A round makes a few calls, waits
// until the provider has come to rest, writes a quiesce mark, and only then drains the CQs: what was owed had to happen
// before the mark, and what is polled after it had to be in the CQ at the mark. The objects of a few rounds form a
// world, which is closed before the next one is made, so that searches over a trace stay small.
//
// The consumer here keeps every consumer rule: it serialises polls and arms of a CQ (POLL-01), posts to each queue of a
// QP from one thread at a time (POST-01, POST-02), ends its chains (DEF-06), and stays within the depths of queues and
// CQs (POST-06, POST-14). Only the scenario overflow goes beyond a depth, because it is about that.
//
// Every choice is drawn from the seed. What the seed does not fix is the provider's own choices and how the goroutines
// interleave.
package conformance
