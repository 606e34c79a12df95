/* provider.c - a small provider of the Network Direct SPI whose adapter is in memory: queue pairs of one process talk to each other. It is for the tests of
 * the recorder in c/ndspi, and for who wants to see it at work without an adapter. NDSPI_EXAMPLE_BUG names a bug that it is to have.
 *
 *   x86_64-w64-mingw32-gcc -std=gnu99 -O2 -shared -static -I c/ndspi -o provider.dll c/example/ndspi/provider.c c/example/ndspi/provider.def -lws2_32
 *
 * Requests end as those of a driver do, but for completion ports: its overlapped file is of no use for them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "networkdirect.h"
#include "core.h"
#include "queues.h"
#include "connections.h"

enum { ADAPTER_ID = 1 };

/* ---- objects ---- */

static volatile LONG objects;
static const void *table_of(kind k);

static void *new_object(kind k, size_t size, object *parent)
{
    object *o = calloc(1, size);
    if (!o) return 0;
    o->v = table_of(k);
    o->kind = k;
    o->refs = 1;
    o->parent = parent;
    if (parent) InterlockedIncrement(&parent->refs);
    InterlockedIncrement(&objects);
    EnterCriticalSection(&lock);
    o->next = all;
    all = o;
    LeaveCriticalSection(&lock);
    return o;
}

/* what ends with an object, under the lock */
static void end(object *o)
{
    qp *p = (qp *)o;
    connector *c = (connector *)o;
    if (o->kind == QP) {
        p->state = DISCONNECTED;
        while (step_qp(p)) continue;
        if (p->peer) {
            disconnected(p->peer);
            p->peer->peer = 0;
        }
    }
    if (o->kind == CONNECTOR) {
        leave(c);
        answer(&c->connecting, ND_CANCELED);
        answer(&c->accepting, ND_CANCELED);
        answer(&c->notifying, ND_CANCELED);
        if (c->other) c->other->other = 0;
        if (c->qp && c->qp->connector == c) c->qp->connector = 0;
    }
    if (o->kind == LISTENER)
        while (((listener *)o)->gives) end_later(((listener *)o)->requests[--((listener *)o)->gives], ND_CANCELED);
    if (o->kind == CQ) fire((cq *)o, ND_CANCELED);
    if (o->kind == SRQ) answer(&((srq *)o)->waiting, ND_CANCELED);
}

static ULONG release_counted(object *o)
{
    object **at;
    object *kept[5] = {0};
    LONG left = InterlockedDecrement(&o->refs);
    int i;
    if (left != 0) return (ULONG)left;
    EnterCriticalSection(&lock);
    end(o);
    for (at = &all; *at != o; at = &(*at)->next) continue;
    *at = o->next;
    LeaveCriticalSection(&lock);
    kept[0] = o->parent;
    if (o->kind == QP) {
        kept[1] = &((qp *)o)->receive_cq->o;
        kept[2] = &((qp *)o)->initiator_cq->o;
        kept[3] = (object *)((qp *)o)->srq;
    }
    if (o->kind == CONNECTOR) kept[4] = (object *)((connector *)o)->qp;
    for (i = 4; i >= 0; i--)
        if (kept[i]) release(kept[i]);
    free(o);
    InterlockedDecrement(&objects);
    SetEvent(wake);
    return 0;
}

static void release(object *o) { release_counted(o); }

static const IID *iid_of(kind k)
{
    static const IID *const ids[] = {&ND2_IID_PROVIDER, &ND2_IID_ADAPTER, &ND2_IID_COMPLETION_QUEUE, &ND2_IID_SHARED_RECEIVE_QUEUE, &ND2_IID_QUEUE_PAIR,
        &ND2_IID_MEMORY_REGION, &ND2_IID_MEMORY_WINDOW, &ND2_IID_CONNECTOR, &ND2_IID_LISTENER};
    return ids[k];
}

static int has_requests(kind k) { return k == CQ || k == SRQ || k == MR || k == CONNECTOR || k == LISTENER; }

static HRESULT STDMETHODCALLTYPE object_query(object *o, REFIID iid, void **out)
{
    *out = 0;
    if (!IsEqualIID(iid, &ND2_IID_UNKNOWN) && !IsEqualIID(iid, iid_of(o->kind)) && !(has_requests(o->kind) && IsEqualIID(iid, &ND2_IID_OVERLAPPED)))
        return E_NOINTERFACE;
    InterlockedIncrement(&o->refs);
    *out = o;
    return S_OK;
}

static ULONG STDMETHODCALLTYPE object_add_ref(object *o) { return (ULONG)InterlockedIncrement(&o->refs); }

static ULONG STDMETHODCALLTYPE object_release(object *o) { return release_counted(o); }

/* ---- memory ---- */

static HRESULT STDMETHODCALLTYPE mr_register(region *m, const VOID *buffer, SIZE_T length, ULONG flags, OVERLAPPED *of)
{
    EnterCriticalSection(&lock);
    overlapped_start(of);
    m->base = (unsigned char *)buffer;
    m->length = length;
    m->flags = flags;
    m->token = last_token += 0x100;
    end_later(of, ND_SUCCESS);
    LeaveCriticalSection(&lock);
    return ND_PENDING;
}

static HRESULT STDMETHODCALLTYPE mr_deregister(region *m, OVERLAPPED *of)
{
    (void)of;
    EnterCriticalSection(&lock);
    m->token = 0;
    LeaveCriticalSection(&lock);
    return ND_SUCCESS;
}

static UINT32 STDMETHODCALLTYPE token(region *m) { return m->token; }

/* ---- the adapter ---- */

static HRESULT STDMETHODCALLTYPE adapter_file(object *a, HANDLE *file)
{
    (void)a;
    *file = CreateFileA("NUL", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, 0, OPEN_EXISTING, FILE_FLAG_OVERLAPPED, 0);
    return *file == INVALID_HANDLE_VALUE ? ND_NO_MEMORY : ND_SUCCESS;
}

static HRESULT STDMETHODCALLTYPE adapter_query(object *a, ND2_ADAPTER_INFO *info, ULONG *length)
{
    ULONG room = *length;
    (void)a;
    *length = sizeof *info;
    if (room < sizeof *info) return ND_BUFFER_OVERFLOW;
    memset(info, 0, sizeof *info);
    info->InfoVersion = 1;
    info->AdapterId = ADAPTER_ID;
    info->MaxRegistrationSize = 1 << 30;
    info->MaxInitiatorSge = info->MaxReceiveSge = info->MaxReadSge = MOST_SGES;
    info->MaxTransferLength = 1 << 30;
    info->MaxInlineDataSize = sizeof ((request *)0)->inlined;
    info->MaxInboundReadLimit = info->MaxOutboundReadLimit = 4;
    info->MaxReceiveQueueDepth = info->MaxInitiatorQueueDepth = info->MaxSharedReceiveQueueDepth = info->MaxCompletionQueueDepth = MOST_DEPTH;
    info->AdapterFlags = ND_ADAPTER_FLAG_LOOPBACK_CONNECTIONS_SUPPORTED;
    return ND_SUCCESS;
}

static HRESULT STDMETHODCALLTYPE addresses(object *a, SOCKET_ADDRESS_LIST *list, ULONG *length)
{
    struct sockaddr_in *at = (struct sockaddr_in *)(void *)(list + 1);
    ULONG room = *length, size = sizeof *at;
    (void)a;
    *length = sizeof *list + sizeof *at;
    if (room < *length) return ND_BUFFER_OVERFLOW;
    list->iAddressCount = 1;
    list->Address[0].lpSockaddr = (struct sockaddr *)(void *)at;
    list->Address[0].iSockaddrLength = sizeof *at;
    return address_to(1, (struct sockaddr *)(void *)at, &size);
}

static HRESULT created(void *o, void **out)
{
    *out = o;
    return o ? ND_SUCCESS : ND_NO_MEMORY;
}

static HRESULT STDMETHODCALLTYPE adapter_cq(object *a, REFIID iid, HANDLE file, ULONG depth, USHORT group, KAFFINITY mask, VOID **out)
{
    cq *q;
    (void)file; (void)group; (void)mask;
    if (!IsEqualIID(iid, iid_of(CQ))) return E_NOINTERFACE;
    if (depth == 0 || depth > MOST_DEPTH) return ND_INVALID_PARAMETER;
    q = new_object(CQ, sizeof *q, a);
    if (q) q->depth = depth;
    return created(q, out);
}

static HRESULT STDMETHODCALLTYPE adapter_mr(object *a, REFIID iid, HANDLE file, VOID **out)
{
    (void)file;
    return IsEqualIID(iid, iid_of(MR)) ? created(new_object(MR, sizeof(region), a), out) : E_NOINTERFACE;
}

static HRESULT STDMETHODCALLTYPE adapter_mw(object *a, REFIID iid, VOID **out)
{
    return IsEqualIID(iid, iid_of(MW)) ? created(new_object(MW, sizeof(region), a), out) : E_NOINTERFACE;
}

static HRESULT STDMETHODCALLTYPE adapter_srq(object *a, REFIID iid, HANDLE file, ULONG depth, ULONG sges, ULONG threshold, USHORT group, KAFFINITY mask,
    VOID **out)
{
    srq *q;
    (void)file; (void)sges; (void)group; (void)mask;
    if (!IsEqualIID(iid, iid_of(SRQ))) return E_NOINTERFACE;
    if (depth == 0 || depth > MOST_DEPTH) return ND_INVALID_PARAMETER;
    q = new_object(SRQ, sizeof *q, a);
    if (q) {
        q->receives.depth = depth;
        q->threshold = threshold;
    }
    return created(q, out);
}

static HRESULT new_qp(object *a, IUnknown *receive_cq, IUnknown *initiator_cq, IUnknown *shared, VOID *context, ULONG receives, ULONG initiator,
    ULONG inline_size, VOID **out)
{
    qp *p;
    if (receives > MOST_DEPTH || !initiator || initiator > MOST_DEPTH || inline_size > sizeof ((request *)0)->inlined) return ND_INVALID_PARAMETER;
    p = new_object(QP, sizeof *p, a);
    if (!p) return created(p, out);
    p->receive_cq = (cq *)(void *)receive_cq;
    p->initiator_cq = (cq *)(void *)initiator_cq;
    p->srq = (srq *)(void *)shared;
    InterlockedIncrement(&p->receive_cq->o.refs);
    InterlockedIncrement(&p->initiator_cq->o.refs);
    if (p->srq) InterlockedIncrement(&p->srq->o.refs);
    p->context = context;
    p->receives.depth = receives;
    p->initiator.depth = initiator;
    return created(p, out);
}

static HRESULT STDMETHODCALLTYPE adapter_qp(object *a, REFIID iid, IUnknown *receive_cq, IUnknown *initiator_cq, VOID *context, ULONG receive_depth,
    ULONG initiator_depth, ULONG receive_sges, ULONG initiator_sges, ULONG inline_size, VOID **out)
{
    (void)receive_sges; (void)initiator_sges;
    if (!IsEqualIID(iid, iid_of(QP))) return E_NOINTERFACE;
    return new_qp(a, receive_cq, initiator_cq, 0, context, receive_depth, initiator_depth, inline_size, out);
}

static HRESULT STDMETHODCALLTYPE adapter_qp_with_srq(object *a, REFIID iid, IUnknown *receive_cq, IUnknown *initiator_cq, IUnknown *shared, VOID *context,
    ULONG initiator_depth, ULONG initiator_sges, ULONG inline_size, VOID **out)
{
    (void)initiator_sges;
    if (!IsEqualIID(iid, iid_of(QP))) return E_NOINTERFACE;
    return new_qp(a, receive_cq, initiator_cq, shared, context, 1, initiator_depth, inline_size, out);
}

static HRESULT STDMETHODCALLTYPE adapter_connector(object *a, REFIID iid, HANDLE file, VOID **out)
{
    (void)file;
    return IsEqualIID(iid, iid_of(CONNECTOR)) ? created(new_object(CONNECTOR, sizeof(connector), a), out) : E_NOINTERFACE;
}

static HRESULT STDMETHODCALLTYPE adapter_listener(object *a, REFIID iid, HANDLE file, VOID **out)
{
    (void)file;
    return IsEqualIID(iid, iid_of(LISTENER)) ? created(new_object(LISTENER, sizeof(listener), a), out) : E_NOINTERFACE;
}

/* ---- the provider ---- */

static HRESULT STDMETHODCALLTYPE provider_resolve(object *p, const struct sockaddr *address, ULONG length, UINT64 *id)
{
    (void)p;
    if (length < sizeof(struct sockaddr_in) || address->sa_family != AF_INET) return ND_INVALID_ADDRESS;
    *id = ADAPTER_ID;
    return ND_SUCCESS;
}

static HRESULT STDMETHODCALLTYPE provider_open(object *p, REFIID iid, UINT64 id, VOID **out)
{
    (void)p;
    *out = 0;
    if (!IsEqualIID(iid, iid_of(ADAPTER))) return E_NOINTERFACE;
    if (id != ADAPTER_ID) return ND_INVALID_PARAMETER;
    return created(new_object(ADAPTER, sizeof(object), 0), out);
}

/* ---- tables ---- */

#define UNKNOWN (void *)object_query, (void *)object_add_ref, (void *)object_release
#define REQUESTS UNKNOWN, (void *)cancel_requests, (void *)overlapped_result
static const IND2ProviderVtbl provider_table = {UNKNOWN, (void *)addresses, (void *)provider_resolve, (void *)provider_open};
static const IND2AdapterVtbl adapter_table = {UNKNOWN, (void *)adapter_file, (void *)adapter_query, (void *)addresses, (void *)adapter_cq, (void *)adapter_mr,
    (void *)adapter_mw, (void *)adapter_srq, (void *)adapter_qp, (void *)adapter_qp_with_srq, (void *)adapter_connector, (void *)adapter_listener};
static const IND2CompletionQueueVtbl cq_table = {REQUESTS, (void *)affinity, (void *)cq_resize, (void *)cq_notify, (void *)cq_get_results};
static const IND2SharedReceiveQueueVtbl srq_table = {REQUESTS, (void *)affinity, (void *)srq_modify, (void *)srq_notify, (void *)srq_receive};
static const IND2QueuePairVtbl qp_table = {UNKNOWN, (void *)qp_flush, (void *)qp_send, (void *)qp_receive, (void *)qp_bind, (void *)qp_invalidate,
    (void *)qp_read, (void *)qp_write};
static const IND2MemoryRegionVtbl mr_table = {REQUESTS, (void *)mr_register, (void *)mr_deregister, (void *)token, (void *)token};
static const IND2MemoryWindowVtbl mw_table = {UNKNOWN, (void *)token};
static const IND2ConnectorVtbl connector_table = {REQUESTS, (void *)connector_bind, (void *)connector_connect, (void *)connector_complete,
    (void *)connector_accept, (void *)connector_reject, (void *)connector_limits, (void *)connector_data, (void *)connector_local, (void *)connector_peer,
    (void *)connector_notify, (void *)connector_disconnect};
static const IND2ListenerVtbl listener_table = {REQUESTS, (void *)listener_bind, (void *)listener_listen, (void *)listener_local, (void *)listener_request};

static const void *table_of(kind k)
{
    static const void *const tables[] = {&provider_table, &adapter_table, &cq_table, &srq_table, &qp_table, &mr_table, &mw_table, &connector_table,
        &listener_table};
    return tables[k];
}

/* ---- the DLL ---- */

HRESULT STDAPICALLTYPE DllGetClassObject(REFCLSID class_, REFIID iid, void **out)
{
    static volatile LONG started;
    (void)class_;
    *out = 0;
    if (!IsEqualIID(iid, &ND2_IID_PROVIDER)) return E_NOINTERFACE;
    if (InterlockedExchange(&started, 1) == 0) {
        HANDLE thread = CreateThread(0, 0, engine, 0, 0, 0);
        HMODULE self;
        if (!thread) return ND_NO_MEMORY;
        CloseHandle(thread);
        GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN, (LPCWSTR)(void *)&objects, &self);
    }
    return created(new_object(PROVIDER, sizeof(object), 0), out);
}

HRESULT STDAPICALLTYPE DllCanUnloadNow(void) { return objects ? S_FALSE : S_OK; }

/* For tests: returns when the adapter is at rest, and how many objects there are. */
LONG WINAPI ExampleRest(void)
{
    EnterCriticalSection(&lock);
    while (step()) continue;
    LeaveCriticalSection(&lock);
    return objects;
}

BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, void *reserved)
{
    (void)module; (void)reserved;
    if (reason == DLL_PROCESS_ATTACH) {
        GetEnvironmentVariableA("NDSPI_EXAMPLE_BUG", bug_name, sizeof bug_name);
        InitializeCriticalSection(&lock);
        wake = CreateEventA(0, FALSE, FALSE, 0);
    }
    return TRUE;
}
