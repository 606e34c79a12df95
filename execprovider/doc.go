// Package execprovider makes an NDK provider of another program, in any language: it carries the calls of package ndk over the program's standard input
// and output, one JSON-RPC 2.0 message a line.
//
// docs/exec-provider.md has the protocol: the methods, their parameters, and who calls whom. The program answers calls in any order and from any thread.
// The order in which it writes lines is the order in which things happened: a callback was entered when its line was written, so a completion that a later
// line tells of was polled afterwards.
//
// A program that ends, is silent for too long, or says what the protocol does not have, ends the run. Nothing is recorded that it did not say: a call that
// it never answered has no return.
package execprovider
