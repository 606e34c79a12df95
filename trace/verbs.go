package trace

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// enumeration is an enum of libibverbs, or of the kernel's verbs where that has more: the names that traces use, by value.
type enumeration struct {
	what    string
	prefix  string // of the macro that has the name: IBV_WC_. The kernel's begins with IB_
	whole   bool   // traces use the name with its prefix
	open    bool   // words that are not known are kept
	values  map[uint32]string
	aliases map[string]string // other names of the same; "" for a name that is itself one that traces use, and has no one value
}

// word maps a name, its macro, or a decimal integer to the name. An integer without a name stays as it is.
func (e enumeration) word(word string) (string, error) {
	if n, ok := integer(word); ok {
		if name, ok := e.values[n]; ok {
			return e.written(name), nil
		}
		return word, nil
	}
	name := strings.TrimPrefix(strings.TrimPrefix(word, e.prefix), "IB"+strings.TrimPrefix(e.prefix, "IBV"))
	if other, ok := e.aliases[name]; ok {
		return e.written(cmp.Or(other, name)), nil
	}
	for _, value := range e.values {
		if value == name {
			return e.written(name), nil
		}
	}
	if e.open && (!e.whole || name != word && isMacro(name)) {
		return word, unknownWord{e.what, word}
	}
	return "", fmt.Errorf("%q is not a known %s%s", word, e.what, suggestion(name, slices.Collect(maps.Values(e.values))))
}

func (e enumeration) written(name string) string {
	if e.whole {
		return e.prefix + name
	}
	return name
}

// names returns the names in the order of their values, those without one behind them.
func (e enumeration) names() []string {
	var names []string
	for _, value := range slices.Sorted(maps.Keys(e.values)) {
		names = append(names, e.written(e.values[value]))
	}
	for _, name := range slices.Sorted(maps.Keys(e.aliases)) {
		if e.aliases[name] == "" {
			names = append(names, name)
		}
	}
	return names
}

// enumerate makes an enumeration of names from 0 on, and of others.
func enumerate(what, prefix, names string, others map[uint32]string, aliases map[string]string) enumeration {
	values := map[uint32]string{}
	for i, name := range strings.Fields(names) {
		values[uint32(i)] = name
	}
	maps.Copy(values, others)
	return enumeration{what: what, prefix: prefix, values: values, aliases: aliases}
}

// keepsUnknown makes an enumeration one that has grown before, and may again.
func (e enumeration) keepsUnknown() enumeration {
	e.open = true
	return e
}

var (
	wcStatuses = func() enumeration {
		e := enumerate("ibv_wc_status", "IBV_WC_", `SUCCESS LOC_LEN_ERR LOC_QP_OP_ERR LOC_EEC_OP_ERR LOC_PROT_ERR
		WR_FLUSH_ERR MW_BIND_ERR BAD_RESP_ERR LOC_ACCESS_ERR REM_INV_REQ_ERR REM_ACCESS_ERR REM_OP_ERR RETRY_EXC_ERR
		RNR_RETRY_EXC_ERR LOC_RDD_VIOL_ERR REM_INV_RD_REQ_ERR REM_ABORT_ERR INV_EECN_ERR INV_EEC_STATE_ERR FATAL_ERR
		RESP_TIMEOUT_ERR GENERAL_ERR TM_ERR TM_RNDV_INCOMPLETE`, nil, nil)
		e.whole, e.open = true, true
		return e
	}()

	// The kernel has numbers of its own for those without one here, and they differ from version to version.
	wcOpcodes = enumerate("ibv_wc_opcode, without IBV_WC_", "IBV_WC_", `SEND RDMA_WRITE RDMA_READ COMP_SWAP FETCH_ADD BIND_MW
		LOCAL_INV TSO FLUSH ATOMIC_WRITE`, map[uint32]string{
		128: "RECV", 129: "RECV_RDMA_WITH_IMM", 130: "TM_ADD", 131: "TM_DEL", 132: "TM_SYNC", 133: "TM_RECV",
		134: "TM_NO_TAG", 135: "DRIVER1", 136: "DRIVER2", 137: "DRIVER3",
	}, map[string]string{"LSO": "TSO", "REG_MR": "", "MASKED_COMP_SWAP": "", "MASKED_FETCH_ADD": ""}).keepsUnknown()

	// 11 is DRIVER1 in libibverbs, and RDMA_READ_WITH_INV in the kernel.
	wrOpcodes = enumerate("ibv_wr_opcode, without IBV_WR_", "IBV_WR_", `RDMA_WRITE RDMA_WRITE_WITH_IMM SEND SEND_WITH_IMM
		RDMA_READ ATOMIC_CMP_AND_SWP ATOMIC_FETCH_AND_ADD LOCAL_INV BIND_MW SEND_WITH_INV TSO DRIVER1
		MASKED_ATOMIC_CMP_AND_SWP MASKED_ATOMIC_FETCH_AND_ADD FLUSH ATOMIC_WRITE`,
		map[uint32]string{32: "REG_MR", 33: "REG_MR_INTEGRITY"}, map[string]string{"LSO": "TSO", "RDMA_READ_WITH_INV": ""}).keepsUnknown()

	qpStates = enumerate("ibv_qp_state, without IBV_QPS_", "IBV_QPS_", "RESET INIT RTR RTS SQD SQE ERR UNKNOWN", nil, nil)

	qpTypes = enumerate("ibv_qp_type, without IBV_QPT_", "IBV_QPT_", "SMI GSI RC UC UD",
		map[uint32]string{8: "RAW_PACKET", 9: "XRC_SEND", 10: "XRC_RECV", 255: "DRIVER"},
		map[string]string{"XRC_INI": "XRC_SEND", "XRC_TGT": "XRC_RECV", "RAW": "RAW_PACKET"}).keepsUnknown()

	asyncEvents = enumerate("ibv_event_type, without IBV_EVENT_", "IBV_EVENT_", `CQ_ERR QP_FATAL QP_REQ_ERR QP_ACCESS_ERR COMM_EST
		SQ_DRAINED PATH_MIG PATH_MIG_ERR DEVICE_FATAL PORT_ACTIVE PORT_ERR LID_CHANGE PKEY_CHANGE SM_CHANGE SRQ_ERR
		SRQ_LIMIT_REACHED QP_LAST_WQE_REACHED CLIENT_REREGISTER GID_CHANGE WQ_FATAL`, nil, nil).keepsUnknown()
)

// sendFlags are ibv_send_flags without IBV_SEND_, by bit.
var sendFlags = [...]string{"FENCE", "SIGNALED", "SOLICITED", "INLINE", "IP_CSUM"}

// errnoNames are Linux's numbers of the errors that verbs calls are known to return.
var errnoNames = map[uint32]string{
	1: "EPERM", 2: "ENOENT", 4: "EINTR", 5: "EIO", 6: "ENXIO", 7: "E2BIG", 9: "EBADF", 11: "EAGAIN", 12: "ENOMEM",
	13: "EACCES", 14: "EFAULT", 16: "EBUSY", 17: "EEXIST", 19: "ENODEV", 22: "EINVAL", 24: "EMFILE", 28: "ENOSPC",
	32: "EPIPE", 34: "ERANGE", 38: "ENOSYS", 71: "EPROTO", 75: "EOVERFLOW", 90: "EMSGSIZE", 93: "EPROTONOSUPPORT",
	95: "EOPNOTSUPP", 98: "EADDRINUSE", 99: "EADDRNOTAVAIL", 101: "ENETUNREACH", 103: "ECONNABORTED", 104: "ECONNRESET",
	105: "ENOBUFS", 106: "EISCONN", 107: "ENOTCONN", 110: "ETIMEDOUT", 111: "ECONNREFUSED", 113: "EHOSTUNREACH",
	125: "ECANCELED",
}

// errnoSynonyms are second names that errno.h has for an error.
var errnoSynonyms = map[string]string{"EWOULDBLOCK": "EAGAIN", "ENOTSUP": "EOPNOTSUPP"}

// errnoWord reads an errno as a name, any that looks like one, or as a number, which the kernel has negative. 0, success, is the
// absence of an errno.
func errnoWord(word string) (string, error) {
	digits := strings.TrimPrefix(word, "-")
	if n, ok := integer(digits); ok {
		if n == 0 {
			return "", nil
		}
		if name, ok := errnoNames[n]; ok {
			return name, nil
		}
		return digits, nil
	}
	if len(word) < 2 || word[0] != 'E' || strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
		return "", fmt.Errorf("%q is not a known errno", word)
	}
	return cmp.Or(errnoSynonyms[word], word), nil
}
