/* ndkshim_close.h - what differs between the objects when they are made, closed and freed. Included by ndkshim.h. */
#ifndef NDKSHIM_CLOSE_H
#define NDKSHIM_CLOSE_H

static void ndks_set_dispatch(ndks_object *o)
{
    switch (o->type) {
    case NdkObjectTypeAdapter: o->ndk.adapter.Dispatch = &ndks_adapter_dispatch; break;
    case NdkObjectTypeCq: o->ndk.cq.Dispatch = &ndks_cq_dispatch; break;
    case NdkObjectTypePd: o->ndk.pd.Dispatch = &ndks_pd_dispatch; break;
    case NdkObjectTypeQp: o->ndk.qp.Dispatch = &ndks_qp_dispatch; break;
    case NdkObjectTypeSrq: o->ndk.srq.Dispatch = &ndks_srq_dispatch; break;
    case NdkObjectTypeMr: o->ndk.mr.Dispatch = &ndks_mr_dispatch; break;
    case NdkObjectTypeMw: o->ndk.mw.Dispatch = &ndks_mw_dispatch; break;
    case NdkObjectTypeConnector: o->ndk.connector.Dispatch = &ndks_connector_dispatch; break;
    case NdkObjectTypeListener: o->ndk.listener.Dispatch = &ndks_listener_dispatch; break;
    case NdkObjectTypeSharedEndpoint: o->ndk.endpoint.Dispatch = &ndks_endpoint_dispatch; break;
    default: break;
    }
}

/* frees what a stand-in has beside itself */
static void ndks_free_parts(ndks_object *o)
{
    if (o->type == NdkObjectTypeCq) {
        uint64_t seen = NDKS_SWAP(&((ndks_cq *)(void *)o)->seen, 0);
        if (seen) NDKS_FREE((void *)(uintptr_t)seen);
    } else if (o->type == NdkObjectTypeSrq) {
        ndks_free_slots(&((ndks_srq *)(void *)o)->slots);
    } else if (o->type == NdkObjectTypeQp) {
        ndks_qp *qp = (ndks_qp *)(void *)o;
        ndks_free_slots(&qp->initiator);
        ndks_free_slots(&qp->receive);
    }
}

/* lets go of the stand-ins that a stand-in keeps */
static void ndks_release_kept(ndks_object *o)
{
    ndks_qp *qp = (ndks_qp *)(void *)o;
    if (o->type != NdkObjectTypeQp) return;
    if (qp->cq[0]) ndks_release(&qp->cq[0]->o);
    if (qp->cq[1]) ndks_release(&qp->cq[1]->o);
    if (qp->srq) ndks_release(&qp->srq->o);
}

/* the object is closed */
static void ndks_after_close(ndks_object *o)
{
    if (o->type == NdkObjectTypeQp) ndks_bury((ndks_qp *)(void *)o);
    if (o->type == NdkObjectTypeCq) ndks_cq_closed((ndks_cq *)(void *)o);
    ndks_release(o);
}

static NTSTATUS ndks_close_inner(ndks_object *o, void *context)
{
    NDK_OBJECT_HEADER *h = o->inner.header;
    switch (o->type) {
    case NdkObjectTypeCq: return o->inner.cq->Dispatch->NdkCloseCq(h, ndks_close_completed, context);
    case NdkObjectTypePd: return o->inner.pd->Dispatch->NdkClosePd(h, ndks_close_completed, context);
    case NdkObjectTypeQp: return o->inner.qp->Dispatch->NdkCloseQp(h, ndks_close_completed, context);
    case NdkObjectTypeSrq: return o->inner.srq->Dispatch->NdkCloseSrq(h, ndks_close_completed, context);
    case NdkObjectTypeMr: return o->inner.mr->Dispatch->NdkCloseMr(h, ndks_close_completed, context);
    case NdkObjectTypeMw: return o->inner.mw->Dispatch->NdkCloseMw(h, ndks_close_completed, context);
    case NdkObjectTypeConnector: return o->inner.connector->Dispatch->NdkCloseConnector(h, ndks_close_completed, context);
    case NdkObjectTypeListener: return o->inner.listener->Dispatch->NdkCloseListener(h, ndks_close_completed, context);
    case NdkObjectTypeSharedEndpoint: return o->inner.endpoint->Dispatch->NdkCloseSharedEndpoint(h, ndks_close_completed, context);
    default: return NDKS_UNSUPPORTED;
    }
}

static ndkt_op ndks_close_call(ndks_object *o)
{
    const ndks_connector *c = (const ndks_connector *)(void *)o;
    switch (o->type) {
    case NdkObjectTypeCq: return ndkt_NdkCloseCq_call(ndks.ring, o->id);
    case NdkObjectTypePd: return ndkt_NdkClosePd_call(ndks.ring, o->id);
    case NdkObjectTypeQp: return ndkt_NdkCloseQp_call(ndks.ring, o->id);
    case NdkObjectTypeSrq: return ndkt_NdkCloseSrq_call(ndks.ring, o->id);
    case NdkObjectTypeMr: return ndkt_NdkCloseMr_call(ndks.ring, o->id);
    case NdkObjectTypeMw: return ndkt_NdkCloseMw_call(ndks.ring, o->id);
    case NdkObjectTypeConnector: return ndkt_NdkCloseConnector_call(ndks.ring, o->id, c->qp, c->conn);
    case NdkObjectTypeListener: return ndkt_NdkCloseListener_call(ndks.ring, o->id);
    case NdkObjectTypeSharedEndpoint: return ndkt_NdkCloseSharedEndpoint_call(ndks.ring, o->id);
    default: return 0;
    }
}

static void ndks_close_ret(NDK_OBJECT_TYPE type, ndkt_op op, NTSTATUS status)
{
    uint32_t s = (uint32_t)status;
    switch (type) {
    case NdkObjectTypeCq: ndkt_NdkCloseCq_ret(ndks.ring, op, s); break;
    case NdkObjectTypePd: ndkt_NdkClosePd_ret(ndks.ring, op, s); break;
    case NdkObjectTypeQp: ndkt_NdkCloseQp_ret(ndks.ring, op, s); break;
    case NdkObjectTypeSrq: ndkt_NdkCloseSrq_ret(ndks.ring, op, s); break;
    case NdkObjectTypeMr: ndkt_NdkCloseMr_ret(ndks.ring, op, s); break;
    case NdkObjectTypeMw: ndkt_NdkCloseMw_ret(ndks.ring, op, s); break;
    case NdkObjectTypeConnector: ndkt_NdkCloseConnector_ret(ndks.ring, op, s); break;
    case NdkObjectTypeListener: ndkt_NdkCloseListener_ret(ndks.ring, op, s); break;
    case NdkObjectTypeSharedEndpoint: ndkt_NdkCloseSharedEndpoint_ret(ndks.ring, op, s); break;
    default: break;
    }
}
#endif
