// Package conformance drives any NDK provider through scenarios and records the events at its boundary. Package linearize judges the recording. Package
// conformance itself checks only data: bytes received must be bytes sent.
//
// A recording shows most if little is ambiguous, so every scenario works in rounds. A round makes a few calls, waits until the provider is at rest,
// writes a quiesce mark, and only then drains the CQs. So whatever was owed had to happen before the mark, and whatever is polled after the mark had to
// be in the CQ at the mark. The objects of a few rounds form a world, which is closed before the next one is made, so that searches over a trace stay
// small.
//
// The consumer here keeps every consumer rule: it serialises polls and arms of a CQ (POLL-01), posts to each queue of a QP from one thread at a time
// (POST-01, POST-02), ends its chains (DEF-06), and stays within the depths of queues and CQs (POST-06, POST-14). Only the scenario overflow exceeds a
// depth, because it tests that.
//
// Every choice is drawn from the seed. The seed does not determine the provider's own choices and the interleaving of the goroutines.
package conformance
