/* ndkshim_connector.h - stand-ins for NDK_CONNECTOR. Included by ndkshim.h. */
#ifndef NDKSHIM_CONNECTOR_H
#define NDKSHIM_CONNECTOR_H

static ndks_connector *ndks_connector_of(NDK_CONNECTOR *connector) { return (ndks_connector *)(void *)connector; }

/* the way that a connection came, of which a provider has made a connector */
static uint64_t ndks_way_of(NDK_CONNECTOR *inner)
{
    ndks_address from, to;
    ULONG from_length = sizeof from, to_length = sizeof to;
    if (inner->Dispatch->NdkGetPeerAddress(inner, (PSOCKADDR)(void *)&from, &from_length) != NDKS_SUCCESS) return 0;
    if (inner->Dispatch->NdkGetLocalAddress(inner, (PSOCKADDR)(void *)&to, &to_length) != NDKS_SUCCESS) return 0;
    return ndks_way(ndks_address_key(from.bytes, from_length), ndks_address_key(to.bytes, to_length));
}

/* ---- the functions that join QPs ---- */

static NTSTATUS ndks_connect_qp(NDK_CONNECTOR *stand_in, NDK_QP *qp, const PSOCKADDR from, ULONG from_length, const PSOCKADDR to, ULONG to_length, ULONG in,
    ULONG out, const PVOID data, ULONG data_length, NDK_FN_REQUEST_COMPLETION completion, PVOID context)
{
    ndks_connector *c = ndks_connector_of(stand_in);
    uint64_t number = ndks_begin_request(completion, context);
    ndkt_op op;
    NTSTATUS status;
    if (!number) return NDKS_NO_MEMORY;
    c->qp = ndks_qp_of(qp)->o.id;
    c->conn = ndkt_new_id(ndks.ring);
    if (from)
        ndks_connects(&ndks.ways, ndks_way(ndks_address_key((const unsigned char *)from, from_length),
            ndks_address_key((const unsigned char *)to, to_length)), c->conn);
    op = ndkt_NdkConnect_call(ndks.ring, c->qp, c->conn, c->o.id);
    status = c->o.inner.connector->Dispatch->NdkConnect(c->o.inner.connector, ndks_qp_of(qp)->o.inner.qp, from, from_length, to, to_length, in, out, data,
        data_length, ndks_requested, ndks_called(&ndks.requests, number, op));
    ndks_end_request(number, status);
    ndkt_NdkConnect_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static NTSTATUS ndks_connect_with_shared_endpoint(NDK_CONNECTOR *stand_in, NDK_QP *qp, NDK_SHARED_ENDPOINT *endpoint, const PSOCKADDR to, ULONG to_length,
    ULONG in, ULONG out, const PVOID data, ULONG data_length, NDK_FN_REQUEST_COMPLETION completion, PVOID context)
{
    ndks_connector *c = ndks_connector_of(stand_in);
    ndks_object *e = (ndks_object *)(void *)endpoint;
    uint64_t number = ndks_begin_request(completion, context);
    ndks_address a;
    ULONG length = sizeof a;
    ndkt_op op;
    NTSTATUS status;
    if (!number) return NDKS_NO_MEMORY;
    c->qp = ndks_qp_of(qp)->o.id;
    c->conn = ndkt_new_id(ndks.ring);
    if (e->inner.endpoint->Dispatch->NdkGetLocalAddress(e->inner.endpoint, (PSOCKADDR)(void *)&a, &length) == NDKS_SUCCESS)
        ndks_connects(&ndks.ways, ndks_way(ndks_address_key(a.bytes, length), ndks_address_key((const unsigned char *)to, to_length)), c->conn);
    op = ndkt_NdkConnectWithSharedEndpoint_call(ndks.ring, c->qp, c->conn, c->o.id, e->id);
    status = c->o.inner.connector->Dispatch->NdkConnectWithSharedEndpoint(c->o.inner.connector, ndks_qp_of(qp)->o.inner.qp, e->inner.endpoint, to,
        to_length, in, out, data, data_length, ndks_requested, ndks_called(&ndks.requests, number, op));
    ndks_end_request(number, status);
    ndkt_NdkConnectWithSharedEndpoint_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

/* ---- events of a connection ---- */

static VOID ndks_disconnected(PVOID context)
{
    uint32_t id;
    ndks_connector *c = (ndks_connector *)(void *)ndks_object_of(ndks_uncarried(context), &id);
    NDK_FN_DISCONNECT_EVENT_CALLBACK event = c ? c->event : 0;
    void *consumers = c ? c->context : 0;
    ndkt_op op = ndkt_NdkDisconnectEventCallback_enter(ndks.ring, id, c ? c->qp : 0, c ? c->conn : 0);
    if (event) event(consumers);
    ndkt_NdkDisconnectEventCallback_exit(ndks.ring, op);
}

static VOID ndks_disconnected_ex(PVOID context, ULONG reason)
{
    uint32_t id;
    ndks_connector *c = (ndks_connector *)(void *)ndks_object_of(ndks_uncarried(context), &id);
    NDK_FN_DISCONNECT_EVENT_CALLBACK_EX event = c ? c->event_ex : 0;
    void *consumers = c ? c->context : 0;
    ndkt_op op = ndkt_NdkDisconnectEventCallbackEx_enter(ndks.ring, id, c ? c->qp : 0, c ? c->conn : 0);
    if (event) event(consumers, reason);
    ndkt_NdkDisconnectEventCallbackEx_exit(ndks.ring, op);
}

static NTSTATUS ndks_complete_connect(NDK_CONNECTOR *stand_in, NDK_FN_DISCONNECT_EVENT_CALLBACK event, PVOID event_context,
    NDK_FN_REQUEST_COMPLETION completion, PVOID context)
{
    ndks_connector *c = ndks_connector_of(stand_in);
    uint64_t number = ndks_begin_request(completion, context);
    ndkt_op op;
    NTSTATUS status;
    if (!number) return NDKS_NO_MEMORY;
    c->event = event;
    c->context = event_context;
    op = ndkt_NdkCompleteConnect_call(ndks.ring, c->qp, c->conn, c->o.id);
    status = c->o.inner.connector->Dispatch->NdkCompleteConnect(c->o.inner.connector, event ? ndks_disconnected : 0, ndks_carried(c->o.number),
        ndks_requested, ndks_called(&ndks.requests, number, op));
    ndks_end_request(number, status);
    ndkt_NdkCompleteConnect_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static NTSTATUS ndks_complete_connect_ex(NDK_CONNECTOR *stand_in, NDK_FN_DISCONNECT_EVENT_CALLBACK_EX event, PVOID event_context,
    NDK_FN_REQUEST_COMPLETION completion, PVOID context)
{
    ndks_connector *c = ndks_connector_of(stand_in);
    uint64_t number = ndks_begin_request(completion, context);
    ndkt_op op;
    NTSTATUS status;
    if (!number) return NDKS_NO_MEMORY;
    c->event_ex = event;
    c->context = event_context;
    op = ndkt_NdkCompleteConnectEx_call(ndks.ring, c->qp, c->conn, c->o.id);
    status = c->o.inner.connector->Dispatch->NdkCompleteConnectEx(c->o.inner.connector, event ? ndks_disconnected_ex : 0, ndks_carried(c->o.number),
        ndks_requested, ndks_called(&ndks.requests, number, op));
    ndks_end_request(number, status);
    ndkt_NdkCompleteConnectEx_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static NTSTATUS ndks_accept(NDK_CONNECTOR *stand_in, NDK_QP *qp, ULONG in, ULONG out, const PVOID data, ULONG data_length,
    NDK_FN_DISCONNECT_EVENT_CALLBACK event, PVOID event_context, NDK_FN_REQUEST_COMPLETION completion, PVOID context)
{
    ndks_connector *c = ndks_connector_of(stand_in);
    uint64_t number = ndks_begin_request(completion, context);
    ndkt_op op;
    NTSTATUS status;
    if (!number) return NDKS_NO_MEMORY;
    c->event = event;
    c->context = event_context;
    c->qp = ndks_qp_of(qp)->o.id;
    op = ndkt_NdkAccept_call(ndks.ring, c->qp, c->conn, c->o.id);
    status = c->o.inner.connector->Dispatch->NdkAccept(c->o.inner.connector, ndks_qp_of(qp)->o.inner.qp, in, out, data, data_length,
        event ? ndks_disconnected : 0, ndks_carried(c->o.number), ndks_requested, ndks_called(&ndks.requests, number, op));
    ndks_end_request(number, status);
    ndkt_NdkAccept_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static NTSTATUS ndks_accept_ex(NDK_CONNECTOR *stand_in, NDK_QP *qp, ULONG in, ULONG out, const PVOID data, ULONG data_length,
    NDK_FN_DISCONNECT_EVENT_CALLBACK_EX event, PVOID event_context, NDK_FN_REQUEST_COMPLETION completion, PVOID context)
{
    ndks_connector *c = ndks_connector_of(stand_in);
    uint64_t number = ndks_begin_request(completion, context);
    ndkt_op op;
    NTSTATUS status;
    if (!number) return NDKS_NO_MEMORY;
    c->event_ex = event;
    c->context = event_context;
    c->qp = ndks_qp_of(qp)->o.id;
    op = ndkt_NdkAcceptEx_call(ndks.ring, c->qp, c->conn, c->o.id);
    status = c->o.inner.connector->Dispatch->NdkAcceptEx(c->o.inner.connector, ndks_qp_of(qp)->o.inner.qp, in, out, data, data_length,
        event ? ndks_disconnected_ex : 0, ndks_carried(c->o.number), ndks_requested, ndks_called(&ndks.requests, number, op));
    ndks_end_request(number, status);
    ndkt_NdkAcceptEx_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

/* ---- the other functions of a connector ---- */

static NTSTATUS ndks_reject(NDK_CONNECTOR *stand_in, const PVOID data, ULONG data_length)
{
    ndks_object *c = &ndks_connector_of(stand_in)->o;
    ndkt_op op = ndkt_NdkReject_call(ndks.ring, c->id);
    NTSTATUS status = c->inner.connector->Dispatch->NdkReject(c->inner.connector, data, data_length);
    ndkt_NdkReject_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static NTSTATUS ndks_get_connection_data(NDK_CONNECTOR *stand_in, ULONG *in, ULONG *out, PVOID data, ULONG *data_length)
{
    ndks_object *c = &ndks_connector_of(stand_in)->o;
    ndkt_op op = ndkt_NdkGetConnectionData_call(ndks.ring, c->id);
    NTSTATUS status = c->inner.connector->Dispatch->NdkGetConnectionData(c->inner.connector, in, out, data, data_length);
    ndkt_NdkGetConnectionData_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static NTSTATUS ndks_get_local_address(NDK_CONNECTOR *stand_in, PSOCKADDR address, ULONG *length)
{
    ndks_object *c = &ndks_connector_of(stand_in)->o;
    ndkt_op op = ndkt_NdkGetLocalAddress_call(ndks.ring, c->id, 0, 0);
    NTSTATUS status = c->inner.connector->Dispatch->NdkGetLocalAddress(c->inner.connector, address, length);
    ndkt_NdkGetLocalAddress_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static NTSTATUS ndks_get_peer_address(NDK_CONNECTOR *stand_in, PSOCKADDR address, ULONG *length)
{
    ndks_object *c = &ndks_connector_of(stand_in)->o;
    ndkt_op op = ndkt_NdkGetPeerAddress_call(ndks.ring, c->id);
    NTSTATUS status = c->inner.connector->Dispatch->NdkGetPeerAddress(c->inner.connector, address, length);
    ndkt_NdkGetPeerAddress_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static NTSTATUS ndks_disconnect(NDK_CONNECTOR *stand_in, NDK_FN_REQUEST_COMPLETION completion, PVOID context)
{
    ndks_connector *c = ndks_connector_of(stand_in);
    uint64_t number = ndks_begin_request(completion, context);
    ndkt_op op;
    NTSTATUS status;
    if (!number) return NDKS_NO_MEMORY;
    op = ndkt_NdkDisconnect_call(ndks.ring, c->qp, c->o.id, c->conn);
    status = c->o.inner.connector->Dispatch->NdkDisconnect(c->o.inner.connector, ndks_requested, ndks_called(&ndks.requests, number, op));
    ndks_end_request(number, status);
    ndkt_NdkDisconnect_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static const NDK_CONNECTOR_DISPATCH ndks_connector_dispatch = {
    ndks_close_object, ndks_query_extension, ndks_connect_qp, ndks_connect_with_shared_endpoint, ndks_complete_connect, ndks_accept, ndks_reject,
    ndks_get_connection_data, ndks_get_local_address, ndks_get_peer_address, ndks_disconnect, ndks_complete_connect_ex, ndks_accept_ex
};
#endif
