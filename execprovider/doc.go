// Package execprovider makes an NDK provider from another program, in any language: it sends the calls of package ndk over the program's standard input
// and output, one JSON-RPC 2.0 message per line.
//
// docs/exec-provider.md has the protocol: the methods, their parameters, and who calls whom. The program answers calls in any order and from any thread.
// The order of its lines is the order of events: a callback was entered when its line was written, so a completion in a later line was polled
// afterwards.
//
// The run ends if the program exits, is silent for too long, or violates the protocol. Only what the program said is recorded: a call that it never
// answered has no return.
package execprovider
