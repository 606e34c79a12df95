package trace

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// enumeration is an enum of libibverbs, from 0 on where no other value is said, with the names that traces use.
type enumeration struct {
	what   string
	values map[uint32]string
}

// word takes a name, or an integer in decimal, to the name; an integer without a name stays as it is.
func (e enumeration) word(word string) (string, error) {
	if n, ok := integer(word); ok {
		if name, ok := e.values[n]; ok {
			return name, nil
		}
		return word, nil
	}
	for _, name := range e.values {
		if name == word {
			return word, nil
		}
	}
	return "", fmt.Errorf("%q is no %s", word, e.what)
}

// names returns the names in the order of their values.
func (e enumeration) names() []string {
	var names []string
	for _, value := range slices.Sorted(maps.Keys(e.values)) {
		names = append(names, e.values[value])
	}
	return names
}

func enumerate(what, prefix, names string, others map[uint32]string) enumeration {
	values := map[uint32]string{}
	for i, name := range strings.Fields(names) {
		values[uint32(i)] = prefix + name
	}
	maps.Copy(values, others)
	return enumeration{what, values}
}

var (
	wcStatuses = enumerate("ibv_wc_status", "IBV_WC_", `SUCCESS LOC_LEN_ERR LOC_QP_OP_ERR LOC_EEC_OP_ERR LOC_PROT_ERR
		WR_FLUSH_ERR MW_BIND_ERR BAD_RESP_ERR LOC_ACCESS_ERR REM_INV_REQ_ERR REM_ACCESS_ERR REM_OP_ERR RETRY_EXC_ERR
		RNR_RETRY_EXC_ERR LOC_RDD_VIOL_ERR REM_INV_RD_REQ_ERR REM_ABORT_ERR INV_EECN_ERR INV_EEC_STATE_ERR FATAL_ERR
		RESP_TIMEOUT_ERR GENERAL_ERR TM_ERR TM_RNDV_INCOMPLETE`, nil)

	wcOpcodes = enumerate("ibv_wc_opcode, without IBV_WC_", "", `SEND RDMA_WRITE RDMA_READ COMP_SWAP FETCH_ADD BIND_MW
		LOCAL_INV TSO FLUSH ATOMIC_WRITE`, map[uint32]string{
		128: "RECV", 129: "RECV_RDMA_WITH_IMM", 130: "TM_ADD", 131: "TM_DEL", 132: "TM_SYNC", 133: "TM_RECV",
		134: "TM_NO_TAG", 135: "DRIVER1", 136: "DRIVER2", 137: "DRIVER3",
	})

	wrOpcodes = enumerate("ibv_wr_opcode, without IBV_WR_", "", `RDMA_WRITE RDMA_WRITE_WITH_IMM SEND SEND_WITH_IMM
		RDMA_READ ATOMIC_CMP_AND_SWP ATOMIC_FETCH_AND_ADD LOCAL_INV BIND_MW SEND_WITH_INV TSO DRIVER1`,
		map[uint32]string{14: "FLUSH", 15: "ATOMIC_WRITE"})

	qpStates = enumerate("ibv_qp_state, without IBV_QPS_", "", "RESET INIT RTR RTS SQD SQE ERR UNKNOWN", nil)

	asyncEvents = enumerate("ibv_event_type, without IBV_EVENT_", "", `CQ_ERR QP_FATAL QP_REQ_ERR QP_ACCESS_ERR COMM_EST
		SQ_DRAINED PATH_MIG PATH_MIG_ERR DEVICE_FATAL PORT_ACTIVE PORT_ERR LID_CHANGE PKEY_CHANGE SM_CHANGE SRQ_ERR
		SRQ_LIMIT_REACHED QP_LAST_WQE_REACHED CLIENT_REREGISTER GID_CHANGE WQ_FATAL`, nil)
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

// errnoWord reads an errno as a name, any that looks like one, or as a number. 0, success, is the absence of an errno.
func errnoWord(word string) (string, error) {
	if n, ok := integer(word); ok {
		if n == 0 {
			return "", nil
		}
		if name, ok := errnoNames[n]; ok {
			return name, nil
		}
		return word, nil
	}
	if len(word) < 2 || word[0] != 'E' || strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
		return "", fmt.Errorf("%q is no errno", word)
	}
	return word, nil
}
