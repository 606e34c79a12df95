/* cases.h - what the consumer does: each case brings the effect of some faults to a boundary, before the provider is at rest or in the polls after it.
 * a and b are the ends of a connection. */
#ifndef CASES_H
#define CASES_H
#include "consumer.h"

enum { ERRORS = NDK_CQ_NOTIFY_ERRORS, ANY = NDK_CQ_NOTIFY_ANY, SOLICITED = NDK_CQ_NOTIFY_SOLICITED };
enum { SILENT = NDK_OP_FLAG_SILENT_SUCCESS, DEFER = NDK_OP_FLAG_DEFER, SOLICIT = NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT };

static void settle(end *a, end *b)
{
    rest();
    drain(&a->initiator);
    drain(&a->receive);
    drain(&b->initiator);
    drain(&b->receive);
}

/* ---- arms before a completion: ARM-01, ARM-02, ARM-07, ARM-09, ARM-10, ARM-11 ---- */

static void arms_then(end *a, end *b, unsigned n, const ULONG *types, unsigned deliveries, ULONG flags)
{
    unsigned i;
    for (i = 0; i < n; i++) arm(&b->receive, types[i]);
    for (i = 0; i < deliveries; i++) deliver(a, flags);
    settle(a, b);
}

static void not_armed(end *a, end *b) { arms_then(a, b, 0, 0, 1, 0); }
static void armed_once(end *a, end *b)
{
    static const ULONG types[] = {ANY};
    arms_then(a, b, 1, types, 1, 0);
}
static void two_completions(end *a, end *b)
{
    static const ULONG types[] = {ANY};
    arms_then(a, b, 1, types, 2, 0);
}
static void stronger_first(end *a, end *b)
{
    static const ULONG types[] = {ANY, SOLICITED};
    arms_then(a, b, 2, types, 1, 0);
}
static void weaker_first(end *a, end *b)
{
    static const ULONG types[] = {SOLICITED, ANY};
    arms_then(a, b, 2, types, 1, 0);
}
static void armed_thrice(end *a, end *b)
{
    static const ULONG types[] = {SOLICITED, ANY, SOLICITED};
    arms_then(a, b, 3, types, 1, 0);
}
static void solicited(end *a, end *b)
{
    static const ULONG types[] = {SOLICITED};
    arms_then(a, b, 1, types, 1, SOLICIT);
}
static void flushed_receive(end *a, end *b)
{
    arm(&b->receive, SOLICITED);
    CHECK(receive(b) == 0);
    b->qp->Dispatch->NdkFlush(b->qp);
    settle(a, b);
}

/* ---- an arm over what is there: ARM-04, ARM-05, ARM-21 ---- */

static void armed_over_fresh(end *a, end *b)
{
    deliver(a, 0);
    rest();
    arm(&b->receive, ANY);
    settle(a, b);
}

static void armed_over_reported(end *a, end *b)
{
    arm(&b->receive, ANY);
    deliver(a, 0);
    settle(a, b);
    arm(&b->receive, ANY);
    settle(a, b);
    deliver(a, 0);
    settle(a, b);
}

/* ---- callbacks: ARM-03, ARM-06 ---- */

static void rearms(queue *q)
{
    drain(q);
    if (__atomic_load_n(&q->called, __ATOMIC_ACQUIRE) == 1) arm(q, ANY);
}

static void armed_in_callback(end *a, end *b)
{
    b->receive.respond = rearms;
    arm(&b->receive, ANY);
    deliver(a, 0);
    settle(a, b);
    deliver(a, 0);
    settle(a, b);
}

static int let_go;

static void holds(queue *q)
{
    drain(q);
    if (__atomic_load_n(&q->called, __ATOMIC_ACQUIRE) == 1) CHECK(reaches(&let_go, 1));
}

/* polls until something comes; it may be that nothing does */
static void await(queue *q)
{
    unsigned i;
    for (i = 0; i < 200 && !poll(q, 1, 0); i++) pause_us(100);
}

static void armed_beside_callback(end *a, end *b)
{
    let_go = 0;
    b->receive.respond = holds;
    arm(&b->receive, ANY);
    deliver(a, 0);
    CHECK(reaches(&b->receive.called, 1));
    arm(&b->receive, ANY);
    deliver(a, 0);
    await(&b->receive);
    pause_us(5000); /* for a callback that must not come */
    add(&let_go);
    settle(a, b);
}

/* ---- chains: DEF-03, DEF-04, DEF-05 ---- */

/* a write of nothing succeeds without the other end's doing */
static NTSTATUS write_nothing(end *e, ULONG flags) { return e->qp->Dispatch->NdkWrite(e->qp, new_post(e, 0), 0, 0, 0, 0, flags); }

static void refused(end *e)
{
    ndkp_refuse_next(theirs);
    write_nothing(e, 0);
}

static void refused_behind_deferred(end *a, end *b)
{
    CHECK(write_nothing(a, DEFER) == 0);
    refused(a);
    settle(a, b);
}

static void refused_alone(end *a, end *b)
{
    refused(a);
    settle(a, b);
}

/* ---- polls and queues: POLL-04, POLL-09, FLAG-02, FLUSH-02 ---- */

static void many(end *a, end *b)
{
    unsigned i;
    for (i = 0; i < 4; i++) deliver(a, 0);
    settle(a, b);
}

static void silent_flushed(end *a, end *b)
{
    CHECK(send_now(a, 0) == 0);
    CHECK(send_now(a, SILENT) == 0);
    CHECK(send_now(a, SILENT | DEFER) == 0);
    a->qp->Dispatch->NdkFlush(a->qp);
    settle(a, b);
}

static void silent_succeeds(end *a, end *b)
{
    unsigned i;
    for (i = 0; i < 3; i++) deliver(a, SILENT);
    rest();
    deliver(a, 0);
    settle(a, b);
}

static void both_queues_flushed(end *a, end *b)
{
    CHECK(receive(a) == 0);
    CHECK(send_now(a, 0) == 0);
    CHECK(send_now(a, 0) == 0);
    arm(&a->initiator, ANY);
    a->qp->Dispatch->NdkFlush(a->qp);
    settle(a, b);
}

/* one completion more than the CQ of a's initiator holds, which has room for two: ARM-17, ARM-18 */
static void too_many(end *a, end *b)
{
    unsigned i;
    for (i = 0; i < 3; i++) deliver(a, 0);
    rest();
    if (!poll(&a->initiator, 1, 0)) return;
    receive(b);
    send_now(a, 0);
    settle(a, b);
}

/* ---- tokens: INV-05, POLL-07, POLL-08, RES-03 ---- */

static NDK_MR *region;

static UINT32 registered(end *e)
{
    unsigned char *memory = take(64);
    NDK_LOGICAL_ADDRESS page;
    post *p = new_post(e, 0);
    unsigned fbo = (unsigned)((uintptr_t)memory & 4095);
    page.QuadPart = (int64_t)((uintptr_t)memory - fbo);
    CREATED(NDK_MR, region, pd->Dispatch->NdkCreateMr(pd, 1, created, &o, &region));
    REQUESTED(region->Dispatch->NdkInitializeFastRegisterMr(region, 1, 1, requested, &o));
    CHECK(e->qp->Dispatch->NdkFastRegister(e->qp, p, region, 1, &page, fbo, 64, memory, ACCESS) == 0);
    rest();
    return region->Dispatch->NdkGetRemoteTokenFromMr(region);
}

static void invalidated(end *a, end *b, int extended, int again)
{
    UINT32 of = registered(b);
    drain(&b->initiator);
    CHECK(receive(b) == 0);
    CHECK(send_with(a, 0, token, 1, of) == 0);
    rest();
    drain_by(&b->receive, 2, extended);
    drain(&a->initiator);
    if (again) b->qp->Dispatch->NdkInvalidate(b->qp, new_post(b, 0), &region->Header, 0);
    settle(a, b);
    close_now(&region->Header, region->Dispatch->NdkCloseMr);
}

static void invalidated_by_peer(end *a, end *b) { invalidated(a, b, 1, 0); }
static void invalidated_twice(end *a, end *b) { invalidated(a, b, 0, 1); }

/* the second message names a token that the first has made invalid */
static void token_used_up(end *a, end *b)
{
    UINT32 of = registered(b);
    unsigned i;
    for (i = 0; i < 2; i++) {
        CHECK(receive(b) == 0);
        CHECK(send_with(a, 0, token, 1, of) == 0);
        settle(a, b);
    }
    close_now(&region->Header, region->Dispatch->NdkCloseMr);
}

static void written_and_read(end *a, end *b)
{
    UINT32 of = registered(b);
    NDK_SGE s = sge_of(take(16), 16, token);
    UINT64 address;
    NDK_MW *mw;
    UINT32 window;
    unsigned char *to = take(16);
    CREATED(NDK_MW, mw, pd->Dispatch->NdkCreateMw(pd, created, &o, &mw));
    address = (UINT64)(uintptr_t)to;
    CHECK(b->qp->Dispatch->NdkBind(b->qp, new_post(b, 0), mr, mw, to, 16, ACCESS) == 0);
    rest();
    window = mw->Dispatch->NdkGetRemoteTokenFromMw(mw);
    CHECK(a->qp->Dispatch->NdkWrite(a->qp, new_post(a, 0), &s, 1, address, window, 0) == 0);
    CHECK(a->qp->Dispatch->NdkRead(a->qp, new_post(a, 0), &s, 1, address, window, 0) == 0);
    settle(a, b);
    CHECK(of != window);
    CHECK(b->qp->Dispatch->NdkInvalidate(b->qp, new_post(b, 0), &mw->Header, 0) == 0);
    CHECK(b->qp->Dispatch->NdkInvalidate(b->qp, new_post(b, 0), &region->Header, 0) == 0);
    settle(a, b);
    close_now(&mw->Header, mw->Dispatch->NdkCloseMw);
    close_now(&region->Header, region->Dispatch->NdkCloseMr);
}

/* ---- closes: ARM-20, LIFE-04, LIFE-09 ---- */

static void closed_beside_callback(end *a, end *b)
{
    outcome o = {0, 0, 0};
    NDK_CQ *cq = b->receive.cq;
    NTSTATUS s;
    let_go = 0;
    b->receive.respond = holds;
    arm(&b->receive, ANY);
    deliver(a, 0);
    CHECK(reaches(&b->receive.called, 1));
    arm(&b->receive, ANY);
    deliver(a, 0);
    await(&a->initiator);
    close_qp(a);
    close_qp(b);
    pthread_mutex_lock(&b->receive.lock);
    b->receive.over = 1;
    b->receive.cq = 0;
    pthread_mutex_unlock(&b->receive.lock);
    s = cq->Dispatch->NdkCloseCq(&cq->Header, closed, &o);
    add(&let_go);
    CHECK(ended(s, &o) == 0);
}

static void closed_before_qps(end *a, end *b)
{
    outcome o = {0, 0, 0};
    NDK_CQ *cq = b->receive.cq;
    NTSTATUS s;
    deliver(a, 0);
    settle(a, b);
    arm(&b->receive, ANY);
    CHECK(receive(b) == 0);
    b->receive.over = 1;
    b->receive.cq = 0;
    s = cq->Dispatch->NdkCloseCq(&cq->Header, closed, &o);
    close_qp(a);
    close_qp(b);
    CHECK(ended(s, &o) == 0);
}

/* ---- two threads, each the consumer of one end ---- */

enum { MESSAGES = 40 };

/* a poll, and a pause where it finds nothing, as an empty one tells little and is an event all the same */
static unsigned poll_or_pause(queue *q, int extended)
{
    unsigned n = poll(q, 4, extended);
    if (!n) pause_us(1000);
    return n;
}

static void *sends(void *of)
{
    end *e = (end *)of;
    unsigned i, done = 0;
    for (i = 0; i < MESSAGES; i++) {
        CHECK(send_now(e, i % 3 == 2 ? SOLICIT : 0) == 0);
        while (i - done >= DEPTH / 2) done += poll_or_pause(&e->initiator, i & 1);
    }
    while (done < MESSAGES) done += poll_or_pause(&e->initiator, 1);
    return 0;
}

static void *receives(void *of)
{
    end *e = (end *)of;
    unsigned i, done = 0, seen;
    for (i = 0; i < DEPTH / 2; i++) CHECK(receive(e) == 0);
    while (done < MESSAGES) {
        int before = __atomic_load_n(&e->receive.called, __ATOMIC_ACQUIRE);
        arm(&e->receive, ANY);
        seen = drain_by(&e->receive, 4, done & 1);
        for (; seen; seen--, done++)
            if (i < MESSAGES) {
                i++;
                CHECK(receive(e) == 0);
            }
        if (done < MESSAGES && !reaches(&e->receive.called, before + 1)) break;
    }
    return 0;
}

static void two_threads(end *a, end *b)
{
    pthread_t threads[4];
    unsigned i;
    pthread_create(&threads[0], 0, sends, a);
    pthread_create(&threads[1], 0, receives, b);
    pthread_create(&threads[2], 0, sends, b);
    pthread_create(&threads[3], 0, receives, a);
    for (i = 0; i < 4; i++) pthread_join(threads[i], 0);
    settle(a, b);
}
#endif
