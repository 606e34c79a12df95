/* consumer.h - a consumer of NDKPI that keeps the consumer's rules: two QPs in a loopback connection, each with a CQ for each of its queues.
 *
 * It checks what a shim could spoil: that each completion has the contexts of its own request, and that data arrives as it was sent. */
#ifndef CONSUMER_H
#define CONSUMER_H
#include "recording.h"
#include "ndkprovider.h"

enum { DEPTH = 32, CQ_DEPTH = 64, BYTES = 48, MOST_POSTS = 4096, LISTENING = 4791 };
#define ACCESS (NDK_OP_FLAG_ALLOW_REMOTE_READ | NDK_OP_FLAG_ALLOW_REMOTE_WRITE)
#define CHECK(what) do { if (!(what)) { fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what); exit(3); } } while (0)

struct end;
typedef struct post {
    struct end *end;                       /* whose QP it was posted to */
    unsigned char *buffer;                 /* of a receive */
    int receive, done;
    unsigned message;                      /* the number of the one that a receive gets */
} post;

/* a CQ and its consumer, which makes one call at a time */
typedef struct queue {
    NDK_CQ *cq;
    pthread_mutex_t lock;
    int called, over;                      /* callbacks that were entered; no more polls and arms */
    void (*respond)(struct queue *);       /* what a callback does */
} queue;

typedef struct end {
    NDK_QP *qp;
    NDK_CONNECTOR *connector;
    queue initiator, receive;
    struct end *peer;
    unsigned sent, receives;               /* how many messages and receives were accepted */
    int used;
    post posts[MOST_POSTS];
} end;

static NDK_ADAPTER *adapter, *theirs;
static NDK_PD *pd;
static NDK_MR *mr;
static NDK_LISTENER *listener;
static UINT32 token;
static unsigned char arena[1 << 18];       /* the registered memory */
static unsigned used, port = 1024;
static pthread_mutex_t waiting = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* ---- waiting ---- */

static void signal_all(void)
{
    pthread_mutex_lock(&waiting);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&waiting);
}

/* waits until a number has reached a value; false where that takes too long */
static int reaches(int *number, int value)
{
    struct timespec until;
    int late = 0;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 10;
    pthread_mutex_lock(&waiting);
    while (__atomic_load_n(number, __ATOMIC_ACQUIRE) < value && !late) late = pthread_cond_timedwait(&changed, &waiting, &until) != 0;
    pthread_mutex_unlock(&waiting);
    return !late;
}

static void add(int *number)
{
    __atomic_add_fetch(number, 1, __ATOMIC_ACQ_REL);
    signal_all();
}

/* what is pending, and how it ended */
typedef struct outcome { int ended; NTSTATUS status; void *object; } outcome;

static VOID created(PVOID context, NTSTATUS status, NDK_OBJECT_HEADER *object)
{
    outcome *o = (outcome *)context;
    o->status = status;
    o->object = object;
    add(&o->ended);
}

static VOID requested(PVOID context, NTSTATUS status)
{
    ((outcome *)context)->status = status;
    add(&((outcome *)context)->ended);
}

static VOID closed(PVOID context) { add(&((outcome *)context)->ended); }

/* the final status of a call that may be pending */
static NTSTATUS ended(NTSTATUS status, outcome *o)
{
    if (status != (NTSTATUS)NDKT_STATUS_PENDING) return status;
    CHECK(reaches(&o->ended, 1));
    return o->status;
}

#define CREATED(type, to, call) do { \
    outcome o = {0, 0, 0}; \
    NTSTATUS s = (call); \
    CHECK(ended(s, &o) == 0); \
    if (s) (to) = (type *)o.object; \
} while (0)
#define REQUESTED(call) do { outcome o = {0, 0, 0}; CHECK(ended((call), &o) == 0); } while (0)

static void close_now(NDK_OBJECT_HEADER *object, NDK_FN_CLOSE_OBJECT close_object)
{
    outcome o = {0, 0, 0};
    CHECK(ended(close_object(object, closed, &o), &o) == 0);
}

/* the provider is at rest from here on */
static void rest(void)
{
    CHECK(ndkp_quiesce(theirs, 10000));
    ndkt_quiesce_point(&ring);
}

/* ---- queues ---- */

static VOID notified(PVOID context, NTSTATUS status)
{
    queue *q = (queue *)context;
    if (status) __atomic_store_n(&q->over, 1, __ATOMIC_RELEASE);
    add(&q->called);
    if (q->respond && !status) q->respond(q);
}

static void create_queue(queue *q, unsigned depth)
{
    memset(q, 0, sizeof *q);
    pthread_mutex_init(&q->lock, 0);
    CREATED(NDK_CQ, q->cq, adapter->Dispatch->NdkCreateCq(adapter, depth, notified, q, 0, created, &o, &q->cq));
}

static void arm(queue *q, ULONG type)
{
    pthread_mutex_lock(&q->lock);
    if (!__atomic_load_n(&q->over, __ATOMIC_ACQUIRE)) q->cq->Dispatch->NdkArmCq(q->cq, type);
    pthread_mutex_unlock(&q->lock);
}

/* what has become of a request: a seeded bug may tell it twice, or of one that was refused */
static void completed(void *qp_context, void *context, NTSTATUS status, ULONG bytes)
{
    post *p = (post *)context;
    end *e = (end *)qp_context;
    unsigned i;
    CHECK(p && p->end == e && p >= e->posts && p < e->posts + __atomic_load_n(&e->used, __ATOMIC_RELAXED));
    if (!p->done && p->receive && !status) {
        CHECK(bytes == 1 + p->message % BYTES);
        for (i = 0; i < bytes; i++) CHECK(p->buffer[i] == (unsigned char)(p->message + i));
    }
    p->done = 1;
}

static unsigned poll(queue *q, unsigned room, int extended)
{
    NDK_RESULT results[8];
    NDK_RESULT_EX results_ex[8];
    unsigned n = 0, i;
    CHECK(room <= 8);
    pthread_mutex_lock(&q->lock);
    if (!__atomic_load_n(&q->over, __ATOMIC_ACQUIRE)) {
        n = extended ? q->cq->Dispatch->NdkGetCqResultsEx(q->cq, results_ex, room) : q->cq->Dispatch->NdkGetCqResults(q->cq, results, room);
        for (i = 0; i < n; i++) {
            if (extended) completed(results_ex[i].QPContext, results_ex[i].RequestContext, results_ex[i].Status, results_ex[i].BytesTransferred);
            else completed(results[i].QPContext, results[i].RequestContext, results[i].Status, results[i].BytesTransferred);
        }
    }
    pthread_mutex_unlock(&q->lock);
    return n;
}

static unsigned drain_by(queue *q, unsigned room, int extended)
{
    unsigned all = 0, n;
    while (all < 4 * CQ_DEPTH && (n = poll(q, room, extended)) > 0) all += n;
    return all;
}

static unsigned drain(queue *q) { return drain_by(q, 4, 0); }

/* ---- requests ---- */

static post *new_post(end *e, int receive)
{
    post *p = &e->posts[__atomic_fetch_add(&e->used, 1, __ATOMIC_RELAXED)];
    CHECK(p < e->posts + MOST_POSTS);
    p->end = e;
    p->receive = receive;
    return p;
}

static unsigned char *take(unsigned bytes)
{
    unsigned at = __atomic_fetch_add(&used, (bytes + 63) & ~63u, __ATOMIC_RELAXED);
    CHECK(at + bytes <= sizeof arena);
    return arena + at;
}

static NDK_SGE sge_of(unsigned char *buffer, unsigned length, UINT32 of)
{
    NDK_SGE s;
    memset(&s, 0, sizeof s);
    s.Address.VirtualAddress = buffer;
    s.Length = length;
    s.MemoryRegionToken = of;
    return s;
}

static NTSTATUS receive(end *e)
{
    post *p = new_post(e, 1);
    NDK_SGE s = sge_of(p->buffer = take(BYTES), BYTES, token);
    NTSTATUS status;
    p->message = e->receives;
    status = e->qp->Dispatch->NdkReceive(e->qp, p, &s, 1);
    if (!status) e->receives++;
    return status;
}

static NTSTATUS send_with(end *e, ULONG flags, UINT32 local, int invalidates, UINT32 remote)
{
    unsigned length = 1 + e->sent % BYTES, i;
    unsigned char *buffer = take(length);
    post *p = new_post(e, 0);
    NDK_SGE s = sge_of(buffer, length, local);
    NTSTATUS status;
    for (i = 0; i < length; i++) buffer[i] = (unsigned char)(e->sent + i);
    status = invalidates ? e->qp->Dispatch->NdkSendAndInvalidate(e->qp, p, &s, 1, flags, remote) : e->qp->Dispatch->NdkSend(e->qp, p, &s, 1, flags);
    if (!status) e->sent++;
    return status;
}

static NTSTATUS send_now(end *e, ULONG flags) { return send_with(e, flags, token, 0, 0); }

/* a message to the other end, which has a receive for it */
static void deliver(end *from, ULONG flags)
{
    CHECK(receive(from->peer) == 0);
    CHECK(send_now(from, flags) == 0);
}

/* ---- connections ---- */

static struct { int came; NDK_CONNECTOR *connector; } incoming;

static VOID connect_event(PVOID context, NDK_CONNECTOR *connector)
{
    CHECK(context == &incoming);
    incoming.connector = connector;
    add(&incoming.came);
}

static void address_of(unsigned of, void *to)
{
    unsigned char bytes[16] = {2, 0, 0, 0, 127, 0, 0, 1};
    bytes[2] = (unsigned char)(of >> 8);
    bytes[3] = (unsigned char)of;
    memcpy(to, bytes, sizeof bytes);
}

static void connect_ends(end *a, end *b)
{
    uint64_t from[4], to[4]; /* aligned */
    outcome connecting = {0, 0, 0}, accepting = {0, 0, 0};
    NTSTATUS s, t;
    int before = incoming.came;
    a->peer = b;
    b->peer = a;
    address_of(++port, from);
    address_of(LISTENING, to);
    CREATED(NDK_CONNECTOR, a->connector, adapter->Dispatch->NdkCreateConnector(adapter, created, &o, &a->connector));
    s = a->connector->Dispatch->NdkConnect(a->connector, a->qp, (PSOCKADDR)(void *)from, 16, (PSOCKADDR)(void *)to, 16, 0, 0, 0, 0, requested, &connecting);
    CHECK(reaches(&incoming.came, before + 1));
    b->connector = incoming.connector;
    t = b->connector->Dispatch->NdkAccept(b->connector, b->qp, 0, 0, 0, 0, 0, 0, requested, &accepting);
    CHECK(ended(s, &connecting) == 0);
    REQUESTED(a->connector->Dispatch->NdkCompleteConnect(a->connector, 0, 0, requested, &o));
    CHECK(ended(t, &accepting) == 0);
}

/* ---- the world ---- */

static void create_end(end *e, queue *receive_queue, queue *initiator_queue)
{
    CREATED(NDK_QP, e->qp, pd->Dispatch->NdkCreateQp(pd, receive_queue->cq, initiator_queue->cq, e, DEPTH, DEPTH, 1, 1, 16, created, &o, &e->qp));
}

static void open_ends(end *a, end *b, unsigned depth)
{
    end *both[2] = {a, b};
    int i;
    for (i = 0; i < 2; i++) {
        memset(both[i], 0, sizeof(end));
        create_queue(&both[i]->initiator, depth);
        create_queue(&both[i]->receive, CQ_DEPTH);
        create_end(both[i], &both[i]->receive, &both[i]->initiator);
    }
    connect_ends(a, b);
}

static void close_qp(end *e)
{
    if (!e->qp) return;
    close_now(&e->connector->Header, e->connector->Dispatch->NdkCloseConnector);
    close_now(&e->qp->Header, e->qp->Dispatch->NdkCloseQp);
    e->qp = 0;
}

static void close_queue(queue *q)
{
    NDK_CQ *cq = q->cq;
    if (!cq) return;
    pthread_mutex_lock(&q->lock);
    __atomic_store_n(&q->over, 1, __ATOMIC_RELEASE);
    q->cq = 0;
    pthread_mutex_unlock(&q->lock);
    close_now(&cq->Header, cq->Dispatch->NdkCloseCq);
}

static void close_ends(end *a, end *b)
{
    close_qp(a);
    close_qp(b);
    close_queue(&a->initiator);
    close_queue(&a->receive);
    close_queue(&b->initiator);
    close_queue(&b->receive);
}

static void open_world(uint64_t seed)
{
    MDL mdl = {arena};
    uint64_t at[4];
    CHECK((theirs = ndkp_open(seed)) != 0 && (adapter = ndks_open(theirs)) != 0);
    CREATED(NDK_PD, pd, adapter->Dispatch->NdkCreatePd(adapter, created, &o, &pd));
    CREATED(NDK_MR, mr, pd->Dispatch->NdkCreateMr(pd, 0, created, &o, &mr));
    REQUESTED(mr->Dispatch->NdkRegisterMr(mr, &mdl, sizeof arena, ACCESS, requested, &o));
    token = mr->Dispatch->NdkGetLocalTokenFromMr(mr);
    CREATED(NDK_LISTENER, listener, adapter->Dispatch->NdkCreateListener(adapter, connect_event, &incoming, created, &o, &listener));
    address_of(LISTENING, at);
    REQUESTED(listener->Dispatch->NdkListen(listener, (PSOCKADDR)(void *)at, 16, requested, &o));
}

static void close_world(void)
{
    ndkt_op op;
    close_now(&listener->Header, listener->Dispatch->NdkCloseListener);
    close_now(&mr->Header, mr->Dispatch->NdkCloseMr);
    close_now(&pd->Header, pd->Dispatch->NdkClosePd);
    rest();
    op = ndks_closing(adapter);
    ndkp_close(theirs);
    ndks_closed(adapter, op);
}
#endif
