/* core.h - what the objects of the example provider have in common, its overlapped requests, its bugs and its engine. Included by provider.c.
 *
 * One lock guards all. Calls note what is to be done; the engine does it, one step at a time, on a thread of its own.
 */
#ifndef CORE_H
#define CORE_H

typedef enum kind { PROVIDER, ADAPTER, CQ, SRQ, QP, MR, MW, CONNECTOR, LISTENER } kind;
enum { MOST_SGES = 4, MOST_DEPTH = 1024, MOST_LATER = 4096 };

typedef struct object {
    const void *v;
    volatile LONG refs;
    kind kind;
    struct object *next;                   /* of all */
    struct object *parent;                 /* the adapter */
} object;

typedef struct entry { ND2_RESULT result; int reported, solicited; } entry;

typedef struct notify { OVERLAPPED *of; ULONG type; struct notify *next; } notify;

typedef struct cq {
    object o;
    ULONG depth, first, count, fired;
    int overrun;
    entry entries[MOST_DEPTH];
    notify *waiting;                       /* requests for a notification, the oldest first */
} cq;

typedef struct request {
    VOID *context;
    ND2_REQUEST_TYPE type;
    ULONG flags, n, bytes;
    ND2_SGE sges[MOST_SGES];
    UINT64 address;
    UINT32 token;
    unsigned char inlined[64];
} request;

typedef struct queue { ULONG depth, first, count; request requests[MOST_DEPTH]; } queue;

typedef struct srq { object o; queue receives; ULONG threshold; OVERLAPPED *waiting; } srq;

typedef enum state { UNCONNECTED, CONNECTED, DISCONNECTED, BROKEN } state;
typedef struct qp {
    object o;
    cq *receive_cq, *initiator_cq;
    srq *srq;
    VOID *context;
    queue receives, initiator;
    ULONG cancel_receives, cancel_initiator; /* how many at the front a flush cancels */
    ULONG inline_size;
    state state;
    struct qp *peer;
    struct connector *connector;
} qp;

typedef struct region { object o; unsigned char *base; SIZE_T length; ULONG flags; UINT32 token; } region; /* an MR, or an MW while it is bound */

typedef struct connector {
    object o;
    qp *qp;
    struct connector *other;
    struct listener *listener;             /* where it waits to be accepted */
    USHORT local, peer;                    /* ports */
    OVERLAPPED *connecting, *accepting, *notifying;
} connector;

typedef struct listener {
    object o;
    USHORT port;
    int listens;
    connector *waiting[16], *given[16];    /* connections that have come, and connectors for those to come */
    OVERLAPPED *requests[16];
    ULONG waits, gives;
} listener;

static CRITICAL_SECTION lock;
static HANDLE wake;
static object *all;
static UINT32 last_token = 0x100;
static USHORT last_port = 49151;

/* ---- bugs: NDSPI_EXAMPLE_BUG names one ---- */

static char bug_name[64];
static int bug(const char *name) { return strcmp(bug_name, name) == 0; }

/* a bug that happens once in a process */
static int bug_once(const char *name)
{
    static int happened;
    if (!bug(name) || happened) return 0;
    happened = 1;
    return 1;
}

/* ---- overlapped requests ---- */

static struct { OVERLAPPED *of; HRESULT status; } later[MOST_LATER];
static ULONG laters;

static void overlapped_start(OVERLAPPED *of)
{
    HANDLE event = (HANDLE)((ULONG_PTR)of->hEvent & ~(ULONG_PTR)1);
    of->InternalHigh = 0;
    if (!bug("internal-untouched")) of->Internal = (ULONG_PTR)ND_PENDING;
    if (event) ResetEvent(event);
}

static void overlapped_end(OVERLAPPED *of, HRESULT status)
{
    HANDLE event = (HANDLE)((ULONG_PTR)of->hEvent & ~(ULONG_PTR)1); /* the OVERLAPPED may be gone when it has ended */
    __atomic_store_n(&of->Internal, (ULONG_PTR)(ULONG)status, __ATOMIC_RELEASE);
    if (event) SetEvent(event);
}

/* has the engine end a request */
static void end_later(OVERLAPPED *of, HRESULT status)
{
    if (laters == MOST_LATER) {
        overlapped_end(of, status);
        return;
    }
    later[laters].of = of;
    later[laters++].status = status;
    SetEvent(wake);
}

static HRESULT STDMETHODCALLTYPE overlapped_result(object *o, OVERLAPPED *of, BOOL wait)
{
    (void)o;
    for (;;) {
        ULONG_PTR status = __atomic_load_n(&of->Internal, __ATOMIC_ACQUIRE);
        if (status != (ULONG_PTR)ND_PENDING) return (HRESULT)(ULONG)status;
        if (!wait) return ND_PENDING;
        WaitForSingleObject(of->hEvent, INFINITE);
    }
}

/* ---- completion queues ---- */

static int matches(const cq *q, const entry *e)
{
    const notify *w;
    for (w = q->waiting; w; w = w->next)
        if (w->type == ND_CQ_NOTIFY_ANY || (w->type == ND_CQ_NOTIFY_SOLICITED && ((e->solicited && !bug("solicited-ignored")) ||
            (e->result.Status != ND_SUCCESS && !bug("failure-not-solicited"))))) return 1;
    return 0;
}

static void reported_all(cq *q)
{
    ULONG i;
    for (i = 0; i < q->count; i++) q->entries[(q->first + i) % q->depth].reported = 1;
}

/* ends all requests for a notification */
static void fire(cq *q, HRESULT status)
{
    notify *w, *next;
    int lost = bug_once("lost-notification"), first = 1;
    for (w = q->waiting; w; w = next, first = 0) {
        next = w->next;
        if (!lost && (first || !bug("one-notification-for-two"))) end_later(w->of, status);
        free(w);
    }
    q->waiting = 0;
    if (status == ND_SUCCESS) reported_all(q);
}

static void append(cq *q, const entry *e)
{
    if (q->count == q->depth) {
        q->overrun = 1;
        fire(q, ND_BUFFER_OVERFLOW);
        return;
    }
    q->entries[(q->first + q->count++) % q->depth] = *e;
    if (matches(q, e)) fire(q, ND_SUCCESS);
}

/* places a completion */
static void place(cq *q, const qp *p, const request *r, HRESULT status, ULONG bytes, int solicited)
{
    static entry kept;
    static int keeps;
    entry e = {0};
    e.result.Status = status;
    e.result.BytesTransferred = bytes + (r->type == Nd2RequestTypeReceive && status == ND_SUCCESS && bug("a-byte-too-many"));
    e.result.QueuePairContext = p->context;
    e.result.RequestContext = r->context;
    e.result.RequestType = bug("wrong-type") && r->type == Nd2RequestTypeSend ? Nd2RequestTypeWrite : r->type;
    e.solicited = solicited;
    if (r->type == Nd2RequestTypeSend && status == ND_SUCCESS) {
        if (bug_once("lost-completion")) return;
        if (bug_once("swapped-completions")) {
            kept = e;
            keeps = 1;
            return;
        }
    }
    append(q, &e);
    if (bug_once("duplicate-completion")) append(q, &e);
    if (keeps && r->type == Nd2RequestTypeSend) {
        keeps = 0;
        append(q, &kept);
    }
}

static ULONG STDMETHODCALLTYPE cq_get_results(cq *q, ND2_RESULT results[], ULONG n)
{
    ULONG got;
    EnterCriticalSection(&lock);
    if (q->count > 1 && bug("short-poll")) n = 1;
    for (got = 0; got < n && q->count; got++, q->count--) {
        results[got] = q->entries[q->first].result;
        q->first = (q->first + 1) % q->depth;
    }
    LeaveCriticalSection(&lock);
    return got;
}

/* Each second request that finds a completion which was not reported ends at once, and the others later: a consumer has to bear both. */
static HRESULT STDMETHODCALLTYPE cq_notify(cq *q, ULONG type, OVERLAPPED *of)
{
    notify *w = calloc(1, sizeof *w), **last;
    HRESULT status = ND_PENDING;
    int found = 0;
    ULONG i;
    if (!w) return ND_INSUFFICIENT_RESOURCES;
    w->of = of;
    w->type = type;
    EnterCriticalSection(&lock);
    if (q->overrun) {
        LeaveCriticalSection(&lock);
        free(w);
        return ND_BUFFER_OVERFLOW;
    }
    for (last = &q->waiting; *last; last = &(*last)->next) continue;
    *last = w;
    for (i = 0; i < q->count; i++) {
        const entry *e = &q->entries[(q->first + i) % q->depth];
        if (matches(q, e) && (!e->reported || bug("notification-for-reported"))) found = 1;
    }
    if (found && !bug("arm-finds-nothing") && q->waiting == w && q->fired++ % 2) {
        q->waiting = 0;
        reported_all(q);
        free(w);
        status = ND_SUCCESS;
    } else {
        overlapped_start(of);
        if (found && !bug("arm-finds-nothing")) fire(q, ND_SUCCESS);
    }
    LeaveCriticalSection(&lock);
    return status;
}

static HRESULT STDMETHODCALLTYPE cq_resize(cq *q, ULONG depth) { (void)q; (void)depth; return ND_NOT_SUPPORTED; }

static HRESULT STDMETHODCALLTYPE affinity(object *o, USHORT *group, KAFFINITY *mask)
{
    (void)o;
    *group = 0;
    *mask = 1;
    return ND_SUCCESS;
}
#endif
