/* queues.h - queue pairs of the example provider, and what the engine does with their requests. Included by provider.c. */
#ifndef QUEUES_H
#define QUEUES_H

static request *front(queue *q) { return &q->requests[q->first]; }

static void pop(queue *q)
{
    q->first = (q->first + 1) % q->depth;
    q->count--;
}

/* a request at the end of a queue, or 0 where it is full */
static request *push(queue *q, VOID *context, ND2_REQUEST_TYPE type, const ND2_SGE sges[], ULONG n, ULONG flags)
{
    request *r = &q->requests[(q->first + q->count) % q->depth];
    unsigned char *to = r->inlined;
    ULONG i;
    if (q->count == q->depth || n > MOST_SGES) return 0;
    q->count++;
    memset(r, 0, sizeof *r);
    r->context = context;
    r->type = type;
    r->flags = flags;
    r->n = n;
    for (i = 0; i < n; i++) {
        r->sges[i] = sges[i];
        r->bytes += sges[i].BufferLength;
        if (flags & ND_OP_FLAG_INLINE) {   /* the buffers are the consumer's again when the call returns */
            memcpy(to, sges[i].Buffer, sges[i].BufferLength);
            r->sges[i].Buffer = to;
            to += sges[i].BufferLength;
        }
    }
    return r;
}

static region *region_of(UINT32 token)
{
    object *o;
    for (o = all; o; o = o->next)
        if ((o->kind == MR || o->kind == MW) && token && ((region *)o)->token == token) return (region *)o;
    return 0;
}

/* whether a request's own buffers are registered */
static int local_access(const request *r)
{
    ULONG i;
    for (i = 0; i < r->n && !(r->flags & ND_OP_FLAG_INLINE); i++) {
        const region *m = region_of(r->sges[i].MemoryRegionToken);
        const unsigned char *at = r->sges[i].Buffer;
        if (!m || at < m->base || at + r->sges[i].BufferLength > m->base + m->length) return 0;
    }
    return 1;
}

/* copies between buffers and memory that lies together */
static void copy(const request *r, unsigned char *at, int into)
{
    ULONG i;
    for (i = 0; i < r->n; at += r->sges[i++].BufferLength) {
        if (into) memcpy(r->sges[i].Buffer, at, r->sges[i].BufferLength);
        else memcpy(at, r->sges[i].Buffer, r->sges[i].BufferLength);
    }
}

static void copy_message(const request *from, const request *to)
{
    unsigned char *bytes = malloc(from->bytes + 1), *at = bytes;
    ULONG i, left = from->bytes;
    if (!bytes) return;
    copy(from, bytes, 0);
    for (i = 0; i < to->n && left; i++) {
        ULONG n = to->sges[i].BufferLength < left ? to->sges[i].BufferLength : left;
        memcpy(to->sges[i].Buffer, at, n);
        at += n;
        left -= n;
    }
    free(bytes);
}

static void disconnected(qp *p)
{
    connector *c = p->connector;
    if (c && c->notifying) {
        end_later(c->notifying, ND_SUCCESS);
        c->notifying = 0;
    }
}

/* The request at the front fails, and with it the connection: each end cancels what it has. */
static void fail(qp *p, HRESULT status)
{
    place(p->initiator_cq, p, front(&p->initiator), status, 0, 0);
    pop(&p->initiator);
    if (bug("success-after-failure")) return;
    p->state = BROKEN;
    disconnected(p);
    if (p->peer) {
        if (p->peer->state == CONNECTED) p->peer->state = BROKEN;
        disconnected(p->peer);
    }
}

static void succeed(qp *p)
{
    request *r = front(&p->initiator);
    if (!(r->flags & ND_OP_FLAG_SILENT_SUCCESS) || bug("silent-completes")) place(p->initiator_cq, p, r, ND_SUCCESS, r->bytes, 0);
    pop(&p->initiator);
}

static int step_send(qp *p)
{
    request *r = front(&p->initiator), *to;
    qp *peer = p->peer;
    queue *receives = peer->srq ? &peer->srq->receives : &peer->receives;
    if (receives->count == 0 || peer->cancel_receives) {
        if (!bug("message-without-receive")) return 0;
        succeed(p);
        return 1;
    }
    to = front(receives);
    if (to->bytes < r->bytes) {
        place(peer->receive_cq, peer, to, ND_BUFFER_OVERFLOW, 0, 0);
        pop(receives);
        fail(p, ND_REMOTE_ERROR);
        return 1;
    }
    copy_message(r, to);
    place(peer->receive_cq, peer, to, ND_SUCCESS, r->bytes, (r->flags & ND_OP_FLAG_SEND_AND_SOLICIT_EVENT) != 0);
    pop(receives);
    if (peer->srq && peer->srq->waiting && receives->count < peer->srq->threshold) {
        end_later(peer->srq->waiting, ND_SUCCESS);
        peer->srq->waiting = 0;
    }
    succeed(p);
    return 1;
}

static int step_remote(qp *p)
{
    request *r = front(&p->initiator);
    const region *m = region_of(r->token);
    ULONG needs = r->type == Nd2RequestTypeRead ? ND_MR_FLAG_ALLOW_REMOTE_READ : ND_MR_FLAG_ALLOW_REMOTE_WRITE;
    unsigned char *at = (unsigned char *)(ULONG_PTR)r->address;
    if (!m || (m->flags & needs) != needs || at < m->base || at + r->bytes > m->base + m->length) {
        fail(p, ND_REMOTE_ERROR);
        return 1;
    }
    copy(r, at, r->type == Nd2RequestTypeRead);
    succeed(p);
    return 1;
}

/* cancels the request at the front of a queue */
static int cancel(qp *p, queue *q, cq *to)
{
    if (!q->count) return 0;
    place(to, p, front(q), ND_CANCELED, 0, 0);
    pop(q);
    return 1;
}

static int step_qp(qp *p)
{
    int ended = p->state == DISCONNECTED || p->state == BROKEN;
    if (p->cancel_initiator || ended) {
        if (p->cancel_initiator) p->cancel_initiator--;
        if (cancel(p, &p->initiator, p->initiator_cq)) return 1;
    }
    if (!p->srq && (p->cancel_receives || (ended && !bug("receives-stay")))) {
        if (p->cancel_receives) p->cancel_receives--;
        if (cancel(p, &p->receives, p->receive_cq)) return 1;
    }
    if (p->state != CONNECTED || !p->initiator.count) return 0;
    if (!local_access(front(&p->initiator))) {
        fail(p, ND_ACCESS_VIOLATION);
        return 1;
    }
    switch (front(&p->initiator)->type) {
    case Nd2RequestTypeBind:
    case Nd2RequestTypeInvalidate: succeed(p); return 1;
    default: break;
    }
    if (!p->peer || p->peer->state != CONNECTED) {
        fail(p, ND_REMOTE_ERROR);
        return 1;
    }
    return front(&p->initiator)->type == Nd2RequestTypeSend ? step_send(p) : step_remote(p);
}

/* does one thing; false where there is nothing to do */
static int step(void)
{
    object *o;
    if (laters) {
        OVERLAPPED *of = later[0].of;
        HRESULT status = later[0].status;
        memmove(&later[0], &later[1], --laters * sizeof later[0]);
        overlapped_end(of, status);
        return 1;
    }
    for (o = all; o; o = o->next)
        if (o->kind == QP && step_qp((qp *)o)) return 1;
    return 0;
}

static DWORD WINAPI engine(void *unused)
{
    (void)unused;
    for (;;) {
        int did;
        WaitForSingleObject(wake, INFINITE);
        do {
            EnterCriticalSection(&lock);
            did = step();
            LeaveCriticalSection(&lock);
            SwitchToThread();
        } while (did);
    }
    return 0;
}

/* ---- methods ---- */

static HRESULT STDMETHODCALLTYPE qp_flush(qp *p)
{
    EnterCriticalSection(&lock);
    p->cancel_initiator = p->initiator.count;
    p->cancel_receives = p->srq ? 0 : p->receives.count;
    if (bug("flush-misses-last") && p->cancel_receives) p->cancel_receives--;
    LeaveCriticalSection(&lock);
    SetEvent(wake);
    return ND_SUCCESS;
}

static HRESULT post(qp *p, VOID *context, ND2_REQUEST_TYPE type, const ND2_SGE sges[], ULONG n, UINT64 address, UINT32 token, ULONG flags)
{
    HRESULT status = ND_CONNECTION_INVALID;
    request *r;
    EnterCriticalSection(&lock);
    if (p->state != UNCONNECTED) {
        r = push(&p->initiator, context, type, sges, n, flags);
        status = r ? ND_SUCCESS : ND_NO_MORE_ENTRIES;
        if (r) {
            r->address = address;
            r->token = token;
        }
    }
    LeaveCriticalSection(&lock);
    SetEvent(wake);
    return status;
}

static HRESULT STDMETHODCALLTYPE qp_send(qp *p, VOID *context, const ND2_SGE sges[], ULONG n, ULONG flags)
{
    return post(p, context, Nd2RequestTypeSend, sges, n, 0, 0, flags);
}

static HRESULT STDMETHODCALLTYPE qp_read(qp *p, VOID *context, const ND2_SGE sges[], ULONG n, UINT64 address, UINT32 token, ULONG flags)
{
    return post(p, context, Nd2RequestTypeRead, sges, n, address, token, flags);
}

static HRESULT STDMETHODCALLTYPE qp_write(qp *p, VOID *context, const ND2_SGE sges[], ULONG n, UINT64 address, UINT32 token, ULONG flags)
{
    return post(p, context, Nd2RequestTypeWrite, sges, n, address, token, flags);
}

static HRESULT receive(queue *q, VOID *context, const ND2_SGE sges[], ULONG n)
{
    HRESULT status;
    EnterCriticalSection(&lock);
    status = push(q, context, Nd2RequestTypeReceive, sges, n, 0) ? ND_SUCCESS : ND_NO_MORE_ENTRIES;
    LeaveCriticalSection(&lock);
    SetEvent(wake);
    return status;
}

static HRESULT STDMETHODCALLTYPE qp_receive(qp *p, VOID *context, const ND2_SGE sges[], ULONG n) { return receive(&p->receives, context, sges, n); }
static HRESULT STDMETHODCALLTYPE srq_receive(srq *q, VOID *context, const ND2_SGE sges[], ULONG n) { return receive(&q->receives, context, sges, n); }

/* The window has its new token when the call returns. */
static HRESULT STDMETHODCALLTYPE qp_bind(qp *p, VOID *context, IUnknown *mr, IUnknown *mw, const VOID *buffer, SIZE_T length, ULONG flags)
{
    region *w = (region *)(void *)mw, *m = (region *)(void *)mr;
    HRESULT status = post(p, context, Nd2RequestTypeBind, 0, 0, 0, 0, flags & ~(ULONG)(ND_OP_FLAG_ALLOW_READ | ND_OP_FLAG_ALLOW_WRITE));
    EnterCriticalSection(&lock);
    if (status == ND_SUCCESS && m->token) {
        w->base = (unsigned char *)buffer;
        w->length = length;
        w->flags = (flags & ND_OP_FLAG_ALLOW_READ ? ND_MR_FLAG_ALLOW_REMOTE_READ : 0) | (flags & ND_OP_FLAG_ALLOW_WRITE ? ND_MR_FLAG_ALLOW_REMOTE_WRITE : 0);
        w->token = last_token += 0x100;
    }
    LeaveCriticalSection(&lock);
    return status;
}

static HRESULT STDMETHODCALLTYPE qp_invalidate(qp *p, VOID *context, IUnknown *mw, ULONG flags)
{
    HRESULT status = post(p, context, Nd2RequestTypeInvalidate, 0, 0, 0, 0, flags);
    EnterCriticalSection(&lock);
    if (status == ND_SUCCESS) ((region *)(void *)mw)->token = 0;
    LeaveCriticalSection(&lock);
    return status;
}

static HRESULT STDMETHODCALLTYPE srq_modify(srq *q, ULONG depth, ULONG threshold)
{
    (void)depth;
    EnterCriticalSection(&lock);
    if (threshold) q->threshold = threshold;
    LeaveCriticalSection(&lock);
    return ND_SUCCESS;
}

static HRESULT STDMETHODCALLTYPE srq_notify(srq *q, OVERLAPPED *of)
{
    HRESULT status = ND_PENDING;
    EnterCriticalSection(&lock);
    if (q->waiting) {
        status = ND_INSUFFICIENT_RESOURCES; /* this provider has one at a time */
    } else {
        overlapped_start(of);
        q->waiting = of;
    }
    LeaveCriticalSection(&lock);
    return status;
}
#endif
