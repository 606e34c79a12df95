/* traps.c - the shim over a provider that does what it is told: what a shim can get wrong, each as a test of its own.
 *
 *   traps TEST FILE */
#include "fake_adapter.h"

static NDK_ADAPTER *adapter;
static int cookie, cookies[512];           /* contexts of a consumer: their addresses */

/* ---- a consumer's callbacks: what they were given ---- */
static struct { unsigned created, requested, closed, notified, srq, connected, disconnected; void *object; NTSTATUS status; } got;

static VOID on_created(PVOID x, NTSTATUS s, NDK_OBJECT_HEADER *o) { CHECK(x == &cookie); got.created++; got.status = s; got.object = o; }
static VOID on_requested(PVOID x, NTSTATUS s) { CHECK(x == &cookie); got.requested++; got.status = s; }
static VOID on_closed(PVOID x) { CHECK(x == &cookie); got.closed++; }
static VOID on_notified(PVOID x, NTSTATUS s) { CHECK(x == &cookie); got.notified++; got.status = s; }
static VOID on_srq(PVOID x, NTSTATUS s) { CHECK(x == &cookie); got.srq++; got.status = s; }
static VOID on_connected(PVOID x, NDK_CONNECTOR *c) { CHECK(x == &cookie); got.connected++; got.object = c; }
static VOID on_disconnected(PVOID x) { CHECK(x == &cookie); got.disconnected++; }
static VOID on_disconnected_ex(PVOID x, ULONG reason) { CHECK(x == &cookie && reason == 26); got.disconnected++; }

/* creates an object, which is pending where the provider says so, and looks at the stand-in */
#define MAKE(type, to, call) do { \
    unsigned before = got.created; \
    (to) = 0; \
    CHECK((call) == fake.status); \
    if (fake.status == PENDING) { \
        CHECK(!(to)); \
        fake.create(fake.completion_context, 0, &fake.object->ndk.header); \
        CHECK(got.created == before + 1 && got.status == 0); \
        (to) = (type *)got.object; \
    } \
    CHECK((to) && (void *)(to) != (void *)fake.object && !memcmp(&(to)->Header, &fake.object->ndk.header, sizeof(NDK_OBJECT_HEADER))); \
} while (0)
#define DO(call) do { \
    unsigned before = got.requested; \
    CHECK((call) == fake.status); \
    if (fake.status == PENDING) { \
        fake.request(fake.completion_context, REFUSED); \
        CHECK(got.requested == before + 1 && got.status == REFUSED); \
    } \
} while (0)
#define CLOSE(which, fn) do { \
    unsigned before = got.closed; \
    CHECK((which)->Dispatch->fn(&(which)->Header, on_closed, &cookie) == fake.status); \
    if (fake.status == PENDING) { \
        fake.close(fake.completion_context); \
        CHECK(got.closed == before + 1); \
        free(fake.object); \
    } \
} while (0)
#define DONE on_created, &cookie
#define REQUEST on_requested, &cookie

static NDK_CQ *make_cq(void)
{
    NDK_CQ *cq;
    MAKE(NDK_CQ, cq, adapter->Dispatch->NdkCreateCq(adapter, 9, on_notified, &cookie, 0, DONE, &cq));
    return cq;
}
static NDK_PD *make_pd(void)
{
    NDK_PD *pd;
    MAKE(NDK_PD, pd, adapter->Dispatch->NdkCreatePd(adapter, DONE, &pd));
    return pd;
}
static NDK_QP *make_qp(NDK_PD *pd, NDK_CQ *cq)
{
    NDK_QP *qp;
    MAKE(NDK_QP, qp, pd->Dispatch->NdkCreateQp(pd, cq, cq, &cookie, 16, 8, 1, 2, 3, DONE, &qp));
    return qp;
}

/* ---- each function is passed on, with the provider's objects, and recorded ---- */

static void posts(NDK_QP *qp, NDK_SRQ *srq, NDK_MR *mr, NDK_MW *mw)
{
    NDK_SGE s;
    NDK_LOGICAL_ADDRESS page = {0};
    NTSTATUS before = fake.status;
    memset(&s, 0, sizeof s);
    s.Length = 10;
    s.MemoryRegionToken = 27;
    fake.status = 0; /* a post is never pending */
    CHECK(qp->Dispatch->NdkSend(qp, &cookie, &s, 1, 0) == 0);
    CHECK(qp->Dispatch->NdkReceive(qp, &cookie, &s, 1) == 0);
    CHECK(qp->Dispatch->NdkBind(qp, &cookie, mr, mw, &fake, 11, 12) == 0);
    CHECK(qp->Dispatch->NdkFastRegister(qp, &cookie, mr, 1, &page, 2, 3, &fake, 8) == 0);
    CHECK(qp->Dispatch->NdkInvalidate(qp, &cookie, &mr->Header, 2) == 0);
    CHECK(qp->Dispatch->NdkInvalidate(qp, &cookie, &mw->Header, 2) == 0);
    CHECK(qp->Dispatch->NdkRead(qp, &cookie, &s, 1, 13, 14, 0x100) == 0);
    CHECK(qp->Dispatch->NdkWrite(qp, &cookie, &s, 1, 13, 14, 0x100) == 0);
    CHECK(qp->Dispatch->NdkSendAndInvalidate(qp, &cookie, &s, 1, 4, 15) == 0);
    CHECK(srq->Dispatch->NdkSrqReceive(srq, &cookie, &s, 1) == 0);
    qp->Dispatch->NdkFlush(qp);
    fake.status = before;
}

static void memory_functions(NDK_MR *mr, NDK_MW *mw, NDK_PD *pd)
{
    UINT32 token = 0;
    NDK_LOGICAL_ADDRESS_MAPPING lam;
    ULONG size = 0, fbo = 0;
    DO(mr->Dispatch->NdkRegisterMr(mr, (MDL *)(void *)&fake, 17, 8, REQUEST));
    DO(mr->Dispatch->NdkDeregisterMr(mr, REQUEST));
    DO(mr->Dispatch->NdkInitializeFastRegisterMr(mr, 18, 1, REQUEST));
    CHECK(mr->Dispatch->NdkGetRemoteTokenFromMr(mr) == 19 && mr->Dispatch->NdkGetLocalTokenFromMr(mr) == 20);
    CHECK(mw->Dispatch->NdkGetRemoteTokenFromMw(mw) == 21);
    pd->Dispatch->NdkGetPrivilegedMemoryRegionToken(pd, &token);
    CHECK(token == 22);
    DO(adapter->Dispatch->NdkBuildLAM(adapter, (MDL *)(void *)&fake, 24, REQUEST, &lam, &size, &fbo));
    adapter->Dispatch->NdkReleaseLAM(adapter, &lam);
}

static void connector_functions(NDK_CONNECTOR *c, NDK_QP *qp, NDK_SHARED_ENDPOINT *e)
{
    uint64_t at[16] = {0};
    PSOCKADDR a = (PSOCKADDR)(void *)at;
    ULONG in, out, length = sizeof at, none = 0;
    DO(c->Dispatch->NdkConnect(c, qp, a, 16, a, 16, 1, 2, &fake, 3, REQUEST));
    DO(c->Dispatch->NdkConnectWithSharedEndpoint(c, qp, e, a, 16, 1, 2, &fake, 3, REQUEST));
    DO(c->Dispatch->NdkCompleteConnect(c, on_disconnected, &cookie, REQUEST));
    fake.disconnect(fake.event_context);
    DO(c->Dispatch->NdkCompleteConnectEx(c, on_disconnected_ex, &cookie, REQUEST));
    fake.disconnect_ex(fake.event_context, 26);
    DO(c->Dispatch->NdkAccept(c, qp, 1, 2, &fake, 3, on_disconnected, &cookie, REQUEST));
    DO(c->Dispatch->NdkAcceptEx(c, qp, 1, 2, &fake, 3, on_disconnected_ex, &cookie, REQUEST));
    CHECK(c->Dispatch->NdkReject(c, &fake, 3) == 0 && c->Dispatch->NdkGetConnectionData(c, &in, &out, 0, &none) == 0 && in == 1 && out == 2);
    CHECK(c->Dispatch->NdkGetLocalAddress(c, a, &length) == 0 && c->Dispatch->NdkGetPeerAddress(c, a, &length) == 0);
    DO(c->Dispatch->NdkDisconnect(c, REQUEST));
}

static void each_function(NTSTATUS status)
{
    NDK_CQ *cq;
    NDK_PD *pd;
    NDK_QP *qp, *shared;
    NDK_SRQ *srq;
    NDK_MR *mr;
    NDK_MW *mw;
    NDK_CONNECTOR *c, *incoming;
    NDK_LISTENER *l;
    NDK_SHARED_ENDPOINT *e;
    NDK_RESULT results[4];
    NDK_RESULT_EX results_ex[4];
    NDK_VERSION version = {1, 1};
    NDK_EXTENSION_INTERFACE extension;
    uint64_t at[16] = {0};
    ULONG length = 23;
    memset(&got, 0, sizeof got);
    fake.status = status;
    CHECK(adapter->Dispatch->NdkQueryAdapterInfo(adapter, (NDK_ADAPTER_INFO *)(void *)at, &length) == 0);
    CHECK(adapter->Dispatch->NdkQueryExtension(&adapter->Header, 0, version, &extension) == (NTSTATUS)NDKT_STATUS_NOT_SUPPORTED);
    cq = make_cq();
    fake.notify(fake.event_context, 0);
    CHECK(got.notified == 1);
    pd = make_pd();
    qp = make_qp(pd, cq);
    MAKE(NDK_SRQ, srq, pd->Dispatch->NdkCreateSrq(pd, 16, 2, 4, on_srq, &cookie, 0, DONE, &srq));
    fake.srq_notify(fake.event_context, 0);
    CHECK(got.srq == 1);
    MAKE(NDK_QP, shared, pd->Dispatch->NdkCreateQpWithSrq(pd, cq, cq, srq, &cookie, 8, 2, 3, DONE, &shared));
    MAKE(NDK_MR, mr, pd->Dispatch->NdkCreateMr(pd, 1, DONE, &mr));
    MAKE(NDK_MW, mw, pd->Dispatch->NdkCreateMw(pd, DONE, &mw));
    MAKE(NDK_CONNECTOR, c, adapter->Dispatch->NdkCreateConnector(adapter, DONE, &c));
    MAKE(NDK_SHARED_ENDPOINT, e, adapter->Dispatch->NdkCreateSharedEndpoint(adapter, (PSOCKADDR)(void *)at, 16, DONE, &e));
    MAKE(NDK_LISTENER, l, adapter->Dispatch->NdkCreateListener(adapter, on_connected, &cookie, DONE, &l));
    fake.connect(fake.event_context, &(fake.object = fake_new(NdkObjectTypeConnector))->ndk.connector);
    incoming = (NDK_CONNECTOR *)got.object;
    CHECK(got.connected == 1 && incoming && incoming != &fake.object->ndk.connector);
    CLOSE(incoming, NdkCloseConnector);
    posts(qp, srq, mr, mw);
    memory_functions(mr, mw, pd);
    connector_functions(c, qp, e);
    CHECK(got.disconnected == 2);
    DO(l->Dispatch->NdkListen(l, (PSOCKADDR)(void *)at, 16, REQUEST));
    length = sizeof at;
    CHECK(l->Dispatch->NdkGetLocalAddress(l, (PSOCKADDR)(void *)at, &length) == 0 && e->Dispatch->NdkGetLocalAddress(e, (PSOCKADDR)(void *)at, &length) == 0);
    l->Dispatch->NdkControlConnectEvents(l, 1);
    DO(cq->Dispatch->NdkResizeCq(cq, 7, REQUEST));
    DO(srq->Dispatch->NdkModifySrq(srq, 16, 4, REQUEST));
    cq->Dispatch->NdkArmCq(cq, NDK_CQ_NOTIFY_SOLICITED);
    CHECK(cq->Dispatch->NdkControlCqInterruptModeration(cq, 5, 6) == 0);
    CHECK(cq->Dispatch->NdkGetCqResults(cq, results, 4) == 0 && cq->Dispatch->NdkGetCqResultsEx(cq, results_ex, 4) == 0);
    CLOSE(c, NdkCloseConnector);
    CLOSE(l, NdkCloseListener);
    CLOSE(e, NdkCloseSharedEndpoint);
    CLOSE(mw, NdkCloseMw);
    CLOSE(mr, NdkCloseMr);
    CLOSE(shared, NdkCloseQp);
    CLOSE(qp, NdkCloseQp);
    CLOSE(srq, NdkCloseSrq);
    CLOSE(cq, NdkCloseCq);
    CLOSE(pd, NdkClosePd);
}

static void functions(void) { each_function(0); }
static void pending(void) { each_function(PENDING); }

#include "traps.h"

static const struct { const char *name; void (*run)(void); } tests[] = {
    {"functions", functions}, {"pending", pending}, {"refused-creations", refused_creations}, {"dispatch", dispatch}, {"contexts", contexts},
    {"many-results", many_results}, {"mappings", mappings},
    {"unrecorded", unrecorded}, {"refused-posts", refused_posts}, {"silent", silent}, {"twice", twice}, {"stale", stale}, {"late", late}, {"shared", shared_receives},
    {"ended-twice", ended_twice}, {"without-memory", without_memory}, {"connection", connection},
};

int main(int argc, char **argv)
{
    fake_object *theirs;
    unsigned i, ran = 0;
    ndkt_op op;
    FILE *out;
    if (argc != 3 || !(out = fopen(argv[2], "wb"))) return 2;
    slots_each = 1 << 16;
    CHECK(start_recording(out));
    theirs = fake_new(NdkObjectTypeAdapter);
    adapter = ndks_open(&theirs->ndk.adapter);
    CHECK(adapter && ndks_provider(adapter) == &theirs->ndk.adapter);
    for (i = 0; i < sizeof tests / sizeof *tests; i++) {
        if (strcmp(argv[1], tests[i].name)) continue;
        tests[i].run();
        ran++;
    }
    op = ndks_closing(adapter);
    ndks_closed(adapter, op);
    free(theirs);
    CHECK(ndks_end() == 0);
    CHECK(ran);
    return stop_recording(out, 1) ? 0 : 1;
}
