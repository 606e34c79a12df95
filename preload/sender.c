/* sender.c - the extended interface of posting: what is built between wr_start and wr_complete is recorded as one ibv_post_send at wr_complete.
 *
 * The provider allows one thread at a time between these two, so that what is kept for a queue pair needs no lock of its own. */
#include <stdlib.h>
#include <string.h>
#include "library.h"
#include "data.h"

struct sender {
    struct ibv_qp_ex real;                 /* the provider's functions */
    ndkt_request *said;
    struct slot **slots;
    unsigned n, room;
    int lost;                              /* there was no memory for a request: none of them is recorded */
};

/* the queue pair, whose memory stays where it is: no thread destroys it while it posts to it */
static struct qp *of(struct ibv_qp_ex *qp) { return FIND(QP, qp); }

static int more_room(struct sender *s)
{
    unsigned room = s->room ? 2 * s->room : 16;
    ndkt_request *said = realloc(s->said, room * sizeof *said);
    struct slot **slots;
    if (said) s->said = said;
    slots = said ? realloc(s->slots, room * sizeof *slots) : 0;
    if (!slots) return 0;
    s->slots = slots;
    s->room = room;
    return 1;
}

/* Notes a request, and has the provider see its slot's place as its wr_id. Returns the program's own, to be put back */
static uint64_t note(struct qp *q, struct ibv_qp_ex *qp, unsigned opcode)
{
    struct sender *s = q->sender;
    uint64_t user = qp->wr_id, id;
    struct slot *slot;
    if (!mine(q) || !shared) return user;
    if ((s->n == s->room && !more_room(s)) ||
        !(id = request_post(&q->sends, user, q, !q->signals_all && !(qp->wr_flags & IBV_SEND_SIGNALED), &slot))) {
        s->lost = 1;
        return user;
    }
    slot->wr = request_number();
    s->slots[s->n] = slot;
    s->said[s->n++] = (ndkt_request){.wr = slot->wr, .opcode = opcode, .flags = qp->wr_flags, .has = NDKT_REQUEST_HAS_BYTES | NDKT_REQUEST_HAS_OPCODE};
    qp->wr_id = id;
    return user;
}

static ndkt_request *latest(struct qp *q)
{
    static __thread ndkt_request nowhere;
    struct sender *s = q->sender;
    return s->n && !s->lost ? &s->said[s->n - 1] : &nowhere;
}

static void token(struct qp *q, uint32_t rkey)
{
    latest(q)->token = rkey;
    latest(q)->has |= NDKT_REQUEST_HAS_TOKEN;
}

/* a function that begins a request */
#define BEGINS(name, opcode, parameters, arguments, also) \
    static void record_##name parameters \
    { \
        struct qp *q = of(qp); \
        uint64_t user = note(q, qp, opcode); \
        also; \
        q->sender->real.name arguments; \
        qp->wr_id = user; \
    }
BEGINS(wr_send, IBV_WR_SEND, (struct ibv_qp_ex *qp), (qp), )
BEGINS(wr_send_imm, IBV_WR_SEND_WITH_IMM, (struct ibv_qp_ex *qp, __be32 imm), (qp, imm), )
BEGINS(wr_send_inv, IBV_WR_SEND_WITH_INV, (struct ibv_qp_ex *qp, uint32_t rkey), (qp, rkey), token(q, rkey))
BEGINS(wr_send_tso, IBV_WR_TSO, (struct ibv_qp_ex *qp, void *h, uint16_t size, uint16_t mss), (qp, h, size, mss), latest(q)->bytes = size)
BEGINS(wr_rdma_read, IBV_WR_RDMA_READ, (struct ibv_qp_ex *qp, uint32_t rkey, uint64_t to), (qp, rkey, to), )
BEGINS(wr_rdma_write, IBV_WR_RDMA_WRITE, (struct ibv_qp_ex *qp, uint32_t rkey, uint64_t to), (qp, rkey, to), )
BEGINS(wr_rdma_write_imm, IBV_WR_RDMA_WRITE_WITH_IMM, (struct ibv_qp_ex *qp, uint32_t rkey, uint64_t to, __be32 imm), (qp, rkey, to, imm), )
BEGINS(wr_atomic_cmp_swp, IBV_WR_ATOMIC_CMP_AND_SWP, (struct ibv_qp_ex *qp, uint32_t rkey, uint64_t to, uint64_t c, uint64_t s), (qp, rkey, to, c, s), )
BEGINS(wr_atomic_fetch_add, IBV_WR_ATOMIC_FETCH_AND_ADD, (struct ibv_qp_ex *qp, uint32_t rkey, uint64_t to, uint64_t add), (qp, rkey, to, add), )
BEGINS(wr_atomic_write, IBV_WR_ATOMIC_WRITE, (struct ibv_qp_ex *qp, uint32_t rkey, uint64_t to, const void *from), (qp, rkey, to, from), latest(q)->bytes = 8)
BEGINS(wr_local_inv, IBV_WR_LOCAL_INV, (struct ibv_qp_ex *qp, uint32_t rkey), (qp, rkey), token(q, rkey))
BEGINS(wr_bind_mw, IBV_WR_BIND_MW, (struct ibv_qp_ex *qp, struct ibv_mw *mw, uint32_t rkey, const struct ibv_mw_bind_info *info), (qp, mw, rkey, info),
    (token(q, rkey), latest(q)->mw = id_of(FIND(MW, mw)), latest(q)->mr = id_of(FIND(MR, info->mr))))

static void record_wr_set_ud_addr(struct ibv_qp_ex *qp, struct ibv_ah *ah, uint32_t number, uint32_t key) { of(qp)->sender->real.wr_set_ud_addr(qp, ah, number, key); }
static void record_wr_set_xrc_srqn(struct ibv_qp_ex *qp, uint32_t number) { of(qp)->sender->real.wr_set_xrc_srqn(qp, number); }

static void record_wr_set_sge(struct ibv_qp_ex *qp, uint32_t key, uint64_t at, uint32_t length)
{
    struct qp *q = of(qp);
    latest(q)->bytes += length;
    q->sender->real.wr_set_sge(qp, key, at, length);
}

static void record_wr_set_sge_list(struct ibv_qp_ex *qp, size_t n, const struct ibv_sge *list)
{
    struct qp *q = of(qp);
    size_t i;
    for (i = 0; i < n; i++) latest(q)->bytes += list[i].length;
    q->sender->real.wr_set_sge_list(qp, n, list);
}

/* inline data is recorded by its flag, as for ibv_post_send */
static void record_wr_set_inline_data(struct ibv_qp_ex *qp, void *at, size_t length)
{
    struct qp *q = of(qp);
    latest(q)->bytes += length;
    latest(q)->flags |= IBV_SEND_INLINE;
    q->sender->real.wr_set_inline_data(qp, at, length);
}

static void record_wr_set_inline_data_list(struct ibv_qp_ex *qp, size_t n, const struct ibv_data_buf *list)
{
    struct qp *q = of(qp);
    size_t i;
    for (i = 0; i < n; i++) latest(q)->bytes += list[i].length;
    latest(q)->flags |= IBV_SEND_INLINE;
    q->sender->real.wr_set_inline_data_list(qp, n, list);
}

static void record_wr_start(struct ibv_qp_ex *qp)
{
    struct qp *q = of(qp);
    q->sender->real.wr_start(qp);
    q->sender->n = 0;
    q->sender->lost = 0;
}

static void refused(struct sender *s)
{
    while (s->n) request_done(s->slots[--s->n]);
}

/* the provider gives its lock back in it: what was noted is copied first, as another thread may begin then */
static int record_wr_complete(struct ibv_qp_ex *qp)
{
    struct qp *q = of(qp);
    struct sender *s = q->sender;
    unsigned n = s->n, i;
    struct slot **slots;
    ndkt_op op;
    uint64_t first;
    int r;
    if (!n || s->lost || !mine(q) || !enter()) {
        if (s->lost && shared) results_lost();
        return s->real.wr_complete(qp);
    }
    posts++;
    first = s->said[0].wr;
    slots = scratch(n * sizeof *slots);
    if (slots) memcpy(slots, s->slots, n * sizeof *slots);
    op = ndkt_ibv_post_send_call(RING, q->o.id, s->said, n);
    s->n = 0;
    r = s->real.wr_complete(qp);
    for (i = 0; r && slots && i < n; i++) request_done(slots[i]);
    ndkt_ibv_post_send_ret(RING, op, code(r), r ? first : 0); /* none of them is posted, or all */
    leave();
    return r;
}

static void record_wr_abort(struct ibv_qp_ex *qp)
{
    struct qp *q = of(qp);
    refused(q->sender);
    q->sender->real.wr_abort(qp);
}

int record_qp_ex(struct qp *q, struct ibv_qp_ex *qp)
{
    struct sender *s = calloc(1, sizeof *s);
    if (!s) return 0;
    s->real = *qp;
    q->sender = s;
#define PUT(f) if (qp->f) qp->f = record_##f
    PUT(wr_send); PUT(wr_send_imm); PUT(wr_send_inv); PUT(wr_send_tso); PUT(wr_rdma_read); PUT(wr_rdma_write); PUT(wr_rdma_write_imm);
    PUT(wr_atomic_cmp_swp); PUT(wr_atomic_fetch_add); PUT(wr_atomic_write); PUT(wr_local_inv); PUT(wr_bind_mw);
    PUT(wr_set_ud_addr); PUT(wr_set_xrc_srqn); PUT(wr_set_sge); PUT(wr_set_sge_list); PUT(wr_set_inline_data); PUT(wr_set_inline_data_list);
    PUT(wr_start); PUT(wr_complete); PUT(wr_abort);
#undef PUT
    return 1;
}

void sender_free(struct sender *s)
{
    if (!s) return;
    free(s->said);
    free(s->slots);
    free(s);
}
