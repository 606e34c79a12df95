/* standin.c - stands in for libibverbs.so.1 where there is no device: a request to send completes as it is posted, one to receive when the queue pair
 * is moved into its error state. It has no other behaviour, but for the bug that STANDIN_BUG names: "event" loses the event of an arm, "completion" the
 * tenth completion, "again" gives the tenth twice. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <infiniband/verbs.h>
#undef ibv_reg_mr
#undef ibv_get_device_list

struct cq { struct ibv_cq_ex ex; struct ibv_wc *wc; unsigned head, tail, shown; int armed; pthread_mutex_t lock; };
struct qp { union { struct ibv_qp qp; struct ibv_qp_ex ex; }; uint64_t *receives; unsigned head, tail, depth; int all; struct ibv_wc built[16]; int n; };
struct context { struct verbs_context v; int async[2]; };
static struct ibv_device device = {.name = "standin0"};
static unsigned numbers = 100;

static int has_bug(const char *name) { const char *bug = getenv("STANDIN_BUG"); return bug && !strcmp(bug, name); }

static void place(struct cq *c, uint64_t wr_id, int status, int opcode, unsigned number)
{
    static unsigned placed;
    unsigned nth = __atomic_add_fetch(&placed, 1, __ATOMIC_RELAXED);
    if (nth == 10 && has_bug("completion")) return;
    if (nth == 10 && has_bug("again")) place(c, wr_id, status, opcode, number);
    pthread_mutex_lock(&c->lock);
    c->wc[c->tail++ % (unsigned)c->ex.cqe] = (struct ibv_wc){.wr_id = wr_id, .status = status, .opcode = opcode, .qp_num = number};
    if (c->armed) {
        c->armed = 0;
        if (c->ex.channel && !has_bug("event") && write(c->ex.channel->refcnt, &c, sizeof c) < 0) abort();
    }
    pthread_mutex_unlock(&c->lock);
}

static int poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
    struct cq *c = (struct cq *)cq;
    int got = 0;
    if (__atomic_load_n(&c->head, __ATOMIC_RELAXED) == __atomic_load_n(&c->tail, __ATOMIC_RELAXED)) return 0;
    pthread_mutex_lock(&c->lock);
    while (got < n && c->head != c->tail) wc[got++] = c->wc[c->head++ % (unsigned)c->ex.cqe];
    pthread_mutex_unlock(&c->lock);
    return got;
}

static int show(struct cq *c)
{
    if (c->shown == c->tail) return ENOENT;
    c->ex.status = c->wc[c->shown % (unsigned)c->ex.cqe].status;
    c->ex.wr_id = c->wc[c->shown % (unsigned)c->ex.cqe].wr_id;
    return 0;
}
static int start_poll(struct ibv_cq_ex *e, struct ibv_poll_cq_attr *a) { struct cq *c = (struct cq *)e; (void)a; c->shown = c->head; return show(c); }
static int next_poll(struct ibv_cq_ex *e) { struct cq *c = (struct cq *)e; c->shown++; return show(c); }
static void end_poll(struct ibv_cq_ex *e) { struct cq *c = (struct cq *)e; c->head = c->shown == c->tail ? c->tail : c->shown + 1; }
static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *e) { struct cq *c = (struct cq *)e; return c->wc[c->shown % (unsigned)e->cqe].opcode; }
static uint32_t read_qp_num(struct ibv_cq_ex *e) { struct cq *c = (struct cq *)e; return c->wc[c->shown % (unsigned)e->cqe].qp_num; }
static uint32_t read_vendor_err(struct ibv_cq_ex *e) { (void)e; return 0; }
static unsigned read_wc_flags(struct ibv_cq_ex *e) { (void)e; return 0; }

static int req_notify_cq(struct ibv_cq *cq, int solicited) { (void)solicited; ((struct cq *)cq)->armed = 1; return 0; }

/* a request with more than 8 pieces is refused, and with it those behind */
static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
    for (; wr; wr = wr->next) {
        if (wr->num_sge > 8) {
            *bad = wr;
            return EINVAL;
        }
        if (wr->send_flags & IBV_SEND_SIGNALED || ((struct qp *)qp)->all)
            place((struct cq *)qp->send_cq, wr->wr_id, IBV_WC_SUCCESS, IBV_WC_RDMA_WRITE, qp->qp_num);
    }
    return 0;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    struct qp *q = (struct qp *)qp;
    for (; wr; wr = wr->next) {
        if (q->tail - q->head == q->depth) {
            *bad = wr;
            return ENOMEM;
        }
        q->receives[q->tail++ % q->depth] = wr->wr_id;
    }
    return 0;
}

static void wr_start(struct ibv_qp_ex *e) { ((struct qp *)e)->n = 0; }
static void wr_rdma_write(struct ibv_qp_ex *e, uint32_t rkey, uint64_t to)
{
    struct qp *q = (struct qp *)e;
    (void)rkey, (void)to;
    q->built[q->n++].wr_id = e->wr_flags & IBV_SEND_SIGNALED ? e->wr_id : 0;
}
static void wr_set_sge(struct ibv_qp_ex *e, uint32_t key, uint64_t at, uint32_t length) { (void)e, (void)key, (void)at, (void)length; }
static void wr_abort(struct ibv_qp_ex *e) { ((struct qp *)e)->n = 0; }
static int wr_complete(struct ibv_qp_ex *e)
{
    struct qp *q = (struct qp *)e;
    int i;
    for (i = 0; i < q->n; i++)
        if (q->built[i].wr_id) place((struct cq *)q->qp.send_cq, q->built[i].wr_id, IBV_WC_SUCCESS, IBV_WC_RDMA_WRITE, q->qp.qp_num);
    return 0;
}

struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp) { return &((struct qp *)qp)->ex; }

static struct ibv_qp *make_qp(struct ibv_context *x, struct ibv_cq *s, struct ibv_cq *r, struct ibv_srq *srq, unsigned depth, int all, int extended)
{
    struct qp *q = calloc(1, sizeof *q);
    q->qp = (struct ibv_qp){.context = x, .send_cq = s, .recv_cq = r, .srq = srq, .qp_num = __atomic_fetch_add(&numbers, 1, __ATOMIC_RELAXED) & 0xFFFFFF};
    q->depth = depth ? depth : 1;
    q->receives = calloc(q->depth, sizeof *q->receives);
    q->all = all;
    if (extended) q->ex.wr_start = wr_start, q->ex.wr_rdma_write = wr_rdma_write, q->ex.wr_set_sge = wr_set_sge, q->ex.wr_complete = wr_complete, q->ex.wr_abort = wr_abort;
    return &q->qp;
}

static struct ibv_qp *create_qp_ex(struct ibv_context *x, struct ibv_qp_init_attr_ex *a)
{
    return make_qp(x, a->send_cq, a->recv_cq, a->srq, a->cap.max_recv_wr, a->sq_sig_all, !!(a->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS));
}

static struct cq *make_cq(struct ibv_context *x, unsigned n, void *with, struct ibv_comp_channel *h)
{
    struct cq *c = calloc(1, sizeof *c);
    c->ex.context = x;
    c->ex.channel = h;
    c->ex.cq_context = with;
    c->ex.cqe = (int)n;
    c->wc = calloc(n, sizeof *c->wc);
    pthread_mutex_init(&c->lock, 0);
    return c;
}

static struct ibv_cq_ex *create_cq_ex(struct ibv_context *x, struct ibv_cq_init_attr_ex *a)
{
    struct cq *c = make_cq(x, a->cqe, a->cq_context, a->channel);
    c->ex.start_poll = start_poll, c->ex.next_poll = next_poll, c->ex.end_poll = end_poll, c->ex.read_opcode = read_opcode;
    c->ex.read_qp_num = read_qp_num, c->ex.read_vendor_err = read_vendor_err, c->ex.read_wc_flags = read_wc_flags;
    return &c->ex;
}

struct ibv_device **ibv_get_device_list(int *n)
{
    struct ibv_device **list = calloc(2, sizeof *list);
    list[0] = &device;
    if (n) *n = 1;
    return list;
}
void ibv_free_device_list(struct ibv_device **list) { free(list); }

struct ibv_context *ibv_open_device(struct ibv_device *d)
{
    struct context *x = calloc(1, sizeof *x);
    struct ibv_context *c = &x->v.context;
    if (pipe(x->async)) return 0;
    c->device = d;
    c->async_fd = x->async[0];
    c->cmd_fd = x->async[1];               /* where programs put events that the device is to give */
    c->abi_compat = __VERBS_ABI_IS_EXTENDED;
    c->ops.poll_cq = poll_cq, c->ops.req_notify_cq = req_notify_cq, c->ops.post_send = post_send, c->ops.post_recv = post_recv;
    x->v.sz = sizeof x->v;
    x->v.create_qp_ex = create_qp_ex;
    x->v.create_cq_ex = create_cq_ex;
    return c;
}
int ibv_close_device(struct ibv_context *c) { struct context *x = (struct context *)c; close(x->async[0]); close(x->async[1]); free(x); return 0; }
struct ibv_pd *ibv_alloc_pd(struct ibv_context *c) { struct ibv_pd *p = calloc(1, sizeof *p); p->context = c; return p; }
int ibv_dealloc_pd(struct ibv_pd *p) { free(p); return 0; }
struct ibv_mr *ibv_reg_mr(struct ibv_pd *p, void *at, size_t n, int access)
{
    struct ibv_mr *m = calloc(1, sizeof *m);
    (void)access;
    *m = (struct ibv_mr){.context = p->context, .pd = p, .addr = at, .length = n, .lkey = 7, .rkey = 7};
    return m;
}
int ibv_dereg_mr(struct ibv_mr *m) { free(m); return 0; }
struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *c)
{
    struct ibv_comp_channel *h = calloc(1, sizeof *h);
    int p[2];
    if (pipe(p)) return 0;
    *h = (struct ibv_comp_channel){.context = c, .fd = p[0], .refcnt = p[1]};
    return h;
}
int ibv_destroy_comp_channel(struct ibv_comp_channel *h) { close(h->fd); close(h->refcnt); free(h); return 0; }
int ibv_get_cq_event(struct ibv_comp_channel *h, struct ibv_cq **cq, void **with)
{
    if (read(h->fd, cq, sizeof *cq) != sizeof *cq) return -1;
    *with = (*cq)->cq_context;
    return 0;
}
void ibv_ack_cq_events(struct ibv_cq *cq, unsigned n) { (void)cq, (void)n; }
struct ibv_cq *ibv_create_cq(struct ibv_context *x, int n, void *with, struct ibv_comp_channel *h, int vector)
{
    (void)vector;
    return ibv_cq_ex_to_cq(&make_cq(x, (unsigned)n, with, h)->ex);
}
int ibv_destroy_cq(struct ibv_cq *cq) { free(((struct cq *)cq)->wc); free(cq); return 0; }
struct ibv_qp *ibv_create_qp(struct ibv_pd *p, struct ibv_qp_init_attr *a)
{
    return make_qp(p->context, a->send_cq, a->recv_cq, a->srq, a->cap.max_recv_wr, a->sq_sig_all, 0);
}
int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *a, int mask)
{
    struct qp *q = (struct qp *)qp;
    if (mask & IBV_QP_STATE && a->qp_state == IBV_QPS_ERR)
        while (q->head != q->tail) place((struct cq *)qp->recv_cq, q->receives[q->head++ % q->depth], IBV_WC_WR_FLUSH_ERR, 0, qp->qp_num);
    return 0;
}
int ibv_destroy_qp(struct ibv_qp *qp) { free(((struct qp *)qp)->receives); free(qp); return 0; }
int ibv_query_gid(struct ibv_context *x, uint8_t port, int index, union ibv_gid *gid) { (void)x, (void)port, (void)index; memset(gid, 1, sizeof *gid); return 0; }
struct ibv_srq *ibv_create_srq(struct ibv_pd *p, struct ibv_srq_init_attr *a) { struct ibv_srq *s = calloc(1, sizeof *s); (void)a; s->context = p->context; return s; }
int ibv_destroy_srq(struct ibv_srq *s) { free(s); return 0; }
int ibv_get_async_event(struct ibv_context *x, struct ibv_async_event *e) { return read(x->async_fd, e, sizeof *e) == sizeof *e ? 0 : -1; }
void ibv_ack_async_event(struct ibv_async_event *e) { (void)e; }
