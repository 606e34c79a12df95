/* fake.h - a provider that does what a test says, and no more. It checks that it is given its own objects, never stand-ins. */
#ifndef FAKE_H
#define FAKE_H
#include "recording.h"

#define CHECK(what) do { if (!(what)) { fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what); exit(3); } } while (0)
#define PENDING ((NTSTATUS)NDKT_STATUS_PENDING)
#define REFUSED ((NTSTATUS)NDKT_STATUS_INVALID_PARAMETER)
#define MAGIC 0x0DDBA11u

typedef struct fake_object {
    union {
        NDK_OBJECT_HEADER header;
        NDK_ADAPTER adapter; NDK_CQ cq; NDK_PD pd; NDK_QP qp; NDK_SRQ srq; NDK_MR mr; NDK_MW mw;
        NDK_CONNECTOR connector; NDK_LISTENER listener; NDK_SHARED_ENDPOINT endpoint;
    } ndk;
    unsigned magic;
} fake_object;

enum { PLACED = 4096 };

static struct {
    NTSTATUS status;                       /* what calls return */
    unsigned calls;
    NDK_FN_CREATE_COMPLETION create;       /* what the latest call was given */
    NDK_FN_REQUEST_COMPLETION request;
    NDK_FN_CLOSE_COMPLETION close;
    void *completion_context;
    fake_object *object;                   /* that was created last, or is closed */
    NDK_FN_CQ_NOTIFICATION_CALLBACK notify;
    NDK_FN_SRQ_NOTIFICATION_CALLBACK srq_notify;
    NDK_FN_CONNECT_EVENT_CALLBACK connect;
    NDK_FN_DISCONNECT_EVENT_CALLBACK disconnect;
    NDK_FN_DISCONNECT_EVENT_CALLBACK_EX disconnect_ex;
    void *event_context, *qp_context, *request_context;
    NDK_RESULT_EX placed[PLACED];          /* in the one CQ */
    unsigned first, count;
    unsigned short local, peer;            /* ports of a connector */
} fake;

static void *mine_only(void *object)
{
    CHECK(((fake_object *)object)->magic == MAGIC);
    fake.calls++;
    return object;
}

static NTSTATUS fake_create(NDK_OBJECT_TYPE type, NDK_FN_CREATE_COMPLETION completion, PVOID context, void **out);

static NTSTATUS fake_request(NDK_FN_REQUEST_COMPLETION completion, PVOID context)
{
    fake.request = completion;
    fake.completion_context = context;
    return fake.status;
}

static NTSTATUS fake_close(NDK_OBJECT_HEADER *o, NDK_FN_CLOSE_COMPLETION completion, PVOID context)
{
    fake.object = (fake_object *)mine_only(o);
    fake.close = completion;
    fake.completion_context = context;
    if (fake.status == 0) free(o);
    return fake.status;
}

static NTSTATUS fake_extension(NDK_OBJECT_HEADER *o, GUID *id, NDK_VERSION v, NDK_EXTENSION_INTERFACE *x)
{
    (void)o; (void)id; (void)v; (void)x;
    CHECK(!"an extension would give the consumer what takes the provider's objects");
    return 0;
}

/* ---- NDK_CQ ---- */

static NTSTATUS fake_resize(NDK_CQ *cq, ULONG depth, NDK_FN_REQUEST_COMPLETION c, PVOID x) { mine_only(cq); CHECK(depth == 7); return fake_request(c, x); }
static VOID fake_arm(NDK_CQ *cq, ULONG type) { mine_only(cq); CHECK(type == NDK_CQ_NOTIFY_SOLICITED); }
static ULONG fake_poll_ex(NDK_CQ *cq, NDK_RESULT_EX results[], ULONG n)
{
    ULONG i;
    mine_only(cq);
    for (i = 0; i < n && fake.count; i++, fake.count--) results[i] = fake.placed[fake.first++ % PLACED];
    return i;
}
static ULONG fake_poll(NDK_CQ *cq, NDK_RESULT results[], ULONG n)
{
    NDK_RESULT_EX x;
    ULONG i;
    for (i = 0; i < n && fake_poll_ex(cq, &x, 1); i++) {
        results[i].Status = x.Status;
        results[i].BytesTransferred = x.BytesTransferred;
        results[i].QPContext = x.QPContext;
        results[i].RequestContext = x.RequestContext;
    }
    return i;
}
static NTSTATUS fake_moderate(NDK_CQ *cq, ULONG interval, ULONG count) { mine_only(cq); CHECK(interval == 5 && count == 6); return 0; }

static const NDK_CQ_DISPATCH fake_cq = {fake_close, fake_extension, fake_resize, fake_arm, fake_poll, fake_moderate, fake_poll_ex};

/* ---- NDK_QP and NDK_SRQ: a post takes the context that a completion will have ---- */

static NTSTATUS fake_post(void *queue, PVOID context)
{
    mine_only(queue);
    fake.request_context = context;
    return fake.status;
}
static VOID fake_flush(NDK_QP *qp) { mine_only(qp); }
static NTSTATUS fake_send(NDK_QP *qp, PVOID x, const NDK_SGE *s, ULONG n, ULONG f) { (void)s; (void)n; (void)f; return fake_post(qp, x); }
static NTSTATUS fake_receive(NDK_QP *qp, PVOID x, const NDK_SGE *s, ULONG n) { (void)s; (void)n; return fake_post(qp, x); }
static NTSTATUS fake_bind(NDK_QP *qp, PVOID x, NDK_MR *mr, NDK_MW *mw, PVOID a, SIZE_T l, ULONG f)
{
    mine_only(mr); mine_only(mw);
    CHECK(a == (void *)&fake && l == 11 && f == 12);
    return fake_post(qp, x);
}
static NTSTATUS fake_fast_register(NDK_QP *qp, PVOID x, NDK_MR *mr, ULONG n, const NDK_LOGICAL_ADDRESS *p, ULONG fbo, SIZE_T l, PVOID a, ULONG f)
{
    mine_only(mr);
    CHECK(n == 1 && p && fbo == 2 && l == 3 && a == (void *)&fake && f == 8);
    return fake_post(qp, x);
}
static NTSTATUS fake_invalidate(NDK_QP *qp, PVOID x, NDK_OBJECT_HEADER *o, ULONG f) { mine_only(o); CHECK(f == 2); return fake_post(qp, x); }
static NTSTATUS fake_rw(NDK_QP *qp, PVOID x, const NDK_SGE *s, ULONG n, UINT64 a, UINT32 t, ULONG f)
{
    CHECK(s && n == 1 && a == 13 && t == 14 && f == 0x100);
    return fake_post(qp, x);
}
static NTSTATUS fake_send_invalidate(NDK_QP *qp, PVOID x, const NDK_SGE *s, ULONG n, ULONG f, UINT32 t)
{
    CHECK(s && n == 1 && f == 4 && t == 15);
    return fake_post(qp, x);
}

static const NDK_QP_DISPATCH fake_qp = {
    fake_close, fake_extension, fake_flush, fake_send, fake_receive, fake_bind, fake_fast_register, fake_invalidate, fake_rw, fake_rw, fake_send_invalidate
};

static NTSTATUS fake_modify_srq(NDK_SRQ *srq, ULONG d, ULONG t, NDK_FN_REQUEST_COMPLETION c, PVOID x)
{
    mine_only(srq);
    CHECK(d == 16 && t == 4);
    return fake_request(c, x);
}
static NTSTATUS fake_srq_receive(NDK_SRQ *srq, PVOID x, const NDK_SGE *s, ULONG n) { (void)s; (void)n; return fake_post(srq, x); }

static const NDK_SRQ_DISPATCH fake_srq = {fake_close, fake_extension, fake_modify_srq, fake_srq_receive};

/* ---- NDK_MR, NDK_MW and NDK_PD ---- */

static NTSTATUS fake_register(NDK_MR *mr, MDL *m, SIZE_T l, ULONG f, NDK_FN_REQUEST_COMPLETION c, PVOID x)
{
    mine_only(mr);
    CHECK(m == (MDL *)(void *)&fake && l == 17 && f == 8);
    return fake_request(c, x);
}
static NTSTATUS fake_deregister(NDK_MR *mr, NDK_FN_REQUEST_COMPLETION c, PVOID x) { mine_only(mr); return fake_request(c, x); }
static NTSTATUS fake_initialize(NDK_MR *mr, ULONG n, BOOLEAN r, NDK_FN_REQUEST_COMPLETION c, PVOID x)
{
    mine_only(mr);
    CHECK(n == 18 && r == 1);
    return fake_request(c, x);
}
static UINT32 fake_remote(NDK_MR *mr) { mine_only(mr); return 19; }
static UINT32 fake_local(NDK_MR *mr) { mine_only(mr); return 20; }
static UINT32 fake_window(NDK_MW *mw) { mine_only(mw); return 21; }

static const NDK_MR_DISPATCH fake_mr = {fake_close, fake_extension, fake_register, fake_deregister, fake_initialize, fake_remote, fake_local};
static const NDK_MW_DISPATCH fake_mw = {fake_close, fake_extension, fake_window};

static NTSTATUS fake_create_mr(NDK_PD *pd, BOOLEAN f, NDK_FN_CREATE_COMPLETION c, PVOID x, NDK_MR **o)
{
    mine_only(pd);
    CHECK(f == 1);
    return fake_create(NdkObjectTypeMr, c, x, (void **)o);
}
static NTSTATUS fake_create_mw(NDK_PD *pd, NDK_FN_CREATE_COMPLETION c, PVOID x, NDK_MW **o)
{
    mine_only(pd);
    return fake_create(NdkObjectTypeMw, c, x, (void **)o);
}
static NTSTATUS fake_create_srq(NDK_PD *pd, ULONG d, ULONG s, ULONG t, NDK_FN_SRQ_NOTIFICATION_CALLBACK n, PVOID nx, GROUP_AFFINITY *a,
    NDK_FN_CREATE_COMPLETION c, PVOID x, NDK_SRQ **o)
{
    mine_only(pd);
    CHECK(d == 16 && s == 2 && t == 4 && !a);
    fake.srq_notify = n;
    fake.event_context = nx;
    return fake_create(NdkObjectTypeSrq, c, x, (void **)o);
}
static NTSTATUS fake_create_qp(NDK_PD *pd, NDK_CQ *r, NDK_CQ *i, PVOID qx, ULONG rd, ULONG id, ULONG rs, ULONG is, ULONG in, NDK_FN_CREATE_COMPLETION c,
    PVOID x, NDK_QP **o)
{
    mine_only(pd); mine_only(r); mine_only(i);
    CHECK(rd == 16 && id == 8 && rs == 1 && is == 2 && in == 3);
    fake.qp_context = qx;
    return fake_create(NdkObjectTypeQp, c, x, (void **)o);
}
static NTSTATUS fake_create_qp_srq(NDK_PD *pd, NDK_CQ *r, NDK_CQ *i, NDK_SRQ *s, PVOID qx, ULONG id, ULONG is, ULONG in, NDK_FN_CREATE_COMPLETION c,
    PVOID x, NDK_QP **o)
{
    mine_only(pd); mine_only(r); mine_only(i); mine_only(s);
    CHECK(id == 8 && is == 2 && in == 3);
    fake.qp_context = qx;
    return fake_create(NdkObjectTypeQp, c, x, (void **)o);
}
static VOID fake_privileged(NDK_PD *pd, UINT32 *t) { mine_only(pd); *t = 22; }

static const NDK_PD_DISPATCH fake_pd = {
    fake_close, fake_extension, fake_create_mr, fake_create_mw, fake_create_srq, fake_create_qp, fake_create_qp_srq, fake_privileged
};
#endif
