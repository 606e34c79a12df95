/* memory.h - stand-ins for IND2MemoryRegion and IND2MemoryWindow. Included by recorder.c. */
#ifndef NDSPI_MEMORY_H
#define NDSPI_MEMORY_H

static IND2MemoryRegion *mr_inner(region *m) { return (IND2MemoryRegion *)m->o.inner; }

/* the flags of a registration, by NDK's numbers */
static uint32_t access_of(ULONG flags)
{
    uint32_t of = 0;
    if (flags & ND_MR_FLAG_ALLOW_LOCAL_WRITE) of |= 0x10u;
    if (flags & ND_MR_FLAG_ALLOW_REMOTE_READ) of |= 0x08u;
    if ((flags & ND_MR_FLAG_ALLOW_REMOTE_WRITE) == ND_MR_FLAG_ALLOW_REMOTE_WRITE) of |= 0x30u;
    if (flags & ND_MR_FLAG_RDMA_READ_SINK) of |= 0x80u;
    return of;
}

static HRESULT STDMETHODCALLTYPE mr_register(region *m, const VOID *buffer, SIZE_T length, ULONG flags, OVERLAPPED *of)
{
    overlapped *r;
    HRESULT status;
    ndkt_op op;
    session_begin();
    overlapped_catch_up(&m->o, 0);
    r = overlapped_begin(&m->o, REQUEST_CALL, of);
    op = ndkt_NdkRegisterMr_call(&session.ring, m->o.id, length, access_of(flags));
    if (r) r->op = op;
    status = mr_inner(m)->v->Register(mr_inner(m), buffer, length, flags, of);
    overlapped_called(&m->o, r, of, status);
    ndkt_NdkRegisterMr_ret(&session.ring, op, (uint32_t)status);
    session_end();
    return status;
}

static HRESULT STDMETHODCALLTYPE mr_deregister(region *m, OVERLAPPED *of)
{
    overlapped *r;
    HRESULT status;
    ndkt_op op;
    session_begin();
    overlapped_catch_up(&m->o, 0);
    r = overlapped_begin(&m->o, REQUEST_CALL, of);
    op = ndkt_NdkDeregisterMr_call(&session.ring, m->o.id);
    if (r) r->op = op;
    status = mr_inner(m)->v->Deregister(mr_inner(m), of);
    overlapped_called(&m->o, r, of, status);
    ndkt_NdkDeregisterMr_ret(&session.ring, op, (uint32_t)status);
    session_end();
    return status;
}

static UINT32 STDMETHODCALLTYPE mr_local_token(region *m)
{
    UINT32 token;
    ndkt_op op;
    session_begin();
    overlapped_catch_up(&m->o, 0);
    op = ndkt_NdkGetLocalTokenFromMr_call(&session.ring, m->o.id);
    token = mr_inner(m)->v->GetLocalToken(mr_inner(m));
    ndkt_NdkGetLocalTokenFromMr_ret(&session.ring, op, token);
    session_end();
    return token;
}

static UINT32 STDMETHODCALLTYPE mr_remote_token(region *m)
{
    UINT32 token;
    ndkt_op op;
    session_begin();
    overlapped_catch_up(&m->o, 0);
    op = ndkt_NdkGetRemoteTokenFromMr_call(&session.ring, m->o.id);
    token = mr_inner(m)->v->GetRemoteToken(mr_inner(m));
    ndkt_NdkGetRemoteTokenFromMr_ret(&session.ring, op, token);
    session_end();
    return token;
}

static const IND2MemoryRegionVtbl mr_table = {
    (void *)object_query, (void *)object_add_ref, (void *)object_release, (void *)overlapped_cancel, (void *)overlapped_result, (void *)mr_register,
    (void *)mr_deregister, (void *)mr_local_token, (void *)mr_remote_token
};

static UINT32 STDMETHODCALLTYPE mw_remote_token(region *w)
{
    IND2MemoryWindow *inner = (IND2MemoryWindow *)w->o.inner;
    UINT32 token;
    ndkt_op op;
    session_begin();
    op = ndkt_NdkGetRemoteTokenFromMw_call(&session.ring, w->o.id);
    token = inner->v->GetRemoteToken(inner);
    ndkt_NdkGetRemoteTokenFromMw_ret(&session.ring, op, token);
    session_end();
    return token;
}

static const IND2MemoryWindowVtbl mw_table = {(void *)object_query, (void *)object_add_ref, (void *)object_release, (void *)mw_remote_token};
#endif
