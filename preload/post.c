/* post.c - requests that are posted: each is given a number of its own, and a wr_id that stands for it. */
#include <errno.h>
#include "library.h"
#include "data.h"

enum { TOO_MANY = NDKT_MOST + 1 };

uint64_t posts;

void results_lost(void) { ndkt_drop(RING, session_writer()); }

static uint64_t length(const struct ibv_sge *s, int n)
{
    uint64_t bytes = 0;
    int i;
    for (i = 0; i < n; i++) bytes += s[i].length;
    return bytes;
}

static struct context *context_of(const struct ibv_context *c) { return FIND(CONTEXT, c); }

/* memory for copies of n requests, what the trace says of them, and their slots */
struct posting { void *copies; ndkt_request *said; struct slot **slots; };
static int posting(struct posting *p, size_t n, size_t size)
{
    char *m = scratch(n * (size + sizeof(ndkt_request) + sizeof(struct slot *)));
    if (!m) return 0;
    p->copies = m;
    p->said = (ndkt_request *)(m + n * size);
    p->slots = (struct slot **)(p->said + n);
    return 1;
}

static void say(ndkt_request *to, uint64_t wr, const struct ibv_send_wr *w)
{
    *to = (ndkt_request){.wr = wr, .bytes = length(w->sg_list, w->num_sge), .opcode = (uint32_t)w->opcode, .flags = w->send_flags,
        .has = NDKT_REQUEST_HAS_BYTES | NDKT_REQUEST_HAS_OPCODE};
    if (w->opcode == IBV_WR_TSO) to->bytes += w->tso.hdr_sz;
    if (w->opcode == IBV_WR_SEND_WITH_INV || w->opcode == IBV_WR_LOCAL_INV) to->token = w->invalidate_rkey, to->has |= NDKT_REQUEST_HAS_TOKEN;
    if (w->opcode == IBV_WR_BIND_MW) {
        to->token = w->bind_mw.rkey;
        to->has |= NDKT_REQUEST_HAS_TOKEN;
        to->mw = id_of(FIND(MW, w->bind_mw.mw));
        to->mr = id_of(FIND(MR, w->bind_mw.bind_info.mr));
    }
}

int record_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
    struct qp *q = FIND(QP, qp);
    struct posting p;
    struct ibv_send_wr *copies, *w, *stopped = 0;
    ndkt_op op;
    size_t n = 0, i;
    int r;
    if (!q || !mine(q) || !wr || !enter()) {
        struct context *c = q ? q->context : context_of(qp->context);
        return c->ops.post_send(qp, wr, bad);
    }
    for (w = wr; w; w = w->next) n++;
    if (!posting(&p, n, sizeof *copies)) goto unrecorded;
    copies = p.copies;
    for (w = wr, i = 0; w; w = w->next, i++) {
        uint64_t id = request_post(&q->sends, w->wr_id, q, !q->signals_all && !(w->send_flags & IBV_SEND_SIGNALED), &p.slots[i]);
        if (!id) {
            while (i--) request_done(p.slots[i]);
            goto unrecorded;
        }
        p.slots[i]->wr = request_number();
        copies[i] = *w;
        copies[i].wr_id = id;
        copies[i].next = w->next ? &copies[i + 1] : 0;
        say(&p.said[i], p.slots[i]->wr, w);
    }
    posts++;
    op = ndkt_ibv_post_send_call(RING, q->o.id, p.said, n < TOO_MANY ? (unsigned)n : TOO_MANY);
    r = q->context->ops.post_send(qp, copies, &stopped);
    if (LIKELY(!r)) {
        ndkt_ibv_post_send_ret(RING, op, 0, 0);
    } else {
        uint64_t at = 0;
        i = stopped >= copies && stopped < copies + n ? (size_t)(stopped - copies) : n;
        if (i < n) at = p.slots[i]->wr;
        for (w = wr; w && i--; w = w->next) {}
        if (w && bad) *bad = w;
        for (i = at ? (size_t)(stopped - copies) : 0; i < n && at; i++) request_done(p.slots[i]);
        ndkt_ibv_post_send_ret(RING, op, code(r), at);
    }
    leave();
    return r;
unrecorded:
    results_lost();
    leave();
    return q->context->ops.post_send(qp, wr, bad);
}

struct receiver { struct queue *queue; struct qp *qp; struct ibv_qp *at; struct ibv_srq *srq; uint32_t id; struct context *context; };

static int real_post(const struct receiver *to, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    return to->srq ? to->context->ops.post_srq_recv(to->srq, wr, bad) : to->context->ops.post_recv(to->at, wr, bad);
}

static int post_receives(const struct receiver *to, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    struct posting p;
    struct ibv_recv_wr *copies, *w, *stopped = 0;
    ndkt_op op;
    size_t n = 0, i;
    unsigned told;
    int r;
    for (w = wr; w; w = w->next) n++;
    if (!posting(&p, n, sizeof *copies)) goto unrecorded;
    copies = p.copies;
    for (w = wr, i = 0; w; w = w->next, i++) {
        uint64_t id = request_post(to->queue, w->wr_id, to->qp, 0, &p.slots[i]);
        if (!id) {
            while (i--) request_done(p.slots[i]);
            goto unrecorded;
        }
        p.slots[i]->wr = request_number();
        copies[i] = *w;
        copies[i].wr_id = id;
        copies[i].next = w->next ? &copies[i + 1] : 0;
        p.said[i] = (ndkt_request){.wr = p.slots[i]->wr, .bytes = length(w->sg_list, w->num_sge), .has = NDKT_REQUEST_HAS_BYTES};
    }
    posts++;
    told = n < TOO_MANY ? (unsigned)n : TOO_MANY;
    op = to->srq ? ndkt_ibv_post_srq_recv_call(RING, to->id, p.said, told) : ndkt_ibv_post_recv_call(RING, to->id, p.said, told);
    r = real_post(to, copies, &stopped);
    uint64_t at = 0;
    if (r) {
        i = stopped >= copies && stopped < copies + n ? (size_t)(stopped - copies) : n;
        if (i < n) at = p.slots[i]->wr;
        for (w = wr; w && i--; w = w->next) {}
        if (w && bad) *bad = w;
        for (i = at ? (size_t)(stopped - copies) : 0; i < n && at; i++) request_done(p.slots[i]);
    }
    if (to->srq) ndkt_ibv_post_srq_recv_ret(RING, op, code(r), at);
    else ndkt_ibv_post_recv_ret(RING, op, code(r), at);
    leave();
    return r;
unrecorded:
    results_lost();
    leave();
    return real_post(to, wr, bad);
}

int record_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    struct qp *q = FIND(QP, qp);
    struct receiver to = {.at = qp, .context = q ? q->context : context_of(qp->context)};
    if (!q || !mine(q) || !wr || !enter()) return real_post(&to, wr, bad);
    to.queue = &q->receives;
    to.qp = q;
    to.id = q->o.id;
    return post_receives(&to, wr, bad);
}

int record_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    struct srq *s = FIND(SRQ, srq);
    struct receiver to = {.srq = srq, .context = s ? s->context : context_of(srq->context)};
    if (!s || !mine(s) || !wr || !enter()) return real_post(&to, wr, bad);
    to.queue = &s->receives;
    to.id = s->o.id;
    return post_receives(&to, wr, bad);
}

/* a window of type 1 is bound by a call, which posts a request: its id is the op of the call */
int record_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
    struct qp *q = FIND(QP, qp);
    struct ibv_mw_bind copy = *bind;
    struct slot *slot;
    ndkt_op op;
    int r;
    if (!q || !mine(q) || !enter()) return (q ? q->context : context_of(qp->context))->ops.bind_mw(qp, mw, bind);
    copy.wr_id = request_post(&q->sends, bind->wr_id, q, !q->signals_all && !(bind->send_flags & IBV_SEND_SIGNALED), &slot);
    if (!copy.wr_id) {
        results_lost();
        r = q->context->ops.bind_mw(qp, mw, bind);
        leave();
        return r;
    }
    posts++;
    op = ndkt_ibv_bind_mw_call(RING, q->o.id, id_of(FIND(MW, mw)), id_of(FIND(MR, bind->bind_info.mr)));
    slot->wr = op;
    r = q->context->ops.bind_mw(qp, mw, &copy);
    if (r) request_done(slot);
    ndkt_ibv_bind_mw_ret(RING, op, code(r), r ? NDKT_NONE : mw->rkey);
    leave();
    return r;
}
