package execprovider

import "ndkoracle/ndk"

// params are the parameters of a method, by the names of the trace format.
type params map[string]any

// withFlags adds the flags of a request, and what it carries inline: the memory is the consumer's again once the call returns (FLAG-07).
func (p params) withFlags(sgl []ndk.Sge, flags ndk.OpFlags) params {
	p["flags"] = append([]string{}, flags.Names()...)
	if flags.Has(ndk.NDK_OP_FLAG_INLINE) {
		data := []byte{}
		for _, s := range sgl {
			data = append(data, s.Buffer...)
		}
		p["data"] = data
	}
	return p
}

// sge is a stretch of memory of a request.
type sge struct {
	Address uint64    `json:"address"`
	Length  int       `json:"length"`
	Token   ndk.Token `json:"token"`
}

func sglOf(all []ndk.Sge) []sge {
	list := make([]sge, 0, len(all))
	for _, s := range all {
		list = append(list, sge{ndk.VirtualAddress(s.Buffer), len(s.Buffer), s.MemoryRegionToken})
	}
	return list
}

// result is what the program tells of a completion.
type result struct {
	Wr            string    `json:"wr"`
	Qp            string    `json:"qp"`
	Status        *status   `json:"status"`
	Bytes         uint32    `json:"bytes"`
	Type          string    `json:"type"`
	Token         ndk.Token `json:"token"`
	ProviderError uint32    `json:"provider_error"`
}
