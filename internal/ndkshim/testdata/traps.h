/* traps.h - the tests of traps.c but for that of each function. */
#ifndef TRAPS_H
#define TRAPS_H

/* puts a completion of the latest post into the CQ */
static void fake_place(NTSTATUS status, ULONG bytes, NDK_OPERATION_TYPE type)
{
    NDK_RESULT_EX *r = &fake.placed[(fake.first + fake.count++) % PLACED];
    memset(r, 0, sizeof *r);
    r->Status = status;
    r->BytesTransferred = bytes;
    r->QPContext = fake.qp_context;
    r->RequestContext = fake.request_context;
    r->Type = type;
    r->TypeSpecificCompletionOutput = 25;
}

/* ---- a creation that fails leaves nothing, whether it was pending or not ---- */

static void refused_creations(void)
{
    NDK_CQ *cq = 0;
    unsigned before;
    fake.status = REFUSED;
    CHECK(adapter->Dispatch->NdkCreateCq(adapter, 9, on_notified, &cookie, 0, DONE, &cq) == REFUSED && !cq);
    fake.status = PENDING;
    CHECK(adapter->Dispatch->NdkCreateCq(adapter, 9, on_notified, &cookie, 0, DONE, &cq) == PENDING && !cq);
    free(fake.object);
    before = got.created;
    fake.create(fake.completion_context, REFUSED, 0);
    CHECK(got.created == before + 1 && got.status == REFUSED && !got.object);
}

/* ---- LIFE-17: a consumer may replace Dispatch, of the object that it calls and of any that it passes ---- */

static unsigned layered;
static const NDK_QP_DISPATCH *beneath;

static NTSTATUS layer_send(NDK_QP *qp, PVOID x, const NDK_SGE *s, ULONG n, ULONG f)
{
    layered++;
    return beneath->NdkSend(qp, x, s, n, f);
}

static void dispatch(void)
{
    NDK_CQ *cq = make_cq();
    NDK_PD *pd = make_pd();
    const NDK_CQ_DISPATCH *of_cq = cq->Dispatch;
    NDK_QP *qp;
    NDK_QP_DISPATCH layer;
    NDK_RESULT r;
    cq->Dispatch = 0;
    qp = make_qp(pd, cq);
    beneath = qp->Dispatch;
    layer = *beneath;
    layer.NdkSend = layer_send;
    qp->Dispatch = &layer;
    CHECK(qp->Dispatch->NdkSend(qp, &cookies[1], 0, 0, 0) == 0 && layered == 1);
    fake_place(0, 0, NdkOperationTypeSend);
    CHECK(of_cq->NdkGetCqResults(cq, &r, 1) == 1 && r.RequestContext == &cookies[1] && r.QPContext == &cookie);
    qp->Dispatch = beneath;
    CLOSE(qp, NdkCloseQp);
    cq->Dispatch = of_cq;
    CLOSE(cq, NdkCloseCq);
    CLOSE(pd, NdkClosePd);
}

/* ---- the contexts of a consumer ---- */

static NDK_CQ *cq;
static NDK_PD *pd;
static NDK_QP *qp;

static void open_qp(void)
{
    cq = make_cq();
    pd = make_pd();
    qp = make_qp(pd, cq);
}

static void close_all(void)
{
    if (qp) CLOSE(qp, NdkCloseQp);
    CLOSE(cq, NdkCloseCq);
    CLOSE(pd, NdkClosePd);
}

static void polled(void *context, NTSTATUS status)
{
    NDK_RESULT r;
    CHECK(cq->Dispatch->NdkGetCqResults(cq, &r, 1) == 1 && r.QPContext == &cookie && r.RequestContext == context && r.Status == status);
}

/* requests of both queues under way at once, more than the QP may have: each completion has its own context, and data as the provider gave it */
static void mixed_contexts(void)
{
    unsigned i, n = 200;
    NDK_RESULT_EX r;
    void *carried[512];
    for (i = 0; i < n; i++) {
        CHECK((i % 2 ? qp->Dispatch->NdkReceive(qp, &cookies[i], 0, 0) : qp->Dispatch->NdkSend(qp, &cookies[i], 0, 0, 0)) == 0);
        carried[i] = fake.request_context;
    }
    for (i = 0; i < n; i++) {
        unsigned k = i * 77 % n;
        fake.request_context = carried[k];
        fake_place(k % 3 ? 0 : REFUSED, k, k % 2 ? NdkOperationTypeReceiveAndInvalidate : NdkOperationTypeSend);
        CHECK(cq->Dispatch->NdkGetCqResultsEx(cq, &r, 1) == 1 && r.QPContext == &cookie && r.RequestContext == &cookies[k]);
        CHECK(r.Status == (k % 3 ? 0 : REFUSED) && r.BytesTransferred == k && r.TypeSpecificCompletionOutput == 25);
    }
}

static void contexts(void)
{
    open_qp();
    mixed_contexts();
    mixed_contexts();
    close_all();
}

/* a poll of more results than an event has room for is dropped, and counted; each result has its context */
static void many_results(void)
{
    static NDK_RESULT results[2000];
    unsigned i, n = 1500;
    uint64_t dropped;
    open_qp();
    for (i = 0; i < n; i++) {
        CHECK(qp->Dispatch->NdkReceive(qp, &cookies[i % 512], 0, 0) == 0);
        fake_place(0, i, NdkOperationTypeReceive);
    }
    dropped = ndkt_dropped(&ring);
    CHECK(cq->Dispatch->NdkGetCqResults(cq, results, 0) == 0 && cq->Dispatch->NdkGetCqResults(cq, results, 2000) == n);
    for (i = 0; i < n; i++) CHECK(results[i].RequestContext == &cookies[i % 512] && results[i].QPContext == &cookie && results[i].BytesTransferred == i);
    CHECK(ndkt_dropped(&ring) == dropped + 1);
    close_all();
}

/* nothing is recorded, and each context comes back all the same */
static void unrecorded(void)
{
    recording = 0;
    contexts();
    recording = 1;
}

static uint64_t slots_of(void) { return ((ndks_qp *)(void *)qp)->initiator.room; }

/* a refused request gives its slot back; one that completes all the same has its own context */
static void refused_posts(void)
{
    unsigned i;
    open_qp();
    fake.status = REFUSED;
    for (i = 0; i < 10000; i++) CHECK(qp->Dispatch->NdkSend(qp, &cookies[i % 512], 0, 0, i % 2 ? NDK_OP_FLAG_SILENT_SUCCESS : 0) == REFUSED);
    CHECK(slots_of() <= 64);
    CHECK(qp->Dispatch->NdkSend(qp, &cookies[3], 0, 0, 0) == REFUSED);
    fake.status = 0;
    fake_place(REFUSED, 0, NdkOperationTypeSend);
    polled(&cookies[3], REFUSED);
    close_all();
}

/* silent requests make the slots more, in chunks, until a later one completes; one of them that fails has its own context */
static void silent(void)
{
    unsigned i;
    void *failed = 0;
    uint64_t room;
    open_qp();
    for (i = 0; i < 1000; i++) {
        CHECK(qp->Dispatch->NdkSend(qp, &cookies[i % 512], 0, 0, NDK_OP_FLAG_SILENT_SUCCESS) == 0);
        if (i == 700) failed = fake.request_context;
    }
    room = slots_of();
    CHECK(room >= 1000 && room < 4096);
    CHECK(qp->Dispatch->NdkSend(qp, &cookies[5], 0, 0, 0) == 0);
    fake_place(0, 0, NdkOperationTypeSend);
    polled(&cookies[5], 0);
    fake.request_context = failed;
    fake_place(REFUSED, 0, NdkOperationTypeSend);
    polled(&cookies[700 % 512], REFUSED);
    for (i = 0; i < 5000; i++) {
        CHECK(qp->Dispatch->NdkSend(qp, &cookies[i % 512], 0, 0, i % 50 == 49 ? 0 : NDK_OP_FLAG_SILENT_SUCCESS) == 0);
        if (i % 50 != 49) continue;
        fake_place(0, 0, NdkOperationTypeSend);
        polled(&cookies[i % 512], 0);
    }
    CHECK(slots_of() == room);
    close_all();
}

/* a completion that comes twice has the same context and the same name both times, also where others were posted and have completed meanwhile */
static void twice(void)
{
    unsigned i;
    void *first;
    open_qp();
    CHECK(qp->Dispatch->NdkSend(qp, &cookies[7], 0, 0, 0) == 0);
    first = fake.request_context;
    fake_place(0, 0, NdkOperationTypeSend);
    polled(&cookies[7], 0);
    for (i = 0; i < 8; i++) {
        CHECK(qp->Dispatch->NdkSend(qp, &cookies[i], 0, 0, 0) == 0);
        fake_place(0, 0, NdkOperationTypeSend);
        polled(&cookies[i], 0);
    }
    fake.request_context = first;
    fake_place(0, 0, NdkOperationTypeSend);
    polled(&cookies[7], 0);
    close_all();
}

/* … but where its slot was taken by another request by then it has no name, and no context of another request */
static void stale(void)
{
    unsigned i;
    void *first;
    open_qp();
    CHECK(qp->Dispatch->NdkSend(qp, &cookies[7], 0, 0, 0) == 0);
    first = fake.request_context;
    fake_place(0, 0, NdkOperationTypeSend);
    polled(&cookies[7], 0);
    for (i = 0; i < 64; i++) {
        CHECK(qp->Dispatch->NdkSend(qp, &cookies[i], 0, 0, 0) == 0);
        fake_place(0, 0, NdkOperationTypeSend);
        polled(&cookies[i], 0);
    }
    fake.request_context = first;
    fake_place(0, 0, NdkOperationTypeSend);
    polled(first, 0);
    close_all();
}

/* what a closed QP has left in its CQ keeps its contexts until it is polled; a callback of a CQ that is closed is recorded, and not passed on */
static void late(void)
{
    NDK_RESULT r;
    NDK_FN_CQ_NOTIFICATION_CALLBACK notify;
    void *context;
    unsigned before, i;
    cq = make_cq();
    notify = fake.notify;
    context = fake.event_context;
    pd = make_pd();
    qp = make_qp(pd, cq);
    for (i = 0; i < 3; i++) {
        CHECK(qp->Dispatch->NdkReceive(qp, &cookies[i], 0, 0) == 0);
        fake_place(REFUSED, 0, NdkOperationTypeReceive);
    }
    polled(&cookies[0], REFUSED);
    CLOSE(qp, NdkCloseQp);
    qp = 0;
    polled(&cookies[1], REFUSED);
    polled(&cookies[2], REFUSED);
    CHECK(cq->Dispatch->NdkGetCqResults(cq, &r, 1) == 0);
    close_all();
    before = got.notified;
    notify(context, 0);
    CHECK(got.notified == before);
}

/* receives of a shared queue complete with the context of the QP that took them, also when the SRQ is closed */
static void shared_receives(void)
{
    NDK_SRQ *srq;
    NDK_QP *both[2];
    void *of[2];
    unsigned i;
    cq = make_cq();
    pd = make_pd();
    MAKE(NDK_SRQ, srq, pd->Dispatch->NdkCreateSrq(pd, 16, 2, 4, 0, 0, 0, DONE, &srq));
    CHECK(!fake.srq_notify);
    for (i = 0; i < 2; i++) {
        MAKE(NDK_QP, both[i], pd->Dispatch->NdkCreateQpWithSrq(pd, cq, cq, srq, &cookie, 8, 2, 3, DONE, &both[i]));
        of[i] = fake.qp_context;
    }
    for (i = 0; i < 40; i++) {
        CHECK(srq->Dispatch->NdkSrqReceive(srq, &cookies[i], 0, 0) == 0);
        fake.qp_context = of[i % 2];
        fake_place(0, 4, NdkOperationTypeReceive);
        if (i < 39) polled(&cookies[i], 0);
    }
    CLOSE(both[0], NdkCloseQp);
    CLOSE(both[1], NdkCloseQp);
    CLOSE(srq, NdkCloseSrq);
    polled(&cookies[39], 0);
    qp = 0;
    close_all();
}

/* ---- ASY-01, LIFE-09: an end that comes twice is recorded twice, and passed on once ---- */

static void ended_twice(void)
{
    fake_object *o;
    fake.status = PENDING;
    CHECK(adapter->Dispatch->NdkCreateCq(adapter, 9, on_notified, &cookie, 0, DONE, &cq) == PENDING);
    o = fake.object;
    fake.create(fake.completion_context, 0, &o->ndk.header);
    cq = (NDK_CQ *)got.object;
    fake.create(fake.completion_context, 0, &o->ndk.header);
    CHECK(got.created == 1);
    CHECK(cq->Dispatch->NdkResizeCq(cq, 7, REQUEST) == PENDING);
    fake.request(fake.completion_context, 0);
    fake.request(fake.completion_context, 0);
    CHECK(got.requested == 1);
    CHECK(cq->Dispatch->NdkCloseCq(&cq->Header, on_closed, &cookie) == PENDING);
    fake.close(fake.completion_context);
    fake.close(fake.completion_context);
    CHECK(got.closed == 1);
    free(o);
}

/* ---- without memory a call fails, the provider hears nothing of it, and the loss is counted; a close does not need any ---- */

static void without_memory(void)
{
    uint64_t lost = ndkt_dropped(&ring);
    unsigned calls, i;
    NDK_CQ *none = 0;
    NDK_RESULT r;
    open_qp();
    for (i = 0; i < 3; i++) {
        calls = fake.calls;
        memory_left = (int)i;
        if (adapter->Dispatch->NdkCreateCq(adapter, 9, on_notified, &cookie, 0, DONE, &none) == 0) break;
        CHECK(!none && fake.calls == calls);
    }
    CHECK(ndkt_dropped(&ring) > lost);
    if (none) CLOSE(none, NdkCloseCq);
    memory_left = 0;
    for (i = 0; qp->Dispatch->NdkSend(qp, &cookies[0], 0, 0, NDK_OP_FLAG_SILENT_SUCCESS) == 0; i++) CHECK(i < 1000);
    calls = fake.calls;
    lost = ndkt_dropped(&ring);
    CHECK(qp->Dispatch->NdkSend(qp, &cookies[0], 0, 0, 0) == NDKS_NO_MEMORY && cq->Dispatch->NdkResizeCq(cq, 7, REQUEST) == NDKS_NO_MEMORY);
    CHECK(fake.calls == calls && ndkt_dropped(&ring) == lost + 2);
    fake_place(0, 0, NdkOperationTypeSend);
    CHECK(cq->Dispatch->NdkGetCqResults(cq, &r, 1) == 1 && r.RequestContext == &cookies[0]); /* the last that was accepted */
    CHECK(ndkt_dropped(&ring) > lost + 2);
    close_all();
    memory_left = -1;
}

/* ---- a LAM that could not be built leaves its address to the next ---- */

static void mappings(void)
{
    NDK_LOGICAL_ADDRESS_MAPPING lam;
    ULONG size = 0, fbo = 0;
    unsigned i;
    fake.status = PENDING;
    for (i = 0; i < 2; i++) {
        CHECK(adapter->Dispatch->NdkBuildLAM(adapter, (MDL *)(void *)&fake, 24, REQUEST, &lam, &size, &fbo) == PENDING);
        fake.request(fake.completion_context, i ? 0 : REFUSED);
    }
    adapter->Dispatch->NdkReleaseLAM(adapter, &lam);
    adapter->Dispatch->NdkReleaseLAM(adapter, &lam);
}

/* ---- both ends of a connection of an adapter with itself have one name, and those of another have another ---- */

static void connection(void)
{
    uint64_t from[16] = {0}, to[16] = {0};
    ULONG length = sizeof from;
    NDK_CONNECTOR *c, *ends[2];
    NDK_LISTENER *l;
    void *listens;
    unsigned i;
    open_qp();
    MAKE(NDK_CONNECTOR, c, adapter->Dispatch->NdkCreateConnector(adapter, DONE, &c));
    MAKE(NDK_LISTENER, l, adapter->Dispatch->NdkCreateListener(adapter, on_connected, &cookie, DONE, &l));
    listens = fake.event_context;
    fake_address(4000, (PSOCKADDR)(void *)from, &length);
    fake_address(5000, (PSOCKADDR)(void *)to, &length);
    DO(c->Dispatch->NdkConnect(c, qp, (PSOCKADDR)(void *)from, 16, (PSOCKADDR)(void *)to, 16, 1, 2, &fake, 3, REQUEST));
    for (i = 0; i < 2; i++) {
        fake.local = 5000;
        fake.peer = (unsigned short)(4001 - i); /* the second one comes from where the first end is */
        fake.connect(listens, &(fake.object = fake_new(NdkObjectTypeConnector))->ndk.connector);
        ends[i] = (NDK_CONNECTOR *)got.object;
        DO(ends[i]->Dispatch->NdkAccept(ends[i], qp, 1, 2, &fake, 3, 0, 0, REQUEST));
        CHECK(!fake.disconnect);
    }
    CLOSE(ends[0], NdkCloseConnector);
    CLOSE(ends[1], NdkCloseConnector);
    CLOSE(c, NdkCloseConnector);
    CLOSE(l, NdkCloseListener);
    close_all();
}
#endif
