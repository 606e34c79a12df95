/* connector.h - stand-ins for IND2Connector and IND2Listener. Included by recorder.c. */
#ifndef NDSPI_CONNECTOR_H
#define NDSPI_CONNECTOR_H

static IND2Connector *connector_inner(connector *c) { return (IND2Connector *)c->o.inner; }

/* so that both ends of a connection have one name where both are in this process */
static ndks_ways ways;

static uint64_t local_key(connector *c)
{
    ndks_address a;
    ULONG length = sizeof a;
    HRESULT status = connector_inner(c)->v->GetLocalAddress(connector_inner(c), (struct sockaddr *)(void *)&a, &length);
    return status == ND_SUCCESS ? ndks_address_key(a.bytes, length) : 0;
}

static uint64_t peer_key(connector *c)
{
    ndks_address a;
    ULONG length = sizeof a;
    HRESULT status = connector_inner(c)->v->GetPeerAddress(connector_inner(c), (struct sockaddr *)(void *)&a, &length);
    return status == ND_SUCCESS ? ndks_address_key(a.bytes, length) : 0;
}

/* what each method begins with */
static void connector_begin(connector *c)
{
    session_begin();
    overlapped_catch_up(&c->o, 0);
}

static HRESULT STDMETHODCALLTYPE connector_bind(connector *c, const struct sockaddr *address, ULONG length)
{
    HRESULT status = connector_inner(c)->v->Bind(connector_inner(c), address, length);
    if (status == ND_SUCCESS) c->from = ndks_address_key((const unsigned char *)address, length);
    return status;
}

static HRESULT STDMETHODCALLTYPE connector_connect(connector *c, IUnknown *given, const struct sockaddr *to, ULONG length, ULONG inbound, ULONG outbound,
    const VOID *data, ULONG data_length, OVERLAPPED *of)
{
    object *p = object_given(given, KIND_QP);
    uint64_t to_key = ndks_address_key((const unsigned char *)to, length), from = c->from ? c->from : local_key(c);
    overlapped *r;
    HRESULT status;
    ndkt_op op;
    connector_begin(c);
    c->qp = p ? p->id : 0;
    c->conn = ndkt_new_id(&session.ring);
    if (p) object_keep(&c->o, 1, p);
    ndks_connects(&ways, ndks_way(from, to_key), c->conn);
    r = overlapped_begin(&c->o, REQUEST_CALL, of);
    op = ndkt_NdkConnect_call(&session.ring, c->qp, c->conn, c->o.id);
    if (r) r->op = op;
    status = connector_inner(c)->v->Connect(connector_inner(c), inner_of(p, given), to, length, inbound, outbound, data, data_length, of);
    if (!from && status == ND_PENDING) ndks_connects(&ways, ndks_way(local_key(c), to_key), c->conn); /* the provider has chosen the port by now */
    overlapped_called(&c->o, r, of, status);
    ndkt_NdkConnect_ret(&session.ring, op, (uint32_t)status);
    session_end();
    return status;
}

static HRESULT STDMETHODCALLTYPE connector_complete(connector *c, OVERLAPPED *of)
{
    overlapped *r;
    HRESULT status;
    ndkt_op op;
    connector_begin(c);
    r = overlapped_begin(&c->o, REQUEST_CALL, of);
    op = ndkt_NdkCompleteConnect_call(&session.ring, c->qp, c->conn, c->o.id);
    if (r) r->op = op;
    status = connector_inner(c)->v->CompleteConnect(connector_inner(c), of);
    overlapped_called(&c->o, r, of, status);
    ndkt_NdkCompleteConnect_ret(&session.ring, op, (uint32_t)status);
    session_end();
    return status;
}

static HRESULT STDMETHODCALLTYPE connector_accept(connector *c, IUnknown *given, ULONG inbound, ULONG outbound, const VOID *data, ULONG data_length,
    OVERLAPPED *of)
{
    object *p = object_given(given, KIND_QP);
    overlapped *r;
    HRESULT status;
    ndkt_op op;
    connector_begin(c);
    c->qp = p ? p->id : 0;
    c->conn = ndks_connection(&ways, ndks_way(peer_key(c), local_key(c)), &session.ring);
    if (p) object_keep(&c->o, 1, p);
    r = overlapped_begin(&c->o, REQUEST_CALL, of);
    op = ndkt_NdkAccept_call(&session.ring, c->qp, c->conn, c->o.id);
    if (r) r->op = op;
    status = connector_inner(c)->v->Accept(connector_inner(c), inner_of(p, given), inbound, outbound, data, data_length, of);
    overlapped_called(&c->o, r, of, status);
    ndkt_NdkAccept_ret(&session.ring, op, (uint32_t)status);
    session_end();
    return status;
}

static HRESULT STDMETHODCALLTYPE connector_reject(connector *c, const VOID *data, ULONG length)
{
    HRESULT status;
    ndkt_op op;
    connector_begin(c);
    op = ndkt_NdkReject_call(&session.ring, c->o.id);
    status = connector_inner(c)->v->Reject(connector_inner(c), data, length);
    ndkt_NdkReject_ret(&session.ring, op, status == ND_PENDING ? 0 : (uint32_t)status); /* nothing will say that it has ended */
    session_end();
    return status;
}

static HRESULT STDMETHODCALLTYPE connector_limits(connector *c, ULONG *inbound, ULONG *outbound)
{
    return connector_inner(c)->v->GetReadLimits(connector_inner(c), inbound, outbound);
}

static HRESULT STDMETHODCALLTYPE connector_data(connector *c, VOID *data, ULONG *length)
{
    HRESULT status;
    ndkt_op op;
    connector_begin(c);
    op = ndkt_NdkGetConnectionData_call(&session.ring, c->o.id);
    status = connector_inner(c)->v->GetPrivateData(connector_inner(c), data, length);
    ndkt_NdkGetConnectionData_ret(&session.ring, op, (uint32_t)status);
    session_end();
    return status;
}

static HRESULT STDMETHODCALLTYPE connector_local(connector *c, struct sockaddr *address, ULONG *length)
{
    HRESULT status;
    ndkt_op op;
    connector_begin(c);
    op = ndkt_NdkGetLocalAddress_call(&session.ring, c->o.id, 0, 0);
    status = connector_inner(c)->v->GetLocalAddress(connector_inner(c), address, length);
    ndkt_NdkGetLocalAddress_ret(&session.ring, op, (uint32_t)status);
    session_end();
    return status;
}

static HRESULT STDMETHODCALLTYPE connector_peer(connector *c, struct sockaddr *address, ULONG *length)
{
    HRESULT status;
    ndkt_op op;
    connector_begin(c);
    op = ndkt_NdkGetPeerAddress_call(&session.ring, c->o.id);
    status = connector_inner(c)->v->GetPeerAddress(connector_inner(c), address, length);
    ndkt_NdkGetPeerAddress_ret(&session.ring, op, (uint32_t)status);
    session_end();
    return status;
}

/* has no event of its own: that it ends is one */
static HRESULT STDMETHODCALLTYPE connector_notify(connector *c, OVERLAPPED *of)
{
    overlapped *r, ended = {0};
    HRESULT status;
    connector_begin(c);
    r = overlapped_begin(&c->o, REQUEST_DISCONNECT, of);
    status = connector_inner(c)->v->NotifyDisconnect(connector_inner(c), of);
    ended.what = REQUEST_DISCONNECT;
    if (overlapped_called(&c->o, r, of, status) && status == ND_SUCCESS) recorded_end(&c->o, &ended, 0);
    session_end();
    return status;
}

static HRESULT STDMETHODCALLTYPE connector_disconnect(connector *c, OVERLAPPED *of)
{
    overlapped *r;
    HRESULT status;
    ndkt_op op;
    connector_begin(c);
    r = overlapped_begin(&c->o, REQUEST_CALL, of);
    op = ndkt_NdkDisconnect_call(&session.ring, c->qp, c->o.id, c->conn);
    if (r) r->op = op;
    status = connector_inner(c)->v->Disconnect(connector_inner(c), of);
    overlapped_called(&c->o, r, of, status);
    ndkt_NdkDisconnect_ret(&session.ring, op, (uint32_t)status);
    session_end();
    return status;
}

static const IND2ConnectorVtbl connector_table = {
    (void *)object_query, (void *)object_add_ref, (void *)object_release, (void *)overlapped_cancel, (void *)overlapped_result, (void *)connector_bind,
    (void *)connector_connect, (void *)connector_complete, (void *)connector_accept, (void *)connector_reject, (void *)connector_limits,
    (void *)connector_data, (void *)connector_local, (void *)connector_peer, (void *)connector_notify, (void *)connector_disconnect
};

/* ---- IND2Listener ---- */

static IND2Listener *listener_inner(object *l) { return (IND2Listener *)l->inner; }

static HRESULT STDMETHODCALLTYPE listener_bind(object *l, const struct sockaddr *address, ULONG length)
{
    return listener_inner(l)->v->Bind(listener_inner(l), address, length);
}

static HRESULT STDMETHODCALLTYPE listener_listen(object *l, ULONG backlog)
{
    HRESULT status;
    ndkt_op op;
    session_begin();
    overlapped_catch_up(l, 0);
    op = ndkt_NdkListen_call(&session.ring, l->id);
    status = listener_inner(l)->v->Listen(listener_inner(l), backlog);
    ndkt_NdkListen_ret(&session.ring, op, (uint32_t)status);
    session_end();
    return status;
}

static HRESULT STDMETHODCALLTYPE listener_local(object *l, struct sockaddr *address, ULONG *length)
{
    HRESULT status;
    ndkt_op op;
    session_begin();
    overlapped_catch_up(l, 0);
    op = ndkt_NdkGetListenerLocalAddress_call(&session.ring, l->id);
    status = listener_inner(l)->v->GetLocalAddress(listener_inner(l), address, length);
    ndkt_NdkGetListenerLocalAddress_ret(&session.ring, op, (uint32_t)status);
    session_end();
    return status;
}

/* A connection has come when the request ends: the connector that the consumer gave has it then. */
static HRESULT STDMETHODCALLTYPE listener_request(object *l, IUnknown *given, OVERLAPPED *of)
{
    object *c = object_given(given, KIND_CONNECTOR);
    overlapped *r, ended = {0};
    HRESULT status;
    session_begin();
    overlapped_catch_up(l, 0);
    r = overlapped_begin(l, REQUEST_CONNECTION, of);
    if (c) InterlockedIncrement(&c->holds);
    if (r) r->connector = c;
    status = listener_inner(l)->v->GetConnectionRequest(listener_inner(l), inner_of(c, given), of);
    ended.what = REQUEST_CONNECTION;
    ended.connector = c;
    if (overlapped_called(l, r, of, status) && status == ND_SUCCESS) recorded_end(l, &ended, 0);
    if (c && !r) object_drop(c);
    session_end();
    return status;
}

static const IND2ListenerVtbl listener_table = {
    (void *)object_query, (void *)object_add_ref, (void *)object_release, (void *)overlapped_cancel, (void *)overlapped_result, (void *)listener_bind,
    (void *)listener_listen, (void *)listener_local, (void *)listener_request
};
#endif
