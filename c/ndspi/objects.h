/* objects.h - stand-ins: how they are made, counted and released. Included by recorder.c.
 *
 * A consumer counts the references of a stand-in; the stand-in has one of the provider's object. An object is closed, in the trace, with the consumer's last
 * reference. Where others stand on it, as a QP stands on its CQs, the close is pending until the last of those is closed.
 */
#ifndef NDSPI_OBJECTS_H
#define NDSPI_OBJECTS_H

typedef enum kind { KIND_PROVIDER, KIND_ADAPTER, KIND_CQ, KIND_SRQ, KIND_QP, KIND_MR, KIND_MW, KIND_CONNECTOR, KIND_LISTENER } kind;
enum { OBJECT_KEEPS = 4 };

struct overlapped;
typedef struct object {
    const void *v;                         /* first: a consumer's pointer is a pointer to this */
    IUnknown *inner;                       /* the provider's; 0 when it is released */
    kind kind;
    uint32_t id;                           /* in the trace */
    uint64_t number;                       /* in objects.numbers */
    volatile LONG consumers;               /* references of the consumer */
    volatile LONG on;                      /* one while the consumer has any, and one of each stand-in that stands on it */
    volatile LONG holds;                   /* of the memory */
    ndkt_op closing;                       /* the call that closes it */
    struct object *keeps[OBJECT_KEEPS];    /* what it stands on */
    SRWLOCK lock;                          /* of pending and keeps */
    struct overlapped *pending;            /* overlapped requests, the oldest first */
    struct object *before, *behind;        /* in objects.first */
} object;

struct qp;
typedef struct cq {
    object o;
    uint64_t disarmed;                     /* a request for a notification has ended without one, which the trace can't say: see cq_disarmed */
    uint64_t seen;                         /* address of a seen that no poll uses, or 0 */
    uint64_t graves;                       /* address of the QP that was closed last and may have completions here */
    volatile LONG polls;                   /* that are under way */
    uint64_t open;                         /* a poll that has found nothing, and is to return in the trace: see cq.h */
    uint64_t mark, open_n;
} cq;

typedef struct srq {
    object o;
    ndks_slots slots;
    volatile LONG threshold;
} srq;

typedef struct qp {
    object o;                              /* stands on the adapter, its CQs and its SRQ */
    cq *cq[2];                             /* of receives, and of the initiator */
    struct qp *behind[2];                  /* in the graves of each */
    srq *srq;                              /* or 0 */
    void *context;
    ndks_slots initiator, receive;
} qp;

typedef struct region {                    /* an MR, or an MW, which stands on the MR that it is bound to */
    object o;
    uint64_t token;                        /* of the latest binding, or NDKT_NONE */
} region;

typedef struct connector {
    object o;                              /* stands on the adapter, its QP and its listener */
    uint32_t qp, conn;                     /* ids */
    uint64_t from;                         /* a number for the address that it is bound to, or 0 */
} connector;

static struct {
    ndks_slots numbers;                    /* what a provider carries the number of is found here, and its id when it is gone */
    volatile LONG count;
    SRWLOCK lock;
    object *first;                         /* those that have overlapped requests */
} objects;

static const IID *iid_of(kind k)
{
    switch (k) {
    case KIND_PROVIDER: return &ND2_IID_PROVIDER;
    case KIND_ADAPTER: return &ND2_IID_ADAPTER;
    case KIND_CQ: return &ND2_IID_COMPLETION_QUEUE;
    case KIND_SRQ: return &ND2_IID_SHARED_RECEIVE_QUEUE;
    case KIND_QP: return &ND2_IID_QUEUE_PAIR;
    case KIND_MR: return &ND2_IID_MEMORY_REGION;
    case KIND_MW: return &ND2_IID_MEMORY_WINDOW;
    case KIND_CONNECTOR: return &ND2_IID_CONNECTOR;
    default: return &ND2_IID_LISTENER;
    }
}

static int has_overlapped(kind k) { return k == KIND_CQ || k == KIND_SRQ || k == KIND_MR || k == KIND_CONNECTOR || k == KIND_LISTENER; }

static const void *table_of(kind k);
static void free_parts(object *o);
static ndkt_op close_call(object *o);
static void close_ret(const object *o, ndkt_op op, uint32_t status);
static void overlapped_catch_up(object *o, int last);
static void before_end(object *o);
static void cq_poll_rest(cq *q);

/* ---- memory ---- */

static object *object_new(kind k, size_t size)
{
    object *o = (object *)HeapAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, size);
    if (!o) return 0;
    o->v = table_of(k);
    o->kind = k;
    o->consumers = o->on = o->holds = 1;
    InitializeSRWLock(&o->lock);
    o->number = ndks_take(&objects.numbers, o, 0, 0);
    if (!o->number) {
        HeapFree(GetProcessHeap(), 0, o);
        return 0;
    }
    o->id = ndkt_new_id(&session.ring);
    ndks_find(&objects.numbers, o->number)->wr = o->id;
    return o;
}

static void object_drop(object *o)
{
    if (InterlockedDecrement(&o->holds) != 0) return;
    ndks_complete(&objects.numbers, o->number);
    free_parts(o);
    HeapFree(GetProcessHeap(), 0, o);
}

/* the object of a number; 0 where it is gone, and what it was in the trace */
static object *object_of(const void *carried, uint32_t *id)
{
    ndks_slot *s = ndks_find(&objects.numbers, (uint64_t)(uintptr_t)carried);
    *id = s ? (uint32_t)s->wr : 0;
    return s && NDKT_LOAD(&s->state) == NDKS_LIVE ? (object *)s->context : 0;
}

/* ---- what stands on what ---- */

static void object_end(object *o);

static void object_step_off(object *o)
{
    ndkt_op op = o->closing;
    uint32_t kind = o->kind;
    if (InterlockedDecrement(&o->on) != 0) return;
    if (kind == KIND_ADAPTER) {
        close_ret(o, close_call(o), 0);
    } else {
        ndkt_op callback = ndkt_NdkCloseCompletion_enter(&session.ring, op);
        ndkt_NdkCloseCompletion_exit(&session.ring, callback);
    }
    object_end(o);
}

/* the stand-in stands on another, in the place of what it stood on there */
static void object_keep(object *o, unsigned place, object *on)
{
    object *before;
    if (on) InterlockedIncrement(&on->on);
    AcquireSRWLockExclusive(&o->lock);
    before = o->keeps[place];
    o->keeps[place] = on;
    ReleaseSRWLockExclusive(&o->lock);
    if (before) object_step_off(before);
}

/* nothing stands on it any more, and the consumer has released it */
static void object_end(object *o)
{
    unsigned i;
    before_end(o);
    for (i = 0; i < OBJECT_KEEPS; i++)
        if (o->keeps[i]) object_step_off(o->keeps[i]);
    if (o->kind != KIND_PROVIDER) InterlockedDecrement(&objects.count);
    object_drop(o);
}

/* ---- from the consumer ---- */

static void objects_list(object *o)
{
    AcquireSRWLockExclusive(&objects.lock);
    o->behind = objects.first;
    if (objects.first) objects.first->before = o;
    objects.first = o;
    ReleaseSRWLockExclusive(&objects.lock);
}

static void objects_unlist(object *o)
{
    AcquireSRWLockExclusive(&objects.lock);
    if (o->before) o->before->behind = o->behind;
    else objects.first = o->behind;
    if (o->behind) o->behind->before = o->before;
    ReleaseSRWLockExclusive(&objects.lock);
}

/* Gives the consumer the stand-in of an object that was created, or frees it where none was. It stands on the adapter. */
static HRESULT object_created(object *o, object *adapter, HRESULT status, void *inner, void **out)
{
    *out = 0;
    if (status != ND_SUCCESS) {
        object_drop(o);
        return status;
    }
    o->inner = (IUnknown *)inner;
    if (adapter) object_keep(o, 0, adapter);
    if (has_overlapped(o->kind)) objects_list(o);
    InterlockedIncrement(&objects.count);
    *out = o;
    return status;
}

static HRESULT STDMETHODCALLTYPE object_query(object *o, REFIID iid, void **out)
{
    if (!out) return E_POINTER;
    *out = 0;
    if (!IsEqualIID(iid, &ND2_IID_UNKNOWN) && !IsEqualIID(iid, iid_of(o->kind)) && !(has_overlapped(o->kind) && IsEqualIID(iid, &ND2_IID_OVERLAPPED)))
        return E_NOINTERFACE;              /* also where the provider has it: it would be an object that is not recorded */
    InterlockedIncrement(&o->consumers);
    *out = o;
    return S_OK;
}

static ULONG STDMETHODCALLTYPE object_add_ref(object *o) { return (ULONG)InterlockedIncrement(&o->consumers); }

static ULONG STDMETHODCALLTYPE object_release(object *o)
{
    LONG left = InterlockedDecrement(&o->consumers);
    IUnknown *inner = o->inner;
    ndkt_op op;
    if (left != 0) return (ULONG)left;
    session_begin();
    if (o->kind == KIND_PROVIDER) {
        inner->lpVtbl->Release(inner);
        object_end(o);
    } else if (o->kind == KIND_ADAPTER) {  /* NdkCloseAdapter can't be pending: it is recorded when nothing stands on the adapter */
        inner->lpVtbl->Release(inner);
        object_step_off(o);
    } else {
        if (has_overlapped(o->kind)) {
            objects_unlist(o);
            overlapped_catch_up(o, 0);
        }
        if (o->kind == KIND_CQ) cq_poll_rest((cq *)(void *)o);
        op = close_call(o);
        o->closing = op;
        inner->lpVtbl->Release(inner);
        if (has_overlapped(o->kind)) overlapped_catch_up(o, 1);
        InterlockedIncrement(&o->holds);
        if (InterlockedDecrement(&o->on) == 0) {
            close_ret(o, op, 0);
            object_end(o);
        } else {
            close_ret(o, op, NDKT_STATUS_PENDING);
        }
        object_drop(o);
    }
    session_end();
    if (objects.count == 0) session_drain(); /* so that little is left to be written when the process ends */
    return 0;
}

/* the stand-in that a consumer hands over as an argument; 0 for what is not one of ours */
static object *object_given(IUnknown *given, kind k)
{
    object *o = (object *)given;
    return o && o->v == table_of(k) ? o : 0;
}

/* what the provider gets in its place */
static IUnknown *inner_of(object *o, IUnknown *given) { return o ? o->inner : given; }
#endif
