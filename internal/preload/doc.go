// Package preload tests the library of ndkrecord run, which is in preload/: that a recorded program gets what it would get unrecorded, and that its trace
// is whole, however the program ends.
//
// There is no device where most tests run. A stand-in for libibverbs, testdata/standin.c, has a device of which each request completes as it is posted.
// What a device does is tested on one, by scripts/device.sh.
package preload
