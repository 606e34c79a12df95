/* pairs.c - creates, moves and destroys queue pairs. */
#include <errno.h>
#include "library.h"
#include "control.h"

/* functions of the extended interface that sender.c wraps. A function that it does not know could post requests that are not recorded */
#define KNOWN_OPS ((uint64_t)(IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM | \
    IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_LOCAL_INV | \
    IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_SEND_WITH_INV | IBV_QP_EX_WITH_TSO | IBV_QP_EX_WITH_ATOMIC_WRITE))

/* what both ways of creating one are asked for */
struct asked { struct ibv_cq *send_cq, *recv_cq; struct ibv_srq *srq; struct ibv_pd *pd; const struct ibv_qp_cap *cap; int type, signals_all, extended; uint64_t ops; };

/* A queue pair that is not recorded leaves completions unexplained: it counts as an event that was dropped. One without queues of its own has none */
static struct qp *qp_begin(struct ibv_context *context, const struct asked *a, ndkt_op *op)
{
    struct context *x = FIND(CONTEXT, context);
    struct cq *s = FIND(CQ, a->send_cq), *r = FIND(CQ, a->recv_cq);
    struct qp *q;
    uint32_t srq = id_of(FIND(SRQ, a->srq)), pd = id_of(FIND(PD, a->pd)), all = a->signals_all ? NDKT_TRUE : NDKT_FALSE;
    if (!x || !mine(x) || (!a->send_cq && !a->recv_cq) || !enter()) return 0;
    if (!s && !a->send_cq) s = r;
    if (!r && !a->recv_cq) r = s;
    if (!mine(s) || !mine(r) || (a->srq && !srq) || a->ops & ~KNOWN_OPS || !(q = object_new(QP))) {
        results_lost();
        leave();
        return 0;
    }
    q->context = x;
    q->send_cq = s;
    q->recv_cq = r;
    q->type = a->type;
    q->signals_all = a->signals_all != 0;
    *op = (a->extended ? ndkt_ibv_create_qp_ex_call : ndkt_ibv_create_qp_call)(RING, q->o.id, s->o.id, r->o.id, (uint64_t)(unsigned)a->type,
        a->cap->max_send_wr, a->cap->max_recv_wr, a->cap->max_inline_data, all, srq, pd);
    return q;
}

static void qp_end(struct qp *q, struct ibv_qp *made, int error, const struct asked *a, ndkt_op op)
{
    const struct ibv_qp_cap *cap = a->cap;
    uint32_t e = made ? 0 : (uint32_t)(error ? error : EIO);
    int kept = 0;
    if (made) {
        kept = queue_open(&q->sends, cap->max_send_wr) && queue_open(&q->receives, cap->max_recv_wr);
        if (kept && a->ops) kept = real()->ibv_qp_to_qp_ex && record_qp_ex(q, real()->ibv_qp_to_qp_ex(made));
        q->real = made;
        if (!kept) results_lost();
    }
    if (kept) {
        object_add(&q->o, made);
        qp_number(q, q->context->real, made->qp_num);
    }
    (a->extended ? ndkt_ibv_create_qp_ex_ret : ndkt_ibv_create_qp_ret)(RING, op, e, made ? cap->max_send_wr : NDKT_NONE, made ? cap->max_recv_wr : NDKT_NONE,
        made ? cap->max_inline_data : NDKT_NONE);
    if (!kept) {
        queue_close(&q->sends);
        queue_close(&q->receives);
        object_free(&q->o);
    }
    leave();
}

EXPORT struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
    struct asked a = {attr->send_cq, attr->recv_cq, attr->srq, pd, &attr->cap, (int)attr->qp_type, attr->sq_sig_all, 0, 0};
    ndkt_op op;
    struct qp *q = qp_begin(pd->context, &a, &op);
    struct ibv_qp *made = real()->ibv_create_qp(pd, attr);
    int error = errno;
    if (q) qp_end(q, made, error, &a, op);
    errno = error;
    return made;
}

struct ibv_qp *record_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
    struct asked a = {attr->send_cq, attr->recv_cq, attr->srq, attr->comp_mask & IBV_QP_INIT_ATTR_PD ? attr->pd : 0, &attr->cap, (int)attr->qp_type,
        attr->sq_sig_all, 1, attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS ? attr->send_ops_flags : 0};
    ndkt_op op;
    struct context *x = FIND(CONTEXT, context);
    struct qp *q = qp_begin(context, &a, &op);
    struct ibv_qp *made = x->more.create_qp_ex(context, attr);
    int error = errno;
    if (q) qp_end(q, made, error, &a, op);
    errno = error;
    return made;
}

/* a shared queue pair of another process: where it takes requests, they are not recorded */
struct ibv_qp *record_open_qp(struct ibv_context *context, struct ibv_qp_open_attr *attr)
{
    struct context *x = FIND(CONTEXT, context);
    if (shared && attr->qp_type != IBV_QPT_XRC_RECV) results_lost();
    return x->more.open_qp(context, attr);
}

/* how long the provider tries to send, from the attributes: an upper bound, as an adapter may take each time to be up to four times as long */
static uint64_t retries(const struct ibv_qp_attr *a)
{
    uint64_t once = a->timeout ? (uint64_t)4096 << (a->timeout & 31) : 0;
    if (!a->timeout || a->rnr_retry == 7) return NDKT_NONE;
    return 4 * once * (1u + (a->retry_cnt & 7u)) + (uint64_t)a->rnr_retry * 655360000u;
}

EXPORT int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
    struct qp *q = FIND(QP, qp);
    const int timing = IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY;
    uint32_t conn = 0;
    ndkt_op op;
    int r;
    if (mine(q) && (mask & timing) == timing) q->retries = retries(attr);
    if (!mine(q) || !(mask & IBV_QP_STATE) || self.inside || !shared) return real()->ibv_modify_qp(qp, attr, mask); /* the format has states only */
    if (attr->qp_state == IBV_QPS_RTR) conn = connection(q, attr, mask);
    enter();
    op = ndkt_ibv_modify_qp_call(RING, q->o.id, (uint32_t)attr->qp_state, conn);
    r = real()->ibv_modify_qp(qp, attr, mask);
    ndkt_ibv_modify_qp_ret(RING, op, code(r));
    if (!r && attr->qp_state == IBV_QPS_RESET) {
        queue_reset(&q->sends);
        queue_reset(&q->receives);
    }
    leave();
    return r;
}

EXPORT int ibv_destroy_qp(struct ibv_qp *qp)
{
    struct qp *q = FIND(QP, qp);
    ndkt_op op = 0;
    int r, recorded;
    if (!q) return real()->ibv_destroy_qp(qp);
    if (mine(q) && !self.inside && shared) {
        read_events(&q->context->o, 0);
        rest(0);
    }
    recorded = mine(q) && enter();
    if (recorded) op = ndkt_ibv_destroy_qp_call(RING, q->o.id);
    object_remove(&q->o);
    qp_unlist(q);
    r = real()->ibv_destroy_qp(qp);
    if (r) {
        object_add(&q->o, qp);
        qp_number(q, q->context->real, q->number);
    }
    if (recorded) ndkt_ibv_destroy_qp_ret(RING, op, code(r));
    if (!r) {
        queue_close(&q->sends);
        queue_close(&q->receives);
        sender_free(q->sender);
        object_free(&q->o);
    }
    if (recorded) leave();
    return r;
}
