package execprovider

import "ndkoracle/ndk"

// params are the parameters of all methods. The names are those of the trace format.
type params struct {
	Seed *uint64 `json:"seed,omitempty"`

	Pd          string `json:"pd,omitempty"`
	Cq          string `json:"cq,omitempty"`
	Qp          string `json:"qp,omitempty"`
	Mr          string `json:"mr,omitempty"`
	Mw          string `json:"mw,omitempty"`
	ReceiveCq   string `json:"receive_cq,omitempty"`
	InitiatorCq string `json:"initiator_cq,omitempty"`

	Depth          *uint32 `json:"depth,omitempty"`
	ReceiveDepth   *uint32 `json:"receive_depth,omitempty"`
	InitiatorDepth *uint32 `json:"initiator_depth,omitempty"`
	ReceiveSge     *uint32 `json:"receive_sge,omitempty"`
	InitiatorSge   *uint32 `json:"initiator_sge,omitempty"`
	Inline         *uint32 `json:"inline,omitempty"`
	Notify         *bool   `json:"notify,omitempty"`
	FastRegister   *bool   `json:"fast_register,omitempty"`

	Peer string `json:"peer_address,omitempty"`
	Type string `json:"type,omitempty"`
	Room *int   `json:"n,omitempty"`

	Wr            string     `json:"wr,omitempty"`
	Sgl           []sge      `json:"sgl,omitempty"`
	Data          []byte     `json:"data,omitempty"` // base64, with INLINE: the memory is the consumer's again once the call returns (FLAG-07)
	Flags         []string   `json:"flags,omitempty"`
	Token         *ndk.Token `json:"token,omitempty"`
	RemoteAddress *uint64    `json:"remote_address,omitempty"`
	RemoteToken   *ndk.Token `json:"remote_token,omitempty"`
	Address       *uint64    `json:"address,omitempty"`
	Length        *int       `json:"length,omitempty"`
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
