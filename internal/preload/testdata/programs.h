/* programs.h - what the programs in program.c have in common. */
#include <stdio.h>
#include <stdlib.h>
#include <infiniband/verbs.h>

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_sge piece = {0, 64, 7};

static void check(int good, const char *what, long at)
{
    if (good) return;
    fprintf(stderr, "program: %s (%ld)\n", what, at);
    exit(9);
}

static void begin(void)
{
    struct ibv_device **list = ibv_get_device_list(0);
    context = ibv_open_device(list[0]);
    ibv_free_device_list(list);
    pd = ibv_alloc_pd(context);
}

static struct ibv_qp *pair(struct ibv_cq *s, struct ibv_cq *r, unsigned depth)
{
    struct ibv_qp_init_attr a = {.send_cq = s, .recv_cq = r, .qp_type = IBV_QPT_RC, .cap = {.max_send_wr = depth, .max_recv_wr = depth, .max_send_sge = 1, .max_recv_sge = 1}};
    return ibv_create_qp(pd, &a);
}

static void connect_(struct ibv_qp *q)
{
    static const enum ibv_qp_state states[] = {IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS};
    struct ibv_qp_attr a = {.dest_qp_num = q->qp_num + 1000000, .ah_attr = {.is_global = 1, .port_num = 1}};
    int i;
    for (i = 0; i < 3; i++) {
        a.qp_state = states[i];
        ibv_modify_qp(q, &a, IBV_QP_STATE | (i == 1 ? IBV_QP_DEST_QPN | IBV_QP_AV : 0));
    }
}

static void fail(struct ibv_qp *q)
{
    struct ibv_qp_attr a = {.qp_state = IBV_QPS_ERR};
    ibv_modify_qp(q, &a, IBV_QP_STATE);
}

static int write_(struct ibv_qp *q, uint64_t id, int signals)
{
    struct ibv_send_wr w = {.wr_id = id, .sg_list = &piece, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = signals ? IBV_SEND_SIGNALED : 0}, *bad;
    return ibv_post_send(q, &w, &bad);
}

static int receive(struct ibv_qp *q, uint64_t id)
{
    struct ibv_recv_wr w = {.wr_id = id, .sg_list = &piece, .num_sge = 1}, *bad = 0;
    int r = ibv_post_recv(q, &w, &bad);
    if (r) check(bad == &w && w.wr_id == id, "bad_wr is the program's", r);
    return r;
}

static void await(struct ibv_cq *c, uint64_t id)
{
    struct ibv_wc wc;
    long i;
    for (i = 0; i < 100000000; i++)
        if (ibv_poll_cq(c, 1, &wc) == 1) {
            check(wc.wr_id == id, "the program's own wr_id", (long)wc.wr_id);
            return;
        }
    check(0, "a completion", (long)id);
}

static struct ibv_cq *some(uint64_t n)
{
    struct ibv_cq *c = ibv_create_cq(context, 64, 0, 0, 0);
    struct ibv_qp *q = pair(c, c, 16);
    uint64_t i;
    connect_(q);
    for (i = 0; i < n; i++) {
        write_(q, i, 1);
        await(c, i);
    }
    return c;
}
