/* Written by go generate ./internal/cheader from the table of functions: do not edit. */

/* the numbers of words */
#define NDKT_EVENT_CQ_ERR 0x0u
#define NDKT_EVENT_QP_FATAL 0x1u
#define NDKT_EVENT_QP_REQ_ERR 0x2u
#define NDKT_EVENT_QP_ACCESS_ERR 0x3u
#define NDKT_EVENT_COMM_EST 0x4u
#define NDKT_EVENT_SQ_DRAINED 0x5u
#define NDKT_EVENT_PATH_MIG 0x6u
#define NDKT_EVENT_PATH_MIG_ERR 0x7u
#define NDKT_EVENT_DEVICE_FATAL 0x8u
#define NDKT_EVENT_PORT_ACTIVE 0x9u
#define NDKT_EVENT_PORT_ERR 0xAu
#define NDKT_EVENT_LID_CHANGE 0xBu
#define NDKT_EVENT_PKEY_CHANGE 0xCu
#define NDKT_EVENT_SM_CHANGE 0xDu
#define NDKT_EVENT_SRQ_ERR 0xEu
#define NDKT_EVENT_SRQ_LIMIT_REACHED 0xFu
#define NDKT_EVENT_QP_LAST_WQE_REACHED 0x10u
#define NDKT_EVENT_CLIENT_REREGISTER 0x11u
#define NDKT_EVENT_GID_CHANGE 0x12u
#define NDKT_EVENT_WQ_FATAL 0x13u
#define NDKT_NOTIFY_ERRORS 0x0u
#define NDKT_NOTIFY_ANY 0x1u
#define NDKT_NOTIFY_SOLICITED 0x2u
#define NDKT_STATUS_SUCCESS 0x0u
#define NDKT_STATUS_PENDING 0x103u
#define NDKT_STATUS_BUFFER_OVERFLOW 0x80000005u
#define NDKT_STATUS_ACCESS_VIOLATION 0xC0000005u
#define NDKT_STATUS_INVALID_PARAMETER 0xC000000Du
#define NDKT_STATUS_BUFFER_TOO_SMALL 0xC0000023u
#define NDKT_STATUS_INVALID_PARAMETER_MIX 0xC0000030u
#define NDKT_STATUS_SHARING_VIOLATION 0xC0000043u
#define NDKT_STATUS_INSUFFICIENT_RESOURCES 0xC000009Au
#define NDKT_STATUS_IO_TIMEOUT 0xC00000B5u
#define NDKT_STATUS_NOT_SUPPORTED 0xC00000BBu
#define NDKT_STATUS_INTERNAL_ERROR 0xC00000E5u
#define NDKT_STATUS_CANCELLED 0xC0000120u
#define NDKT_STATUS_REMOTE_RESOURCES 0xC000013Du
#define NDKT_STATUS_INVALID_ADDRESS 0xC0000141u
#define NDKT_STATUS_TOO_MANY_ADDRESSES 0xC0000209u
#define NDKT_STATUS_ADDRESS_ALREADY_EXISTS 0xC000020Au
#define NDKT_STATUS_CONNECTION_DISCONNECTED 0xC000020Cu
#define NDKT_STATUS_CONNECTION_REFUSED 0xC0000236u
#define NDKT_STATUS_CONNECTION_INVALID 0xC000023Au
#define NDKT_STATUS_NETWORK_UNREACHABLE 0xC000023Cu
#define NDKT_STATUS_HOST_UNREACHABLE 0xC000023Du
#define NDKT_STATUS_CONNECTION_ABORTED 0xC0000241u
#define NDKT_STATUS_IMPLEMENTATION_LIMIT 0xC000042Bu
#define NDKT_OPERATION_Receive 0x1u
#define NDKT_OPERATION_Send 0x2u
#define NDKT_OPERATION_FastRegister 0x4u
#define NDKT_OPERATION_Bind 0x8u
#define NDKT_OPERATION_Invalidate 0x10u
#define NDKT_OPERATION_Read 0x20u
#define NDKT_OPERATION_Write 0x40u
#define NDKT_OPERATION_ReceiveAndInvalidate 0x8001u
#define NDKT_QPS_RESET 0x0u
#define NDKT_QPS_INIT 0x1u
#define NDKT_QPS_RTR 0x2u
#define NDKT_QPS_RTS 0x3u
#define NDKT_QPS_SQD 0x4u
#define NDKT_QPS_SQE 0x5u
#define NDKT_QPS_ERR 0x6u
#define NDKT_QPS_UNKNOWN 0x7u
#define NDKT_QPT_SMI 0x0u
#define NDKT_QPT_GSI 0x1u
#define NDKT_QPT_RC 0x2u
#define NDKT_QPT_UC 0x3u
#define NDKT_QPT_UD 0x4u
#define NDKT_QPT_RAW_PACKET 0x8u
#define NDKT_QPT_XRC_SEND 0x9u
#define NDKT_QPT_XRC_RECV 0xAu
#define NDKT_QPT_DRIVER 0xFFu
#define NDKT_WC_SEND 0x0u
#define NDKT_WC_RDMA_WRITE 0x1u
#define NDKT_WC_RDMA_READ 0x2u
#define NDKT_WC_COMP_SWAP 0x3u
#define NDKT_WC_FETCH_ADD 0x4u
#define NDKT_WC_BIND_MW 0x5u
#define NDKT_WC_LOCAL_INV 0x6u
#define NDKT_WC_TSO 0x7u
#define NDKT_WC_FLUSH 0x8u
#define NDKT_WC_ATOMIC_WRITE 0x9u
#define NDKT_WC_RECV 0x80u
#define NDKT_WC_RECV_RDMA_WITH_IMM 0x81u
#define NDKT_WC_TM_ADD 0x82u
#define NDKT_WC_TM_DEL 0x83u
#define NDKT_WC_TM_SYNC 0x84u
#define NDKT_WC_TM_RECV 0x85u
#define NDKT_WC_TM_NO_TAG 0x86u
#define NDKT_WC_DRIVER1 0x87u
#define NDKT_WC_DRIVER2 0x88u
#define NDKT_WC_DRIVER3 0x89u
#define NDKT_WC_MASKED_COMP_SWAP 0x10000u
#define NDKT_WC_MASKED_FETCH_ADD 0x10001u
#define NDKT_WC_REG_MR 0x10002u
#define NDKT_IBV_WC_SUCCESS 0x0u
#define NDKT_IBV_WC_LOC_LEN_ERR 0x1u
#define NDKT_IBV_WC_LOC_QP_OP_ERR 0x2u
#define NDKT_IBV_WC_LOC_EEC_OP_ERR 0x3u
#define NDKT_IBV_WC_LOC_PROT_ERR 0x4u
#define NDKT_IBV_WC_WR_FLUSH_ERR 0x5u
#define NDKT_IBV_WC_MW_BIND_ERR 0x6u
#define NDKT_IBV_WC_BAD_RESP_ERR 0x7u
#define NDKT_IBV_WC_LOC_ACCESS_ERR 0x8u
#define NDKT_IBV_WC_REM_INV_REQ_ERR 0x9u
#define NDKT_IBV_WC_REM_ACCESS_ERR 0xAu
#define NDKT_IBV_WC_REM_OP_ERR 0xBu
#define NDKT_IBV_WC_RETRY_EXC_ERR 0xCu
#define NDKT_IBV_WC_RNR_RETRY_EXC_ERR 0xDu
#define NDKT_IBV_WC_LOC_RDD_VIOL_ERR 0xEu
#define NDKT_IBV_WC_REM_INV_RD_REQ_ERR 0xFu
#define NDKT_IBV_WC_REM_ABORT_ERR 0x10u
#define NDKT_IBV_WC_INV_EECN_ERR 0x11u
#define NDKT_IBV_WC_INV_EEC_STATE_ERR 0x12u
#define NDKT_IBV_WC_FATAL_ERR 0x13u
#define NDKT_IBV_WC_RESP_TIMEOUT_ERR 0x14u
#define NDKT_IBV_WC_GENERAL_ERR 0x15u
#define NDKT_IBV_WC_TM_ERR 0x16u
#define NDKT_IBV_WC_TM_RNDV_INCOMPLETE 0x17u
#define NDKT_WR_RDMA_WRITE 0x0u
#define NDKT_WR_RDMA_WRITE_WITH_IMM 0x1u
#define NDKT_WR_SEND 0x2u
#define NDKT_WR_SEND_WITH_IMM 0x3u
#define NDKT_WR_RDMA_READ 0x4u
#define NDKT_WR_ATOMIC_CMP_AND_SWP 0x5u
#define NDKT_WR_ATOMIC_FETCH_AND_ADD 0x6u
#define NDKT_WR_LOCAL_INV 0x7u
#define NDKT_WR_BIND_MW 0x8u
#define NDKT_WR_SEND_WITH_INV 0x9u
#define NDKT_WR_TSO 0xAu
#define NDKT_WR_DRIVER1 0xBu
#define NDKT_WR_MASKED_ATOMIC_CMP_AND_SWP 0xCu
#define NDKT_WR_MASKED_ATOMIC_FETCH_AND_ADD 0xDu
#define NDKT_WR_FLUSH 0xEu
#define NDKT_WR_ATOMIC_WRITE 0xFu
#define NDKT_WR_REG_MR 0x20u
#define NDKT_WR_REG_MR_INTEGRITY 0x21u
#define NDKT_WR_RDMA_READ_WITH_INV 0x10000u

/* the events: an object that is not known is 0, another optional argument NDKT_NONE */
NDKT_INLINE ndkt_op ndkt_NdkOpenAdapter_call(ndkt_ring *r, uint32_t adapter)
{
    return ndkt_put(r, 16, 1, 0, 0, 0u, (uint64_t)(uint32_t)adapter, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkOpenAdapter_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 17, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkQueryAdapterInfo_call(ndkt_ring *r, uint32_t adapter)
{
    return ndkt_put(r, 18, 1, 0, 0, 0u, (uint64_t)(uint32_t)adapter, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkQueryAdapterInfo_ret(ndkt_ring *r, ndkt_op op, uint64_t status)
{
    ndkt_put(r, 19, 0, op == 0, op, 0u | (status != NDKT_NONE ? 1u : 0u), (uint64_t)(uint32_t)(status == NDKT_NONE ? 0 : status), 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkCloseAdapter_call(ndkt_ring *r, uint32_t adapter)
{
    return ndkt_put(r, 20, 1, 0, 0, 0u, (uint64_t)(uint32_t)adapter, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkCloseAdapter_ret(ndkt_ring *r, ndkt_op op)
{
    ndkt_put(r, 21, 0, op == 0, op, 0u, 0, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkQueryExtension_call(ndkt_ring *r, uint32_t adapter)
{
    return ndkt_put(r, 22, 1, 0, 0, 0u, (uint64_t)(uint32_t)adapter, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkQueryExtension_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 23, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkCreatePd_call(ndkt_ring *r, uint32_t pd, uint32_t adapter)
{
    return ndkt_put(r, 24, 1, 0, 0, 0u, (uint64_t)(uint32_t)pd | (uint64_t)(uint32_t)adapter << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkCreatePd_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 25, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkClosePd_call(ndkt_ring *r, uint32_t pd)
{
    return ndkt_put(r, 26, 1, 0, 0, 0u, (uint64_t)(uint32_t)pd, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkClosePd_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 27, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkGetPrivilegedMemoryRegionToken_call(ndkt_ring *r, uint32_t pd)
{
    return ndkt_put(r, 28, 1, 0, 0, 0u, (uint64_t)(uint32_t)pd, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkGetPrivilegedMemoryRegionToken_ret(ndkt_ring *r, ndkt_op op, uint32_t token)
{
    ndkt_put(r, 29, 0, op == 0, op, 1u, (uint64_t)(uint32_t)token, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkBuildLAM_call(ndkt_ring *r, uint32_t lam, uint32_t adapter, uint64_t length)
{
    return ndkt_put(r, 30, 1, 0, 0, 0u | (length != NDKT_NONE ? 1u : 0u), (uint64_t)(uint32_t)lam | (uint64_t)(uint32_t)adapter << 32, (length == NDKT_NONE ? 0 : length), 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkBuildLAM_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 31, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkReleaseLAM_call(ndkt_ring *r, uint32_t lam)
{
    return ndkt_put(r, 32, 1, 0, 0, 0u, (uint64_t)(uint32_t)lam, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkReleaseLAM_ret(ndkt_ring *r, ndkt_op op)
{
    ndkt_put(r, 33, 0, op == 0, op, 0u, 0, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkCreateConnector_call(ndkt_ring *r, uint32_t connector, uint32_t adapter)
{
    return ndkt_put(r, 34, 1, 0, 0, 0u, (uint64_t)(uint32_t)connector | (uint64_t)(uint32_t)adapter << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkCreateConnector_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 35, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkCloseConnector_call(ndkt_ring *r, uint32_t connector, uint32_t qp, uint32_t conn)
{
    return ndkt_put(r, 36, 1, 0, 0, 0u, (uint64_t)(uint32_t)connector | (uint64_t)(uint32_t)qp << 32, (uint64_t)(uint32_t)conn, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkCloseConnector_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 37, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkReject_call(ndkt_ring *r, uint32_t connector)
{
    return ndkt_put(r, 38, 1, 0, 0, 0u, (uint64_t)(uint32_t)connector, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkReject_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 39, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkGetConnectionData_call(ndkt_ring *r, uint32_t connector)
{
    return ndkt_put(r, 40, 1, 0, 0, 0u, (uint64_t)(uint32_t)connector, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkGetConnectionData_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 41, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkGetPeerAddress_call(ndkt_ring *r, uint32_t connector)
{
    return ndkt_put(r, 42, 1, 0, 0, 0u, (uint64_t)(uint32_t)connector, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkGetPeerAddress_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 43, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkCreateListener_call(ndkt_ring *r, uint32_t listener, uint32_t adapter)
{
    return ndkt_put(r, 44, 1, 0, 0, 0u, (uint64_t)(uint32_t)listener | (uint64_t)(uint32_t)adapter << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkCreateListener_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 45, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkCloseListener_call(ndkt_ring *r, uint32_t listener)
{
    return ndkt_put(r, 46, 1, 0, 0, 0u, (uint64_t)(uint32_t)listener, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkCloseListener_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 47, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkListen_call(ndkt_ring *r, uint32_t listener)
{
    return ndkt_put(r, 48, 1, 0, 0, 0u, (uint64_t)(uint32_t)listener, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkListen_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 49, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkGetListenerLocalAddress_call(ndkt_ring *r, uint32_t listener)
{
    return ndkt_put(r, 50, 1, 0, 0, 0u, (uint64_t)(uint32_t)listener, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkGetListenerLocalAddress_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 51, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkControlConnectEvents_call(ndkt_ring *r, uint32_t listener)
{
    return ndkt_put(r, 52, 1, 0, 0, 0u, (uint64_t)(uint32_t)listener, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkControlConnectEvents_ret(ndkt_ring *r, ndkt_op op, uint64_t status)
{
    ndkt_put(r, 53, 0, op == 0, op, 0u | (status != NDKT_NONE ? 1u : 0u), (uint64_t)(uint32_t)(status == NDKT_NONE ? 0 : status), 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkCreateSharedEndpoint_call(ndkt_ring *r, uint32_t endpoint, uint32_t adapter)
{
    return ndkt_put(r, 54, 1, 0, 0, 0u, (uint64_t)(uint32_t)endpoint | (uint64_t)(uint32_t)adapter << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkCreateSharedEndpoint_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 55, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkCloseSharedEndpoint_call(ndkt_ring *r, uint32_t endpoint)
{
    return ndkt_put(r, 56, 1, 0, 0, 0u, (uint64_t)(uint32_t)endpoint, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkCloseSharedEndpoint_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 57, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkGetSharedEndpointLocalAddress_call(ndkt_ring *r, uint32_t endpoint)
{
    return ndkt_put(r, 58, 1, 0, 0, 0u, (uint64_t)(uint32_t)endpoint, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkGetSharedEndpointLocalAddress_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 59, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkGetLocalAddress_call(ndkt_ring *r, uint32_t connector, uint32_t listener, uint32_t endpoint)
{
    return ndkt_put(r, 60, 1, 0, 0, 0u, (uint64_t)(uint32_t)connector | (uint64_t)(uint32_t)listener << 32, (uint64_t)(uint32_t)endpoint, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkGetLocalAddress_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 61, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkCreateCq_call(ndkt_ring *r, uint32_t cq, uint32_t depth, uint32_t adapter)
{
    return ndkt_put(r, 62, 1, 0, 0, 1u, (uint64_t)(uint32_t)cq | (uint64_t)(uint32_t)depth << 32, (uint64_t)(uint32_t)adapter, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkCreateCq_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 63, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkResizeCq_call(ndkt_ring *r, uint32_t cq, uint32_t depth)
{
    return ndkt_put(r, 64, 1, 0, 0, 1u, (uint64_t)(uint32_t)cq | (uint64_t)(uint32_t)depth << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkResizeCq_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 65, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkControlCqInterruptModeration_call(ndkt_ring *r, uint32_t cq)
{
    return ndkt_put(r, 66, 1, 0, 0, 0u, (uint64_t)(uint32_t)cq, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkControlCqInterruptModeration_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 67, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkCloseCq_call(ndkt_ring *r, uint32_t cq)
{
    return ndkt_put(r, 68, 1, 0, 0, 0u, (uint64_t)(uint32_t)cq, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkCloseCq_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 69, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkArmCq_call(ndkt_ring *r, uint32_t cq, uint32_t type)
{
    return ndkt_put(r, 70, 1, 0, 0, 1u, (uint64_t)(uint32_t)cq | (uint64_t)(uint32_t)type << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkArmCq_ret(ndkt_ring *r, ndkt_op op)
{
    ndkt_put(r, 71, 0, op == 0, op, 0u, 0, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkGetCqResults_call(ndkt_ring *r, uint32_t cq, uint32_t n)
{
    return ndkt_put(r, 72, 1, 0, 0, 1u, (uint64_t)(uint32_t)cq | (uint64_t)(uint32_t)n << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkGetCqResults_ret(ndkt_ring *r, ndkt_op op, const ndkt_result *results, unsigned count)
{
    ndkt_put(r, 73, 0, op == 0, op, 0u | (results ? 1u : 0u), 0, 0, 0, 0, results, results ? count : 0);
}
NDKT_INLINE ndkt_op ndkt_NdkGetCqResultsEx_call(ndkt_ring *r, uint32_t cq, uint32_t n)
{
    return ndkt_put(r, 74, 1, 0, 0, 1u, (uint64_t)(uint32_t)cq | (uint64_t)(uint32_t)n << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkGetCqResultsEx_ret(ndkt_ring *r, ndkt_op op, const ndkt_result *results, unsigned count)
{
    ndkt_put(r, 75, 0, op == 0, op, 0u | (results ? 1u : 0u), 0, 0, 0, 0, results, results ? count : 0);
}
NDKT_INLINE ndkt_op ndkt_NdkCreateQp_call(ndkt_ring *r, uint32_t qp, uint32_t receive_cq, uint32_t initiator_cq, uint64_t receive_depth, uint64_t initiator_depth, uint64_t inline_, uint32_t srq, uint32_t pd)
{
    ndkt_slot m;
    m.class_ = 0; m.more = 0; m.has = 0; m.stamp = 0;
    m.t = (uint64_t)(uint32_t)srq | (uint64_t)(uint32_t)pd << 32;
    m.thr = 0;
    m.op = 0;
    m.w[0] = 0;
    m.w[1] = 0;
    m.w[2] = 0;
    return ndkt_put(r, 76, 1, 0, 0, 0u | (receive_depth != NDKT_NONE ? 1u : 0u) | (initiator_depth != NDKT_NONE ? 2u : 0u) | (inline_ != NDKT_NONE ? 4u : 0u), (uint64_t)(uint32_t)qp | (uint64_t)(uint32_t)receive_cq << 32, (uint64_t)(uint32_t)initiator_cq | (uint64_t)(uint32_t)(receive_depth == NDKT_NONE ? 0 : receive_depth) << 32, (uint64_t)(uint32_t)(initiator_depth == NDKT_NONE ? 0 : initiator_depth) | (uint64_t)(uint32_t)(inline_ == NDKT_NONE ? 0 : inline_) << 32, 0, &m, (srq != 0 || pd != 0) ? 1 : 0);
}
NDKT_INLINE void ndkt_NdkCreateQp_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 77, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkCreateQpWithSrq_call(ndkt_ring *r, uint32_t qp, uint32_t receive_cq, uint32_t initiator_cq, uint32_t srq, uint64_t initiator_depth, uint64_t inline_, uint32_t pd)
{
    ndkt_slot m;
    m.class_ = 0; m.more = 0; m.has = 0; m.stamp = 0;
    m.t = (uint64_t)(uint32_t)pd;
    m.thr = 0;
    m.op = 0;
    m.w[0] = 0;
    m.w[1] = 0;
    m.w[2] = 0;
    return ndkt_put(r, 78, 1, 0, 0, 0u | (initiator_depth != NDKT_NONE ? 1u : 0u) | (inline_ != NDKT_NONE ? 2u : 0u), (uint64_t)(uint32_t)qp | (uint64_t)(uint32_t)receive_cq << 32, (uint64_t)(uint32_t)initiator_cq | (uint64_t)(uint32_t)srq << 32, (uint64_t)(uint32_t)(initiator_depth == NDKT_NONE ? 0 : initiator_depth) | (uint64_t)(uint32_t)(inline_ == NDKT_NONE ? 0 : inline_) << 32, 0, &m, (pd != 0) ? 1 : 0);
}
NDKT_INLINE void ndkt_NdkCreateQpWithSrq_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 79, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkConnect_call(ndkt_ring *r, uint32_t qp, uint32_t conn, uint32_t connector)
{
    return ndkt_put(r, 80, 1, 0, 0, 0u, (uint64_t)(uint32_t)qp | (uint64_t)(uint32_t)conn << 32, (uint64_t)(uint32_t)connector, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkConnect_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 81, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkAccept_call(ndkt_ring *r, uint32_t qp, uint32_t conn, uint32_t connector)
{
    return ndkt_put(r, 82, 1, 0, 0, 0u, (uint64_t)(uint32_t)qp | (uint64_t)(uint32_t)conn << 32, (uint64_t)(uint32_t)connector, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkAccept_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 83, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkAcceptEx_call(ndkt_ring *r, uint32_t qp, uint32_t conn, uint32_t connector)
{
    return ndkt_put(r, 84, 1, 0, 0, 0u, (uint64_t)(uint32_t)qp | (uint64_t)(uint32_t)conn << 32, (uint64_t)(uint32_t)connector, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkAcceptEx_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 85, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkCompleteConnect_call(ndkt_ring *r, uint32_t qp, uint32_t conn, uint32_t connector)
{
    return ndkt_put(r, 86, 1, 0, 0, 0u, (uint64_t)(uint32_t)qp | (uint64_t)(uint32_t)conn << 32, (uint64_t)(uint32_t)connector, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkCompleteConnect_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 87, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkCompleteConnectEx_call(ndkt_ring *r, uint32_t qp, uint32_t conn, uint32_t connector)
{
    return ndkt_put(r, 88, 1, 0, 0, 0u, (uint64_t)(uint32_t)qp | (uint64_t)(uint32_t)conn << 32, (uint64_t)(uint32_t)connector, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkCompleteConnectEx_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 89, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkConnectWithSharedEndpoint_call(ndkt_ring *r, uint32_t qp, uint32_t conn, uint32_t connector, uint32_t endpoint)
{
    return ndkt_put(r, 90, 1, 0, 0, 0u, (uint64_t)(uint32_t)qp | (uint64_t)(uint32_t)conn << 32, (uint64_t)(uint32_t)connector | (uint64_t)(uint32_t)endpoint << 32, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkConnectWithSharedEndpoint_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 91, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkDisconnect_call(ndkt_ring *r, uint32_t qp, uint32_t connector, uint32_t conn)
{
    return ndkt_put(r, 92, 1, 0, 0, 0u, (uint64_t)(uint32_t)qp | (uint64_t)(uint32_t)connector << 32, (uint64_t)(uint32_t)conn, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkDisconnect_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 93, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkFlush_call(ndkt_ring *r, uint32_t qp)
{
    return ndkt_put(r, 94, 1, 0, 0, 0u, (uint64_t)(uint32_t)qp, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkFlush_ret(ndkt_ring *r, ndkt_op op, uint64_t status)
{
    ndkt_put(r, 95, 0, op == 0, op, 0u | (status != NDKT_NONE ? 1u : 0u), (uint64_t)(uint32_t)(status == NDKT_NONE ? 0 : status), 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkCloseQp_call(ndkt_ring *r, uint32_t qp)
{
    return ndkt_put(r, 96, 1, 0, 0, 0u, (uint64_t)(uint32_t)qp, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkCloseQp_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 97, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkReceive_call(ndkt_ring *r, uint32_t qp, uint64_t bytes)
{
    return ndkt_put(r, 98, 1, 0, 0, 0u | (bytes != NDKT_NONE ? 1u : 0u), (uint64_t)(uint32_t)qp, 0, (bytes == NDKT_NONE ? 0 : bytes), 2, 0, 0);
}
NDKT_INLINE void ndkt_NdkReceive_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 99, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkSend_call(ndkt_ring *r, uint32_t qp, uint32_t flags, uint64_t bytes)
{
    return ndkt_put(r, 100, 1, 0, 0, 0u | (bytes != NDKT_NONE ? 1u : 0u), (uint64_t)(uint32_t)qp | (uint64_t)(uint32_t)flags << 32, 0, (bytes == NDKT_NONE ? 0 : bytes), 2, 0, 0);
}
NDKT_INLINE void ndkt_NdkSend_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 101, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkWrite_call(ndkt_ring *r, uint32_t qp, uint32_t flags, uint64_t bytes)
{
    return ndkt_put(r, 102, 1, 0, 0, 0u | (bytes != NDKT_NONE ? 1u : 0u), (uint64_t)(uint32_t)qp | (uint64_t)(uint32_t)flags << 32, 0, (bytes == NDKT_NONE ? 0 : bytes), 2, 0, 0);
}
NDKT_INLINE void ndkt_NdkWrite_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 103, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkRead_call(ndkt_ring *r, uint32_t qp, uint32_t flags, uint64_t bytes, uint64_t token)
{
    ndkt_slot m;
    m.class_ = 0; m.more = 0; m.has = 0; m.stamp = 0;
    m.t = (uint64_t)(uint32_t)(token == NDKT_NONE ? 0 : token);
    m.thr = 0;
    m.op = 0;
    m.w[0] = 0;
    m.w[1] = 0;
    m.w[2] = 0;
    return ndkt_put(r, 104, 1, 0, 0, 0u | (bytes != NDKT_NONE ? 1u : 0u) | (token != NDKT_NONE ? 2u : 0u), (uint64_t)(uint32_t)qp | (uint64_t)(uint32_t)flags << 32, 0, (bytes == NDKT_NONE ? 0 : bytes), 2, &m, (token != NDKT_NONE) ? 1 : 0);
}
NDKT_INLINE void ndkt_NdkRead_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 105, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkSendAndInvalidate_call(ndkt_ring *r, uint32_t qp, uint32_t token, uint32_t flags, uint64_t bytes)
{
    ndkt_slot m;
    m.class_ = 0; m.more = 0; m.has = 0; m.stamp = 0;
    m.t = (bytes == NDKT_NONE ? 0 : bytes);
    m.thr = 0;
    m.op = 0;
    m.w[0] = 0;
    m.w[1] = 0;
    m.w[2] = 0;
    return ndkt_put(r, 106, 1, 0, 0, 1u | (bytes != NDKT_NONE ? 2u : 0u), (uint64_t)(uint32_t)qp | (uint64_t)(uint32_t)token << 32, 0, (uint64_t)(uint32_t)flags, 2, &m, (bytes != NDKT_NONE) ? 1 : 0);
}
NDKT_INLINE void ndkt_NdkSendAndInvalidate_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 107, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkFastRegister_call(ndkt_ring *r, uint32_t qp, uint32_t mr, uint32_t flags, uint64_t bytes, uint64_t token)
{
    ndkt_slot m;
    m.class_ = 0; m.more = 0; m.has = 0; m.stamp = 0;
    m.t = (bytes == NDKT_NONE ? 0 : bytes);
    m.thr = 0;
    m.op = 0;
    m.w[0] = 0;
    m.w[1] = 0;
    m.w[2] = 0;
    return ndkt_put(r, 108, 1, 0, 0, 0u | (bytes != NDKT_NONE ? 1u : 0u) | (token != NDKT_NONE ? 2u : 0u), (uint64_t)(uint32_t)qp | (uint64_t)(uint32_t)mr << 32, 0, (uint64_t)(uint32_t)flags | (uint64_t)(uint32_t)(token == NDKT_NONE ? 0 : token) << 32, 2, &m, (bytes != NDKT_NONE) ? 1 : 0);
}
NDKT_INLINE void ndkt_NdkFastRegister_ret(ndkt_ring *r, ndkt_op op, uint32_t status, uint64_t token)
{
    ndkt_put(r, 109, 0, op == 0, op, 1u | (token != NDKT_NONE ? 2u : 0u), (uint64_t)(uint32_t)status | (uint64_t)(uint32_t)(token == NDKT_NONE ? 0 : token) << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkBind_call(ndkt_ring *r, uint32_t qp, uint32_t mw, uint32_t mr, uint32_t flags, uint64_t bytes, uint64_t token)
{
    ndkt_slot m;
    m.class_ = 0; m.more = 0; m.has = 0; m.stamp = 0;
    m.t = (bytes == NDKT_NONE ? 0 : bytes);
    m.thr = (uint64_t)(uint32_t)(token == NDKT_NONE ? 0 : token);
    m.op = 0;
    m.w[0] = 0;
    m.w[1] = 0;
    m.w[2] = 0;
    return ndkt_put(r, 110, 1, 0, 0, 0u | (bytes != NDKT_NONE ? 1u : 0u) | (token != NDKT_NONE ? 2u : 0u), (uint64_t)(uint32_t)qp | (uint64_t)(uint32_t)mw << 32, 0, (uint64_t)(uint32_t)mr | (uint64_t)(uint32_t)flags << 32, 2, &m, (bytes != NDKT_NONE || token != NDKT_NONE) ? 1 : 0);
}
NDKT_INLINE void ndkt_NdkBind_ret(ndkt_ring *r, ndkt_op op, uint32_t status, uint64_t token)
{
    ndkt_put(r, 111, 0, op == 0, op, 1u | (token != NDKT_NONE ? 2u : 0u), (uint64_t)(uint32_t)status | (uint64_t)(uint32_t)(token == NDKT_NONE ? 0 : token) << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkInvalidate_call(ndkt_ring *r, uint32_t qp, uint32_t mr, uint32_t mw, uint32_t flags, uint64_t token)
{
    ndkt_slot m;
    m.class_ = 0; m.more = 0; m.has = 0; m.stamp = 0;
    m.t = (uint64_t)(uint32_t)(token == NDKT_NONE ? 0 : token);
    m.thr = 0;
    m.op = 0;
    m.w[0] = 0;
    m.w[1] = 0;
    m.w[2] = 0;
    return ndkt_put(r, 112, 1, 0, 0, 0u | (token != NDKT_NONE ? 1u : 0u), (uint64_t)(uint32_t)qp | (uint64_t)(uint32_t)mr << 32, 0, (uint64_t)(uint32_t)mw | (uint64_t)(uint32_t)flags << 32, 2, &m, (token != NDKT_NONE) ? 1 : 0);
}
NDKT_INLINE void ndkt_NdkInvalidate_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 113, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkCreateSrq_call(ndkt_ring *r, uint32_t srq, uint32_t pd, uint64_t threshold, uint32_t notify)
{
    return ndkt_put(r, 114, 1, 0, 0, 0u | (threshold != NDKT_NONE ? 1u : 0u), (uint64_t)(uint32_t)srq | (uint64_t)(uint32_t)pd << 32, (uint64_t)(uint32_t)(threshold == NDKT_NONE ? 0 : threshold) | (uint64_t)(uint32_t)notify << 32, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkCreateSrq_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 115, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkModifySrq_call(ndkt_ring *r, uint32_t srq, uint64_t threshold)
{
    return ndkt_put(r, 116, 1, 0, 0, 0u | (threshold != NDKT_NONE ? 1u : 0u), (uint64_t)(uint32_t)srq | (uint64_t)(uint32_t)(threshold == NDKT_NONE ? 0 : threshold) << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkModifySrq_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 117, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkCloseSrq_call(ndkt_ring *r, uint32_t srq)
{
    return ndkt_put(r, 118, 1, 0, 0, 0u, (uint64_t)(uint32_t)srq, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkCloseSrq_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 119, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkSrqReceive_call(ndkt_ring *r, uint32_t srq, uint64_t bytes)
{
    return ndkt_put(r, 120, 1, 0, 0, 0u | (bytes != NDKT_NONE ? 1u : 0u), (uint64_t)(uint32_t)srq, 0, (bytes == NDKT_NONE ? 0 : bytes), 2, 0, 0);
}
NDKT_INLINE void ndkt_NdkSrqReceive_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 121, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkCreateMr_call(ndkt_ring *r, uint32_t mr, uint32_t pd)
{
    return ndkt_put(r, 122, 1, 0, 0, 0u, (uint64_t)(uint32_t)mr | (uint64_t)(uint32_t)pd << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkCreateMr_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 123, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkRegisterMr_call(ndkt_ring *r, uint32_t mr, uint64_t length, uint32_t flags)
{
    return ndkt_put(r, 124, 1, 0, 0, 0u | (length != NDKT_NONE ? 1u : 0u), (uint64_t)(uint32_t)mr | (uint64_t)(uint32_t)flags << 32, (length == NDKT_NONE ? 0 : length), 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkRegisterMr_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 125, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkInitializeFastRegisterMr_call(ndkt_ring *r, uint32_t mr)
{
    return ndkt_put(r, 126, 1, 0, 0, 0u, (uint64_t)(uint32_t)mr, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkInitializeFastRegisterMr_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 127, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkDeregisterMr_call(ndkt_ring *r, uint32_t mr)
{
    return ndkt_put(r, 128, 1, 0, 0, 0u, (uint64_t)(uint32_t)mr, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkDeregisterMr_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 129, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkCloseMr_call(ndkt_ring *r, uint32_t mr)
{
    return ndkt_put(r, 130, 1, 0, 0, 0u, (uint64_t)(uint32_t)mr, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkCloseMr_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 131, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkGetLocalTokenFromMr_call(ndkt_ring *r, uint32_t mr)
{
    return ndkt_put(r, 132, 1, 0, 0, 0u, (uint64_t)(uint32_t)mr, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkGetLocalTokenFromMr_ret(ndkt_ring *r, ndkt_op op, uint32_t token)
{
    ndkt_put(r, 133, 0, op == 0, op, 1u, (uint64_t)(uint32_t)token, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkGetRemoteTokenFromMr_call(ndkt_ring *r, uint32_t mr)
{
    return ndkt_put(r, 134, 1, 0, 0, 0u, (uint64_t)(uint32_t)mr, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkGetRemoteTokenFromMr_ret(ndkt_ring *r, ndkt_op op, uint32_t token)
{
    ndkt_put(r, 135, 0, op == 0, op, 1u, (uint64_t)(uint32_t)token, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkCreateMw_call(ndkt_ring *r, uint32_t mw, uint32_t pd)
{
    return ndkt_put(r, 136, 1, 0, 0, 0u, (uint64_t)(uint32_t)mw | (uint64_t)(uint32_t)pd << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkCreateMw_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 137, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkCloseMw_call(ndkt_ring *r, uint32_t mw)
{
    return ndkt_put(r, 138, 1, 0, 0, 0u, (uint64_t)(uint32_t)mw, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkCloseMw_ret(ndkt_ring *r, ndkt_op op, uint32_t status)
{
    ndkt_put(r, 139, 0, op == 0, op, 1u, (uint64_t)(uint32_t)status, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkGetRemoteTokenFromMw_call(ndkt_ring *r, uint32_t mw)
{
    return ndkt_put(r, 140, 1, 0, 0, 0u, (uint64_t)(uint32_t)mw, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkGetRemoteTokenFromMw_ret(ndkt_ring *r, ndkt_op op, uint32_t token)
{
    ndkt_put(r, 141, 0, op == 0, op, 1u, (uint64_t)(uint32_t)token, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkCqNotificationCallback_enter(ndkt_ring *r, uint32_t cq, uint32_t status)
{
    return ndkt_put(r, 142, 1, 0, 0, 1u, (uint64_t)(uint32_t)cq | (uint64_t)(uint32_t)status << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkCqNotificationCallback_exit(ndkt_ring *r, ndkt_op op)
{
    ndkt_put(r, 143, 0, op == 0, op, 0u, 0, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkSrqNotificationCallback_enter(ndkt_ring *r, uint32_t srq, uint32_t status)
{
    return ndkt_put(r, 144, 1, 0, 0, 1u, (uint64_t)(uint32_t)srq | (uint64_t)(uint32_t)status << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkSrqNotificationCallback_exit(ndkt_ring *r, ndkt_op op)
{
    ndkt_put(r, 145, 0, op == 0, op, 0u, 0, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkConnectEventCallback_enter(ndkt_ring *r, uint32_t listener, uint32_t connector)
{
    return ndkt_put(r, 146, 1, 0, 0, 0u, (uint64_t)(uint32_t)listener | (uint64_t)(uint32_t)connector << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkConnectEventCallback_exit(ndkt_ring *r, ndkt_op op)
{
    ndkt_put(r, 147, 0, op == 0, op, 0u, 0, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkDisconnectEventCallback_enter(ndkt_ring *r, uint32_t connector, uint32_t qp, uint32_t conn)
{
    return ndkt_put(r, 148, 1, 0, 0, 0u, (uint64_t)(uint32_t)connector | (uint64_t)(uint32_t)qp << 32, (uint64_t)(uint32_t)conn, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkDisconnectEventCallback_exit(ndkt_ring *r, ndkt_op op)
{
    ndkt_put(r, 149, 0, op == 0, op, 0u, 0, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkDisconnectEventCallbackEx_enter(ndkt_ring *r, uint32_t connector, uint32_t qp, uint32_t conn)
{
    return ndkt_put(r, 150, 1, 0, 0, 0u, (uint64_t)(uint32_t)connector | (uint64_t)(uint32_t)qp << 32, (uint64_t)(uint32_t)conn, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkDisconnectEventCallbackEx_exit(ndkt_ring *r, ndkt_op op)
{
    ndkt_put(r, 151, 0, op == 0, op, 0u, 0, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkCreateCompletion_enter(ndkt_ring *r, uint64_t for_, uint32_t status)
{
    return ndkt_put(r, 152, 1, for_ == 0, 0, 1u, for_, (uint64_t)(uint32_t)status, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkCreateCompletion_exit(ndkt_ring *r, ndkt_op op)
{
    ndkt_put(r, 153, 0, op == 0, op, 0u, 0, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkRequestCompletion_enter(ndkt_ring *r, uint64_t for_, uint32_t status)
{
    return ndkt_put(r, 154, 1, for_ == 0, 0, 1u, for_, (uint64_t)(uint32_t)status, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkRequestCompletion_exit(ndkt_ring *r, ndkt_op op)
{
    ndkt_put(r, 155, 0, op == 0, op, 0u, 0, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_NdkCloseCompletion_enter(ndkt_ring *r, uint64_t for_)
{
    return ndkt_put(r, 156, 1, for_ == 0, 0, 0u, for_, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_NdkCloseCompletion_exit(ndkt_ring *r, ndkt_op op)
{
    ndkt_put(r, 157, 0, op == 0, op, 0u, 0, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_open_device_call(ndkt_ring *r, uint32_t adapter)
{
    return ndkt_put(r, 158, 1, 0, 0, 0u, (uint64_t)(uint32_t)adapter, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_ibv_open_device_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_)
{
    ndkt_put(r, 159, 0, op == 0, op, 0u, (uint64_t)(uint32_t)errno_, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_close_device_call(ndkt_ring *r, uint32_t adapter)
{
    return ndkt_put(r, 160, 1, 0, 0, 0u, (uint64_t)(uint32_t)adapter, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_ibv_close_device_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_)
{
    ndkt_put(r, 161, 0, op == 0, op, 0u, (uint64_t)(uint32_t)errno_, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_query_device_call(ndkt_ring *r, uint32_t adapter)
{
    return ndkt_put(r, 162, 1, 0, 0, 0u, (uint64_t)(uint32_t)adapter, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_ibv_query_device_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_)
{
    ndkt_put(r, 163, 0, op == 0, op, 0u, (uint64_t)(uint32_t)errno_, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_query_port_call(ndkt_ring *r, uint32_t adapter)
{
    return ndkt_put(r, 164, 1, 0, 0, 0u, (uint64_t)(uint32_t)adapter, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_ibv_query_port_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_)
{
    ndkt_put(r, 165, 0, op == 0, op, 0u, (uint64_t)(uint32_t)errno_, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_alloc_pd_call(ndkt_ring *r, uint32_t pd, uint32_t adapter)
{
    return ndkt_put(r, 166, 1, 0, 0, 0u, (uint64_t)(uint32_t)pd | (uint64_t)(uint32_t)adapter << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_ibv_alloc_pd_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_)
{
    ndkt_put(r, 167, 0, op == 0, op, 0u, (uint64_t)(uint32_t)errno_, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_dealloc_pd_call(ndkt_ring *r, uint32_t pd)
{
    return ndkt_put(r, 168, 1, 0, 0, 0u, (uint64_t)(uint32_t)pd, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_ibv_dealloc_pd_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_)
{
    ndkt_put(r, 169, 0, op == 0, op, 0u, (uint64_t)(uint32_t)errno_, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_create_comp_channel_call(ndkt_ring *r, uint32_t channel, uint32_t adapter)
{
    return ndkt_put(r, 170, 1, 0, 0, 0u, (uint64_t)(uint32_t)channel | (uint64_t)(uint32_t)adapter << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_ibv_create_comp_channel_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_)
{
    ndkt_put(r, 171, 0, op == 0, op, 0u, (uint64_t)(uint32_t)errno_, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_destroy_comp_channel_call(ndkt_ring *r, uint32_t channel)
{
    return ndkt_put(r, 172, 1, 0, 0, 0u, (uint64_t)(uint32_t)channel, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_ibv_destroy_comp_channel_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_)
{
    ndkt_put(r, 173, 0, op == 0, op, 0u, (uint64_t)(uint32_t)errno_, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_reg_mr_call(ndkt_ring *r, uint32_t mr, uint32_t pd, uint64_t length)
{
    return ndkt_put(r, 174, 1, 0, 0, 0u | (length != NDKT_NONE ? 1u : 0u), (uint64_t)(uint32_t)mr | (uint64_t)(uint32_t)pd << 32, (length == NDKT_NONE ? 0 : length), 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_ibv_reg_mr_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_)
{
    ndkt_put(r, 175, 0, op == 0, op, 0u, (uint64_t)(uint32_t)errno_, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_dereg_mr_call(ndkt_ring *r, uint32_t mr)
{
    return ndkt_put(r, 176, 1, 0, 0, 0u, (uint64_t)(uint32_t)mr, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_ibv_dereg_mr_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_)
{
    ndkt_put(r, 177, 0, op == 0, op, 0u, (uint64_t)(uint32_t)errno_, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_alloc_mw_call(ndkt_ring *r, uint32_t mw, uint32_t pd)
{
    return ndkt_put(r, 178, 1, 0, 0, 0u, (uint64_t)(uint32_t)mw | (uint64_t)(uint32_t)pd << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_ibv_alloc_mw_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_)
{
    ndkt_put(r, 179, 0, op == 0, op, 0u, (uint64_t)(uint32_t)errno_, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_dealloc_mw_call(ndkt_ring *r, uint32_t mw)
{
    return ndkt_put(r, 180, 1, 0, 0, 0u, (uint64_t)(uint32_t)mw, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_ibv_dealloc_mw_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_)
{
    ndkt_put(r, 181, 0, op == 0, op, 0u, (uint64_t)(uint32_t)errno_, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_bind_mw_call(ndkt_ring *r, uint32_t qp, uint32_t mw, uint32_t mr)
{
    return ndkt_put(r, 182, 1, 0, 0, 0u, (uint64_t)(uint32_t)qp | (uint64_t)(uint32_t)mw << 32, 0, (uint64_t)(uint32_t)mr, 2, 0, 0);
}
NDKT_INLINE void ndkt_ibv_bind_mw_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_, uint64_t token)
{
    ndkt_put(r, 183, 0, op == 0, op, 0u | (token != NDKT_NONE ? 1u : 0u), (uint64_t)(uint32_t)errno_ | (uint64_t)(uint32_t)(token == NDKT_NONE ? 0 : token) << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_create_cq_call(ndkt_ring *r, uint32_t cq, uint32_t depth, uint32_t channel, uint32_t adapter)
{
    return ndkt_put(r, 184, 1, 0, 0, 1u, (uint64_t)(uint32_t)cq | (uint64_t)(uint32_t)depth << 32, (uint64_t)(uint32_t)channel | (uint64_t)(uint32_t)adapter << 32, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_ibv_create_cq_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_, uint64_t depth)
{
    ndkt_put(r, 185, 0, op == 0, op, 0u | (depth != NDKT_NONE ? 1u : 0u), (uint64_t)(uint32_t)errno_ | (uint64_t)(uint32_t)(depth == NDKT_NONE ? 0 : depth) << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_create_cq_ex_call(ndkt_ring *r, uint32_t cq, uint32_t depth, uint32_t channel, uint32_t adapter)
{
    return ndkt_put(r, 186, 1, 0, 0, 1u, (uint64_t)(uint32_t)cq | (uint64_t)(uint32_t)depth << 32, (uint64_t)(uint32_t)channel | (uint64_t)(uint32_t)adapter << 32, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_ibv_create_cq_ex_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_, uint64_t depth)
{
    ndkt_put(r, 187, 0, op == 0, op, 0u | (depth != NDKT_NONE ? 1u : 0u), (uint64_t)(uint32_t)errno_ | (uint64_t)(uint32_t)(depth == NDKT_NONE ? 0 : depth) << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_resize_cq_call(ndkt_ring *r, uint32_t cq, uint32_t depth)
{
    return ndkt_put(r, 188, 1, 0, 0, 1u, (uint64_t)(uint32_t)cq | (uint64_t)(uint32_t)depth << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_ibv_resize_cq_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_, uint64_t depth)
{
    ndkt_put(r, 189, 0, op == 0, op, 0u | (depth != NDKT_NONE ? 1u : 0u), (uint64_t)(uint32_t)errno_ | (uint64_t)(uint32_t)(depth == NDKT_NONE ? 0 : depth) << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_destroy_cq_call(ndkt_ring *r, uint32_t cq)
{
    return ndkt_put(r, 190, 1, 0, 0, 0u, (uint64_t)(uint32_t)cq, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_ibv_destroy_cq_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_)
{
    ndkt_put(r, 191, 0, op == 0, op, 0u, (uint64_t)(uint32_t)errno_, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_req_notify_cq_call(ndkt_ring *r, uint32_t cq, uint32_t solicited_only)
{
    return ndkt_put(r, 192, 1, 0, 0, 0u, (uint64_t)(uint32_t)cq | (uint64_t)(uint32_t)solicited_only << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_ibv_req_notify_cq_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_)
{
    ndkt_put(r, 193, 0, op == 0, op, 0u, (uint64_t)(uint32_t)errno_, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_poll_cq_call(ndkt_ring *r, uint32_t cq, uint32_t n)
{
    return ndkt_put(r, 194, 1, 0, 0, 1u, (uint64_t)(uint32_t)cq | (uint64_t)(uint32_t)n << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_ibv_poll_cq_ret(ndkt_ring *r, ndkt_op op, const ndkt_result *results, unsigned count, uint32_t errno_)
{
    ndkt_put(r, 195, 0, op == 0, op, 0u | (results ? 1u : 0u), (uint64_t)(uint32_t)errno_, 0, 0, 0, results, results ? count : 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_get_cq_event_call(ndkt_ring *r, uint32_t channel)
{
    return ndkt_put(r, 196, 1, 0, 0, 0u, (uint64_t)(uint32_t)channel, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_ibv_get_cq_event_ret(ndkt_ring *r, ndkt_op op, uint32_t cq, uint32_t errno_)
{
    ndkt_put(r, 197, 0, op == 0, op, 0u, (uint64_t)(uint32_t)cq | (uint64_t)(uint32_t)errno_ << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_ack_cq_events_call(ndkt_ring *r, uint32_t cq, uint32_t n)
{
    return ndkt_put(r, 198, 1, 0, 0, 1u, (uint64_t)(uint32_t)cq | (uint64_t)(uint32_t)n << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_ibv_ack_cq_events_ret(ndkt_ring *r, ndkt_op op)
{
    ndkt_put(r, 199, 0, op == 0, op, 0u, 0, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_create_qp_call(ndkt_ring *r, uint32_t qp, uint32_t initiator_cq, uint32_t receive_cq, uint64_t qp_type, uint64_t initiator_depth, uint64_t receive_depth, uint64_t inline_, uint32_t sq_sig_all, uint32_t srq, uint32_t pd)
{
    ndkt_slot m;
    m.class_ = 0; m.more = 0; m.has = 0; m.stamp = 0;
    m.t = (uint64_t)(uint32_t)(inline_ == NDKT_NONE ? 0 : inline_) | (uint64_t)(uint32_t)sq_sig_all << 32;
    m.thr = (uint64_t)(uint32_t)srq | (uint64_t)(uint32_t)pd << 32;
    m.op = 0;
    m.w[0] = 0;
    m.w[1] = 0;
    m.w[2] = 0;
    return ndkt_put(r, 200, 1, 0, 0, 0u | (qp_type != NDKT_NONE ? 1u : 0u) | (initiator_depth != NDKT_NONE ? 2u : 0u) | (receive_depth != NDKT_NONE ? 4u : 0u) | (inline_ != NDKT_NONE ? 8u : 0u), (uint64_t)(uint32_t)qp | (uint64_t)(uint32_t)initiator_cq << 32, (uint64_t)(uint32_t)receive_cq | (uint64_t)(uint32_t)(qp_type == NDKT_NONE ? 0 : qp_type) << 32, (uint64_t)(uint32_t)(initiator_depth == NDKT_NONE ? 0 : initiator_depth) | (uint64_t)(uint32_t)(receive_depth == NDKT_NONE ? 0 : receive_depth) << 32, 0, &m, (inline_ != NDKT_NONE || sq_sig_all != 0 || srq != 0 || pd != 0) ? 1 : 0);
}
NDKT_INLINE void ndkt_ibv_create_qp_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_, uint64_t initiator_depth, uint64_t receive_depth, uint64_t inline_)
{
    ndkt_put(r, 201, 0, op == 0, op, 0u | (initiator_depth != NDKT_NONE ? 1u : 0u) | (receive_depth != NDKT_NONE ? 2u : 0u) | (inline_ != NDKT_NONE ? 4u : 0u), (uint64_t)(uint32_t)errno_ | (uint64_t)(uint32_t)(initiator_depth == NDKT_NONE ? 0 : initiator_depth) << 32, (uint64_t)(uint32_t)(receive_depth == NDKT_NONE ? 0 : receive_depth) | (uint64_t)(uint32_t)(inline_ == NDKT_NONE ? 0 : inline_) << 32, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_create_qp_ex_call(ndkt_ring *r, uint32_t qp, uint32_t initiator_cq, uint32_t receive_cq, uint64_t qp_type, uint64_t initiator_depth, uint64_t receive_depth, uint64_t inline_, uint32_t sq_sig_all, uint32_t srq, uint32_t pd)
{
    ndkt_slot m;
    m.class_ = 0; m.more = 0; m.has = 0; m.stamp = 0;
    m.t = (uint64_t)(uint32_t)(inline_ == NDKT_NONE ? 0 : inline_) | (uint64_t)(uint32_t)sq_sig_all << 32;
    m.thr = (uint64_t)(uint32_t)srq | (uint64_t)(uint32_t)pd << 32;
    m.op = 0;
    m.w[0] = 0;
    m.w[1] = 0;
    m.w[2] = 0;
    return ndkt_put(r, 202, 1, 0, 0, 0u | (qp_type != NDKT_NONE ? 1u : 0u) | (initiator_depth != NDKT_NONE ? 2u : 0u) | (receive_depth != NDKT_NONE ? 4u : 0u) | (inline_ != NDKT_NONE ? 8u : 0u), (uint64_t)(uint32_t)qp | (uint64_t)(uint32_t)initiator_cq << 32, (uint64_t)(uint32_t)receive_cq | (uint64_t)(uint32_t)(qp_type == NDKT_NONE ? 0 : qp_type) << 32, (uint64_t)(uint32_t)(initiator_depth == NDKT_NONE ? 0 : initiator_depth) | (uint64_t)(uint32_t)(receive_depth == NDKT_NONE ? 0 : receive_depth) << 32, 0, &m, (inline_ != NDKT_NONE || sq_sig_all != 0 || srq != 0 || pd != 0) ? 1 : 0);
}
NDKT_INLINE void ndkt_ibv_create_qp_ex_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_, uint64_t initiator_depth, uint64_t receive_depth, uint64_t inline_)
{
    ndkt_put(r, 203, 0, op == 0, op, 0u | (initiator_depth != NDKT_NONE ? 1u : 0u) | (receive_depth != NDKT_NONE ? 2u : 0u) | (inline_ != NDKT_NONE ? 4u : 0u), (uint64_t)(uint32_t)errno_ | (uint64_t)(uint32_t)(initiator_depth == NDKT_NONE ? 0 : initiator_depth) << 32, (uint64_t)(uint32_t)(receive_depth == NDKT_NONE ? 0 : receive_depth) | (uint64_t)(uint32_t)(inline_ == NDKT_NONE ? 0 : inline_) << 32, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_modify_qp_call(ndkt_ring *r, uint32_t qp, uint32_t state, uint32_t conn)
{
    return ndkt_put(r, 204, 1, 0, 0, 1u, (uint64_t)(uint32_t)qp | (uint64_t)(uint32_t)state << 32, (uint64_t)(uint32_t)conn, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_ibv_modify_qp_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_)
{
    ndkt_put(r, 205, 0, op == 0, op, 0u, (uint64_t)(uint32_t)errno_, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_query_qp_call(ndkt_ring *r, uint32_t qp)
{
    return ndkt_put(r, 206, 1, 0, 0, 0u, (uint64_t)(uint32_t)qp, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_ibv_query_qp_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_)
{
    ndkt_put(r, 207, 0, op == 0, op, 0u, (uint64_t)(uint32_t)errno_, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_destroy_qp_call(ndkt_ring *r, uint32_t qp)
{
    return ndkt_put(r, 208, 1, 0, 0, 0u, (uint64_t)(uint32_t)qp, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_ibv_destroy_qp_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_)
{
    ndkt_put(r, 209, 0, op == 0, op, 0u, (uint64_t)(uint32_t)errno_, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_post_send_call(ndkt_ring *r, uint32_t qp, const ndkt_request *wrs, unsigned count)
{
    return ndkt_put(r, 210, 1, 0, 0, 0u | (wrs ? 1u : 0u), (uint64_t)(uint32_t)qp, 0, 0, 0, wrs, wrs ? count : 0);
}
NDKT_INLINE void ndkt_ibv_post_send_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_, uint64_t bad_wr)
{
    ndkt_put(r, 211, 0, op == 0, op, 0u, (uint64_t)(uint32_t)errno_, bad_wr, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_post_recv_call(ndkt_ring *r, uint32_t qp, const ndkt_request *wrs, unsigned count)
{
    return ndkt_put(r, 212, 1, 0, 0, 0u | (wrs ? 1u : 0u), (uint64_t)(uint32_t)qp, 0, 0, 0, wrs, wrs ? count : 0);
}
NDKT_INLINE void ndkt_ibv_post_recv_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_, uint64_t bad_wr)
{
    ndkt_put(r, 213, 0, op == 0, op, 0u, (uint64_t)(uint32_t)errno_, bad_wr, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_create_srq_call(ndkt_ring *r, uint32_t srq, uint32_t pd)
{
    return ndkt_put(r, 214, 1, 0, 0, 0u, (uint64_t)(uint32_t)srq | (uint64_t)(uint32_t)pd << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_ibv_create_srq_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_)
{
    ndkt_put(r, 215, 0, op == 0, op, 0u, (uint64_t)(uint32_t)errno_, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_create_srq_ex_call(ndkt_ring *r, uint32_t srq, uint32_t pd)
{
    return ndkt_put(r, 216, 1, 0, 0, 0u, (uint64_t)(uint32_t)srq | (uint64_t)(uint32_t)pd << 32, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_ibv_create_srq_ex_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_)
{
    ndkt_put(r, 217, 0, op == 0, op, 0u, (uint64_t)(uint32_t)errno_, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_destroy_srq_call(ndkt_ring *r, uint32_t srq)
{
    return ndkt_put(r, 218, 1, 0, 0, 0u, (uint64_t)(uint32_t)srq, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_ibv_destroy_srq_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_)
{
    ndkt_put(r, 219, 0, op == 0, op, 0u, (uint64_t)(uint32_t)errno_, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_post_srq_recv_call(ndkt_ring *r, uint32_t srq, const ndkt_request *wrs, unsigned count)
{
    return ndkt_put(r, 220, 1, 0, 0, 0u | (wrs ? 1u : 0u), (uint64_t)(uint32_t)srq, 0, 0, 0, wrs, wrs ? count : 0);
}
NDKT_INLINE void ndkt_ibv_post_srq_recv_ret(ndkt_ring *r, ndkt_op op, uint32_t errno_, uint64_t bad_wr)
{
    ndkt_put(r, 221, 0, op == 0, op, 0u, (uint64_t)(uint32_t)errno_, bad_wr, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_get_async_event_call(ndkt_ring *r, uint32_t adapter)
{
    return ndkt_put(r, 222, 1, 0, 0, 0u, (uint64_t)(uint32_t)adapter, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_ibv_get_async_event_ret(ndkt_ring *r, ndkt_op op, uint64_t type, uint32_t errno_, uint32_t cq, uint32_t qp, uint32_t srq)
{
    ndkt_put(r, 223, 0, op == 0, op, 0u | (type != NDKT_NONE ? 1u : 0u), (uint64_t)(uint32_t)(type == NDKT_NONE ? 0 : type) | (uint64_t)(uint32_t)errno_ << 32, (uint64_t)(uint32_t)cq | (uint64_t)(uint32_t)qp << 32, (uint64_t)(uint32_t)srq, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_ibv_ack_async_event_call(ndkt_ring *r)
{
    return ndkt_put(r, 224, 1, 0, 0, 0u, 0, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_ibv_ack_async_event_ret(ndkt_ring *r, ndkt_op op)
{
    ndkt_put(r, 225, 0, op == 0, op, 0u, 0, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_CqePlaced_point(ndkt_ring *r, uint32_t cq, uint64_t wr, uint32_t status, uint32_t solicited)
{
    return ndkt_put(r, 226, 0, wr == 0, 0, 1u, (uint64_t)(uint32_t)cq | (uint64_t)(uint32_t)status << 32, wr, (uint64_t)(uint32_t)solicited, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_HwIndicate_point(ndkt_ring *r, uint32_t qp, uint64_t wr)
{
    return ndkt_put(r, 228, 0, wr == 0, 0, 0u, (uint64_t)(uint32_t)qp, wr, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_quiesce_point(ndkt_ring *r)
{
    return ndkt_put(r, 230, 0, 0, 0, 0u, 0, 0, 0, 0, 0, 0);
}
NDKT_INLINE ndkt_op ndkt_comp_handler_enter(ndkt_ring *r, uint32_t cq)
{
    return ndkt_put(r, 232, 1, 0, 0, 0u, (uint64_t)(uint32_t)cq, 0, 0, 0, 0, 0);
}
NDKT_INLINE void ndkt_comp_handler_exit(ndkt_ring *r, ndkt_op op)
{
    ndkt_put(r, 233, 0, op == 0, op, 0u, 0, 0, 0, 0, 0, 0);
}
