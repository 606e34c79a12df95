// Package ndkshim holds the tests of the shim in c/: the traps of a shim, over a provider that does what it is told, and the reference provider, driven
// through the shim by a consumer in C.
package ndkshim
