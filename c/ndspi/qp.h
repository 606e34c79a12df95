/* qp.h - stand-ins for IND2QueuePair and IND2SharedReceiveQueue. Included by recorder.c.
 *
 * A provider gets a number in place of each RequestContext, see ndkshim_slots.h: its lowest bit is 1 where it is of a receive.
 */
#ifndef NDSPI_QP_H
#define NDSPI_QP_H

static IND2QueuePair *qp_inner(qp *p) { return (IND2QueuePair *)p->o.inner; }

static uint64_t length_of(const ND2_SGE *sges, ULONG n)
{
    uint64_t sum = 0;
    ULONG i;
    for (i = 0; i < n; i++) sum += sges[i].BufferLength;
    return sum;
}

/* the flags of a request, by NDK's numbers. What Network Direct does not have stays where no flag of NDK is */
static uint32_t flags_of(ULONG flags)
{
    uint32_t of = flags & 15u;
    if (flags & ND_OP_FLAG_ALLOW_WRITE) of |= 0x30u;
    if (flags & ND_OP_FLAG_INLINE) of |= 0x40u;
    return of | (flags & ~0x3fu) << 10;
}

/* The number of a request, and what the call begins with. Where there is no memory the request is refused, and the provider does not hear of it. */
static uint64_t post_begin(ndks_slots *q, void *context, int silent, unsigned is_receive)
{
    uint64_t number = ndks_take(q, context, silent, is_receive);
    if (number) session_begin();
    else session_lost();
    return number;
}

/* the op of a call comes after its number was taken, and before the provider can know of it */
static void *post_called(ndks_slots *q, uint64_t number, ndkt_op op)
{
    ndks_find(q, number)->wr = op;
    return (void *)(uintptr_t)number;
}

static void post_end(ndks_slots *q, uint64_t number, HRESULT status) { ndks_posted(q, number, status == ND_SUCCESS); }

static HRESULT STDMETHODCALLTYPE qp_flush(qp *p)
{
    HRESULT status;
    ndkt_op op;
    session_begin();
    op = ndkt_NdkFlush_call(&session.ring, p->o.id);
    status = qp_inner(p)->v->Flush(qp_inner(p));
    ndkt_NdkFlush_ret(&session.ring, op, (uint32_t)status);
    session_end();
    return status;
}

static HRESULT STDMETHODCALLTYPE qp_send(qp *p, VOID *context, const ND2_SGE sges[], ULONG n, ULONG flags)
{
    uint64_t number = post_begin(&p->initiator, context, (flags & ND_OP_FLAG_SILENT_SUCCESS) != 0, 0);
    HRESULT status;
    ndkt_op op;
    if (!number) return ND_INSUFFICIENT_RESOURCES;
    op = ndkt_NdkSend_call(&session.ring, p->o.id, flags_of(flags), length_of(sges, n));
    status = qp_inner(p)->v->Send(qp_inner(p), post_called(&p->initiator, number, op), sges, n, flags);
    post_end(&p->initiator, number, status);
    ndkt_NdkSend_ret(&session.ring, op, (uint32_t)status);
    session_end();
    return status;
}

static HRESULT STDMETHODCALLTYPE qp_receive(qp *p, VOID *context, const ND2_SGE sges[], ULONG n)
{
    uint64_t number = post_begin(&p->receive, context, 0, 1);
    HRESULT status;
    ndkt_op op;
    if (!number) return ND_INSUFFICIENT_RESOURCES;
    op = ndkt_NdkReceive_call(&session.ring, p->o.id, length_of(sges, n));
    status = qp_inner(p)->v->Receive(qp_inner(p), post_called(&p->receive, number, op), sges, n);
    post_end(&p->receive, number, status);
    ndkt_NdkReceive_ret(&session.ring, op, (uint32_t)status);
    session_end();
    return status;
}

/* The token of an accepted binding is read where the call returns, as a consumer may (MEM-17). */
static HRESULT STDMETHODCALLTYPE qp_bind(qp *p, VOID *context, IUnknown *mr, IUnknown *mw, const VOID *buffer, SIZE_T length, ULONG flags)
{
    object *m = object_given(mr, KIND_MR);
    region *w = (region *)(void *)object_given(mw, KIND_MW);
    uint64_t number = post_begin(&p->initiator, context, (flags & ND_OP_FLAG_SILENT_SUCCESS) != 0, 0), token = NDKT_NONE;
    HRESULT status;
    ndkt_op op;
    if (!number) return ND_INSUFFICIENT_RESOURCES;
    op = ndkt_NdkBind_call(&session.ring, p->o.id, w ? w->o.id : 0, m ? m->id : 0, flags_of(flags), length, NDKT_NONE);
    status = qp_inner(p)->v->Bind(qp_inner(p), post_called(&p->initiator, number, op), inner_of(m, mr), inner_of(w ? &w->o : 0, mw), buffer, length, flags);
    if (status == ND_SUCCESS && w) {
        IND2MemoryWindow *window = (IND2MemoryWindow *)w->o.inner;
        w->token = token = window->v->GetRemoteToken(window);
        object_keep(&w->o, 1, m);
    }
    post_end(&p->initiator, number, status);
    ndkt_NdkBind_ret(&session.ring, op, (uint32_t)status, token);
    session_end();
    return status;
}

static HRESULT STDMETHODCALLTYPE qp_invalidate(qp *p, VOID *context, IUnknown *mw, ULONG flags)
{
    region *w = (region *)(void *)object_given(mw, KIND_MW);
    uint64_t number = post_begin(&p->initiator, context, (flags & ND_OP_FLAG_SILENT_SUCCESS) != 0, 0);
    HRESULT status;
    ndkt_op op;
    if (!number) return ND_INSUFFICIENT_RESOURCES;
    op = ndkt_NdkInvalidate_call(&session.ring, p->o.id, 0, w ? w->o.id : 0, flags_of(flags), w ? w->token : NDKT_NONE);
    status = qp_inner(p)->v->Invalidate(qp_inner(p), post_called(&p->initiator, number, op), inner_of(w ? &w->o : 0, mw), flags);
    post_end(&p->initiator, number, status);
    ndkt_NdkInvalidate_ret(&session.ring, op, (uint32_t)status);
    session_end();
    return status;
}

static HRESULT STDMETHODCALLTYPE qp_read(qp *p, VOID *context, const ND2_SGE sges[], ULONG n, UINT64 address, UINT32 token, ULONG flags)
{
    uint64_t number = post_begin(&p->initiator, context, (flags & ND_OP_FLAG_SILENT_SUCCESS) != 0, 0);
    HRESULT status;
    ndkt_op op;
    if (!number) return ND_INSUFFICIENT_RESOURCES;
    op = ndkt_NdkRead_call(&session.ring, p->o.id, flags_of(flags), length_of(sges, n), NDKT_NONE);
    status = qp_inner(p)->v->Read(qp_inner(p), post_called(&p->initiator, number, op), sges, n, address, token, flags);
    post_end(&p->initiator, number, status);
    ndkt_NdkRead_ret(&session.ring, op, (uint32_t)status);
    session_end();
    return status;
}

static HRESULT STDMETHODCALLTYPE qp_write(qp *p, VOID *context, const ND2_SGE sges[], ULONG n, UINT64 address, UINT32 token, ULONG flags)
{
    uint64_t number = post_begin(&p->initiator, context, (flags & ND_OP_FLAG_SILENT_SUCCESS) != 0, 0);
    HRESULT status;
    ndkt_op op;
    if (!number) return ND_INSUFFICIENT_RESOURCES;
    op = ndkt_NdkWrite_call(&session.ring, p->o.id, flags_of(flags), length_of(sges, n));
    status = qp_inner(p)->v->Write(qp_inner(p), post_called(&p->initiator, number, op), sges, n, address, token, flags);
    post_end(&p->initiator, number, status);
    ndkt_NdkWrite_ret(&session.ring, op, (uint32_t)status);
    session_end();
    return status;
}

static const IND2QueuePairVtbl qp_table = {
    (void *)object_query, (void *)object_add_ref, (void *)object_release, (void *)qp_flush, (void *)qp_send, (void *)qp_receive, (void *)qp_bind,
    (void *)qp_invalidate, (void *)qp_read, (void *)qp_write
};

/* ---- IND2SharedReceiveQueue ---- */

static IND2SharedReceiveQueue *srq_inner(srq *q) { return (IND2SharedReceiveQueue *)q->o.inner; }

static HRESULT STDMETHODCALLTYPE srq_affinity(srq *q, USHORT *group, KAFFINITY *affinity)
{
    return srq_inner(q)->v->GetNotifyAffinity(srq_inner(q), group, affinity);
}

static HRESULT STDMETHODCALLTYPE srq_modify(srq *q, ULONG depth, ULONG threshold)
{
    HRESULT status;
    ndkt_op op;
    session_begin();
    overlapped_catch_up(&q->o, 0);
    op = ndkt_NdkModifySrq_call(&session.ring, q->o.id, threshold);
    status = srq_inner(q)->v->Modify(srq_inner(q), depth, threshold);
    if (status == ND_SUCCESS && threshold) InterlockedExchange(&q->threshold, (LONG)threshold);
    ndkt_NdkModifySrq_ret(&session.ring, op, (uint32_t)status);
    session_end();
    return status;
}

/* In NDKPI a queue is armed by its threshold: a request for a notification is recorded as an NdkModifySrq that sets the one it has. */
static HRESULT STDMETHODCALLTYPE srq_notify(srq *q, OVERLAPPED *of)
{
    overlapped *r;
    HRESULT status;
    ndkt_op op;
    session_begin();
    overlapped_catch_up(&q->o, 0);
    r = overlapped_begin(&q->o, REQUEST_SRQ, of);
    op = ndkt_NdkModifySrq_call(&session.ring, q->o.id, (uint64_t)q->threshold);
    status = srq_inner(q)->v->Notify(srq_inner(q), of);
    if (overlapped_called(&q->o, r, of, status) && status == ND_SUCCESS) {
        ndkt_op callback = ndkt_NdkSrqNotificationCallback_enter(&session.ring, q->o.id, 0);
        ndkt_NdkSrqNotificationCallback_exit(&session.ring, callback);
    }
    ndkt_NdkModifySrq_ret(&session.ring, op, status == ND_PENDING ? 0 : (uint32_t)status);
    session_end();
    return status;
}

static HRESULT STDMETHODCALLTYPE srq_receive(srq *q, VOID *context, const ND2_SGE sges[], ULONG n)
{
    uint64_t number = post_begin(&q->slots, context, 0, 1);
    HRESULT status;
    ndkt_op op;
    if (!number) return ND_INSUFFICIENT_RESOURCES;
    op = ndkt_NdkSrqReceive_call(&session.ring, q->o.id, length_of(sges, n));
    status = srq_inner(q)->v->Receive(srq_inner(q), post_called(&q->slots, number, op), sges, n);
    post_end(&q->slots, number, status);
    ndkt_NdkSrqReceive_ret(&session.ring, op, (uint32_t)status);
    session_end();
    return status;
}

static const IND2SharedReceiveQueueVtbl srq_table = {
    (void *)object_query, (void *)object_add_ref, (void *)object_release, (void *)overlapped_cancel, (void *)overlapped_result, (void *)srq_affinity,
    (void *)srq_modify, (void *)srq_notify, (void *)srq_receive
};
#endif
