/* connections.h - connectors and listeners of the example provider. Included by provider.c. */
#ifndef CONNECTIONS_H
#define CONNECTIONS_H

static void release(object *o);

static listener *listener_of(USHORT port)
{
    object *o;
    for (o = all; o; o = o->next)
        if (o->kind == LISTENER && ((listener *)o)->listens && ((listener *)o)->port == port) return (listener *)o;
    return 0;
}

/* gives connections that have come to connectors that wait for them */
static void give(listener *l)
{
    while (l->waits && l->gives) {
        connector *from = l->waiting[0], *to = l->given[0];
        OVERLAPPED *of = l->requests[0];
        memmove(&l->waiting[0], &l->waiting[1], --l->waits * sizeof l->waiting[0]);
        memmove(&l->given[0], &l->given[1], --l->gives * sizeof l->given[0]);
        memmove(&l->requests[0], &l->requests[1], l->gives * sizeof l->requests[0]);
        from->listener = 0;
        from->other = to;
        to->other = from;
        to->local = from->peer;
        to->peer = from->local;
        end_later(of, ND_SUCCESS);
    }
}

static void answer(OVERLAPPED **of, HRESULT status)
{
    if (*of) end_later(*of, status);
    *of = 0;
}

/* a connection that is not accepted yet is not to be */
static void leave(connector *c)
{
    listener *l = c->listener;
    ULONG i;
    for (i = 0; l && i < l->waits; i++)
        if (l->waiting[i] == c) memmove(&l->waiting[i], &l->waiting[i + 1], (--l->waits - i) * sizeof l->waiting[0]);
    c->listener = 0;
}

static USHORT port_of(const struct sockaddr *a) { return ntohs(((const struct sockaddr_in *)(const void *)a)->sin_port); }

static HRESULT address_to(USHORT port, struct sockaddr *to, ULONG *length)
{
    struct sockaddr_in a = {0};
    ULONG room = *length;
    if (!port) return ND_CONNECTION_INVALID;
    *length = sizeof a;
    if (room < sizeof a) return ND_BUFFER_OVERFLOW;
    a.sin_family = AF_INET;
    a.sin_port = htons(port);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    memcpy(to, &a, sizeof a);
    return ND_SUCCESS;
}

static HRESULT STDMETHODCALLTYPE connector_bind(connector *c, const struct sockaddr *address, ULONG length)
{
    (void)length;
    c->local = port_of(address) ? port_of(address) : ++last_port;
    return ND_SUCCESS;
}

static void has_qp(connector *c, IUnknown *given)
{
    if (c->qp) release(&c->qp->o);         /* of an attempt that was refused */
    c->qp = (qp *)(void *)given;
    InterlockedIncrement(&c->qp->o.refs);
    c->qp->connector = c;
}

static HRESULT STDMETHODCALLTYPE connector_connect(connector *c, IUnknown *given, const struct sockaddr *to, ULONG length, ULONG inbound, ULONG outbound,
    const VOID *data, ULONG data_length, OVERLAPPED *of)
{
    listener *l;
    (void)length; (void)inbound; (void)outbound; (void)data; (void)data_length;
    EnterCriticalSection(&lock);
    overlapped_start(of);
    if (!c->local) c->local = ++last_port;
    c->peer = port_of(to);
    has_qp(c, given);
    c->connecting = of;
    l = listener_of(c->peer);
    if (l && l->waits < 16) {
        l->waiting[l->waits++] = c;
        c->listener = l;
        give(l);
    } else {
        answer(&c->connecting, ND_CONNECTION_REFUSED);
    }
    LeaveCriticalSection(&lock);
    return ND_PENDING;
}

static HRESULT STDMETHODCALLTYPE connector_accept(connector *c, IUnknown *given, ULONG inbound, ULONG outbound, const VOID *data, ULONG data_length,
    OVERLAPPED *of)
{
    HRESULT status = ND_CONNECTION_ABORTED;
    (void)inbound; (void)outbound; (void)data; (void)data_length;
    EnterCriticalSection(&lock);
    if (c->other) {
        overlapped_start(of);
        has_qp(c, given);
        c->accepting = of;
        answer(&c->other->connecting, ND_SUCCESS);
        if (bug("accept-ends-early")) answer(&c->accepting, ND_SUCCESS);
        status = ND_PENDING;
    }
    LeaveCriticalSection(&lock);
    return status;
}

static HRESULT STDMETHODCALLTYPE connector_complete(connector *c, OVERLAPPED *of)
{
    HRESULT status = ND_CONNECTION_INVALID;
    EnterCriticalSection(&lock);
    if (c->other && c->other->qp && c->qp) {
        overlapped_start(of);
        c->qp->peer = c->other->qp;
        c->other->qp->peer = c->qp;
        c->qp->state = c->other->qp->state = CONNECTED;
        answer(&c->other->accepting, ND_SUCCESS);
        end_later(of, ND_SUCCESS);
        status = ND_PENDING;
    }
    LeaveCriticalSection(&lock);
    return status;
}

static HRESULT STDMETHODCALLTYPE connector_reject(connector *c, const VOID *data, ULONG length)
{
    (void)data; (void)length;
    EnterCriticalSection(&lock);
    if (c->other) {
        answer(&c->other->connecting, ND_CONNECTION_REFUSED);
        answer(&c->other->accepting, ND_CONNECTION_ABORTED);
    }
    LeaveCriticalSection(&lock);
    return ND_SUCCESS;
}

static HRESULT STDMETHODCALLTYPE connector_limits(connector *c, ULONG *inbound, ULONG *outbound)
{
    (void)c;
    *inbound = *outbound = 4;
    return ND_SUCCESS;
}

static HRESULT STDMETHODCALLTYPE connector_data(connector *c, VOID *data, ULONG *length)
{
    (void)c; (void)data;
    *length = 0;
    return ND_SUCCESS;
}

static HRESULT STDMETHODCALLTYPE connector_local(connector *c, struct sockaddr *to, ULONG *length) { return address_to(c->local, to, length); }
static HRESULT STDMETHODCALLTYPE connector_peer(connector *c, struct sockaddr *to, ULONG *length) { return address_to(c->peer, to, length); }

static HRESULT STDMETHODCALLTYPE connector_notify(connector *c, OVERLAPPED *of)
{
    EnterCriticalSection(&lock);
    overlapped_start(of);
    c->notifying = of;
    if (c->other && c->other->qp && c->other->qp->state == DISCONNECTED) answer(&c->notifying, ND_SUCCESS);
    LeaveCriticalSection(&lock);
    return ND_PENDING;
}

static HRESULT STDMETHODCALLTYPE connector_disconnect(connector *c, OVERLAPPED *of)
{
    HRESULT status = ND_CONNECTION_INVALID;
    EnterCriticalSection(&lock);
    if (c->qp && c->qp->state != UNCONNECTED) {
        overlapped_start(of);
        c->qp->state = DISCONNECTED;
        if (c->qp->peer) disconnected(c->qp->peer);
        while (!bug("receives-stay") && step_qp(c->qp)) continue; /* flushed before it ends */
        end_later(of, ND_SUCCESS);
        status = ND_PENDING;
    }
    LeaveCriticalSection(&lock);
    SetEvent(wake);
    return status;
}

static HRESULT STDMETHODCALLTYPE listener_bind(listener *l, const struct sockaddr *address, ULONG length)
{
    (void)length;
    l->port = port_of(address) ? port_of(address) : ++last_port;
    return listener_of(l->port) ? ND_SHARING_VIOLATION : ND_SUCCESS;
}

static HRESULT STDMETHODCALLTYPE listener_listen(listener *l, ULONG backlog)
{
    (void)backlog;
    EnterCriticalSection(&lock);
    l->listens = 1;
    LeaveCriticalSection(&lock);
    return ND_SUCCESS;
}

static HRESULT STDMETHODCALLTYPE listener_local(listener *l, struct sockaddr *to, ULONG *length) { return address_to(l->listens ? l->port : 0, to, length); }

static HRESULT STDMETHODCALLTYPE listener_request(listener *l, IUnknown *given, OVERLAPPED *of)
{
    HRESULT status = ND_INSUFFICIENT_RESOURCES;
    EnterCriticalSection(&lock);
    if (l->gives < 16) {
        overlapped_start(of);
        l->given[l->gives] = (connector *)(void *)given;
        l->requests[l->gives++] = of;
        give(l);
        status = ND_PENDING;
    }
    LeaveCriticalSection(&lock);
    return status;
}

/* CancelOverlappedRequests of each object */
static HRESULT STDMETHODCALLTYPE cancel_requests(object *o)
{
    connector *c = (connector *)o;
    listener *l = (listener *)o;
    srq *s = (srq *)o;
    EnterCriticalSection(&lock);
    if (o->kind == CQ) fire((cq *)o, ND_CANCELED);
    if (o->kind == SRQ) answer(&s->waiting, ND_CANCELED);
    if (o->kind == CONNECTOR) {
        leave(c);
        answer(&c->connecting, ND_CANCELED);
        answer(&c->notifying, ND_CANCELED);
    }
    while (o->kind == LISTENER && l->gives) end_later(l->requests[--l->gives], ND_CANCELED);
    while (laters) step();                 /* all have ended when this returns */
    LeaveCriticalSection(&lock);
    return ND_SUCCESS;
}
#endif
