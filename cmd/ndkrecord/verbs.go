package main

import (
	"errors"

	"ndkoracle/conformance"
	"ndkoracle/hwbinding"
	"ndkoracle/trace"
)

// recordVerbs records one run on a device twice: at the level of NDKPI by write, and the calls of libibverbs beneath where
// beneath is not nil.
func recordVerbs(o options, s conformance.Scenario, write func(conformance.Provider) error, beneath *output) (err error) {
	var recorder *trace.Recorder
	p := conformance.Provider{Name: "verbs"}
	p.Open = func(seed uint64, _ func() bool) (conformance.Adapter, error) {
		settings := hwbinding.Options{Device: o.device, Seed: seed}
		adapter, err := hwbinding.Open(settings)
		if err != nil || beneath == nil {
			return adapter, err
		}
		// The header tells of the device, and has to be written before the device is opened to be recorded.
		h := conformance.Header(s, p, seed, o.ops, adapter)
		adapter.NdkCloseAdapter()
		h.Dialect, h.Ndk = "verbs", ""
		if recorder, err = trace.NewRecorder(beneath, h, trace.Options{Block: true}); err != nil {
			return nil, err
		}
		settings.VerbsTrace = recorder
		return hwbinding.Open(settings)
	}
	err = write(p)
	if recorder != nil {
		err = errors.Join(err, recorder.Close(err == nil))
	}
	return err
}
