/* adapter.h - stand-ins for IND2Adapter and IND2Provider. Included by recorder.c. */
#ifndef NDSPI_ADAPTER_H
#define NDSPI_ADAPTER_H

static IND2Adapter *adapter_inner(object *a) { return (IND2Adapter *)a->inner; }

static HRESULT STDMETHODCALLTYPE adapter_file(object *a, HANDLE *file) { return adapter_inner(a)->v->CreateOverlappedFile(adapter_inner(a), file); }

static HRESULT STDMETHODCALLTYPE adapter_query(object *a, ND2_ADAPTER_INFO *info, ULONG *length)
{
    HRESULT status;
    ndkt_op op;
    session_begin();
    op = ndkt_NdkQueryAdapterInfo_call(&session.ring, a->id);
    status = adapter_inner(a)->v->Query(adapter_inner(a), info, length);
    ndkt_NdkQueryAdapterInfo_ret(&session.ring, op, (uint32_t)status);
    session_end();
    return status;
}

static HRESULT STDMETHODCALLTYPE adapter_addresses(object *a, SOCKET_ADDRESS_LIST *list, ULONG *length)
{
    return adapter_inner(a)->v->QueryAddressList(adapter_inner(a), list, length);
}

/* A stand-in for what is to be created; 0 where a consumer asks for an interface that the recorder does not have, or there is no memory. */
static object *adapter_begin(REFIID iid, kind k, size_t size, void **out, HRESULT *status)
{
    object *o = 0;
    *out = 0;
    *status = E_NOINTERFACE;
    if (IsEqualIID(iid, iid_of(k)) || IsEqualIID(iid, &ND2_IID_UNKNOWN)) {
        *status = ND_NO_MEMORY;
        o = object_new(k, size);
    }
    if (o) session_begin();
    return o;
}

static HRESULT adapter_end(object *a, object *o, HRESULT status, void *inner, void **out)
{
    status = object_created(o, a, status, inner, out);
    session_end();
    return status;
}

static HRESULT STDMETHODCALLTYPE adapter_cq(object *a, REFIID iid, HANDLE file, ULONG depth, USHORT group, KAFFINITY affinity, VOID **out)
{
    HRESULT status;
    object *o = adapter_begin(iid, KIND_CQ, sizeof(cq), out, &status);
    void *inner = 0;
    ndkt_op op;
    if (!o) return status;
    op = ndkt_NdkCreateCq_call(&session.ring, o->id, depth, a->id);
    status = adapter_inner(a)->v->CreateCompletionQueue(adapter_inner(a), iid_of(KIND_CQ), file, depth, group, affinity, &inner);
    ndkt_NdkCreateCq_ret(&session.ring, op, (uint32_t)status);
    return adapter_end(a, o, status, inner, out);
}

static HRESULT STDMETHODCALLTYPE adapter_mr(object *a, REFIID iid, HANDLE file, VOID **out)
{
    HRESULT status;
    object *o = adapter_begin(iid, KIND_MR, sizeof(region), out, &status);
    void *inner = 0;
    ndkt_op op;
    if (!o) return status;
    op = ndkt_NdkCreateMr_call(&session.ring, o->id, 0);
    status = adapter_inner(a)->v->CreateMemoryRegion(adapter_inner(a), iid_of(KIND_MR), file, &inner);
    ndkt_NdkCreateMr_ret(&session.ring, op, (uint32_t)status);
    return adapter_end(a, o, status, inner, out);
}

static HRESULT STDMETHODCALLTYPE adapter_mw(object *a, REFIID iid, VOID **out)
{
    HRESULT status;
    object *o = adapter_begin(iid, KIND_MW, sizeof(region), out, &status);
    void *inner = 0;
    ndkt_op op;
    if (!o) return status;
    ((region *)(void *)o)->token = NDKT_NONE;
    op = ndkt_NdkCreateMw_call(&session.ring, o->id, 0);
    status = adapter_inner(a)->v->CreateMemoryWindow(adapter_inner(a), iid_of(KIND_MW), &inner);
    ndkt_NdkCreateMw_ret(&session.ring, op, (uint32_t)status);
    return adapter_end(a, o, status, inner, out);
}

static HRESULT STDMETHODCALLTYPE adapter_srq(object *a, REFIID iid, HANDLE file, ULONG depth, ULONG sges, ULONG threshold, USHORT group,
    KAFFINITY affinity, VOID **out)
{
    HRESULT status;
    srq *q = (srq *)(void *)adapter_begin(iid, KIND_SRQ, sizeof(srq), out, &status);
    void *inner = 0;
    ndkt_op op;
    if (!q) return status;
    q->threshold = (LONG)threshold;
    ndks_init_slots(&q->slots, depth);     /* without memory it grows later, or refuses a request then */
    op = ndkt_NdkCreateSrq_call(&session.ring, q->o.id, 0, threshold, 0);
    status = adapter_inner(a)->v->CreateSharedReceiveQueue(adapter_inner(a), iid_of(KIND_SRQ), file, depth, sges, threshold, group, affinity, &inner);
    ndkt_NdkCreateSrq_ret(&session.ring, op, (uint32_t)status);
    return adapter_end(a, &q->o, status, inner, out);
}

/* has a QP stand on its CQs and on its SRQ, whose memory it needs as long as its own */
static void qp_stand(qp *p, object *receive, object *initiator, object *shared, void *context)
{
    p->cq[0] = (cq *)(void *)receive;
    p->cq[1] = (cq *)(void *)initiator;
    p->srq = (srq *)(void *)shared;
    p->context = context;
    if (receive) object_keep(&p->o, 1, receive);
    if (initiator) object_keep(&p->o, 2, initiator);
    if (shared) object_keep(&p->o, 3, shared);
    if (shared) InterlockedIncrement(&shared->holds);
}

/* the consumer has no QP: what it would have stood on is free again */
static HRESULT qp_refused(qp *p, HRESULT status, void **out)
{
    unsigned i;
    for (i = 1; i < OBJECT_KEEPS; i++) object_keep(&p->o, i, 0);
    return adapter_end(0, &p->o, status, 0, out);
}

static HRESULT STDMETHODCALLTYPE adapter_qp(object *a, REFIID iid, IUnknown *receive, IUnknown *initiator, VOID *context, ULONG receive_depth,
    ULONG initiator_depth, ULONG receive_sges, ULONG initiator_sges, ULONG inline_size, VOID **out)
{
    HRESULT status;
    qp *p = (qp *)(void *)adapter_begin(iid, KIND_QP, sizeof(qp), out, &status);
    object *r = object_given(receive, KIND_CQ), *i = object_given(initiator, KIND_CQ);
    void *inner = 0;
    ndkt_op op;
    if (!p) return status;
    qp_stand(p, r, i, 0, context);
    ndks_init_slots(&p->receive, receive_depth);
    ndks_init_slots(&p->initiator, initiator_depth);
    op = ndkt_NdkCreateQp_call(&session.ring, p->o.id, r ? r->id : 0, i ? i->id : 0, receive_depth, initiator_depth, inline_size, 0, 0);
    status = adapter_inner(a)->v->CreateQueuePair(adapter_inner(a), iid_of(KIND_QP), inner_of(r, receive), inner_of(i, initiator),
        (void *)(uintptr_t)p->o.number, receive_depth, initiator_depth, receive_sges, initiator_sges, inline_size, &inner);
    ndkt_NdkCreateQp_ret(&session.ring, op, (uint32_t)status);
    return status == ND_SUCCESS ? adapter_end(a, &p->o, status, inner, out) : qp_refused(p, status, out);
}

static HRESULT STDMETHODCALLTYPE adapter_qp_with_srq(object *a, REFIID iid, IUnknown *receive, IUnknown *initiator, IUnknown *shared, VOID *context,
    ULONG initiator_depth, ULONG initiator_sges, ULONG inline_size, VOID **out)
{
    HRESULT status;
    qp *p = (qp *)(void *)adapter_begin(iid, KIND_QP, sizeof(qp), out, &status);
    object *r = object_given(receive, KIND_CQ), *i = object_given(initiator, KIND_CQ), *s = object_given(shared, KIND_SRQ);
    void *inner = 0;
    ndkt_op op;
    if (!p) return status;
    qp_stand(p, r, i, s, context);
    ndks_init_slots(&p->initiator, initiator_depth);
    op = ndkt_NdkCreateQpWithSrq_call(&session.ring, p->o.id, r ? r->id : 0, i ? i->id : 0, s ? s->id : 0, initiator_depth, inline_size, 0);
    status = adapter_inner(a)->v->CreateQueuePairWithSrq(adapter_inner(a), iid_of(KIND_QP), inner_of(r, receive), inner_of(i, initiator),
        inner_of(s, shared), (void *)(uintptr_t)p->o.number, initiator_depth, initiator_sges, inline_size, &inner);
    ndkt_NdkCreateQpWithSrq_ret(&session.ring, op, (uint32_t)status);
    return status == ND_SUCCESS ? adapter_end(a, &p->o, status, inner, out) : qp_refused(p, status, out);
}

static HRESULT STDMETHODCALLTYPE adapter_connector(object *a, REFIID iid, HANDLE file, VOID **out)
{
    HRESULT status;
    object *o = adapter_begin(iid, KIND_CONNECTOR, sizeof(connector), out, &status);
    void *inner = 0;
    ndkt_op op;
    if (!o) return status;
    op = ndkt_NdkCreateConnector_call(&session.ring, o->id, a->id);
    status = adapter_inner(a)->v->CreateConnector(adapter_inner(a), iid_of(KIND_CONNECTOR), file, &inner);
    ndkt_NdkCreateConnector_ret(&session.ring, op, (uint32_t)status);
    return adapter_end(a, o, status, inner, out);
}

static HRESULT STDMETHODCALLTYPE adapter_listener(object *a, REFIID iid, HANDLE file, VOID **out)
{
    HRESULT status;
    object *o = adapter_begin(iid, KIND_LISTENER, sizeof(object), out, &status);
    void *inner = 0;
    ndkt_op op;
    if (!o) return status;
    op = ndkt_NdkCreateListener_call(&session.ring, o->id, a->id);
    status = adapter_inner(a)->v->CreateListener(adapter_inner(a), iid_of(KIND_LISTENER), file, &inner);
    ndkt_NdkCreateListener_ret(&session.ring, op, (uint32_t)status);
    return adapter_end(a, o, status, inner, out);
}

static const IND2AdapterVtbl adapter_table = {
    (void *)object_query, (void *)object_add_ref, (void *)object_release, (void *)adapter_file, (void *)adapter_query, (void *)adapter_addresses,
    (void *)adapter_cq, (void *)adapter_mr, (void *)adapter_mw, (void *)adapter_srq, (void *)adapter_qp, (void *)adapter_qp_with_srq,
    (void *)adapter_connector, (void *)adapter_listener
};

/* ---- IND2Provider ---- */

static IND2Provider *provider_inner(object *p) { return (IND2Provider *)p->inner; }

static HRESULT STDMETHODCALLTYPE provider_addresses(object *p, SOCKET_ADDRESS_LIST *list, ULONG *length)
{
    return provider_inner(p)->v->QueryAddressList(provider_inner(p), list, length);
}

static HRESULT STDMETHODCALLTYPE provider_resolve(object *p, const struct sockaddr *address, ULONG length, UINT64 *id)
{
    return provider_inner(p)->v->ResolveAddress(provider_inner(p), address, length, id);
}

static HRESULT STDMETHODCALLTYPE provider_open(object *p, REFIID iid, UINT64 id, VOID **out)
{
    HRESULT status;
    object *o = adapter_begin(iid, KIND_ADAPTER, sizeof(object), out, &status);
    void *inner = 0;
    ndkt_op op;
    if (!o) return status;
    op = ndkt_NdkOpenAdapter_call(&session.ring, o->id);
    status = provider_inner(p)->v->OpenAdapter(provider_inner(p), iid_of(KIND_ADAPTER), id, &inner);
    ndkt_NdkOpenAdapter_ret(&session.ring, op, (uint32_t)status);
    return adapter_end(0, o, status, inner, out);
}

static const IND2ProviderVtbl provider_table = {
    (void *)object_query, (void *)object_add_ref, (void *)object_release, (void *)provider_addresses, (void *)provider_resolve, (void *)provider_open
};
#endif
