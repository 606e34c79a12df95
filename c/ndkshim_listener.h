/* ndkshim_listener.h - stand-ins for NDK_LISTENER and NDK_SHARED_ENDPOINT. Included by ndkshim.h. */
#ifndef NDKSHIM_LISTENER_H
#define NDKSHIM_LISTENER_H

static VOID ndks_forgotten(PVOID context) { (void)context; }

/* a connection comes in: the consumer gets a stand-in for its connector. Without memory for one the connection is rejected, and the event is lost */
static VOID ndks_connect_event(PVOID context, NDK_CONNECTOR *inner)
{
    uint32_t id;
    ndks_listener *l = (ndks_listener *)(void *)ndks_object_of(ndks_uncarried(context), &id);
    NDK_FN_CONNECT_EVENT_CALLBACK event = l ? l->event : 0;
    void *consumers = l ? l->context : 0;
    ndks_connector *c = event ? (ndks_connector *)(void *)ndks_new(NdkObjectTypeConnector, sizeof(ndks_connector)) : 0;
    ndkt_op op;
    if (event && !c) {
        ndks_lost();
        inner->Dispatch->NdkReject(inner, 0, 0);
        inner->Dispatch->NdkCloseConnector(&inner->Header, ndks_forgotten, 0);
        return;
    }
    op = ndkt_NdkConnectEventCallback_enter(ndks.ring, id, c ? c->o.id : 0);
    if (c) {
        c->o.inner.connector = inner;
        c->conn = ndks_connection(&ndks.ways, ndks_way_of(inner), ndks.ring);
        ndks_adopt(&c->o);
        event(consumers, &c->o.ndk.connector);
    }
    ndkt_NdkConnectEventCallback_exit(ndks.ring, op);
}

static NTSTATUS ndks_listen(NDK_LISTENER *stand_in, const PSOCKADDR address, ULONG length, NDK_FN_REQUEST_COMPLETION completion, PVOID context)
{
    ndks_object *l = (ndks_object *)(void *)stand_in;
    uint64_t number = ndks_begin_request(completion, context);
    ndkt_op op;
    NTSTATUS status;
    if (!number) return NDKS_NO_MEMORY;
    op = ndkt_NdkListen_call(ndks.ring, l->id);
    status = l->inner.listener->Dispatch->NdkListen(l->inner.listener, address, length, ndks_requested, ndks_called(&ndks.requests, number, op));
    ndks_end_request(number, status);
    ndkt_NdkListen_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static NTSTATUS ndks_get_listener_local_address(NDK_LISTENER *stand_in, PSOCKADDR address, ULONG *length)
{
    ndks_object *l = (ndks_object *)(void *)stand_in;
    ndkt_op op = ndkt_NdkGetListenerLocalAddress_call(ndks.ring, l->id);
    NTSTATUS status = l->inner.listener->Dispatch->NdkGetLocalAddress(l->inner.listener, address, length);
    ndkt_NdkGetListenerLocalAddress_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static VOID ndks_control_connect_events(NDK_LISTENER *stand_in, BOOLEAN pause)
{
    ndks_object *l = (ndks_object *)(void *)stand_in;
    ndkt_op op = ndkt_NdkControlConnectEvents_call(ndks.ring, l->id);
    l->inner.listener->Dispatch->NdkControlConnectEvents(l->inner.listener, pause);
    ndkt_NdkControlConnectEvents_ret(ndks.ring, op, NDKT_NONE);
}

static const NDK_LISTENER_DISPATCH ndks_listener_dispatch = {
    ndks_close_object, ndks_query_extension, ndks_listen, ndks_get_listener_local_address, ndks_control_connect_events
};

static NTSTATUS ndks_get_shared_endpoint_local_address(NDK_SHARED_ENDPOINT *stand_in, PSOCKADDR address, ULONG *length)
{
    ndks_object *e = (ndks_object *)(void *)stand_in;
    ndkt_op op = ndkt_NdkGetSharedEndpointLocalAddress_call(ndks.ring, e->id);
    NTSTATUS status = e->inner.endpoint->Dispatch->NdkGetLocalAddress(e->inner.endpoint, address, length);
    ndkt_NdkGetSharedEndpointLocalAddress_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static const NDK_SHARED_ENDPOINT_DISPATCH ndks_endpoint_dispatch = {ndks_close_object, ndks_query_extension, ndks_get_shared_endpoint_local_address};
#endif
