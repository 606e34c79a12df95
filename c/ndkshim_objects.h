/* ndkshim_objects.h - how stand-ins are made, closed and freed, and what is pending. Included by ndkshim.h. */
#ifndef NDKSHIM_OBJECTS_H
#define NDKSHIM_OBJECTS_H

/* an event that could not even be attempted */
static void ndks_lost(void) { NDKT_ADD(&ndks.ring->unwritten, 1); }

static void *ndks_carried(uint64_t number) { return (void *)(uintptr_t)number; }
static uint64_t ndks_uncarried(const void *context) { return (uint64_t)(uintptr_t)context; }

/* ---- objects ---- */

static void ndks_free_parts(ndks_object *o);
static void ndks_release_kept(ndks_object *o);

static void ndks_release(ndks_object *o)
{
    if (!o || NDKT_ADD(&o->refs, ~(uint64_t)0) != 1) return;
    ndks_complete(&ndks.objects, o->number);
    ndks_release_kept(o);
    ndks_free_parts(o);
    NDKS_FREE(o);
}

/* a stand-in for an object that is to be created; 0 where there is no memory */
static ndks_object *ndks_new(NDK_OBJECT_TYPE type, size_t size)
{
    ndks_object *o = (ndks_object *)NDKS_ALLOC(size);
    if (!o) return 0;
    ndks_zero(o, size);
    o->type = type;
    o->refs = 1;
    o->number = ndks_take(&ndks.objects, o, 0, 0);
    o->closing = ndks_take(&ndks.closes, o, 0, 0); /* now, as a close must not fail for want of memory */
    if (!o->number || !o->closing) {
        if (o->number) ndks_complete(&ndks.objects, o->number);
        if (o->closing) ndks_complete(&ndks.closes, o->closing);
        NDKS_FREE(o);
        return 0;
    }
    o->id = ndkt_new_id(ndks.ring);
    ndks_find(&ndks.objects, o->number)->wr = o->id;
    return o;
}

/* frees a stand-in whose object was not created */
static void ndks_discard(ndks_object *o)
{
    ndks_complete(&ndks.closes, o->closing);
    ndks_release(o);
}

/* the object of a number; 0 where it is gone, and what it was in the trace */
static ndks_object *ndks_object_of(uint64_t number, uint32_t *id)
{
    ndks_slot *s = ndks_find(&ndks.objects, number);
    *id = s ? (uint32_t)s->wr : 0;
    return s && NDKT_LOAD(&s->state) == NDKS_LIVE ? (ndks_object *)s->context : 0;
}

static void ndks_set_dispatch(ndks_object *o);

/* the stand-in has a provider's object from now on */
static void *ndks_adopt(ndks_object *o)
{
    o->ndk.header = *o->inner.header;
    ndks_set_dispatch(o);
    return o;
}

/* ---- what may be pending. The provider carries the number of an ndks_creation or an ndks_request ---- */

typedef struct ndks_creation {
    NDK_FN_CREATE_COMPLETION completion;
    void *context;
    ndks_object *object;
} ndks_creation;

typedef struct ndks_request {
    NDK_FN_REQUEST_COMPLETION completion;
    void *context;
} ndks_request;

/* takes a number for what may become pending; 0 where there is no memory */
static uint64_t ndks_pend(ndks_slots *q, void *pending, uint64_t op)
{
    uint64_t number = pending ? ndks_take(q, pending, 0, 0) : 0;
    if (number) ndks_find(q, number)->wr = op;
    return number;
}

/* returns what a number stands for to the one who ends it, and 0 to any other; op is what its call was in the trace */
static void *ndks_settle(ndks_slots *q, uint64_t number, ndkt_op *op)
{
    ndks_slot *s = ndks_find(q, number);
    void *pending = s ? s->context : 0;
    *op = s ? s->wr : 0;
    return s && ndks_complete(q, number) ? pending : 0;
}

static VOID ndks_created(PVOID context, NTSTATUS status, NDK_OBJECT_HEADER *object)
{
    ndkt_op op, callback;
    ndks_creation *c = (ndks_creation *)ndks_settle(&ndks.creations, ndks_uncarried(context), &op), of;
    callback = ndkt_NdkCreateCompletion_enter(ndks.ring, op, (uint32_t)status);
    if (c) {
        of = *c;
        NDKS_FREE(c);
        if (status == NDKS_SUCCESS) {
            of.object->inner.header = object;
            ndks_adopt(of.object);
            of.completion(of.context, status, &of.object->ndk.header);
        } else {
            of.completion(of.context, status, 0);
            ndks_discard(of.object);
        }
    }
    ndkt_NdkCreateCompletion_exit(ndks.ring, callback);
}

static VOID ndks_requested(PVOID context, NTSTATUS status)
{
    ndkt_op op, callback;
    ndks_request *r = (ndks_request *)ndks_settle(&ndks.requests, ndks_uncarried(context), &op), of;
    callback = ndkt_NdkRequestCompletion_enter(ndks.ring, op, (uint32_t)status);
    if (r) {
        of = *r;
        NDKS_FREE(r);
        of.completion(of.context, status);
    }
    ndkt_NdkRequestCompletion_exit(ndks.ring, callback);
}

/* begins the creation of an object: its stand-in, and a number for when it is pending. False where there is no memory, which is counted as lost */
static int ndks_begin_creation(ndks_object *o, NDK_FN_CREATE_COMPLETION completion, void *context, uint64_t *number)
{
    ndks_creation *c = o ? (ndks_creation *)NDKS_ALLOC(sizeof *c) : 0;
    if (c) {
        c->completion = completion;
        c->context = context;
        c->object = o;
        *number = ndks_pend(&ndks.creations, c, 0);
        if (*number) return 1;
        NDKS_FREE(c);
    }
    if (o) ndks_discard(o);
    ndks_lost();
    return 0;
}

/* the op of a call comes after its number was taken, and before the provider can know of it */
static void *ndks_called(ndks_slots *q, uint64_t number, ndkt_op op)
{
    ndks_find(q, number)->wr = op;
    return ndks_carried(number);
}

/* ends a creation that is not pending. Returns the stand-in, or 0 where none was created. It is not looked at where it has been created in a
 * callback, as it should not have been: the consumer may have closed it */
static void *ndks_end_creation(ndks_object *o, uint64_t number, NTSTATUS status)
{
    ndkt_op op;
    ndks_creation *c;
    if (status == NDKS_PENDING) return 0;
    c = (ndks_creation *)ndks_settle(&ndks.creations, number, &op);
    if (!c) return status == NDKS_SUCCESS ? o : 0;
    NDKS_FREE(c);
    if (status == NDKS_SUCCESS) return ndks_adopt(o);
    ndks_discard(o);
    return 0;
}

/* a number for a request that may become pending; 0 where there is no memory */
static uint64_t ndks_begin_request(NDK_FN_REQUEST_COMPLETION completion, void *context)
{
    ndks_request *r = (ndks_request *)NDKS_ALLOC(sizeof *r);
    uint64_t number;
    if (r) {
        r->completion = completion;
        r->context = context;
        number = ndks_pend(&ndks.requests, r, 0);
        if (number) return number;
        NDKS_FREE(r);
    }
    ndks_lost();
    return 0;
}

static void ndks_end_request(uint64_t number, NTSTATUS status)
{
    ndkt_op op;
    void *r;
    if (status == NDKS_PENDING) return;
    r = ndks_settle(&ndks.requests, number, &op);
    if (r) NDKS_FREE(r);
}

/* ---- closing ---- */

static ndkt_op ndks_close_call(ndks_object *o);
static void ndks_close_ret(NDK_OBJECT_TYPE type, ndkt_op op, NTSTATUS status);
static NTSTATUS ndks_close_inner(ndks_object *o, void *context);
static void ndks_after_close(ndks_object *o);

static VOID ndks_close_completed(PVOID context)
{
    ndkt_op op, callback;
    ndks_object *o = (ndks_object *)ndks_settle(&ndks.closes, ndks_uncarried(context), &op);
    callback = ndkt_NdkCloseCompletion_enter(ndks.ring, op);
    if (o) {
        o->close(o->close_context);
        ndks_after_close(o);
    }
    ndkt_NdkCloseCompletion_exit(ndks.ring, callback);
}

/* NdkClose… of each object */
static NTSTATUS ndks_close_object(NDK_OBJECT_HEADER *object, NDK_FN_CLOSE_COMPLETION completion, PVOID context)
{
    ndks_object *o = (ndks_object *)(void *)object;
    NDK_OBJECT_TYPE type = o->type;
    uint64_t number = o->closing;
    NTSTATUS status;
    ndkt_op op, called;
    o->close = completion;
    o->close_context = context;
    op = ndks_close_call(o);
    status = ndks_close_inner(o, ndks_called(&ndks.closes, number, op)); /* where it is pending, o may be gone from here on */
    if (status == NDKS_SUCCESS && ndks_settle(&ndks.closes, number, &called)) ndks_after_close(o);
    ndks_close_ret(type, op, status);
    return status;
}

/* NdkQueryExtension of each object but the adapter: an extension would take the provider's objects, which a consumer does not have */
static NTSTATUS ndks_query_extension(NDK_OBJECT_HEADER *object, GUID *id, NDK_VERSION version, NDK_EXTENSION_INTERFACE *extension)
{
    (void)object; (void)id; (void)version; (void)extension;
    return NDKS_UNSUPPORTED;
}
#endif
