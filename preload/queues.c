/* queues.c - creates and destroys completion queues and shared receive queues. */
#include <errno.h>
#include "library.h"
#include "control.h"

struct cq *cq_begin(struct ibv_context *context, uint32_t depth, struct ibv_comp_channel *channel, int extended, ndkt_op *op)
{
    struct context *x = FIND(CONTEXT, context);
    struct object *h = FIND(CHANNEL, channel);
    struct cq *c;
    if (!x || !mine(x) || !enter()) return 0;
    if (!(c = object_new(CQ))) {
        results_lost();
        leave();
        return 0;
    }
    c->context = x;
    c->channel = mine(h) ? h : 0;
    c->mark = NDKT_NONE;
    *op = extended ? ndkt_ibv_create_cq_ex_call(RING, c->o.id, depth, id_of(c->channel), x->o.id)
                   : ndkt_ibv_create_cq_call(RING, c->o.id, depth, id_of(c->channel), x->o.id);
    return c;
}

void cq_end(struct cq *c, struct ibv_cq *made, int error, int extended, ndkt_op op)
{
    uint64_t depth = made ? (uint64_t)made->cqe : NDKT_NONE;
    uint32_t e = made ? 0 : (uint32_t)(error ? error : EIO);
    if (made) {
        c->real = made;
        object_add(&c->o, made);
    }
    if (extended) ndkt_ibv_create_cq_ex_ret(RING, op, e, depth);
    else ndkt_ibv_create_cq_ret(RING, op, e, depth);
    if (!made) object_free(&c->o);
    leave();
}

EXPORT struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel, int vector)
{
    ndkt_op op;
    struct cq *c = cq_begin(context, (uint32_t)cqe, channel, 0, &op);
    struct ibv_cq *made = real()->ibv_create_cq(context, cqe, cq_context, channel, vector);
    int error = errno;
    if (c) cq_end(c, made, error, 0, op);
    errno = error;
    return made;
}

struct ibv_cq_ex *record_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr)
{
    ndkt_op op;
    struct context *x = FIND(CONTEXT, context);
    struct cq *c = cq_begin(context, attr->cqe, attr->channel, 1, &op);
    struct ibv_cq_ex *made = x->more.create_cq_ex(context, attr);
    int error = errno;
    if (c) {
        if (made) record_cq_ex(c, made);
        cq_end(c, made ? ibv_cq_ex_to_cq(made) : 0, error, 1, op);
    }
    errno = error;
    return made;
}

EXPORT int ibv_resize_cq(struct ibv_cq *cq, int cqe)
{
    struct cq *c = FIND(CQ, cq);
    ndkt_op op;
    int r;
    if (!mine(c) || !enter()) return real()->ibv_resize_cq(cq, cqe);
    poll_close(c);
    op = ndkt_ibv_resize_cq_call(RING, c->o.id, (uint32_t)cqe);
    r = real()->ibv_resize_cq(cq, cqe);
    ndkt_ibv_resize_cq_ret(RING, op, code(r), r ? NDKT_NONE : (uint64_t)cq->cqe);
    leave();
    return r;
}

EXPORT int ibv_destroy_cq(struct ibv_cq *cq)
{
    struct cq *c = FIND(CQ, cq);
    ndkt_op op;
    int r;
    if (!c) return real()->ibv_destroy_cq(cq);
    if (!mine(c) || self.inside || !shared) {
        object_remove(&c->o);
        if ((r = real()->ibv_destroy_cq(cq)) != 0) object_add(&c->o, cq);
        else object_free(&c->o);
        return r;
    }
    read_events(&c->context->o, 0);
    rest(0);
    poll_left(&c->o, 0);
    enter();
    poll_close(c);
    op = ndkt_ibv_destroy_cq_call(RING, c->o.id);
    object_remove(&c->o);                  /* first, as its address may be another's as soon as it is gone */
    r = real()->ibv_destroy_cq(cq);
    if (r) object_add(&c->o, cq);
    ndkt_ibv_destroy_cq_ret(RING, op, code(r));
    if (!r) object_free(&c->o);
    leave();
    return r;
}

static struct srq *srq_begin(struct ibv_context *context, struct ibv_pd *pd, int extended, ndkt_op *op)
{
    struct context *x = FIND(CONTEXT, context);
    struct srq *s;
    uint32_t p = id_of(FIND(PD, pd));
    if (!x || !mine(x) || !enter()) return 0;
    if (!(s = object_new(SRQ))) {
        results_lost();
        leave();
        return 0;
    }
    s->context = x;
    *op = extended ? ndkt_ibv_create_srq_ex_call(RING, s->o.id, p) : ndkt_ibv_create_srq_call(RING, s->o.id, p);
    return s;
}

static void srq_end(struct srq *s, struct ibv_srq *made, uint32_t depth, int error, int extended, ndkt_op op)
{
    uint32_t e = made ? 0 : (uint32_t)(error ? error : EIO);
    if (made && queue_open(&s->receives, depth)) object_add(&s->o, made);
    else if (made) results_lost();
    if (extended) ndkt_ibv_create_srq_ex_ret(RING, op, e);
    else ndkt_ibv_create_srq_ret(RING, op, e);
    if (!s->receives.run) object_free(&s->o);
    leave();
}

EXPORT struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
    ndkt_op op;
    struct srq *s = srq_begin(pd->context, pd, 0, &op);
    struct ibv_srq *made = real()->ibv_create_srq(pd, attr);
    int error = errno;
    if (s) srq_end(s, made, attr->attr.max_wr, error, 0, op);
    errno = error;
    return made;
}

struct ibv_srq *record_create_srq_ex(struct ibv_context *context, struct ibv_srq_init_attr_ex *attr)
{
    ndkt_op op;
    struct context *x = FIND(CONTEXT, context);
    struct srq *s = srq_begin(context, attr->comp_mask & IBV_SRQ_INIT_ATTR_PD ? attr->pd : 0, 1, &op);
    struct ibv_srq *made = x->more.create_srq_ex(context, attr);
    int error = errno;
    if (s) srq_end(s, made, attr->attr.max_wr, error, 1, op);
    errno = error;
    return made;
}

/* what tag matching is asked for is not recorded, and completes */
int record_post_srq_ops(struct ibv_srq *srq, struct ibv_ops_wr *wr, struct ibv_ops_wr **bad)
{
    struct context *x = FIND(CONTEXT, srq->context);
    if (shared && mine(x)) results_lost();
    return x->more.post_srq_ops(srq, wr, bad);
}

EXPORT int ibv_destroy_srq(struct ibv_srq *srq)
{
    struct srq *s = FIND(SRQ, srq);
    ndkt_op op = 0;
    int r, recorded;
    if (!s) return real()->ibv_destroy_srq(srq);
    if (mine(s) && !self.inside && shared) {
        read_events(&s->context->o, 0);
        rest(0);
    }
    recorded = mine(s) && enter();
    if (recorded) op = ndkt_ibv_destroy_srq_call(RING, s->o.id);
    object_remove(&s->o);
    r = real()->ibv_destroy_srq(srq);
    if (r) object_add(&s->o, srq);
    if (recorded) ndkt_ibv_destroy_srq_ret(RING, op, code(r));
    if (!r) {
        queue_close(&s->receives);
        object_free(&s->o);
    }
    if (recorded) leave();
    return r;
}
