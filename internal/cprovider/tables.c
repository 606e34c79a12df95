/* tables.c - the dispatch tables of the provider. Each function calls its part in Go. */
#include <stdlib.h>
#include <string.h>
#include "glue.h"
#include "_cgo_export.h"

enum { UNSUPPORTED = (int)0xC00000BBu, INVALID = (int)0xC000000Du, TOO_SMALL = (int)0xC0000023u, MOST_SGES = 16 };

static uintptr_t of(void *object) { return ((glue_object *)object)->handle; }

void glue_free(glue_object *o) { free(o); }
void glue_notify(NDK_FN_CQ_NOTIFICATION_CALLBACK f, uintptr_t context, NTSTATUS status) { f((void *)context, status); }
void glue_closed(NDK_FN_CLOSE_COMPLETION f, uintptr_t context) { f((void *)context); }
void glue_requested(NDK_FN_REQUEST_COMPLETION f, uintptr_t context, NTSTATUS status) { f((void *)context, status); }
void glue_connect_event(NDK_FN_CONNECT_EVENT_CALLBACK f, uintptr_t context, glue_object *connector)
{
    f((void *)context, &connector->ndk.connector);
}

/* ---- of each object ---- */

static NTSTATUS close_object(NDK_OBJECT_HEADER *object, NDK_FN_CLOSE_COMPLETION completion, PVOID context)
{
    glue_object *o = (glue_object *)(void *)object;
    return goClose(o->handle, o, completion, (uintptr_t)context); /* which frees it when it is closed */
}

static NTSTATUS query_extension(NDK_OBJECT_HEADER *object, GUID *id, NDK_VERSION version, NDK_EXTENSION_INTERFACE *extension)
{
    (void)object; (void)id; (void)version; (void)extension;
    return UNSUPPORTED;
}

/* gives the consumer an object that Go has created */
static NTSTATUS created(NDK_OBJECT_TYPE type, NTSTATUS status, uintptr_t handle, void **out)
{
    if (status == 0) *out = glue_new(type, handle);
    return status;
}

/* ---- NDK_CQ ---- */

static NTSTATUS resize_cq(NDK_CQ *cq, ULONG depth, NDK_FN_REQUEST_COMPLETION completion, PVOID context)
{
    (void)cq; (void)depth; (void)completion; (void)context;
    return UNSUPPORTED;
}

static VOID arm_cq(NDK_CQ *cq, ULONG type) { goArmCq(of(cq), type); }
static ULONG get_cq_results(NDK_CQ *cq, NDK_RESULT results[], ULONG n) { return (ULONG)goGetCqResults(of(cq), results, n); }
static ULONG get_cq_results_ex(NDK_CQ *cq, NDK_RESULT_EX results[], ULONG n) { return (ULONG)goGetCqResultsEx(of(cq), results, n); }

static NTSTATUS moderate(NDK_CQ *cq, ULONG interval, ULONG count)
{
    (void)cq; (void)interval; (void)count;
    return UNSUPPORTED;
}

static const NDK_CQ_DISPATCH cq_dispatch = {close_object, query_extension, resize_cq, arm_cq, get_cq_results, moderate, get_cq_results_ex};

/* ---- NDK_QP ---- */

static NTSTATUS request(NDK_QP *qp, unsigned type, PVOID context, const NDK_SGE *sgl, ULONG n, ULONG flags, UINT64 address, UINT32 token)
{
    glue_sge flat[MOST_SGES];
    glue_request r;
    ULONG i;
    if (n > MOST_SGES) return INVALID;
    for (i = 0; i < n; i++) {
        flat[i].address = sgl[i].Address.VirtualAddress;
        flat[i].length = sgl[i].Length;
        flat[i].token = sgl[i].MemoryRegionToken;
    }
    r.context = (uintptr_t)context;
    r.sgl = flat;
    r.n = n;
    r.flags = flags;
    r.token = token;
    r.address = address;
    return goRequest(of(qp), type, &r);
}

static VOID flush(NDK_QP *qp) { goFlush(of(qp)); }
static NTSTATUS send_to(NDK_QP *qp, PVOID context, const NDK_SGE *sgl, ULONG n, ULONG flags)
{
    return request(qp, NdkOperationTypeSend, context, sgl, n, flags, 0, 0);
}
static NTSTATUS receive(NDK_QP *qp, PVOID context, const NDK_SGE *sgl, ULONG n)
{
    return request(qp, NdkOperationTypeReceive, context, sgl, n, 0, 0, 0);
}
static NTSTATUS read_from(NDK_QP *qp, PVOID context, const NDK_SGE *sgl, ULONG n, UINT64 address, UINT32 token, ULONG flags)
{
    return request(qp, NdkOperationTypeRead, context, sgl, n, flags, address, token);
}
static NTSTATUS write_to(NDK_QP *qp, PVOID context, const NDK_SGE *sgl, ULONG n, UINT64 address, UINT32 token, ULONG flags)
{
    return request(qp, NdkOperationTypeWrite, context, sgl, n, flags, address, token);
}
static NTSTATUS send_and_invalidate(NDK_QP *qp, PVOID context, const NDK_SGE *sgl, ULONG n, ULONG flags, UINT32 token)
{
    return request(qp, NdkOperationTypeReceiveAndInvalidate, context, sgl, n, flags, 0, token); /* the operation whose type it leads to */
}
static NTSTATUS bind(NDK_QP *qp, PVOID context, NDK_MR *mr, NDK_MW *mw, PVOID address, SIZE_T length, ULONG flags)
{
    return goBind(of(qp), (uintptr_t)context, of(mr), of(mw), address, length, flags);
}
static NTSTATUS fast_register(NDK_QP *qp, PVOID context, NDK_MR *mr, ULONG pages, const NDK_LOGICAL_ADDRESS *page, ULONG fbo, SIZE_T length, PVOID base,
    ULONG flags)
{
    if (!pages || (uint64_t)page[0].QuadPart + fbo != (uint64_t)(uintptr_t)base) return INVALID; /* here every address is its own */
    return goFastRegister(of(qp), (uintptr_t)context, of(mr), base, length, flags);
}
static NTSTATUS invalidate(NDK_QP *qp, PVOID context, NDK_OBJECT_HEADER *object, ULONG flags)
{
    return goInvalidate(of(qp), (uintptr_t)context, of(object), flags);
}

static const NDK_QP_DISPATCH qp_dispatch = {
    close_object, query_extension, flush, send_to, receive, bind, fast_register, invalidate, read_from, write_to, send_and_invalidate
};

/* ---- NDK_MR, NDK_MW and NDK_PD ---- */

static NTSTATUS register_mr(NDK_MR *mr, MDL *mdl, SIZE_T length, ULONG flags, NDK_FN_REQUEST_COMPLETION completion, PVOID context)
{
    (void)completion; (void)context;
    return goRegisterMr(of(mr), mdl->address, length, flags);
}
static NTSTATUS deregister_mr(NDK_MR *mr, NDK_FN_REQUEST_COMPLETION completion, PVOID context)
{
    (void)mr; (void)completion; (void)context;
    return UNSUPPORTED;
}
static NTSTATUS initialize_mr(NDK_MR *mr, ULONG pages, BOOLEAN remote, NDK_FN_REQUEST_COMPLETION completion, PVOID context)
{
    (void)mr; (void)pages; (void)remote; (void)completion; (void)context;
    return 0;
}
static UINT32 mr_token(NDK_MR *mr) { return goToken(of(mr)); }
static UINT32 mw_token(NDK_MW *mw) { return goToken(of(mw)); }

static const NDK_MR_DISPATCH mr_dispatch = {close_object, query_extension, register_mr, deregister_mr, initialize_mr, mr_token, mr_token};
static const NDK_MW_DISPATCH mw_dispatch = {close_object, query_extension, mw_token};

static NTSTATUS create_mr(NDK_PD *pd, BOOLEAN fast, NDK_FN_CREATE_COMPLETION completion, PVOID context, NDK_MR **mr)
{
    uintptr_t handle = 0;
    NTSTATUS status = goCreateMr(of(pd), fast, &handle);
    (void)completion; (void)context;
    return created(NdkObjectTypeMr, status, handle, (void **)mr);
}
static NTSTATUS create_mw(NDK_PD *pd, NDK_FN_CREATE_COMPLETION completion, PVOID context, NDK_MW **mw)
{
    uintptr_t handle = 0;
    NTSTATUS status = goCreateMw(of(pd), &handle);
    (void)completion; (void)context;
    return created(NdkObjectTypeMw, status, handle, (void **)mw);
}
static NTSTATUS create_srq(NDK_PD *pd, ULONG depth, ULONG sge, ULONG threshold, NDK_FN_SRQ_NOTIFICATION_CALLBACK notify, PVOID notify_context,
    GROUP_AFFINITY *affinity, NDK_FN_CREATE_COMPLETION completion, PVOID context, NDK_SRQ **srq)
{
    (void)pd; (void)depth; (void)sge; (void)threshold; (void)notify; (void)notify_context; (void)affinity; (void)completion; (void)context; (void)srq;
    return UNSUPPORTED;
}
static NTSTATUS create_qp(NDK_PD *pd, NDK_CQ *receive_cq, NDK_CQ *initiator_cq, PVOID qp_context, ULONG receive_depth, ULONG initiator_depth,
    ULONG receive_sge, ULONG initiator_sge, ULONG inline_size, NDK_FN_CREATE_COMPLETION completion, PVOID context, NDK_QP **qp)
{
    uintptr_t handle = 0;
    uint32_t numbers[5] = {receive_depth, initiator_depth, receive_sge, initiator_sge, inline_size};
    NTSTATUS status = goCreateQp(of(pd), of(receive_cq), of(initiator_cq), (uintptr_t)qp_context, numbers, &handle);
    (void)completion; (void)context;
    return created(NdkObjectTypeQp, status, handle, (void **)qp);
}
static NTSTATUS create_qp_with_srq(NDK_PD *pd, NDK_CQ *receive_cq, NDK_CQ *initiator_cq, NDK_SRQ *srq, PVOID qp_context, ULONG depth, ULONG sge,
    ULONG inline_size, NDK_FN_CREATE_COMPLETION completion, PVOID context, NDK_QP **qp)
{
    (void)pd; (void)receive_cq; (void)initiator_cq; (void)srq; (void)qp_context; (void)depth; (void)sge; (void)inline_size; (void)completion;
    (void)context; (void)qp;
    return UNSUPPORTED;
}
static VOID privileged_token(NDK_PD *pd, UINT32 *token)
{
    (void)pd;
    *token = 0;
}

static const NDK_PD_DISPATCH pd_dispatch = {
    close_object, query_extension, create_mr, create_mw, create_srq, create_qp, create_qp_with_srq, privileged_token
};

/* ---- NDK_CONNECTOR and NDK_LISTENER: addresses are of AF_INET, and their ports alone matter ---- */

static unsigned port_of(const PSOCKADDR address) { return address ? (unsigned)address->sa_data[0] << 8 | address->sa_data[1] : 0; }

static NTSTATUS give_address(unsigned port, PSOCKADDR address, ULONG *length)
{
    unsigned char bytes[16] = {2, 0, (unsigned char)(port >> 8), (unsigned char)port, 127, 0, 0, 1};
    ULONG room = *length;
    *length = sizeof bytes;
    if (room < sizeof bytes) return TOO_SMALL;
    memcpy(address, bytes, sizeof bytes);
    return 0;
}

static NTSTATUS connect_qp(NDK_CONNECTOR *c, NDK_QP *qp, const PSOCKADDR from, ULONG from_length, const PSOCKADDR to, ULONG to_length, ULONG in, ULONG out,
    const PVOID data, ULONG data_length, NDK_FN_REQUEST_COMPLETION completion, PVOID context)
{
    (void)from_length; (void)to_length; (void)in; (void)out; (void)data; (void)data_length;
    return goConnect(of(c), of(qp), port_of(from), port_of(to), completion, (uintptr_t)context);
}
static NTSTATUS connect_shared(NDK_CONNECTOR *c, NDK_QP *qp, NDK_SHARED_ENDPOINT *e, const PSOCKADDR to, ULONG to_length, ULONG in, ULONG out,
    const PVOID data, ULONG data_length, NDK_FN_REQUEST_COMPLETION completion, PVOID context)
{
    (void)c; (void)qp; (void)e; (void)to; (void)to_length; (void)in; (void)out; (void)data; (void)data_length; (void)completion; (void)context;
    return UNSUPPORTED;
}
static NTSTATUS complete_connect(NDK_CONNECTOR *c, NDK_FN_DISCONNECT_EVENT_CALLBACK event, PVOID event_context, NDK_FN_REQUEST_COMPLETION completion,
    PVOID context)
{
    (void)event; (void)event_context;
    return goCompleteConnect(of(c), completion, (uintptr_t)context);
}
static NTSTATUS complete_connect_ex(NDK_CONNECTOR *c, NDK_FN_DISCONNECT_EVENT_CALLBACK_EX event, PVOID event_context,
    NDK_FN_REQUEST_COMPLETION completion, PVOID context)
{
    (void)event; (void)event_context;
    return goCompleteConnect(of(c), completion, (uintptr_t)context);
}
static NTSTATUS accept_qp(NDK_CONNECTOR *c, NDK_QP *qp, ULONG in, ULONG out, const PVOID data, ULONG data_length, NDK_FN_DISCONNECT_EVENT_CALLBACK event,
    PVOID event_context, NDK_FN_REQUEST_COMPLETION completion, PVOID context)
{
    (void)in; (void)out; (void)data; (void)data_length; (void)event; (void)event_context;
    return goAccept(of(c), of(qp), completion, (uintptr_t)context);
}
static NTSTATUS accept_ex(NDK_CONNECTOR *c, NDK_QP *qp, ULONG in, ULONG out, const PVOID data, ULONG data_length,
    NDK_FN_DISCONNECT_EVENT_CALLBACK_EX event, PVOID event_context, NDK_FN_REQUEST_COMPLETION completion, PVOID context)
{
    (void)in; (void)out; (void)data; (void)data_length; (void)event; (void)event_context;
    return goAccept(of(c), of(qp), completion, (uintptr_t)context);
}
static NTSTATUS reject(NDK_CONNECTOR *c, const PVOID data, ULONG length)
{
    (void)data; (void)length;
    return goReject(of(c));
}
static NTSTATUS connection_data(NDK_CONNECTOR *c, ULONG *in, ULONG *out, PVOID data, ULONG *length)
{
    (void)c; (void)data;
    if (in) *in = 0;
    if (out) *out = 0;
    if (length) *length = 0;
    return 0;
}
static NTSTATUS local_address(NDK_CONNECTOR *c, PSOCKADDR address, ULONG *length) { return give_address(goPort(of(c), 0), address, length); }
static NTSTATUS peer_address(NDK_CONNECTOR *c, PSOCKADDR address, ULONG *length) { return give_address(goPort(of(c), 1), address, length); }
static NTSTATUS disconnect(NDK_CONNECTOR *c, NDK_FN_REQUEST_COMPLETION completion, PVOID context)
{
    (void)c; (void)completion; (void)context;
    return UNSUPPORTED;
}

static const NDK_CONNECTOR_DISPATCH connector_dispatch = {
    close_object, query_extension, connect_qp, connect_shared, complete_connect, accept_qp, reject, connection_data, local_address, peer_address,
    disconnect, complete_connect_ex, accept_ex
};

static NTSTATUS listen_at(NDK_LISTENER *l, const PSOCKADDR address, ULONG length, NDK_FN_REQUEST_COMPLETION completion, PVOID context)
{
    (void)length; (void)completion; (void)context;
    return goListen(of(l), port_of(address));
}
static NTSTATUS listener_address(NDK_LISTENER *l, PSOCKADDR address, ULONG *length) { return give_address(goPort(of(l), 0), address, length); }
static VOID control_events(NDK_LISTENER *l, BOOLEAN pause)
{
    (void)l; (void)pause;
}

static const NDK_LISTENER_DISPATCH listener_dispatch = {close_object, query_extension, listen_at, listener_address, control_events};

/* ---- NDK_ADAPTER ---- */

static NTSTATUS query_info(NDK_ADAPTER *adapter, NDK_ADAPTER_INFO *info, ULONG *size)
{
    ULONG room = *size;
    *size = sizeof *info;
    if (room < sizeof *info) return TOO_SMALL;
    memset(info, 0, sizeof *info);
    info->Version.Major = 2;
    info->Version.Minor = 1;
    info->MaxInitiatorRequestSge = info->MaxReceiveRequestSge = info->MaxReadRequestSge = MOST_SGES;
    info->MaxCqDepth = goLimit(of(adapter), 0);
    info->MaxInitiatorQueueDepth = goLimit(of(adapter), 1);
    info->MaxReceiveQueueDepth = goLimit(of(adapter), 2);
    info->MaxInlineDataSize = goLimit(of(adapter), 3);
    return 0;
}
static NTSTATUS create_cq(NDK_ADAPTER *adapter, ULONG depth, NDK_FN_CQ_NOTIFICATION_CALLBACK notify, PVOID notify_context, GROUP_AFFINITY *affinity,
    NDK_FN_CREATE_COMPLETION completion, PVOID context, NDK_CQ **cq)
{
    uintptr_t handle = 0;
    NTSTATUS status = goCreateCq(of(adapter), depth, notify, (uintptr_t)notify_context, &handle);
    (void)affinity; (void)completion; (void)context;
    return created(NdkObjectTypeCq, status, handle, (void **)cq);
}
static NTSTATUS create_pd(NDK_ADAPTER *adapter, NDK_FN_CREATE_COMPLETION completion, PVOID context, NDK_PD **pd)
{
    uintptr_t handle = 0;
    NTSTATUS status = goCreatePd(of(adapter), &handle);
    (void)completion; (void)context;
    return created(NdkObjectTypePd, status, handle, (void **)pd);
}
static NTSTATUS create_endpoint(NDK_ADAPTER *adapter, const PSOCKADDR address, ULONG length, NDK_FN_CREATE_COMPLETION completion, PVOID context,
    NDK_SHARED_ENDPOINT **endpoint)
{
    (void)adapter; (void)address; (void)length; (void)completion; (void)context; (void)endpoint;
    return UNSUPPORTED;
}
static NTSTATUS create_connector(NDK_ADAPTER *adapter, NDK_FN_CREATE_COMPLETION completion, PVOID context, NDK_CONNECTOR **connector)
{
    (void)completion; (void)context;
    return created(NdkObjectTypeConnector, 0, goCreateConnector(of(adapter)), (void **)connector);
}
static NTSTATUS create_listener(NDK_ADAPTER *adapter, NDK_FN_CONNECT_EVENT_CALLBACK event, PVOID event_context, NDK_FN_CREATE_COMPLETION completion,
    PVOID context, NDK_LISTENER **listener)
{
    (void)completion; (void)context;
    return created(NdkObjectTypeListener, 0, goCreateListener(of(adapter), event, (uintptr_t)event_context), (void **)listener);
}
static NTSTATUS build_lam(NDK_ADAPTER *adapter, MDL *mdl, SIZE_T length, NDK_FN_REQUEST_COMPLETION completion, PVOID context,
    NDK_LOGICAL_ADDRESS_MAPPING *lam, ULONG *size, ULONG *fbo)
{
    (void)adapter; (void)mdl; (void)length; (void)completion; (void)context; (void)lam; (void)size; (void)fbo;
    return UNSUPPORTED;
}
static VOID release_lam(NDK_ADAPTER *adapter, NDK_LOGICAL_ADDRESS_MAPPING *lam)
{
    (void)adapter; (void)lam;
}

static const NDK_ADAPTER_DISPATCH adapter_dispatch = {
    query_extension, query_info, create_cq, create_pd, create_endpoint, create_connector, create_listener, build_lam, release_lam
};

glue_object *glue_new(NDK_OBJECT_TYPE type, uintptr_t handle)
{
    glue_object *o = (glue_object *)calloc(1, sizeof *o);
    if (!o) abort();
    o->ndk.header.Version.Major = 2;
    o->ndk.header.Version.Minor = 1;
    o->ndk.header.ObjectType = type;
    o->handle = handle;
    switch (type) {
    case NdkObjectTypeAdapter: o->ndk.adapter.Dispatch = &adapter_dispatch; break;
    case NdkObjectTypeCq: o->ndk.cq.Dispatch = &cq_dispatch; break;
    case NdkObjectTypePd: o->ndk.pd.Dispatch = &pd_dispatch; break;
    case NdkObjectTypeQp: o->ndk.qp.Dispatch = &qp_dispatch; break;
    case NdkObjectTypeMr: o->ndk.mr.Dispatch = &mr_dispatch; break;
    case NdkObjectTypeMw: o->ndk.mw.Dispatch = &mw_dispatch; break;
    case NdkObjectTypeConnector: o->ndk.connector.Dispatch = &connector_dispatch; break;
    case NdkObjectTypeListener: o->ndk.listener.Dispatch = &listener_dispatch; break;
    default: abort();
    }
    return o;
}

/* ---- what a program calls ---- */

NDK_ADAPTER *ndkp_open(uint64_t seed) { return &glue_new(NdkObjectTypeAdapter, goOpen(seed))->ndk.adapter; }
int ndkp_quiesce(NDK_ADAPTER *adapter, unsigned milliseconds) { return goQuiesce(of(adapter), milliseconds); }
void ndkp_refuse_next(NDK_ADAPTER *adapter) { goRefuseNext(of(adapter)); }
void ndkp_close(NDK_ADAPTER *adapter)
{
    goCloseAdapter(of(adapter));
    glue_free((glue_object *)(void *)adapter);
}
