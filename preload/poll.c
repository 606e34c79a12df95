/* poll.c - completions: what a poll found is recorded under the request's number, and the program gets its own wr_id back.
 *
 * Programs poll most of all, and mostly for nothing. The first poll that finds nothing is recorded. Of those behind it, while nothing else happens, one
 * is left open: it returns in the trace when something did happen, so that it stands for all of them. */
#include <errno.h>
#include "library.h"
#include "data.h"

enum { UNKNOWN_PAIR = 0x7FFFFFFF };         /* numbers have 24 bits */

/* what a poll of c needs to be recorded */
struct polling { ndkt_op op; uint64_t before; uint32_t n; int reused; };

static void quiet(int64_t n) { __atomic_fetch_add(&shared->quiet, (uint64_t)n, __ATOMIC_RELAXED); }

static void returned_nothing(ndkt_op op)
{
    static const ndkt_result none;
    ndkt_ibv_poll_cq_ret(RING, op, &none, 0, 0);
}

void poll_close(struct cq *c)
{
    ndkt_op op = __atomic_load_n(&c->open, __ATOMIC_RELAXED);
    if (!op) return;
    op = __atomic_exchange_n(&c->open, 0, __ATOMIC_ACQUIRE);
    if (!op) return;
    returned_nothing(op);
    quiet(1);
}

static inline void begin(struct cq *c, uint32_t n, struct polling *p)
{
    p->op = __atomic_load_n(&c->open, __ATOMIC_RELAXED);
    if (p->op) p->op = __atomic_exchange_n(&c->open, 0, __ATOMIC_ACQUIRE);
    p->before = activity();
    p->n = n;
    p->reused = p->op != 0;
    if (LIKELY(p->reused)) {
        if (LIKELY(p->before == c->mark && n == c->open_n)) return;
        returned_nothing(p->op);
        quiet(1);
        p->reused = 0;
    }
    p->op = ndkt_ibv_poll_cq_call(RING, c->o.id, n);
}

static inline void nothing(struct cq *c, struct polling *p)
{
    uint64_t none = 0;
    if (!p->op) return;
    if (!p->reused) quiet(1);
    if (p->before == c->mark) {
        if (!p->reused) c->open_n = p->n;
        if (__atomic_compare_exchange_n(&c->open, &none, p->op, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) return;
    }
    returned_nothing(p->op);
    quiet(1);
    c->mark = activity();
}

static inline void something(struct polling *p, const ndkt_result *results, unsigned n)
{
    if (p->reused) quiet(-1);
    ndkt_ibv_poll_cq_ret(RING, p->op, results, n, 0);
}

/* Gives the program its wr_id back, and says what completed. Returns whether anything is said: nothing is of a queue pair that is not recorded */
static int result(struct cq *c, ndkt_result *to, uint64_t *wr_id, int status, uint32_t number)
{
    uint32_t place = request_place(*wr_id);
    struct slot *s = request_find(*wr_id);
    struct qp *q = s ? s->qp : 0;
    *to = (ndkt_result){.status = (uint32_t)status, .has = NDKT_HAS_STATUS};
    if (s) {
        *wr_id = s->user;
        to->wr = s->wr;
        if (q && q->sends.last == place) q->sends.busy = 0;
        request_done(s);
    }
    if (!q) q = object_find(QPN, c->context->real, number);
    to->qp = id_of(q);
    if (s || mine(q) || !number) return 1; /* where there is no slot, no request is known that it is of. No program has queue pair 0 */
    results_lost();                        /* of a queue pair that is not recorded: what is left out may be missed elsewhere */
    return 0;
}

static void outcome(ndkt_result *to, int opcode, uint32_t bytes, unsigned flags, uint32_t rkey, uint32_t vendor)
{
    if (to->status != IBV_WC_SUCCESS) {
        if (vendor) to->provider_error = vendor, to->has |= NDKT_HAS_PROVIDER_ERROR;
        return;
    }
    to->opcode = (uint32_t)opcode;
    to->has |= NDKT_HAS_OPCODE;
    if (opcode & IBV_WC_RECV) to->bytes = bytes, to->has |= NDKT_HAS_BYTES;
    if (flags & IBV_WC_WITH_INV) to->token = rkey, to->has |= NDKT_HAS_TOKEN;
}

/* gives the program its wr_ids back, where nothing is recorded */
static int give_back(int n, struct ibv_wc *wc)
{
    int i;
    for (i = 0; i < n; i++) {
        struct slot *s = request_find(wc[i].wr_id);
        if (!s) continue;
        wc[i].wr_id = s->user;
        request_done(s);
    }
    return n;
}

int record_poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
    struct cq *c = FIND(CQ, cq);
    struct polling p;
    ndkt_result *results;
    int got, i;
    unsigned told = 0;
    if (!c || !mine(c) || !enter()) {
        struct context *x = c ? c->context : FIND(CONTEXT, cq->context);
        return give_back(x->ops.poll_cq(cq, n, wc), wc);
    }
    begin(c, (uint32_t)n, &p);
    got = c->context->ops.poll_cq(cq, n, wc);
    if (LIKELY(got == 0)) {
        nothing(c, &p);
    } else if (got < 0) {
        if (p.reused) quiet(-1);
        ndkt_ibv_poll_cq_ret(RING, p.op, 0, 0, got == -1 && errno ? (uint32_t)errno : EIO);
    } else if (!(results = scratch((size_t)got * sizeof *results))) {
        results_lost();
        give_back(got, wc);
    } else {
        for (i = 0; i < got; i++) {
            if (!result(c, &results[told], &wc[i].wr_id, (int)wc[i].status, wc[i].qp_num)) continue;
            outcome(&results[told++], (int)wc[i].opcode, wc[i].byte_len, wc[i].wc_flags, wc[i].invalidated_rkey, wc[i].vendor_err);
        }
        something(&p, results, told <= NDKT_MOST ? told : NDKT_MOST + 1);
    }
    leave();
    return got;
}

int record_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
    struct cq *c = FIND(CQ, cq);
    ndkt_op op;
    int r;
    if (!c || !mine(c) || !enter()) return (c ? c->context : (struct context *)FIND(CONTEXT, cq->context))->ops.req_notify_cq(cq, solicited_only);
    poll_close(c);
    op = ndkt_ibv_req_notify_cq_call(RING, c->o.id, solicited_only ? NDKT_TRUE : NDKT_FALSE);
    r = c->context->ops.req_notify_cq(cq, solicited_only);
    ndkt_ibv_req_notify_cq_ret(RING, op, code(r));
    leave();
    return r;
}

/* The extended interface. Each completion that it shows is recorded as a poll for one: start_poll and next_poll show one each, or report that there is
 * none. The provider writes its wr_id into the structure, where the program reads it, so the program's wr_id replaces it there. */
static int show(struct ibv_cq_ex *cq, struct cq *c, int (*real)(struct cq *, struct ibv_cq_ex *, struct ibv_poll_cq_attr *), struct ibv_poll_cq_attr *attr)
{
    struct polling p;
    ndkt_result one;
    struct slot *s;
    int r, recorded = mine(c) && enter();
    if (recorded) begin(c, 1, &p);
    r = real(c, cq, attr);
    if (!recorded) {
        if (!r && (s = request_find(cq->wr_id)) != 0) {
            cq->wr_id = s->user;
            request_done(s);
        }
        return r;
    }
    if (r == ENOENT) {
        nothing(c, &p);
    } else if (r) {
        if (p.reused) quiet(-1);
        ndkt_ibv_poll_cq_ret(RING, p.op, 0, 0, code(r));
    } else {
        int success = cq->status == IBV_WC_SUCCESS;
        int told = result(c, &one, &cq->wr_id, (int)cq->status, c->ex.read_qp_num ? c->ex.read_qp_num(cq) : UNKNOWN_PAIR);
        int opcode = success ? (int)c->ex.read_opcode(cq) : 0;
        unsigned flags = success && c->ex.read_wc_flags ? c->ex.read_wc_flags(cq) : 0;
        if (told) {
            outcome(&one, opcode, opcode & IBV_WC_RECV && c->ex.read_byte_len ? c->ex.read_byte_len(cq) : 0, flags,
                flags & IBV_WC_WITH_INV && c->ex.read_imm_data ? (uint32_t)c->ex.read_imm_data(cq) : 0, !success ? c->ex.read_vendor_err(cq) : 0);
            if (opcode & IBV_WC_RECV && !c->ex.read_byte_len) one.has &= ~NDKT_HAS_BYTES;
        }
        something(&p, &one, (unsigned)told);
    }
    leave();
    return r;
}

static int real_start(struct cq *c, struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr) { return c->ex.start_poll(cq, attr); }
static int real_next(struct cq *c, struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr) { (void)attr; return c->ex.next_poll(cq); }
static int record_start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr) { return show(cq, FIND(CQ, cq), real_start, attr); }
static int record_next_poll(struct ibv_cq_ex *cq) { return show(cq, FIND(CQ, cq), real_next, 0); }

void record_cq_ex(struct cq *c, struct ibv_cq_ex *cq)
{
    c->ex = *cq;
    if (cq->start_poll) cq->start_poll = record_start_poll;
    if (cq->next_poll) cq->next_poll = record_next_poll;
}
