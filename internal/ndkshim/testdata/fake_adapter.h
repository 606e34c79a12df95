/* fake_adapter.h - the rest of the provider of fake.h: adapters, and what connects. */
#ifndef FAKE_ADAPTER_H
#define FAKE_ADAPTER_H
#include "fake.h"

/* ---- NDK_CONNECTOR, NDK_LISTENER and NDK_SHARED_ENDPOINT ---- */

static NTSTATUS fake_address(unsigned port, PSOCKADDR to, ULONG *length)
{
    unsigned char bytes[16] = {2, 0, 0, 0, 10, 0, 0, 1};
    bytes[2] = (unsigned char)(port >> 8);
    bytes[3] = (unsigned char)port;
    CHECK(*length >= sizeof bytes);
    *length = sizeof bytes;
    memcpy(to, bytes, sizeof bytes);
    return 0;
}
static NTSTATUS fake_connect(NDK_CONNECTOR *k, NDK_QP *q, const PSOCKADDR f, ULONG fl, const PSOCKADDR t, ULONG tl, ULONG in, ULONG out, const PVOID d,
    ULONG dl, NDK_FN_REQUEST_COMPLETION c, PVOID x)
{
    mine_only(k); mine_only(q);
    CHECK(f && fl == 16 && t && tl == 16 && in == 1 && out == 2 && d == (void *)&fake && dl == 3);
    return fake_request(c, x);
}
static NTSTATUS fake_connect_shared(NDK_CONNECTOR *k, NDK_QP *q, NDK_SHARED_ENDPOINT *e, const PSOCKADDR t, ULONG tl, ULONG in, ULONG out, const PVOID d,
    ULONG dl, NDK_FN_REQUEST_COMPLETION c, PVOID x)
{
    mine_only(k); mine_only(q); mine_only(e);
    CHECK(t && tl == 16 && in == 1 && out == 2 && d == (void *)&fake && dl == 3);
    return fake_request(c, x);
}
static NTSTATUS fake_complete_connect(NDK_CONNECTOR *k, NDK_FN_DISCONNECT_EVENT_CALLBACK e, PVOID ex, NDK_FN_REQUEST_COMPLETION c, PVOID x)
{
    mine_only(k);
    fake.disconnect = e;
    fake.event_context = ex;
    return fake_request(c, x);
}
static NTSTATUS fake_complete_connect_ex(NDK_CONNECTOR *k, NDK_FN_DISCONNECT_EVENT_CALLBACK_EX e, PVOID ex, NDK_FN_REQUEST_COMPLETION c, PVOID x)
{
    mine_only(k);
    fake.disconnect_ex = e;
    fake.event_context = ex;
    return fake_request(c, x);
}
static NTSTATUS fake_accept(NDK_CONNECTOR *k, NDK_QP *q, ULONG in, ULONG out, const PVOID d, ULONG dl, NDK_FN_DISCONNECT_EVENT_CALLBACK e, PVOID ex,
    NDK_FN_REQUEST_COMPLETION c, PVOID x)
{
    mine_only(q);
    CHECK(in == 1 && out == 2 && d == (void *)&fake && dl == 3);
    return fake_complete_connect(k, e, ex, c, x);
}
static NTSTATUS fake_accept_ex(NDK_CONNECTOR *k, NDK_QP *q, ULONG in, ULONG out, const PVOID d, ULONG dl, NDK_FN_DISCONNECT_EVENT_CALLBACK_EX e, PVOID ex,
    NDK_FN_REQUEST_COMPLETION c, PVOID x)
{
    mine_only(q);
    CHECK(in == 1 && out == 2 && d == (void *)&fake && dl == 3);
    return fake_complete_connect_ex(k, e, ex, c, x);
}
static NTSTATUS fake_reject(NDK_CONNECTOR *k, const PVOID d, ULONG dl) { (void)d; (void)dl; mine_only(k); return 0; }
static NTSTATUS fake_data(NDK_CONNECTOR *k, ULONG *in, ULONG *out, PVOID d, ULONG *dl) { (void)d; (void)dl; mine_only(k); *in = 1; *out = 2; return 0; }
static NTSTATUS fake_local_address(NDK_CONNECTOR *k, PSOCKADDR a, ULONG *l) { mine_only(k); return fake_address(fake.local, a, l); }
static NTSTATUS fake_peer_address(NDK_CONNECTOR *k, PSOCKADDR a, ULONG *l) { mine_only(k); return fake_address(fake.peer, a, l); }
static NTSTATUS fake_disconnect(NDK_CONNECTOR *k, NDK_FN_REQUEST_COMPLETION c, PVOID x) { mine_only(k); return fake_request(c, x); }

static const NDK_CONNECTOR_DISPATCH fake_connector = {
    fake_close, fake_extension, fake_connect, fake_connect_shared, fake_complete_connect, fake_accept, fake_reject, fake_data, fake_local_address,
    fake_peer_address, fake_disconnect, fake_complete_connect_ex, fake_accept_ex
};

static NTSTATUS fake_listen(NDK_LISTENER *k, const PSOCKADDR a, ULONG l, NDK_FN_REQUEST_COMPLETION c, PVOID x)
{
    mine_only(k);
    CHECK(a && l == 16);
    return fake_request(c, x);
}
static NTSTATUS fake_listener_address(NDK_LISTENER *k, PSOCKADDR a, ULONG *l) { mine_only(k); return fake_address(1, a, l); }
static VOID fake_pause(NDK_LISTENER *k, BOOLEAN p) { mine_only(k); CHECK(p == 1); }
static NTSTATUS fake_endpoint_address(NDK_SHARED_ENDPOINT *k, PSOCKADDR a, ULONG *l) { mine_only(k); return fake_address(fake.local, a, l); }

static const NDK_LISTENER_DISPATCH fake_listener = {fake_close, fake_extension, fake_listen, fake_listener_address, fake_pause};
static const NDK_SHARED_ENDPOINT_DISPATCH fake_endpoint = {fake_close, fake_extension, fake_endpoint_address};

/* ---- NDK_ADAPTER ---- */

static NTSTATUS fake_info(NDK_ADAPTER *a, NDK_ADAPTER_INFO *i, ULONG *s) { mine_only(a); CHECK(i && *s == 23); return 0; }
static NTSTATUS fake_create_cq(NDK_ADAPTER *a, ULONG d, NDK_FN_CQ_NOTIFICATION_CALLBACK n, PVOID nx, GROUP_AFFINITY *g, NDK_FN_CREATE_COMPLETION c,
    PVOID x, NDK_CQ **o)
{
    mine_only(a);
    CHECK(d == 9 && !g);
    fake.notify = n;
    fake.event_context = nx;
    return fake_create(NdkObjectTypeCq, c, x, (void **)o);
}
static NTSTATUS fake_create_pd(NDK_ADAPTER *a, NDK_FN_CREATE_COMPLETION c, PVOID x, NDK_PD **o)
{
    mine_only(a);
    return fake_create(NdkObjectTypePd, c, x, (void **)o);
}
static NTSTATUS fake_create_endpoint(NDK_ADAPTER *a, const PSOCKADDR s, ULONG l, NDK_FN_CREATE_COMPLETION c, PVOID x, NDK_SHARED_ENDPOINT **o)
{
    mine_only(a);
    CHECK(s && l == 16);
    return fake_create(NdkObjectTypeSharedEndpoint, c, x, (void **)o);
}
static NTSTATUS fake_create_connector(NDK_ADAPTER *a, NDK_FN_CREATE_COMPLETION c, PVOID x, NDK_CONNECTOR **o)
{
    mine_only(a);
    return fake_create(NdkObjectTypeConnector, c, x, (void **)o);
}
static NTSTATUS fake_create_listener(NDK_ADAPTER *a, NDK_FN_CONNECT_EVENT_CALLBACK e, PVOID ex, NDK_FN_CREATE_COMPLETION c, PVOID x, NDK_LISTENER **o)
{
    mine_only(a);
    fake.connect = e;
    fake.event_context = ex;
    return fake_create(NdkObjectTypeListener, c, x, (void **)o);
}
static NTSTATUS fake_build_lam(NDK_ADAPTER *a, MDL *m, SIZE_T l, NDK_FN_REQUEST_COMPLETION c, PVOID x, NDK_LOGICAL_ADDRESS_MAPPING *lam, ULONG *s,
    ULONG *fbo)
{
    mine_only(a);
    CHECK(m == (MDL *)(void *)&fake && l == 24 && lam && s && fbo);
    return fake_request(c, x);
}
static VOID fake_release_lam(NDK_ADAPTER *a, NDK_LOGICAL_ADDRESS_MAPPING *lam) { mine_only(a); CHECK(lam); }

static const NDK_ADAPTER_DISPATCH fake_adapter = {
    fake_extension, fake_info, fake_create_cq, fake_create_pd, fake_create_endpoint, fake_create_connector, fake_create_listener, fake_build_lam,
    fake_release_lam
};

static fake_object *fake_new(NDK_OBJECT_TYPE type)
{
    fake_object *o = (fake_object *)calloc(1, sizeof *o);
    CHECK(o);
    o->magic = MAGIC;
    o->ndk.header.Version.Major = 2;
    o->ndk.header.Version.Minor = 1;
    o->ndk.header.ObjectType = type;
    switch (type) {
    case NdkObjectTypeAdapter: o->ndk.adapter.Dispatch = &fake_adapter; break;
    case NdkObjectTypeCq: o->ndk.cq.Dispatch = &fake_cq; break;
    case NdkObjectTypePd: o->ndk.pd.Dispatch = &fake_pd; break;
    case NdkObjectTypeQp: o->ndk.qp.Dispatch = &fake_qp; break;
    case NdkObjectTypeSrq: o->ndk.srq.Dispatch = &fake_srq; break;
    case NdkObjectTypeMr: o->ndk.mr.Dispatch = &fake_mr; break;
    case NdkObjectTypeMw: o->ndk.mw.Dispatch = &fake_mw; break;
    case NdkObjectTypeConnector: o->ndk.connector.Dispatch = &fake_connector; break;
    case NdkObjectTypeListener: o->ndk.listener.Dispatch = &fake_listener; break;
    case NdkObjectTypeSharedEndpoint: o->ndk.endpoint.Dispatch = &fake_endpoint; break;
    default: CHECK(!"a type that there is not");
    }
    return o;
}

static NTSTATUS fake_create(NDK_OBJECT_TYPE type, NDK_FN_CREATE_COMPLETION completion, PVOID context, void **out)
{
    fake.create = completion;
    fake.completion_context = context;
    fake.object = fake.status == 0 || fake.status == PENDING ? fake_new(type) : 0;
    if (fake.status == 0) *out = fake.object;
    return fake.status;
}
#endif
