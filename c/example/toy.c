/* toy.c - a provider in one thread, recorded with ndktrace.h, and a consumer that sends it messages.
 *
 *   cc -std=c99 -I.. toy.c -o toy && ./toy toy.ndktrace.ctf && tracecheck toy.ndktrace.ctf
 *
 * toy --lose-notification FILE forgets one callback that an arm has asked for: tracecheck names the rule. toy --ring N has a ring of N slots.
 */
#include <stdint.h>
#include <stdlib.h>

struct ndkt_writer;
static struct ndkt_writer *writer;
#define NDKT_WRITER(r) writer              /* there is one thread */
#define NDKT_THREAD() 1
#include "ndktrace_file.h"

static ndkt_ring ring;
static ndkt_file trace;

/* ---- the provider ---- */
enum { DEPTH = 16, ANY = 1 };

typedef struct toy_completion { ndkt_op wr; uint32_t qp, bytes; } toy_completion;
typedef struct toy_cq {
    uint32_t id;
    int armed;
    unsigned first, count;
    toy_completion placed[4 * DEPTH];
    void (*notify)(struct toy_cq *);
} toy_cq;
typedef struct toy_qp {
    uint32_t id;
    toy_cq *cq;
    struct toy_qp *peer;
    unsigned first, count;
    ndkt_op receives[DEPTH];
} toy_qp;

static int lose;                           /* the next callback */

static void create_cq(toy_cq *cq, void (*notify)(toy_cq *))
{
    ndkt_op op;
    memset(cq, 0, sizeof *cq);
    cq->id = ndkt_new_id(&ring);
    cq->notify = notify;
    op = ndkt_NdkCreateCq_call(&ring, cq->id, 4 * DEPTH, 0);
    ndkt_NdkCreateCq_ret(&ring, op, NDKT_STATUS_SUCCESS);
}

static void create_qp(toy_qp *qp, toy_cq *cq)
{
    ndkt_op op;
    memset(qp, 0, sizeof *qp);
    qp->id = ndkt_new_id(&ring);
    qp->cq = cq;
    op = ndkt_NdkCreateQp_call(&ring, qp->id, cq->id, cq->id, DEPTH, DEPTH, 0, 0, 0);
    ndkt_NdkCreateQp_ret(&ring, op, NDKT_STATUS_SUCCESS);
}

static void join(toy_qp *from, toy_qp *to, uint32_t conn)
{
    ndkt_op connect = ndkt_NdkConnect_call(&ring, from->id, conn, 0), accept = ndkt_NdkAccept_call(&ring, to->id, conn, 0);
    from->peer = to;
    to->peer = from;
    ndkt_NdkAccept_ret(&ring, accept, NDKT_STATUS_SUCCESS);
    ndkt_NdkConnect_ret(&ring, connect, NDKT_STATUS_SUCCESS);
}

static void place(toy_cq *cq, toy_qp *qp, ndkt_op wr, uint32_t bytes)
{
    toy_completion *c = &cq->placed[(cq->first + cq->count++) % (4 * DEPTH)];
    c->wr = wr;
    c->qp = qp->id;
    c->bytes = bytes;
    ndkt_CqePlaced_point(&ring, cq->id, wr, NDKT_STATUS_SUCCESS, 0);
    if (cq->armed) {
        cq->armed = 0;
        if (lose) {
            lose = 0;
        } else {
            ndkt_op op = ndkt_NdkCqNotificationCallback_enter(&ring, cq->id, NDKT_STATUS_SUCCESS);
            cq->notify(cq);
            ndkt_NdkCqNotificationCallback_exit(&ring, op);
        }
    }
}

static void arm(toy_cq *cq)
{
    ndkt_op op = ndkt_NdkArmCq_call(&ring, cq->id, NDKT_NOTIFY_ANY);
    cq->armed = 1;
    ndkt_NdkArmCq_ret(&ring, op);
}

static void receive(toy_qp *qp, uint32_t bytes)
{
    ndkt_op op = ndkt_NdkReceive_call(&ring, qp->id, bytes); /* which is also the request's id */
    qp->receives[(qp->first + qp->count++) % DEPTH] = op;
    ndkt_NdkReceive_ret(&ring, op, NDKT_STATUS_SUCCESS);
}

static void send(toy_qp *qp, uint32_t bytes)
{
    ndkt_op op = ndkt_NdkSend_call(&ring, qp->id, 0, bytes);
    toy_qp *to = qp->peer;
    ndkt_op wr = to->receives[to->first++ % DEPTH];
    to->count--;
    place(to->cq, to, wr, bytes);
    place(qp->cq, qp, op, 0);
    ndkt_NdkSend_ret(&ring, op, NDKT_STATUS_SUCCESS);
}

static unsigned poll(toy_cq *cq, unsigned most)
{
    ndkt_op op = ndkt_NdkGetCqResults_call(&ring, cq->id, most);
    ndkt_result results[DEPTH];
    unsigned n = 0;
    memset(results, 0, sizeof results);
    for (; n < most && cq->count; n++, cq->count--) {
        const toy_completion *c = &cq->placed[cq->first++ % (4 * DEPTH)];
        results[n].wr = c->wr;
        results[n].qp = c->qp;
        results[n].status = NDKT_STATUS_SUCCESS;
        results[n].bytes = c->bytes;
        results[n].has = NDKT_HAS_STATUS | (c->bytes ? NDKT_HAS_BYTES : 0);
    }
    ndkt_NdkGetCqResults_ret(&ring, op, results, n);
    return n;
}

/* ---- the consumer ---- */
static int called;

static void notified(toy_cq *cq)
{
    (void)cq;
    called = 1;
}

int main(int argc, char **argv)
{
    static ndkt_writer w, *writers[1];
    uint64_t size = 256;
    int losing = 0, i = 1, round;
    toy_cq a, b;
    toy_qp qa, qb;
    FILE *out;
    ndkt_op op;
    for (; i < argc - 1; i++) {
        if (!strcmp(argv[i], "--lose-notification")) losing = 1;
        else if (!strcmp(argv[i], "--ring") && i + 1 < argc - 1) size = strtoull(argv[++i], 0, 0);
        else break;
    }
    if (i != argc - 1 || !size || (size & (size - 1))) {
        fprintf(stderr, "usage: toy [--lose-notification] [--ring SLOTS] FILE, of which SLOTS is a power of two\n");
        return 2;
    }
    out = fopen(argv[i], "wb");
    if (!out) return 1;
    ndkt_init(&ring, writers);
    ndkt_init_writer(&w, (ndkt_slot *)calloc(size, sizeof(ndkt_slot)), size);
    writers[0] = writer = &w;
    NDKT_STORE(&ring.count, 1);
    ndkt_file_open(&trace, out, "ndkpi", "provider", "toy", "1");

    create_cq(&a, notified);
    create_cq(&b, notified);
    create_qp(&qa, &a);
    create_qp(&qb, &b);
    join(&qa, &qb, ndkt_new_id(&ring));
    ndkt_file_drain(&trace, &ring);
    for (round = 0; round < 100; round++) {
        receive(&qb, 4096);
        while (poll(&b, DEPTH)) {}
        arm(&b);
        lose = losing && round == 50;
        called = 0;
        send(&qa, 64);
        if (!called) break;                /* a consumer that waits for its callback would wait for ever */
        while (poll(&b, DEPTH)) {}
        while (poll(&a, DEPTH)) {}
        if (size >= 256) ndkt_file_drain(&trace, &ring);
    }
    ndkt_quiesce_point(&ring);
    ndkt_file_drain(&trace, &ring);
    op = ndkt_NdkCloseQp_call(&ring, qa.id);
    ndkt_NdkCloseQp_ret(&ring, op, NDKT_STATUS_SUCCESS);
    op = ndkt_NdkCloseQp_call(&ring, qb.id);
    ndkt_NdkCloseQp_ret(&ring, op, NDKT_STATUS_SUCCESS);
    if (ndkt_file_close(&trace, &ring, 1) < 0 || fclose(out)) return 1;
    return 0;
}
