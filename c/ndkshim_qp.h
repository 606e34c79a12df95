/* ndkshim_qp.h - stand-ins for NDK_QP and NDK_SRQ. Included by ndkshim.h. */
#ifndef NDKSHIM_QP_H
#define NDKSHIM_QP_H

static ndks_qp *ndks_qp_of(NDK_QP *qp) { return (ndks_qp *)(void *)qp; }

static uint64_t ndks_length(const NDK_SGE *sgl, ULONG n)
{
    uint64_t sum = 0;
    ULONG i;
    for (i = 0; i < n; i++) sum += sgl[i].Length;
    return sum;
}

/* a number for a request of the initiator. Where there is no memory for it the request is refused without the provider's knowing of it */
static uint64_t ndks_post(ndks_qp *qp, void *context, ULONG flags)
{
    uint64_t number = ndks_take(&qp->initiator, context, (flags & NDK_OP_FLAG_SILENT_SUCCESS) != 0, 0);
    if (!number) ndks_lost();
    return number;
}

static NTSTATUS ndks_send(NDK_QP *stand_in, PVOID context, const NDK_SGE *sgl, ULONG n, ULONG flags)
{
    ndks_qp *qp = ndks_qp_of(stand_in);
    uint64_t number = ndks_post(qp, context, flags);
    ndkt_op op;
    NTSTATUS status;
    if (!number) return NDKS_NO_MEMORY;
    op = ndkt_NdkSend_call(ndks.ring, qp->o.id, flags, ndks_length(sgl, n));
    status = qp->o.inner.qp->Dispatch->NdkSend(qp->o.inner.qp, ndks_called(&qp->initiator, number, op), sgl, n, flags);
    ndks_posted(&qp->initiator, number, status == NDKS_SUCCESS);
    ndkt_NdkSend_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static NTSTATUS ndks_send_and_invalidate(NDK_QP *stand_in, PVOID context, const NDK_SGE *sgl, ULONG n, ULONG flags, UINT32 token)
{
    ndks_qp *qp = ndks_qp_of(stand_in);
    uint64_t number = ndks_post(qp, context, flags);
    ndkt_op op;
    NTSTATUS status;
    if (!number) return NDKS_NO_MEMORY;
    op = ndkt_NdkSendAndInvalidate_call(ndks.ring, qp->o.id, token, flags, ndks_length(sgl, n));
    status = qp->o.inner.qp->Dispatch->NdkSendAndInvalidate(qp->o.inner.qp, ndks_called(&qp->initiator, number, op), sgl, n, flags, token);
    ndks_posted(&qp->initiator, number, status == NDKS_SUCCESS);
    ndkt_NdkSendAndInvalidate_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static NTSTATUS ndks_read(NDK_QP *stand_in, PVOID context, const NDK_SGE *sgl, ULONG n, UINT64 address, UINT32 token, ULONG flags)
{
    ndks_qp *qp = ndks_qp_of(stand_in);
    uint64_t number = ndks_post(qp, context, flags);
    uint64_t local = (flags & NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE) && n ? sgl[0].MemoryRegionToken : NDKT_NONE;
    ndkt_op op;
    NTSTATUS status;
    if (!number) return NDKS_NO_MEMORY;
    op = ndkt_NdkRead_call(ndks.ring, qp->o.id, flags, ndks_length(sgl, n), local);
    status = qp->o.inner.qp->Dispatch->NdkRead(qp->o.inner.qp, ndks_called(&qp->initiator, number, op), sgl, n, address, token, flags);
    ndks_posted(&qp->initiator, number, status == NDKS_SUCCESS);
    ndkt_NdkRead_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static NTSTATUS ndks_write(NDK_QP *stand_in, PVOID context, const NDK_SGE *sgl, ULONG n, UINT64 address, UINT32 token, ULONG flags)
{
    ndks_qp *qp = ndks_qp_of(stand_in);
    uint64_t number = ndks_post(qp, context, flags);
    ndkt_op op;
    NTSTATUS status;
    if (!number) return NDKS_NO_MEMORY;
    op = ndkt_NdkWrite_call(ndks.ring, qp->o.id, flags, ndks_length(sgl, n));
    status = qp->o.inner.qp->Dispatch->NdkWrite(qp->o.inner.qp, ndks_called(&qp->initiator, number, op), sgl, n, address, token, flags);
    ndks_posted(&qp->initiator, number, status == NDKS_SUCCESS);
    ndkt_NdkWrite_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

/* The token that an accepted registration or binding gives is read where the call returns, as a consumer does (MEM-05, MEM-17). */
static NTSTATUS ndks_fast_register(NDK_QP *stand_in, PVOID context, NDK_MR *mr, ULONG pages, const NDK_LOGICAL_ADDRESS *page, ULONG fbo, SIZE_T length,
    PVOID base, ULONG flags)
{
    ndks_qp *qp = ndks_qp_of(stand_in);
    ndks_region *m = (ndks_region *)(void *)mr;
    uint64_t number = ndks_post(qp, context, flags), token = NDKT_NONE;
    ndkt_op op;
    NTSTATUS status;
    if (!number) return NDKS_NO_MEMORY;
    op = ndkt_NdkFastRegister_call(ndks.ring, qp->o.id, m->o.id, flags, length, NDKT_NONE);
    status = qp->o.inner.qp->Dispatch->NdkFastRegister(qp->o.inner.qp, ndks_called(&qp->initiator, number, op), m->o.inner.mr, pages, page, fbo, length,
        base, flags);
    if (status == NDKS_SUCCESS) m->token = token = m->o.inner.mr->Dispatch->NdkGetRemoteTokenFromMr(m->o.inner.mr);
    ndks_posted(&qp->initiator, number, status == NDKS_SUCCESS);
    ndkt_NdkFastRegister_ret(ndks.ring, op, (uint32_t)status, token);
    return status;
}

static NTSTATUS ndks_bind(NDK_QP *stand_in, PVOID context, NDK_MR *mr, NDK_MW *mw, PVOID address, SIZE_T length, ULONG flags)
{
    ndks_qp *qp = ndks_qp_of(stand_in);
    ndks_region *m = (ndks_region *)(void *)mr, *w = (ndks_region *)(void *)mw;
    uint64_t number = ndks_post(qp, context, flags), token = NDKT_NONE;
    ndkt_op op;
    NTSTATUS status;
    if (!number) return NDKS_NO_MEMORY;
    op = ndkt_NdkBind_call(ndks.ring, qp->o.id, w->o.id, m->o.id, flags, length, NDKT_NONE);
    status = qp->o.inner.qp->Dispatch->NdkBind(qp->o.inner.qp, ndks_called(&qp->initiator, number, op), m->o.inner.mr, w->o.inner.mw, address, length,
        flags);
    if (status == NDKS_SUCCESS) w->token = token = w->o.inner.mw->Dispatch->NdkGetRemoteTokenFromMw(w->o.inner.mw);
    ndks_posted(&qp->initiator, number, status == NDKS_SUCCESS);
    ndkt_NdkBind_ret(ndks.ring, op, (uint32_t)status, token);
    return status;
}

static NTSTATUS ndks_invalidate(NDK_QP *stand_in, PVOID context, NDK_OBJECT_HEADER *mr_or_mw, ULONG flags)
{
    ndks_qp *qp = ndks_qp_of(stand_in);
    ndks_region *m = (ndks_region *)(void *)mr_or_mw;
    uint64_t number = ndks_post(qp, context, flags);
    int is_mr = m->o.type == NdkObjectTypeMr;
    ndkt_op op;
    NTSTATUS status;
    if (!number) return NDKS_NO_MEMORY;
    op = ndkt_NdkInvalidate_call(ndks.ring, qp->o.id, is_mr ? m->o.id : 0, is_mr ? 0 : m->o.id, flags, m->token);
    status = qp->o.inner.qp->Dispatch->NdkInvalidate(qp->o.inner.qp, ndks_called(&qp->initiator, number, op), m->o.inner.header, flags);
    ndks_posted(&qp->initiator, number, status == NDKS_SUCCESS);
    ndkt_NdkInvalidate_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static NTSTATUS ndks_receive(NDK_QP *stand_in, PVOID context, const NDK_SGE *sgl, ULONG n)
{
    ndks_qp *qp = ndks_qp_of(stand_in);
    uint64_t number = ndks_take(&qp->receive, context, 0, 1);
    ndkt_op op;
    NTSTATUS status;
    if (!number) {
        ndks_lost();
        return NDKS_NO_MEMORY;
    }
    op = ndkt_NdkReceive_call(ndks.ring, qp->o.id, ndks_length(sgl, n));
    status = qp->o.inner.qp->Dispatch->NdkReceive(qp->o.inner.qp, ndks_called(&qp->receive, number, op), sgl, n);
    ndks_posted(&qp->receive, number, status == NDKS_SUCCESS);
    ndkt_NdkReceive_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static VOID ndks_flush(NDK_QP *stand_in)
{
    ndks_qp *qp = ndks_qp_of(stand_in);
    ndkt_op op = ndkt_NdkFlush_call(ndks.ring, qp->o.id);
    qp->o.inner.qp->Dispatch->NdkFlush(qp->o.inner.qp);
    ndkt_NdkFlush_ret(ndks.ring, op, NDKT_NONE);
}

static const NDK_QP_DISPATCH ndks_qp_dispatch = {
    ndks_close_object, ndks_query_extension, ndks_flush, ndks_send, ndks_receive, ndks_bind, ndks_fast_register, ndks_invalidate, ndks_read, ndks_write,
    ndks_send_and_invalidate
};

/* ---- NDK_SRQ ---- */

static VOID ndks_srq_notified(PVOID context, NTSTATUS status)
{
    uint32_t id;
    ndks_srq *srq = (ndks_srq *)(void *)ndks_object_of(ndks_uncarried(context), &id);
    NDK_FN_SRQ_NOTIFICATION_CALLBACK notify = srq ? srq->notify : 0;
    void *consumers = srq ? srq->context : 0;
    ndkt_op op = ndkt_NdkSrqNotificationCallback_enter(ndks.ring, id, (uint32_t)status);
    if (notify) notify(consumers, status);
    ndkt_NdkSrqNotificationCallback_exit(ndks.ring, op);
}

static NTSTATUS ndks_modify_srq(NDK_SRQ *stand_in, ULONG depth, ULONG threshold, NDK_FN_REQUEST_COMPLETION completion, PVOID context)
{
    ndks_srq *srq = (ndks_srq *)(void *)stand_in;
    uint64_t number = ndks_begin_request(completion, context);
    ndkt_op op;
    NTSTATUS status;
    if (!number) return NDKS_NO_MEMORY;
    op = ndkt_NdkModifySrq_call(ndks.ring, srq->o.id, threshold);
    status = srq->o.inner.srq->Dispatch->NdkModifySrq(srq->o.inner.srq, depth, threshold, ndks_requested, ndks_called(&ndks.requests, number, op));
    ndks_end_request(number, status);
    ndkt_NdkModifySrq_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static NTSTATUS ndks_srq_receive(NDK_SRQ *stand_in, PVOID context, const NDK_SGE *sgl, ULONG n)
{
    ndks_srq *srq = (ndks_srq *)(void *)stand_in;
    uint64_t number = ndks_take(&srq->slots, context, 0, 1);
    ndkt_op op;
    NTSTATUS status;
    if (!number) {
        ndks_lost();
        return NDKS_NO_MEMORY;
    }
    op = ndkt_NdkSrqReceive_call(ndks.ring, srq->o.id, ndks_length(sgl, n));
    status = srq->o.inner.srq->Dispatch->NdkSrqReceive(srq->o.inner.srq, ndks_called(&srq->slots, number, op), sgl, n);
    ndks_posted(&srq->slots, number, status == NDKS_SUCCESS);
    ndkt_NdkSrqReceive_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static const NDK_SRQ_DISPATCH ndks_srq_dispatch = {ndks_close_object, ndks_query_extension, ndks_modify_srq, ndks_srq_receive};
#endif
