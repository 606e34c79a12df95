/* ndkshim_pd.h - stand-ins for NDK_PD, NDK_MR and NDK_MW. Included by ndkshim.h. */
#ifndef NDKSHIM_PD_H
#define NDKSHIM_PD_H

static ndks_object *ndks_pd_of(NDK_PD *pd) { return (ndks_object *)(void *)pd; }

static ndks_object *ndks_new_region(NDK_OBJECT_TYPE type)
{
    ndks_region *m = (ndks_region *)(void *)ndks_new(type, sizeof(ndks_region));
    if (m) m->token = NDKT_NONE;
    return m ? &m->o : 0;
}

static NTSTATUS ndks_create_mr(NDK_PD *stand_in, BOOLEAN fast, NDK_FN_CREATE_COMPLETION completion, PVOID context, NDK_MR **created)
{
    ndks_object *pd = ndks_pd_of(stand_in), *o = ndks_new_region(NdkObjectTypeMr);
    uint64_t number;
    ndkt_op op;
    NTSTATUS status;
    if (!ndks_begin_creation(o, completion, context, &number)) return NDKS_NO_MEMORY;
    op = ndkt_NdkCreateMr_call(ndks.ring, o->id, pd->id);
    status = pd->inner.pd->Dispatch->NdkCreateMr(pd->inner.pd, fast, ndks_created, ndks_called(&ndks.creations, number, op), &o->inner.mr);
    if (status == NDKS_SUCCESS) *created = (NDK_MR *)ndks_end_creation(o, number, status);
    else ndks_end_creation(o, number, status);
    ndkt_NdkCreateMr_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static NTSTATUS ndks_create_mw(NDK_PD *stand_in, NDK_FN_CREATE_COMPLETION completion, PVOID context, NDK_MW **created)
{
    ndks_object *pd = ndks_pd_of(stand_in), *o = ndks_new_region(NdkObjectTypeMw);
    uint64_t number;
    ndkt_op op;
    NTSTATUS status;
    if (!ndks_begin_creation(o, completion, context, &number)) return NDKS_NO_MEMORY;
    op = ndkt_NdkCreateMw_call(ndks.ring, o->id, pd->id);
    status = pd->inner.pd->Dispatch->NdkCreateMw(pd->inner.pd, ndks_created, ndks_called(&ndks.creations, number, op), &o->inner.mw);
    if (status == NDKS_SUCCESS) *created = (NDK_MW *)ndks_end_creation(o, number, status);
    else ndks_end_creation(o, number, status);
    ndkt_NdkCreateMw_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static NTSTATUS ndks_create_srq(NDK_PD *stand_in, ULONG depth, ULONG sge, ULONG threshold, NDK_FN_SRQ_NOTIFICATION_CALLBACK notify, PVOID notify_context,
    GROUP_AFFINITY *affinity, NDK_FN_CREATE_COMPLETION completion, PVOID context, NDK_SRQ **created)
{
    ndks_object *pd = ndks_pd_of(stand_in), *o = ndks_new(NdkObjectTypeSrq, sizeof(ndks_srq));
    ndks_srq *srq = (ndks_srq *)(void *)o;
    uint64_t number;
    ndkt_op op;
    NTSTATUS status;
    if (o && !ndks_init_slots(&srq->slots, depth)) {
        ndks_discard(o);
        o = 0;
    }
    if (!ndks_begin_creation(o, completion, context, &number)) return NDKS_NO_MEMORY;
    srq->notify = notify;
    srq->context = notify_context;
    op = ndkt_NdkCreateSrq_call(ndks.ring, o->id, pd->id, threshold, notify ? NDKT_TRUE : NDKT_FALSE);
    status = pd->inner.pd->Dispatch->NdkCreateSrq(pd->inner.pd, depth, sge, threshold, notify ? ndks_srq_notified : 0, ndks_carried(o->number), affinity,
        ndks_created, ndks_called(&ndks.creations, number, op), &o->inner.srq);
    if (status == NDKS_SUCCESS) *created = (NDK_SRQ *)ndks_end_creation(o, number, status);
    else ndks_end_creation(o, number, status);
    ndkt_NdkCreateSrq_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

/* a stand-in for a QP, with slots for all requests that its queues hold. It keeps the stand-ins of its CQs and its SRQ */
static ndks_qp *ndks_new_qp(NDK_CQ *receive_cq, NDK_CQ *initiator_cq, NDK_SRQ *srq, void *context, ULONG receive_depth, ULONG initiator_depth)
{
    ndks_qp *qp = (ndks_qp *)(void *)ndks_new(NdkObjectTypeQp, sizeof(ndks_qp));
    if (!qp) return 0;
    qp->cq[0] = ndks_cq_of(receive_cq);
    qp->cq[1] = ndks_cq_of(initiator_cq);
    qp->srq = (ndks_srq *)(void *)srq;
    qp->context = context;
    if (qp->cq[0]) NDKT_ADD(&qp->cq[0]->o.refs, 1);
    if (qp->cq[1]) NDKT_ADD(&qp->cq[1]->o.refs, 1);
    if (qp->srq) NDKT_ADD(&qp->srq->o.refs, 1);
    if (ndks_init_slots(&qp->initiator, initiator_depth) && ndks_init_slots(&qp->receive, receive_depth)) return qp;
    ndks_discard(&qp->o);
    return 0;
}

static NTSTATUS ndks_create_qp(NDK_PD *stand_in, NDK_CQ *receive_cq, NDK_CQ *initiator_cq, PVOID qp_context, ULONG receive_depth, ULONG initiator_depth,
    ULONG receive_sge, ULONG initiator_sge, ULONG inline_size, NDK_FN_CREATE_COMPLETION completion, PVOID context, NDK_QP **created)
{
    ndks_object *pd = ndks_pd_of(stand_in);
    ndks_qp *qp = ndks_new_qp(receive_cq, initiator_cq, 0, qp_context, receive_depth, initiator_depth);
    uint64_t number;
    ndkt_op op;
    NTSTATUS status;
    if (!ndks_begin_creation(qp ? &qp->o : 0, completion, context, &number)) return NDKS_NO_MEMORY;
    op = ndkt_NdkCreateQp_call(ndks.ring, qp->o.id, receive_cq ? qp->cq[0]->o.id : 0, initiator_cq ? qp->cq[1]->o.id : 0, receive_depth, initiator_depth,
        inline_size, 0, pd->id);
    status = pd->inner.pd->Dispatch->NdkCreateQp(pd->inner.pd, ndks_cq_inner(receive_cq), ndks_cq_inner(initiator_cq), ndks_carried(qp->o.number),
        receive_depth, initiator_depth, receive_sge, initiator_sge, inline_size, ndks_created, ndks_called(&ndks.creations, number, op), &qp->o.inner.qp);
    if (status == NDKS_SUCCESS) *created = (NDK_QP *)ndks_end_creation(&qp->o, number, status);
    else ndks_end_creation(&qp->o, number, status);
    ndkt_NdkCreateQp_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static NTSTATUS ndks_create_qp_with_srq(NDK_PD *stand_in, NDK_CQ *receive_cq, NDK_CQ *initiator_cq, NDK_SRQ *srq, PVOID qp_context, ULONG initiator_depth,
    ULONG initiator_sge, ULONG inline_size, NDK_FN_CREATE_COMPLETION completion, PVOID context, NDK_QP **created)
{
    ndks_object *pd = ndks_pd_of(stand_in), *s = (ndks_object *)(void *)srq;
    ndks_qp *qp = ndks_new_qp(receive_cq, initiator_cq, srq, qp_context, 0, initiator_depth);
    uint64_t number;
    ndkt_op op;
    NTSTATUS status;
    if (!ndks_begin_creation(qp ? &qp->o : 0, completion, context, &number)) return NDKS_NO_MEMORY;
    op = ndkt_NdkCreateQpWithSrq_call(ndks.ring, qp->o.id, receive_cq ? qp->cq[0]->o.id : 0, initiator_cq ? qp->cq[1]->o.id : 0, s ? s->id : 0,
        initiator_depth, inline_size, pd->id);
    status = pd->inner.pd->Dispatch->NdkCreateQpWithSrq(pd->inner.pd, ndks_cq_inner(receive_cq), ndks_cq_inner(initiator_cq), s ? s->inner.srq : 0,
        ndks_carried(qp->o.number), initiator_depth, initiator_sge, inline_size, ndks_created, ndks_called(&ndks.creations, number, op),
        &qp->o.inner.qp);
    if (status == NDKS_SUCCESS) *created = (NDK_QP *)ndks_end_creation(&qp->o, number, status);
    else ndks_end_creation(&qp->o, number, status);
    ndkt_NdkCreateQpWithSrq_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static VOID ndks_get_privileged_memory_region_token(NDK_PD *stand_in, UINT32 *token)
{
    ndks_object *pd = ndks_pd_of(stand_in);
    ndkt_op op = ndkt_NdkGetPrivilegedMemoryRegionToken_call(ndks.ring, pd->id);
    pd->inner.pd->Dispatch->NdkGetPrivilegedMemoryRegionToken(pd->inner.pd, token);
    ndkt_NdkGetPrivilegedMemoryRegionToken_ret(ndks.ring, op, *token);
}

static const NDK_PD_DISPATCH ndks_pd_dispatch = {
    ndks_close_object, ndks_query_extension, ndks_create_mr, ndks_create_mw, ndks_create_srq, ndks_create_qp, ndks_create_qp_with_srq,
    ndks_get_privileged_memory_region_token
};

/* ---- NDK_MR and NDK_MW ---- */

static NTSTATUS ndks_register_mr(NDK_MR *stand_in, MDL *mdl, SIZE_T length, ULONG flags, NDK_FN_REQUEST_COMPLETION completion, PVOID context)
{
    ndks_object *m = (ndks_object *)(void *)stand_in;
    uint64_t number = ndks_begin_request(completion, context);
    ndkt_op op;
    NTSTATUS status;
    if (!number) return NDKS_NO_MEMORY;
    op = ndkt_NdkRegisterMr_call(ndks.ring, m->id, length, flags);
    status = m->inner.mr->Dispatch->NdkRegisterMr(m->inner.mr, mdl, length, flags, ndks_requested, ndks_called(&ndks.requests, number, op));
    ndks_end_request(number, status);
    ndkt_NdkRegisterMr_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static NTSTATUS ndks_deregister_mr(NDK_MR *stand_in, NDK_FN_REQUEST_COMPLETION completion, PVOID context)
{
    ndks_object *m = (ndks_object *)(void *)stand_in;
    uint64_t number = ndks_begin_request(completion, context);
    ndkt_op op;
    NTSTATUS status;
    if (!number) return NDKS_NO_MEMORY;
    op = ndkt_NdkDeregisterMr_call(ndks.ring, m->id);
    status = m->inner.mr->Dispatch->NdkDeregisterMr(m->inner.mr, ndks_requested, ndks_called(&ndks.requests, number, op));
    ndks_end_request(number, status);
    ndkt_NdkDeregisterMr_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static NTSTATUS ndks_initialize_fast_register_mr(NDK_MR *stand_in, ULONG pages, BOOLEAN remote, NDK_FN_REQUEST_COMPLETION completion, PVOID context)
{
    ndks_object *m = (ndks_object *)(void *)stand_in;
    uint64_t number = ndks_begin_request(completion, context);
    ndkt_op op;
    NTSTATUS status;
    if (!number) return NDKS_NO_MEMORY;
    op = ndkt_NdkInitializeFastRegisterMr_call(ndks.ring, m->id);
    status = m->inner.mr->Dispatch->NdkInitializeFastRegisterMr(m->inner.mr, pages, remote, ndks_requested, ndks_called(&ndks.requests, number, op));
    ndks_end_request(number, status);
    ndkt_NdkInitializeFastRegisterMr_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static UINT32 ndks_get_remote_token_from_mr(NDK_MR *stand_in)
{
    ndks_object *m = (ndks_object *)(void *)stand_in;
    ndkt_op op = ndkt_NdkGetRemoteTokenFromMr_call(ndks.ring, m->id);
    UINT32 token = m->inner.mr->Dispatch->NdkGetRemoteTokenFromMr(m->inner.mr);
    ndkt_NdkGetRemoteTokenFromMr_ret(ndks.ring, op, token);
    return token;
}

static UINT32 ndks_get_local_token_from_mr(NDK_MR *stand_in)
{
    ndks_object *m = (ndks_object *)(void *)stand_in;
    ndkt_op op = ndkt_NdkGetLocalTokenFromMr_call(ndks.ring, m->id);
    UINT32 token = m->inner.mr->Dispatch->NdkGetLocalTokenFromMr(m->inner.mr);
    ndkt_NdkGetLocalTokenFromMr_ret(ndks.ring, op, token);
    return token;
}

static UINT32 ndks_get_remote_token_from_mw(NDK_MW *stand_in)
{
    ndks_object *w = (ndks_object *)(void *)stand_in;
    ndkt_op op = ndkt_NdkGetRemoteTokenFromMw_call(ndks.ring, w->id);
    UINT32 token = w->inner.mw->Dispatch->NdkGetRemoteTokenFromMw(w->inner.mw);
    ndkt_NdkGetRemoteTokenFromMw_ret(ndks.ring, op, token);
    return token;
}

static const NDK_MR_DISPATCH ndks_mr_dispatch = {
    ndks_close_object, ndks_query_extension, ndks_register_mr, ndks_deregister_mr, ndks_initialize_fast_register_mr, ndks_get_remote_token_from_mr,
    ndks_get_local_token_from_mr
};
static const NDK_MW_DISPATCH ndks_mw_dispatch = {ndks_close_object, ndks_query_extension, ndks_get_remote_token_from_mw};
#endif
