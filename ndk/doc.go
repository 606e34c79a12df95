// Package ndk is the vocabulary of the Network Direct Kernel Provider Interface (NDKPI): names, values, types, and the
// interface that a provider offers to a consumer.
//
// Names are NDKPI's own, letter for letter. One name means one thing in this package, the specification, the model, a trace and a message. Rule ids such
// as ARM-04 are those of package rules.
package ndk
