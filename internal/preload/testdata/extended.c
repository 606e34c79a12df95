/* extended.c - a program for a device: one process has both ends of a connection, posts by ibv_wr_send and polls by ibv_start_poll.
 *
 * extended DEVICE INDEX [--one]: with --one each poll ends after its first completion, else it goes on until there is none. It says how often each request completed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <infiniband/verbs.h>

enum { ROUNDS = 20, EACH = 8 };
#define CHECK(x) do { if (!(x)) { fprintf(stderr, "extended: %s: %s\n", #x, strerror(errno)); exit(1); } } while (0)

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_mr *mr;
static union ibv_gid gid;
static int gid_index, completed[2 * ROUNDS * EACH];
static char memory[8192];

static struct ibv_qp *pair(struct ibv_cq_ex *c)
{
    struct ibv_qp_init_attr_ex a = {.send_cq = ibv_cq_ex_to_cq(c), .recv_cq = ibv_cq_ex_to_cq(c), .qp_type = IBV_QPT_RC, .pd = pd,
        .cap = {.max_send_wr = 2 * EACH, .max_recv_wr = 2 * EACH, .max_send_sge = 1, .max_recv_sge = 1},
        .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, .send_ops_flags = IBV_QP_EX_WITH_SEND};
    struct ibv_qp_attr init = {.qp_state = IBV_QPS_INIT, .port_num = 1};
    struct ibv_qp *q = ibv_create_qp_ex(context, &a);
    CHECK(q);
    CHECK(!ibv_modify_qp(q, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
    return q;
}

static void join(struct ibv_qp *q, uint32_t peer)
{
    struct ibv_qp_attr rtr = {.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = peer, .max_dest_rd_atomic = 1, .min_rnr_timer = 12,
        .ah_attr = {.is_global = 1, .port_num = 1, .grh = {.dgid = gid, .sgid_index = (uint8_t)gid_index, .hop_limit = 1}}};
    struct ibv_qp_attr rts = {.qp_state = IBV_QPS_RTS, .timeout = 12, .retry_cnt = 5, .rnr_retry = 5, .max_rd_atomic = 1};
    CHECK(!ibv_modify_qp(q, &rtr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER));
    CHECK(!ibv_modify_qp(q, &rts, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC));
}

static int show(struct ibv_cq_ex *c, int round)
{
    CHECK(c->wr_id < sizeof completed / sizeof *completed);
    if (completed[c->wr_id]++ && completed[c->wr_id] == 2) printf("round %d: request %d: status %d, completed again\n", round, (int)c->wr_id, (int)c->status);
    return 1;
}

int main(int n, char **arguments)
{
    struct ibv_device **list = ibv_get_device_list(0);
    struct ibv_cq_init_attr_ex ca = {.cqe = 8 * EACH, .wc_flags = IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_QP_NUM};
    struct ibv_poll_cq_attr pa = {0};
    struct ibv_cq_ex *c;
    struct ibv_qp *a, *b;
    struct ibv_qp_ex *e;
    int one = n > 3 && !strcmp(arguments[3], "--one"), round, i, got, tries, r;
    CHECK(n > 2 && list);
    gid_index = atoi(arguments[2]);
    while (*list && strcmp((*list)->name, arguments[1])) list++;
    CHECK(*list && (context = ibv_open_device(*list)) != 0);
    CHECK((pd = ibv_alloc_pd(context)) != 0 && (mr = ibv_reg_mr(pd, memory, sizeof memory, IBV_ACCESS_LOCAL_WRITE)) != 0);
    CHECK(!ibv_query_gid(context, 1, gid_index, &gid));
    CHECK((c = ibv_create_cq_ex(context, &ca)) != 0);
    a = pair(c), b = pair(c), e = ibv_qp_to_qp_ex(a);
    join(a, b->qp_num), join(b, a->qp_num);
    for (round = 0; round < ROUNDS; round++) {
        for (i = 0; i < EACH; i++) {
            struct ibv_sge s = {(uintptr_t)memory + 4096, 4096, mr->lkey};
            struct ibv_recv_wr w = {.wr_id = (uint64_t)(2 * (round * EACH + i)), .sg_list = &s, .num_sge = 1}, *bad;
            CHECK(!ibv_post_recv(b, &w, &bad));
        }
        ibv_wr_start(e);
        for (i = 0; i < EACH; i++) {
            e->wr_id = (uint64_t)(2 * (round * EACH + i) + 1);
            e->wr_flags = IBV_SEND_SIGNALED;
            ibv_wr_send(e);
            ibv_wr_set_sge(e, mr->lkey, (uintptr_t)memory, 64);
        }
        CHECK(!ibv_wr_complete(e));
        for (got = 0, tries = 0; got < 2 * EACH && tries < 2000; tries++) {
            r = ibv_start_poll(c, &pa);
            if (r == ENOENT) {
                usleep(1000);
                continue;
            }
            CHECK(!r);
            got += show(c, round);
            while (!one && (r = ibv_next_poll(c)) == 0) got += show(c, round);
            ibv_end_poll(c);
        }
        if (got != 2 * EACH) {
            printf("round %d: %d completions, and %d requests\n", round, got, 2 * EACH);
            break;
        }
    }
    for (i = 0, got = 0; i < 2 * ROUNDS * EACH; i++) got += completed[i] == 1;
    printf("%d of %d requests completed once\n", got, 2 * ROUNDS * EACH);
    ibv_destroy_qp(a), ibv_destroy_qp(b), ibv_destroy_cq(ibv_cq_ex_to_cq(c)), ibv_dereg_mr(mr), ibv_dealloc_pd(pd), ibv_close_device(context);
    return 0;
}
