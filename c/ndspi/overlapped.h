/* overlapped.h - overlapped requests: which are pending, and how they end. Included by recorder.c.
 *
 * The consumer's OVERLAPPED goes to the provider as it is, so that events and completion ports are as they would be. That a request has ended is recorded
 * where the consumer can know it: when GetOverlappedResult says so, or, where the consumer looked at the OVERLAPPED itself, at its next call on that object.
 * Internal of an OVERLAPPED says whether its request is pending, as it does to any program of Windows: the recorder sets it before a request is made.
 */
#ifndef NDSPI_OVERLAPPED_H
#define NDSPI_OVERLAPPED_H

typedef enum request { REQUEST_CALL, REQUEST_CQ, REQUEST_SRQ, REQUEST_CONNECTION, REQUEST_DISCONNECT } request;

typedef struct overlapped {
    struct overlapped *next;
    OVERLAPPED *of;
    request what;
    int pending;                           /* the call has returned ND_PENDING */
    ndkt_op op;                            /* the call, of REQUEST_CALL */
    object *connector;                     /* of REQUEST_CONNECTION; the request holds its memory */
    ULONG_PTR before;                      /* Internal, before the call */
    uint32_t ended;                        /* its status, see overlapped_catch_up */
} overlapped;

static void recorded_end(object *o, const overlapped *r, uint32_t status);
static void cq_disarmed(object *cq);

static void overlapped_free(overlapped *r)
{
    if (r->connector) object_drop(r->connector);
    HeapFree(GetProcessHeap(), 0, r);
}

/* Notes a request before the provider has it, as another thread may ask for it before the call returns. 0 without memory, which is counted as lost */
static overlapped *overlapped_begin(object *o, request what, OVERLAPPED *of)
{
    overlapped *r = (overlapped *)HeapAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, sizeof *r), **last;
    if (!r) {
        session_lost();
        return 0;
    }
    r->what = what;
    r->of = of;
    r->before = of->Internal;
    of->Internal = (ULONG_PTR)ND_PENDING;
    AcquireSRWLockExclusive(&o->lock);
    for (last = &o->pending; *last; last = &(*last)->next) continue;
    *last = r;
    ReleaseSRWLockExclusive(&o->lock);
    return r;
}

/* takes a request out of the list: r, or, where that is 0, the oldest of an OVERLAPPED. 0 where another thread has taken it */
static overlapped *overlapped_take(object *o, const overlapped *r, const OVERLAPPED *of)
{
    overlapped **at, *found = 0;
    AcquireSRWLockExclusive(&o->lock);
    for (at = &o->pending; *at; at = &(*at)->next) {
        if (r ? *at != r : (*at)->of != of) continue;
        found = *at;
        *at = found->next;
        break;
    }
    ReleaseSRWLockExclusive(&o->lock);
    return found;
}

/* The call has returned. Where it is not pending, the request has ended with it, and the OVERLAPPED says so, as it did before where the provider has not
 * touched it. True where the caller has to record that end. */
static int overlapped_called(object *o, overlapped *r, OVERLAPPED *of, HRESULT status)
{
    ULONG_PTR before;
    if (!r) return status != ND_PENDING;
    if (status == ND_PENDING) {
        overlapped *at;
        AcquireSRWLockExclusive(&o->lock);
        for (at = o->pending; at; at = at->next)
            if (at == r) at->pending = 1;
        ReleaseSRWLockExclusive(&o->lock);
        return 0;
    }
    r = overlapped_take(o, r, 0);
    if (!r) return 0;
    before = r->before;
    overlapped_free(r);
    if (of->Internal == (ULONG_PTR)ND_PENDING) of->Internal = before;
    return 1;
}

enum { OVERLAPPED_GONE = 1 };             /* of overlapped_read: a number that no result has */

/* Reads the status in an OVERLAPPED that the consumer may have freed. It has 32 bits; what is above them has no meaning. */
static uint32_t overlapped_read(const OVERLAPPED *of)
{
    SIZE_T got = 0;
    uint32_t status = 0;
    return ReadProcessMemory(GetCurrentProcess(), &of->Internal, &status, sizeof status, &got) && got == sizeof status ? status : OVERLAPPED_GONE;
}

/* success, or a warning or an error without a facility, as all of Network Direct are */
static int is_result(uint32_t status) { return status == 0 || (status >> 31 == 1 && (status & 0x3fff0000u) == 0); }

/* Records what has ended without being asked for: the consumer has learned of it by an event, a completion port or the OVERLAPPED, or will not any more.
 * last: the object is released, and what is still pending ends with it. */
static void overlapped_catch_up(object *o, int last)
{
    overlapped *r, **at, *ended = 0, **end = &ended;
    if (!*(overlapped *volatile *)&o->pending) return;
    AcquireSRWLockExclusive(&o->lock);
    for (at = &o->pending; *at;) {
        r = *at;
        r->ended = r->pending ? overlapped_read(r->of) : NDKT_STATUS_PENDING;
        if (r->ended == NDKT_STATUS_PENDING && !last) {
            at = &r->next;
            continue;
        }
        *at = r->next;
        r->next = 0;
        *end = r;
        end = &r->next;
    }
    ReleaseSRWLockExclusive(&o->lock);
    for (; ended; ended = r) {
        r = ended->next;
        if (is_result(ended->ended)) recorded_end(o, ended, ended->ended);
        else if (ended->what == REQUEST_CALL || ended->ended != NDKT_STATUS_PENDING) session_lost(); /* it ends unseen, or its memory has another use */
        overlapped_free(ended);
    }
}

/* whether the consumer has asked for each result that is there: what it has not asked for is not in the trace, though it has happened */
static int overlapped_all_asked(void)
{
    object *o;
    overlapped *r;
    int all = 1;
    AcquireSRWLockExclusive(&objects.lock);
    for (o = objects.first; o && all; o = o->behind) {
        AcquireSRWLockExclusive(&o->lock);
        for (r = o->pending; r && all; r = r->next) all = r->pending && overlapped_read(r->of) == NDKT_STATUS_PENDING;
        ReleaseSRWLockExclusive(&o->lock);
        if (all && o->kind == KIND_CQ) all = !NDKT_LOAD(&((cq *)(void *)o)->disarmed);
    }
    ReleaseSRWLockExclusive(&objects.lock);
    return all;
}

/* ---- how requests end in the trace ---- */

static void recorded_notification(object *o, uint32_t status)
{
    ndkt_op op;
    if (status == NDKT_STATUS_SUCCESS || status == NDKT_STATUS_INTERNAL_ERROR || status == NDKT_STATUS_BUFFER_OVERFLOW) {
        op = ndkt_NdkCqNotificationCallback_enter(&session.ring, o->id, status);
        ndkt_NdkCqNotificationCallback_exit(&session.ring, op);
    } else {
        cq_disarmed(o);
    }
}

static void recorded_end(object *o, const overlapped *r, uint32_t status)
{
    connector *c = (connector *)(void *)(r->connector ? r->connector : o);
    ndkt_op op;
    switch (r->what) {
    case REQUEST_CALL:
        op = ndkt_NdkRequestCompletion_enter(&session.ring, r->op, status);
        ndkt_NdkRequestCompletion_exit(&session.ring, op);
        break;
    case REQUEST_CQ:
        recorded_notification(o, status);
        break;
    case REQUEST_SRQ:
        if (status != NDKT_STATUS_SUCCESS && status != NDKT_STATUS_INTERNAL_ERROR) break;
        op = ndkt_NdkSrqNotificationCallback_enter(&session.ring, o->id, status);
        ndkt_NdkSrqNotificationCallback_exit(&session.ring, op);
        break;
    case REQUEST_CONNECTION:
        if (status != NDKT_STATUS_SUCCESS) break;
        if (c != (connector *)(void *)o) object_keep(&c->o, 2, o); /* the connector stands on the listener from now on */
        op = ndkt_NdkConnectEventCallback_enter(&session.ring, o->id, c->o.id);
        ndkt_NdkConnectEventCallback_exit(&session.ring, op);
        break;
    case REQUEST_DISCONNECT:
        if (status == NDKT_STATUS_CANCELLED) break;
        op = ndkt_NdkDisconnectEventCallback_enter(&session.ring, c->o.id, c->qp, c->conn);
        ndkt_NdkDisconnectEventCallback_exit(&session.ring, op);
        break;
    }
}

/* ---- from the consumer ---- */

static HRESULT STDMETHODCALLTYPE overlapped_cancel(object *o)
{
    IND2Overlapped *inner = (IND2Overlapped *)o->inner;
    return inner->v->CancelOverlappedRequests(inner);
}

/* Asks for the end of a request. Not a call that is under way, for rest: it may wait for what never comes. */
static HRESULT STDMETHODCALLTYPE overlapped_result(object *o, OVERLAPPED *of, BOOL wait)
{
    IND2Overlapped *inner = (IND2Overlapped *)o->inner;
    HRESULT status = inner->v->GetOverlappedResult(inner, of, wait);
    overlapped *r;
    if (status == ND_PENDING) return status;
    r = overlapped_take(o, 0, of);
    if (r) {
        session_begin();
        recorded_end(o, r, (uint32_t)status);
        overlapped_free(r);
        session_end();
    }
    return status;
}
#endif
