package hwbinding

import (
	"errors"
	"syscall"

	"ndkoracle/hwbinding/verbs"
	"ndkoracle/ndk"
)

// statusOf is the NTSTATUS of a completion.
func statusOf(status verbs.WCStatus) ndk.Status {
	switch status {
	case verbs.IBV_WC_SUCCESS:
		return ndk.STATUS_SUCCESS
	case verbs.IBV_WC_WR_FLUSH_ERR:
		return ndk.STATUS_CANCELLED // RES-08
	case verbs.IBV_WC_LOC_LEN_ERR:
		return ndk.STATUS_BUFFER_TOO_SMALL
	case verbs.IBV_WC_LOC_PROT_ERR, verbs.IBV_WC_LOC_ACCESS_ERR, verbs.IBV_WC_MW_BIND_ERR:
		return ndk.STATUS_ACCESS_VIOLATION
	case verbs.IBV_WC_REM_INV_REQ_ERR, verbs.IBV_WC_REM_ACCESS_ERR, verbs.IBV_WC_REM_OP_ERR:
		return ndk.STATUS_REMOTE_RESOURCES // POST-15
	case verbs.IBV_WC_RETRY_EXC_ERR, verbs.IBV_WC_RNR_RETRY_EXC_ERR, verbs.IBV_WC_RESP_TIMEOUT_ERR:
		return ndk.STATUS_IO_TIMEOUT
	case verbs.IBV_WC_BAD_RESP_ERR, verbs.IBV_WC_REM_ABORT_ERR:
		return ndk.STATUS_CONNECTION_ABORTED
	}
	return ndk.STATUS_INTERNAL_ERROR
}

// refusalOf is the NTSTATUS of a call that the device refused.
func refusalOf(err error) ndk.Status {
	switch {
	case err == nil:
		return ndk.STATUS_SUCCESS
	case errors.Is(err, syscall.ENOMEM), errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.ENOSPC):
		return ndk.STATUS_INSUFFICIENT_RESOURCES
	case errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.EFAULT):
		return ndk.STATUS_INVALID_PARAMETER
	case errors.Is(err, syscall.EOPNOTSUPP), errors.Is(err, syscall.ENOSYS):
		return ndk.STATUS_NOT_SUPPORTED
	}
	return ndk.STATUS_INTERNAL_ERROR
}
