//go:build !(linux && cgo && ibverbs)

package hwbinding

import "errors"

var errWithout = errors.New("built without libibverbs: install libibverbs-dev and build again")

// Open always returns an error: this program was built without libibverbs.
func Open(Options) (Adapter, error) { return nil, errWithout }

// Devices always returns an error: this program was built without libibverbs.
func Devices() ([]string, error) { return nil, errWithout }
