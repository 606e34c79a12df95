/* cq.h - stand-ins for IND2CompletionQueue, and what results come to. Included by recorder.c. */
#ifndef NDSPI_CQ_H
#define NDSPI_CQ_H

typedef struct seen {                      /* memory for the results of a poll */
    uint64_t room, pad[7];
    ndkt_result results[1];
} seen;

static IND2CompletionQueue *cq_inner(cq *q) { return (IND2CompletionQueue *)q->o.inner; }

/* A request for a notification has ended without one: it was cancelled, or refused. The trace has it as an arm that is still there, and more arms than there
 * are allow more notifications; but none may be asked for. So from now on, until the CQ is closed, the provider is never said to be at rest. */
static void cq_disarmed(object *o) { NDKT_STORE(&((cq *)(void *)o)->disarmed, 1); }

/* ---- QPs that are closed. Their completions may still be in their CQs, so the memory of each is held until a poll of each CQ has found nothing ---- */

static void cq_push_grave(cq *q, qp *p)
{
    unsigned i = p->cq[0] == q ? 0 : 1;
    uint64_t head;
    do {
        head = NDKT_LOAD(&q->graves);
        p->behind[i] = (qp *)(uintptr_t)head;
    } while (!NDKS_CAS(&q->graves, head, (uintptr_t)p));
}

static uint64_t cq_take_graves(cq *q) { return NDKT_LOAD(&q->graves) ? NDKS_SWAP(&q->graves, 0) : 0; }

/* frees the QPs whose completions are all polled, or has them wait again */
static void cq_empty_graves(cq *q, uint64_t graves, int drained)
{
    qp *p = (qp *)(uintptr_t)graves, *behind;
    for (; p; p = behind) {
        behind = p->behind[p->cq[0] == q ? 0 : 1];
        if (drained) object_drop(&p->o);
        else cq_push_grave(q, p);
    }
}

/* the QP is closed, and stands on its CQs until this returns */
static void qp_bury(qp *p)
{
    unsigned i;
    for (i = 0; i < 2; i++) {
        if (!p->cq[i] || (i == 1 && p->cq[1] == p->cq[0])) continue;
        InterlockedIncrement(&p->o.holds);
        cq_push_grave(p->cq[i], p);
    }
}

/* ---- polls ---- */

static seen *cq_take_seen(cq *q, ULONG n)
{
    seen *s = (seen *)(uintptr_t)NDKS_SWAP(&q->seen, 0);
    uint64_t room = n < NDKT_MOST ? n : NDKT_MOST;
    if (s && s->room >= room) return s;
    if (s) NDKS_FREE(s);
    s = (seen *)NDKS_ALLOC(sizeof(seen) + (size_t)room * sizeof(ndkt_result));
    if (s) s->room = room;
    return s;
}

static void cq_give_seen(cq *q, seen *s)
{
    if (s && !NDKS_CAS(&q->seen, 0, (uintptr_t)s)) NDKS_FREE(s);
}

static const unsigned char operations[] = {NDKT_OPERATION_Receive, NDKT_OPERATION_Send, NDKT_OPERATION_Bind, NDKT_OPERATION_Invalidate,
    NDKT_OPERATION_Read, NDKT_OPERATION_Write};

/* Gives a result the consumer's contexts, and writes down what it is, where w is not 0. A context that the recorder never gave out stays as it is. */
static void cq_result(ND2_RESULT *r, ndkt_result *w)
{
    uint32_t id;
    uint64_t number = (uint64_t)(uintptr_t)r->RequestContext;
    qp *p = (qp *)(void *)object_of(r->QueuePairContext, &id);
    ndks_slots *q = !p || p->o.kind != KIND_QP ? 0 : !(number & 1) ? &p->initiator : p->srq ? &p->srq->slots : &p->receive;
    ndks_slot *s = q ? ndks_find(q, number) : 0;
    if (w) {
        memset(w, 0, sizeof *w);
        w->qp = id;
        w->status = (uint32_t)r->Status;
        w->type = (unsigned)r->RequestType < sizeof operations ? operations[r->RequestType] : (uint32_t)r->RequestType | 0x10000u;
        w->has = NDKT_HAS_STATUS | NDKT_HAS_TYPE;
        w->wr = s ? s->wr : 0;
        if (s && (number & 1)) {
            w->bytes = r->BytesTransferred;
            w->has |= NDKT_HAS_BYTES;
        }
    }
    if (p && p->o.kind == KIND_QP) r->QueuePairContext = p->context;
    if (s) {
        r->RequestContext = s->context;
        ndks_complete(q, number);
    }
}

/* Programs poll most of all, and mostly for nothing. The first poll that finds nothing is recorded. Of those behind it, while nothing else happens, one is
 * left open: it returns in the trace when something does happen, and stands for all of them. */
static void cq_returned_nothing(ndkt_op op)
{
    static const ndkt_result none;
    ndkt_NdkGetCqResultsEx_ret(&session.ring, op, &none, 0);
    NDKT_ADD(&session.quiet, 1);
}

enum { CQ_CLOSING = 1 };                   /* of open: another thread is about to record a return. No op is so low, as the first is that of an adapter */

/* takes the poll that is open, and leaves a number in its place; 0 where there is none */
static ndkt_op cq_take_poll(cq *q, uint64_t leaves)
{
    ndkt_op op;
    for (;;) {
        op = NDKT_LOAD(&q->open);
        if (!op) return 0;
        if (op != CQ_CLOSING && NDKS_CAS(&q->open, op, leaves)) return op;
        if (op == CQ_CLOSING) SwitchToThread();
    }
}

/* before anything else of the CQ is recorded */
static void cq_close_poll(cq *q)
{
    ndkt_op op = cq_take_poll(q, CQ_CLOSING);
    if (!op) return;
    cq_returned_nothing(op);
    NDKT_STORE(&q->open, 0);
}

static void cq_close_polls(void)
{
    object *o;
    AcquireSRWLockExclusive(&objects.lock);
    for (o = objects.first; o; o = o->behind)
        if (o->kind == KIND_CQ) cq_close_poll((cq *)(void *)o);
    ReleaseSRWLockExclusive(&objects.lock);
}

typedef struct polling { ndkt_op op; uint64_t before; int reused; } polling;

static polling cq_poll_begins(cq *q, ULONG n)
{
    polling p;
    p.op = cq_take_poll(q, 0);
    p.before = session_activity();
    p.reused = p.op && p.before == NDKT_LOAD(&q->mark) && n == NDKT_LOAD(&q->open_n);
    if (p.reused) return p;
    if (p.op) cq_returned_nothing(p.op);
    p.op = ndkt_NdkGetCqResultsEx_call(&session.ring, q->o.id, n);
    return p;
}

static void cq_poll_found_nothing(cq *q, const polling *p, ULONG n)
{
    if (!p->op) {
        session_lost();
        return;
    }
    if (!p->reused) NDKT_ADD(&session.quiet, 1); /* the call */
    if (n && p->before == NDKT_LOAD(&q->mark)) {
        NDKT_STORE(&q->open_n, n);
        if (NDKS_CAS(&q->open, 0, p->op)) return;
    }
    cq_returned_nothing(p->op);
    NDKT_STORE(&q->mark, session_activity());
}

/* Not a call that is under way, for rest: a program that polls all the time is always in one, and it has nothing of the provider begin. */
static ULONG STDMETHODCALLTYPE cq_get_results(cq *q, ND2_RESULT results[], ULONG n)
{
    uint64_t graves;
    ULONG got, there, i;
    LONG alone;
    polling p;
    seen *s;
    overlapped_catch_up(&q->o, 0);
    alone = InterlockedIncrement(&q->polls) == 1; /* another poll at the same time may have a completion in its hands */
    graves = cq_take_graves(q);
    s = cq_take_seen(q, n);
    p = cq_poll_begins(q, n);
    got = cq_inner(q)->v->GetResults(cq_inner(q), results, n);
    there = got < n ? got : n;
    for (i = 0; i < there; i++) cq_result(&results[i], s && i < s->room ? &s->results[i] : 0);
    if (!there) cq_poll_found_nothing(q, &p, n);
    else if (s) ndkt_NdkGetCqResultsEx_ret(&session.ring, p.op, s->results, there);
    else session_lost();
    if (there && p.reused) NDKT_ADD(&session.quiet, ~(uint64_t)0);
    cq_give_seen(q, s);
    if (InterlockedDecrement(&q->polls) != 0) alone = 0;
    cq_empty_graves(q, graves, alone && got == 0 && n > 0);
    return got;
}

/* The consumer has released the CQ. What it has not polled tells what became of its requests. */
static void cq_poll_rest(cq *q)
{
    ND2_RESULT results[16];
    while (cq_get_results(q, results, sizeof results / sizeof *results) != 0) continue;
    cq_close_poll(q);
}

/* ---- the other methods ---- */

static HRESULT STDMETHODCALLTYPE cq_affinity(cq *q, USHORT *group, KAFFINITY *affinity) { return cq_inner(q)->v->GetNotifyAffinity(cq_inner(q), group, affinity); }

static HRESULT STDMETHODCALLTYPE cq_resize(cq *q, ULONG depth)
{
    HRESULT status;
    ndkt_op op;
    session_begin();
    overlapped_catch_up(&q->o, 0);
    cq_close_poll(q);
    op = ndkt_NdkResizeCq_call(&session.ring, q->o.id, depth);
    status = cq_inner(q)->v->Resize(cq_inner(q), depth);
    ndkt_NdkResizeCq_ret(&session.ring, op, (uint32_t)status);
    session_end();
    return status;
}

static HRESULT STDMETHODCALLTYPE cq_notify(cq *q, ULONG type, OVERLAPPED *of)
{
    overlapped *r;
    HRESULT status;
    ndkt_op op;
    session_begin();
    overlapped_catch_up(&q->o, 0);
    cq_close_poll(q);
    r = overlapped_begin(&q->o, REQUEST_CQ, of);
    op = ndkt_NdkArmCq_call(&session.ring, q->o.id, type);
    status = cq_inner(q)->v->Notify(cq_inner(q), type, of);
    if (overlapped_called(&q->o, r, of, status)) recorded_notification(&q->o, (uint32_t)status);
    ndkt_NdkArmCq_ret(&session.ring, op);
    session_end();
    return status;
}

static const IND2CompletionQueueVtbl cq_table = {
    (void *)object_query, (void *)object_add_ref, (void *)object_release, (void *)overlapped_cancel, (void *)overlapped_result, (void *)cq_affinity,
    (void *)cq_resize, (void *)cq_notify, (void *)cq_get_results
};
#endif
