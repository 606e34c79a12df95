/* ndkshim_cq.h - stand-ins for NDK_CQ, and what results come to. Included by ndkshim.h. */
#ifndef NDKSHIM_CQ_H
#define NDKSHIM_CQ_H

static ndks_cq *ndks_cq_of(NDK_CQ *cq) { return (ndks_cq *)(void *)cq; }
static NDK_CQ *ndks_cq_inner(NDK_CQ *cq) { return cq ? ndks_cq_of(cq)->o.inner.cq : 0; }

/* ---- QPs that are closed. Their completions may still be in their CQs, so each is kept until a poll of each CQ has found nothing, or it is closed ---- */

static void ndks_push_grave(ndks_cq *cq, ndks_qp *qp)
{
    unsigned i = qp->cq[0] == cq ? 0 : 1;
    uint64_t head;
    do {
        head = NDKT_LOAD(&cq->graves);
        qp->behind[i] = (ndks_qp *)(uintptr_t)head;
    } while (!NDKS_CAS(&cq->graves, head, (uintptr_t)qp));
}

static uint64_t ndks_take_graves(ndks_cq *cq) { return NDKT_LOAD(&cq->graves) ? NDKS_SWAP(&cq->graves, 0) : 0; }

/* frees the QPs whose completions are all polled, or has them wait again */
static void ndks_empty_graves(ndks_cq *cq, uint64_t graves, int drained)
{
    ndks_qp *qp = (ndks_qp *)(uintptr_t)graves, *behind;
    for (; qp; qp = behind) {
        behind = qp->behind[qp->cq[0] == cq ? 0 : 1];
        if (drained) ndks_release(&qp->o);
        else ndks_push_grave(cq, qp);
    }
}

static void ndks_bury(ndks_qp *qp)
{
    unsigned i;
    for (i = 0; i < 2; i++) {
        ndks_cq *cq = qp->cq[i];
        if (!cq || (i == 1 && cq == qp->cq[0])) continue;
        NDKT_ADD(&qp->o.refs, 1);
        ndks_push_grave(cq, qp);
        if (NDKT_LOAD(&cq->closed)) ndks_empty_graves(cq, ndks_take_graves(cq), 1);
    }
}

static void ndks_cq_closed(ndks_cq *cq)
{
    NDKS_SWAP(&cq->closed, 1);
    ndks_empty_graves(cq, ndks_take_graves(cq), 1);
}

/* ---- notifications ---- */

static VOID ndks_cq_notified(PVOID context, NTSTATUS status)
{
    uint32_t id;
    ndks_cq *cq = (ndks_cq *)(void *)ndks_object_of(ndks_uncarried(context), &id);
    NDK_FN_CQ_NOTIFICATION_CALLBACK notify = cq ? cq->notify : 0; /* the callback may close the CQ */
    void *consumers = cq ? cq->context : 0;
    ndkt_op op = ndkt_NdkCqNotificationCallback_enter(ndks.ring, id, (uint32_t)status);
    if (notify) notify(consumers, status);
    ndkt_NdkCqNotificationCallback_exit(ndks.ring, op);
}

/* ---- polls ---- */

/* memory for the results of a poll of n; 0 where there is none. Two polls of one CQ at once, which a consumer must not make, have each their own */
static ndks_seen *ndks_take_seen(ndks_cq *cq, ULONG n)
{
    ndks_seen *seen = (ndks_seen *)(uintptr_t)NDKS_SWAP(&cq->seen, 0);
    uint64_t room = n < NDKT_MOST ? n : NDKT_MOST;
    if (seen && seen->room >= room) return seen;
    if (seen) NDKS_FREE(seen);
    seen = (ndks_seen *)NDKS_ALLOC(sizeof(ndks_seen) + (size_t)room * sizeof(ndkt_result));
    if (seen) seen->room = room;
    return seen;
}

static void ndks_give_seen(ndks_cq *cq, ndks_seen *seen)
{
    if (seen && !NDKS_CAS(&cq->seen, 0, (uintptr_t)seen)) NDKS_FREE(seen);
}

/* Gives a completion the consumer's contexts, and writes down what it is, where r is not 0. A context that the shim never gave out stays as it is. */
static void ndks_complete_request(NTSTATUS status, ULONG bytes, PVOID *qp_context, PVOID *request_context, ndkt_result *r)
{
    uint32_t id;
    uint64_t number = ndks_uncarried(*request_context);
    ndks_qp *qp = (ndks_qp *)(void *)ndks_object_of(ndks_uncarried(*qp_context), &id);
    ndks_slots *q = !qp ? 0 : !(number & 1) ? &qp->initiator : qp->srq ? &qp->srq->slots : &qp->receive;
    ndks_slot *s = q ? ndks_find(q, number) : 0;
    if (r) {
        ndks_zero(r, sizeof *r);
        r->qp = id;
        r->status = (uint32_t)status;
        r->has = NDKT_HAS_STATUS;
        r->wr = s ? s->wr : 0;
        if (s && (number & 1)) {
            r->bytes = bytes;
            r->has |= NDKT_HAS_BYTES;
        }
    }
    if (qp) *qp_context = qp->context;
    if (s) {
        *request_context = s->context;
        ndks_complete(q, number);
    }
}

static ULONG ndks_get_cq_results(NDK_CQ *stand_in, NDK_RESULT results[], ULONG n)
{
    ndks_cq *cq = ndks_cq_of(stand_in);
    uint64_t graves = ndks_take_graves(cq);
    ndks_seen *seen = ndks_take_seen(cq, n);
    ndkt_op op = ndkt_NdkGetCqResults_call(ndks.ring, cq->o.id, n);
    ULONG got = cq->o.inner.cq->Dispatch->NdkGetCqResults(cq->o.inner.cq, results, n), there = got < n ? got : n, i;
    for (i = 0; i < there; i++) {
        NDK_RESULT *r = &results[i];
        ndks_complete_request(r->Status, r->BytesTransferred, &r->QPContext, &r->RequestContext, seen && i < seen->room ? &seen->results[i] : 0);
    }
    if (seen) ndkt_NdkGetCqResults_ret(ndks.ring, op, seen->results, there);
    else ndks_lost();
    ndks_give_seen(cq, seen);
    ndks_empty_graves(cq, graves, got == 0 && n > 0);
    return got;
}

static ULONG ndks_get_cq_results_ex(NDK_CQ *stand_in, NDK_RESULT_EX results[], ULONG n)
{
    ndks_cq *cq = ndks_cq_of(stand_in);
    const NDK_VERSION *v = &cq->o.inner.header->Version;
    int has_error = v->Major > 2 || (v->Major == 2 && v->Minor >= 1); /* before NDK 2.1 there is padding in the place of ProviderErrorCode */
    uint64_t graves = ndks_take_graves(cq);
    ndks_seen *seen = ndks_take_seen(cq, n);
    ndkt_op op = ndkt_NdkGetCqResultsEx_call(ndks.ring, cq->o.id, n);
    ULONG got = cq->o.inner.cq->Dispatch->NdkGetCqResultsEx(cq->o.inner.cq, results, n), there = got < n ? got : n, i;
    for (i = 0; i < there; i++) {
        NDK_RESULT_EX *x = &results[i];
        ndkt_result *r = seen && i < seen->room ? &seen->results[i] : 0;
        ndks_complete_request(x->Status, x->BytesTransferred, &x->QPContext, &x->RequestContext, r);
        if (!r) continue;
        r->type = (uint32_t)x->Type;
        r->has |= NDKT_HAS_TYPE;
        if (x->Type == NdkOperationTypeReceiveAndInvalidate) {
            r->token = (uint32_t)x->TypeSpecificCompletionOutput;
            r->has |= NDKT_HAS_TOKEN;
        }
        if (has_error && x->ProviderErrorCode) {
            r->provider_error = x->ProviderErrorCode;
            r->has |= NDKT_HAS_PROVIDER_ERROR;
        }
    }
    if (seen) ndkt_NdkGetCqResultsEx_ret(ndks.ring, op, seen->results, there);
    else ndks_lost();
    ndks_give_seen(cq, seen);
    ndks_empty_graves(cq, graves, got == 0 && n > 0);
    return got;
}

/* ---- the other functions ---- */

static VOID ndks_arm_cq(NDK_CQ *stand_in, ULONG type)
{
    ndks_cq *cq = ndks_cq_of(stand_in);
    ndkt_op op = ndkt_NdkArmCq_call(ndks.ring, cq->o.id, type);
    cq->o.inner.cq->Dispatch->NdkArmCq(cq->o.inner.cq, type);
    ndkt_NdkArmCq_ret(ndks.ring, op);
}

static NTSTATUS ndks_resize_cq(NDK_CQ *stand_in, ULONG depth, NDK_FN_REQUEST_COMPLETION completion, PVOID context)
{
    ndks_cq *cq = ndks_cq_of(stand_in);
    uint64_t number = ndks_begin_request(completion, context);
    ndkt_op op;
    NTSTATUS status;
    if (!number) return NDKS_NO_MEMORY;
    op = ndkt_NdkResizeCq_call(ndks.ring, cq->o.id, depth);
    status = cq->o.inner.cq->Dispatch->NdkResizeCq(cq->o.inner.cq, depth, ndks_requested, ndks_called(&ndks.requests, number, op));
    ndks_end_request(number, status);
    ndkt_NdkResizeCq_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static NTSTATUS ndks_control_cq_interrupt_moderation(NDK_CQ *stand_in, ULONG interval, ULONG count)
{
    ndks_cq *cq = ndks_cq_of(stand_in);
    ndkt_op op = ndkt_NdkControlCqInterruptModeration_call(ndks.ring, cq->o.id);
    NTSTATUS status = cq->o.inner.cq->Dispatch->NdkControlCqInterruptModeration(cq->o.inner.cq, interval, count);
    ndkt_NdkControlCqInterruptModeration_ret(ndks.ring, op, (uint32_t)status);
    return status;
}

static const NDK_CQ_DISPATCH ndks_cq_dispatch = {
    ndks_close_object, ndks_query_extension, ndks_resize_cq, ndks_arm_cq, ndks_get_cq_results, ndks_control_cq_interrupt_moderation,
    ndks_get_cq_results_ex
};
#endif
