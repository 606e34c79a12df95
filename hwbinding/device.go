package hwbinding

import "ndkoracle/hwbinding/verbs"

// The provider's view of package verbs. There is one implementation that calls the library, and a faulty one for tests.

type device interface {
	QueryDevice() (verbs.DeviceAttr, error)
	AllocPD() (devicePD, error)
	CreateCQ(cqe int) (deviceCQ, error)
	GetAsyncEvent() (verbs.AsyncEvent, error)
	InterruptAsync()
	Quiesce()
	Close() error
}

type devicePD interface {
	RegMR(buffer []byte, access verbs.Access) (*verbs.MR, error)
	DeregMR(*verbs.MR) error
	AllocMW() (*verbs.MW, error)
	DeallocMW(*verbs.MW) error
	CreateQP(send, recv deviceCQ, attributes verbs.QPInitAttr) (deviceQP, error)
	Dealloc() error
}

type deviceCQ interface {
	Name() string
	ReqNotify(solicitedOnly bool) error
	Poll([]verbs.WC) (int, error)
	GetCQEvent() error
	AckEvents(n int)
	Interrupt()
	Destroy() error
}

type deviceQP interface {
	Name() string
	ToInit(verbs.Access) error
	Address() (verbs.Address, error)
	Connect(peer verbs.Address, connection string, reads int) error
	ToError() error
	PostSend([]verbs.SendWR) (int, error)
	PostRecv([]verbs.RecvWR) (int, error)
	Destroy() error
}
