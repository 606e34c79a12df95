/* ndkshim_adapter.h - stand-ins for NDK_ADAPTER, and what a driver calls. Included by ndkshim.h. */
#ifndef NDKSHIM_ADAPTER_H
#define NDKSHIM_ADAPTER_H

static ndks_object *ndks_adapter_of(NDK_ADAPTER *adapter) { return (ndks_object *)(void *)adapter; }

static NTSTATUS ndks_query_adapter_extension(NDK_OBJECT_HEADER *object, GUID *id, NDK_VERSION version, NDK_EXTENSION_INTERFACE *extension)
{
    ndkt_op op = ndkt_NdkQueryExtension_call(ndks.ring, ((ndks_object *)(void *)object)->id);
    NTSTATUS status = ndks_query_extension(object, id, version, extension);
    ndkt_NdkQueryExtension_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static NTSTATUS ndks_query_adapter_info(NDK_ADAPTER *stand_in, NDK_ADAPTER_INFO *info, ULONG *size)
{
    ndks_object *a = ndks_adapter_of(stand_in);
    ndkt_op op = ndkt_NdkQueryAdapterInfo_call(ndks.ring, a->id);
    NTSTATUS status = a->inner.adapter->Dispatch->NdkQueryAdapterInfo(a->inner.adapter, info, size);
    ndkt_NdkQueryAdapterInfo_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static NTSTATUS ndks_create_cq(NDK_ADAPTER *stand_in, ULONG depth, NDK_FN_CQ_NOTIFICATION_CALLBACK notify, PVOID notify_context, GROUP_AFFINITY *affinity,
    NDK_FN_CREATE_COMPLETION completion, PVOID context, NDK_CQ **created)
{
    ndks_object *a = ndks_adapter_of(stand_in), *o = ndks_new(NdkObjectTypeCq, sizeof(ndks_cq));
    ndks_cq *cq = (ndks_cq *)(void *)o;
    uint64_t number;
    ndkt_op op;
    NTSTATUS status;
    if (!ndks_begin_creation(o, completion, context, &number)) return NDKS_NO_MEMORY;
    cq->notify = notify;
    cq->context = notify_context;
    op = ndkt_NdkCreateCq_call(ndks.ring, o->id, depth, a->id);
    status = a->inner.adapter->Dispatch->NdkCreateCq(a->inner.adapter, depth, notify ? ndks_cq_notified : 0, ndks_carried(o->number), affinity,
        ndks_created, ndks_called(&ndks.creations, number, op), &o->inner.cq);
    if (status == NDKS_SUCCESS) *created = (NDK_CQ *)ndks_end_creation(o, number, status);
    else ndks_end_creation(o, number, status);
    ndkt_NdkCreateCq_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static NTSTATUS ndks_create_pd(NDK_ADAPTER *stand_in, NDK_FN_CREATE_COMPLETION completion, PVOID context, NDK_PD **created)
{
    ndks_object *a = ndks_adapter_of(stand_in), *o = ndks_new(NdkObjectTypePd, sizeof(ndks_object));
    uint64_t number;
    ndkt_op op;
    NTSTATUS status;
    if (!ndks_begin_creation(o, completion, context, &number)) return NDKS_NO_MEMORY;
    op = ndkt_NdkCreatePd_call(ndks.ring, o->id, a->id);
    status = a->inner.adapter->Dispatch->NdkCreatePd(a->inner.adapter, ndks_created, ndks_called(&ndks.creations, number, op), &o->inner.pd);
    if (status == NDKS_SUCCESS) *created = (NDK_PD *)ndks_end_creation(o, number, status);
    else ndks_end_creation(o, number, status);
    ndkt_NdkCreatePd_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static NTSTATUS ndks_create_shared_endpoint(NDK_ADAPTER *stand_in, const PSOCKADDR address, ULONG length, NDK_FN_CREATE_COMPLETION completion,
    PVOID context, NDK_SHARED_ENDPOINT **created)
{
    ndks_object *a = ndks_adapter_of(stand_in), *o = ndks_new(NdkObjectTypeSharedEndpoint, sizeof(ndks_object));
    uint64_t number;
    ndkt_op op;
    NTSTATUS status;
    if (!ndks_begin_creation(o, completion, context, &number)) return NDKS_NO_MEMORY;
    op = ndkt_NdkCreateSharedEndpoint_call(ndks.ring, o->id, a->id);
    status = a->inner.adapter->Dispatch->NdkCreateSharedEndpoint(a->inner.adapter, address, length, ndks_created,
        ndks_called(&ndks.creations, number, op), &o->inner.endpoint);
    if (status == NDKS_SUCCESS) *created = (NDK_SHARED_ENDPOINT *)ndks_end_creation(o, number, status);
    else ndks_end_creation(o, number, status);
    ndkt_NdkCreateSharedEndpoint_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static NTSTATUS ndks_create_connector(NDK_ADAPTER *stand_in, NDK_FN_CREATE_COMPLETION completion, PVOID context, NDK_CONNECTOR **created)
{
    ndks_object *a = ndks_adapter_of(stand_in), *o = ndks_new(NdkObjectTypeConnector, sizeof(ndks_connector));
    uint64_t number;
    ndkt_op op;
    NTSTATUS status;
    if (!ndks_begin_creation(o, completion, context, &number)) return NDKS_NO_MEMORY;
    op = ndkt_NdkCreateConnector_call(ndks.ring, o->id, a->id);
    status = a->inner.adapter->Dispatch->NdkCreateConnector(a->inner.adapter, ndks_created, ndks_called(&ndks.creations, number, op),
        &o->inner.connector);
    if (status == NDKS_SUCCESS) *created = (NDK_CONNECTOR *)ndks_end_creation(o, number, status);
    else ndks_end_creation(o, number, status);
    ndkt_NdkCreateConnector_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static NTSTATUS ndks_create_listener(NDK_ADAPTER *stand_in, NDK_FN_CONNECT_EVENT_CALLBACK event, PVOID event_context, NDK_FN_CREATE_COMPLETION completion,
    PVOID context, NDK_LISTENER **created)
{
    ndks_object *a = ndks_adapter_of(stand_in), *o = ndks_new(NdkObjectTypeListener, sizeof(ndks_listener));
    ndks_listener *l = (ndks_listener *)(void *)o;
    uint64_t number;
    ndkt_op op;
    NTSTATUS status;
    if (!ndks_begin_creation(o, completion, context, &number)) return NDKS_NO_MEMORY;
    l->event = event;
    l->context = event_context;
    op = ndkt_NdkCreateListener_call(ndks.ring, o->id, a->id);
    status = a->inner.adapter->Dispatch->NdkCreateListener(a->inner.adapter, ndks_connect_event, ndks_carried(o->number), ndks_created,
        ndks_called(&ndks.creations, number, op), &o->inner.listener);
    if (status == NDKS_SUCCESS) *created = (NDK_LISTENER *)ndks_end_creation(o, number, status);
    else ndks_end_creation(o, number, status);
    ndkt_NdkCreateListener_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

/* ---- a LAM is memory of the consumer's, so it is known by its address until it is released ---- */

/* where an address is kept from now on; 0 where there are too many. One whose building has failed is still there, and is taken again */
static ndks_lam *ndks_keep_lam(void *memory)
{
    unsigned i;
    for (i = 0; memory && i < NDKS_LAMS; i++)
        if (NDKT_LOAD(&ndks.lams[i].memory) == (uintptr_t)memory) return &ndks.lams[i];
    for (i = 0; memory && i < NDKS_LAMS; i++)
        if (NDKS_CAS(&ndks.lams[i].memory, 0, (uintptr_t)memory)) return &ndks.lams[i];
    return 0;
}

static NTSTATUS ndks_build_lam(NDK_ADAPTER *stand_in, MDL *mdl, SIZE_T length, NDK_FN_REQUEST_COMPLETION completion, PVOID context,
    NDK_LOGICAL_ADDRESS_MAPPING *lam, ULONG *size, ULONG *fbo)
{
    ndks_object *a = ndks_adapter_of(stand_in);
    uint64_t number = ndks_begin_request(completion, context);
    uint32_t id = ndkt_new_id(ndks.ring);
    ndks_lam *kept;
    ndkt_op op;
    NTSTATUS status;
    if (!number) return NDKS_NO_MEMORY;
    kept = ndks_keep_lam(lam);
    if (kept) NDKT_STORE(&kept->id, id);
    op = ndkt_NdkBuildLAM_call(ndks.ring, id, a->id, length);
    status = a->inner.adapter->Dispatch->NdkBuildLAM(a->inner.adapter, mdl, length, ndks_requested, ndks_called(&ndks.requests, number, op), lam, size,
        fbo);
    ndks_end_request(number, status);
    if (kept && status != NDKS_SUCCESS && status != NDKS_PENDING) NDKT_STORE(&kept->memory, 0);
    ndkt_NdkBuildLAM_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static VOID ndks_release_lam(NDK_ADAPTER *stand_in, NDK_LOGICAL_ADDRESS_MAPPING *lam)
{
    ndks_object *a = ndks_adapter_of(stand_in);
    uint32_t id = 0;
    unsigned i;
    ndkt_op op;
    for (i = 0; lam && i < NDKS_LAMS && !id; i++) {
        uint32_t of = (uint32_t)NDKT_LOAD(&ndks.lams[i].id);
        if (NDKS_CAS(&ndks.lams[i].memory, (uintptr_t)lam, 0)) id = of;
    }
    op = ndkt_NdkReleaseLAM_call(ndks.ring, id);
    a->inner.adapter->Dispatch->NdkReleaseLAM(a->inner.adapter, lam);
    ndkt_NdkReleaseLAM_ret(ndks.ring, op);
}

static const NDK_ADAPTER_DISPATCH ndks_adapter_dispatch = {
    ndks_query_adapter_extension, ndks_query_adapter_info, ndks_create_cq, ndks_create_pd, ndks_create_shared_endpoint, ndks_create_connector,
    ndks_create_listener, ndks_build_lam, ndks_release_lam
};

/* ---- what a driver calls ---- */

/* false where there is no memory */
NDKS_API int ndks_init(ndkt_ring *ring)
{
    ndks_zero(&ndks, sizeof ndks);
    ndks.ring = ring;
    return ndks_init_slots(&ndks.objects, 1) && ndks_init_slots(&ndks.creations, 1) && ndks_init_slots(&ndks.requests, 1) &&
        ndks_init_slots(&ndks.closes, 1);
}

/* a stand-in for a provider's adapter, which has been opened; 0 where there is no memory */
NDKS_API NDK_ADAPTER *ndks_open(NDK_ADAPTER *provider)
{
    ndks_object *o = ndks_new(NdkObjectTypeAdapter, sizeof(ndks_object));
    if (!o) return 0;
    o->inner.adapter = provider;
    ndks_adopt(o);
    return &o->ndk.adapter;
}

/* the provider's adapter of a stand-in: whoever closes it needs this one */
NDKS_API NDK_ADAPTER *ndks_provider(NDK_ADAPTER *stand_in) { return ndks_adapter_of(stand_in)->inner.adapter; }

/* call it before the provider's adapter is closed */
NDKS_API ndkt_op ndks_closing(NDK_ADAPTER *stand_in) { return ndkt_NdkCloseAdapter_call(ndks.ring, ndks_adapter_of(stand_in)->id); }

/* call it with what ndks_closing returned when the provider's adapter is closed: the stand-in is gone then */
NDKS_API void ndks_closed(NDK_ADAPTER *stand_in, ndkt_op op)
{
    ndkt_NdkCloseAdapter_ret(ndks.ring, op);
    ndks_discard(ndks_adapter_of(stand_in));
}

/* frees everything when all adapters are closed. Returns how many objects were not, or were closed and never polled to the end */
NDKS_API uint64_t ndks_end(void)
{
    uint64_t left = 0, i, used = NDKT_LOAD(&ndks.objects.used);
    for (i = 1; i <= used; i++) {
        ndks_slot *s = ndks_at(&ndks.objects, (uint32_t)i);
        if (NDKT_LOAD(&s->state) != NDKS_LIVE) continue;
        ndks_free_parts((ndks_object *)s->context);
        left++;
    }
    for (i = 1; left && i <= used; i++) {
        ndks_slot *s = ndks_at(&ndks.objects, (uint32_t)i);
        if (NDKT_LOAD(&s->state) == NDKS_LIVE) NDKS_FREE(s->context);
    }
    for (i = 1, used = ndks.creations.used; i <= used; i++)
        if (ndks_at(&ndks.creations, (uint32_t)i)->state == NDKS_LIVE) NDKS_FREE(ndks_at(&ndks.creations, (uint32_t)i)->context);
    for (i = 1, used = ndks.requests.used; i <= used; i++)
        if (ndks_at(&ndks.requests, (uint32_t)i)->state == NDKS_LIVE) NDKS_FREE(ndks_at(&ndks.requests, (uint32_t)i)->context);
    ndks_free_slots(&ndks.objects);
    ndks_free_slots(&ndks.creations);
    ndks_free_slots(&ndks.requests);
    ndks_free_slots(&ndks.closes);
    return left;
}
#endif
