/* program.c - programs of libibverbs, each a word of the command line: what they find is checked by themselves, what is recorded by the test. */
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "programs.h"

/* the same wr_id again and again, silent requests, refused ones in chains, receives that are flushed */
static void ids(void)
{
    struct ibv_cq *c;
    struct ibv_qp *q;
    struct ibv_send_wr chain[3], *bad = 0;
    struct ibv_wc wc[64];
    long i;
    begin();
    c = ibv_create_cq(context, 256, 0, 0, 0);
    q = pair(c, c, 16);
    connect_(q);
    for (i = 0; i < 2000; i++) {
        write_(q, 1000 + (uint64_t)i % 3, i % 4 == 3);
        if (i % 4 == 3) await(c, 1000 + (uint64_t)i % 3);
    }
    for (i = 0; i < 3; i++)
        chain[i] = (struct ibv_send_wr){.wr_id = 5, .next = i < 2 ? &chain[i + 1] : 0, .sg_list = &piece, .num_sge = i == 1 ? 9 : 1, .opcode = IBV_WR_RDMA_WRITE,
            .send_flags = IBV_SEND_SIGNALED};
    check(ibv_post_send(q, chain, &bad) == EINVAL && bad == &chain[1] && chain[1].wr_id == 5, "a refused chain", bad - chain);
    await(c, 5);
    for (i = 0; i < 16; i++) check(!receive(q, (uint64_t)i), "a receive", i);
    check(receive(q, 99) == ENOMEM, "no room for a receive", 0);
    fail(q);
    check(ibv_poll_cq(c, 64, wc) == 16, "flushed receives", 0);
    for (i = 0; i < 16; i++) check(wc[i].wr_id == (uint64_t)i && wc[i].status == IBV_WC_WR_FLUSH_ERR, "a flushed receive", i);
    ibv_destroy_qp(q);
    ibv_destroy_cq(c);
}

/* more than the queue has room for, as no thread polls: a breach of the program's, which gets its wr_ids all the same */
static void crowds(void)
{
    struct ibv_wc wc[64];
    long i, k;
    begin();
    struct ibv_cq *c = ibv_create_cq(context, 256, 0, 0, 0);
    struct ibv_qp *q = pair(c, c, 16);
    connect_(q);
    for (i = 0; i < 200; i++) write_(q, 0xA5CE000000000000u + (uint64_t)i, 1); /* which look like the recorder's own */
    for (k = 0; k < 200;) {
        int n = ibv_poll_cq(c, 64, wc);
        for (i = 0; i < n; i++, k++) check(wc[i].wr_id == 0xA5CE000000000000u + (uint64_t)k, "in order", k);
    }
}

/* both extended interfaces */
static void extended(void)
{
    struct ibv_cq_init_attr_ex ca = {.cqe = 64};
    struct ibv_poll_cq_attr pa = {0};
    struct ibv_cq_ex *c;
    struct ibv_qp_ex *e;
    struct ibv_qp *q;
    long i;
    begin();
    c = ibv_create_cq_ex(context, &ca);
    struct ibv_qp_init_attr_ex a = {.send_cq = ibv_cq_ex_to_cq(c), .recv_cq = ibv_cq_ex_to_cq(c), .qp_type = IBV_QPT_RC, .cap = {.max_send_wr = 8, .max_recv_wr = 8},
        .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, .pd = pd, .send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE};
    q = ibv_create_qp_ex(context, &a);
    e = ibv_qp_to_qp_ex(q);
    connect_(q);
    for (i = 0; i < 100; i++) {
        ibv_wr_start(e);
        e->wr_id = 77;
        e->wr_flags = 0;
        ibv_wr_rdma_write(e, 7, 0);
        ibv_wr_set_sge(e, 7, 0, 64);
        check(e->wr_id == 77, "wr_id of the queue pair", 0);
        e->wr_flags = IBV_SEND_SIGNALED;
        ibv_wr_rdma_write(e, 7, 0);
        ibv_wr_set_sge(e, 7, 0, 64);
        ibv_wr_rdma_write(e, 7, 0);
        ibv_wr_set_sge(e, 7, 0, 64);
        if (i % 10 == 9) {
            ibv_wr_abort(e);
            continue;
        }
        check(!ibv_wr_complete(e), "wr_complete", i);
        check(!ibv_start_poll(c, &pa) && c->wr_id == 77 && ibv_wc_read_opcode(c) == IBV_WC_RDMA_WRITE, "start_poll", i);
        check(!ibv_next_poll(c) && c->wr_id == 77, "next_poll", i);
        ibv_end_poll(c);
        check(ibv_start_poll(c, &pa) == ENOENT, "nothing left", i);
    }
    ibv_destroy_qp(q);
    ibv_destroy_cq(ibv_cq_ex_to_cq(c));
}

/* an operation that the recorder does not know */
static void unknown(void)
{
    struct ibv_cq *c;
    begin();
    c = ibv_create_cq(context, 64, 0, 0, 0);
    struct ibv_qp_init_attr_ex a = {.send_cq = c, .recv_cq = c, .qp_type = IBV_QPT_RC, .cap = {.max_send_wr = 8, .max_recv_wr = 8},
        .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, .pd = pd, .send_ops_flags = (uint64_t)1 << 40};
    struct ibv_qp *q = ibv_create_qp_ex(context, &a);
    connect_(q);
    write_(q, 3, 1);
    await(c, 3);
}

/* found by dlsym and dlvsym, and not linked with */
static void found(void)
{
    void *h = dlopen("libibverbs.so.1", RTLD_NOW | RTLD_LOCAL);
    void *by_sym = dlsym(h, "ibv_create_cq"), *by_version = dlvsym(h, "ibv_create_cq", "IBVERBS_1.1"), *next = dlsym(RTLD_NEXT, "ibv_create_cq");
    struct ibv_cq *(*create)(struct ibv_context *, int, void *, struct ibv_comp_channel *, int) = (__typeof__(create))by_version;
    Dl_info i;
    check(by_sym && by_sym == by_version && by_sym == next && by_sym == dlsym(RTLD_DEFAULT, "ibv_create_cq"), "one function", 0);
    check(dladdr(by_sym, &i) && strstr(i.dli_fname, getenv("NDKRECORD_SOCKET") ? "ndkrecord-preload.so" : "libibverbs.so.1"), "whose it is", 0);
    check(!dlsym(h, "ibv_no_such") && !dlvsym(h, "ibv_create_cq", "IBVERBS_9"), "nothing", 0);
    check(dlsym(RTLD_NEXT, "strlen") && dlsym(h, "ibv_free_device_list"), "others", 0);
    begin();
    await(({ struct ibv_cq *c = create(context, 8, 0, 0, 0); struct ibv_qp *q = pair(c, c, 4); connect_(q); write_(q, 8, 1); c; }), 8);
}

/* A child that uses what it has of its parent, and one that opens a device of its own */
static void forks(void)
{
    int status;
    begin();
    struct ibv_cq *c = some(10);
    struct ibv_qp *q = pair(c, c, 4);
    connect_(q);
    write_(q, 31, 1);
    pid_t child = fork();
    if (!child) {
        await(c, 31);                      /* translated, though nothing is recorded */
        write_(q, 32, 1);
        await(c, 32);
        begin();
        some(20);
        exit(0);
    }
    waitpid(child, &status, 0);
    check(status == 0, "the child", status);
    await(c, 31);
}

static void endless(void)
{
    signal(SIGINT, SIG_DFL);               /* a shell has those that it starts in the background ignore it */
    begin();
    struct ibv_cq *c = ibv_create_cq(context, 64, 0, 0, 0);
    struct ibv_qp *q = pair(c, c, 16);
    uint64_t i;
    connect_(q);
    for (i = 0;; i++) {
        write_(q, i, 1);
        await(c, i);
        if (i == 1000) {
            printf("running\n");
            fflush(stdout);
        }
        if (i > 1000) usleep(100);
    }
}

static void *thread(void *with)
{
    some(*(int *)with);
    return 0;
}

static void threads(int each)
{
    pthread_t t[64];
    int i;
    begin();
    for (i = 0; i < 64; i++) pthread_create(&t[i], 0, thread, &each);
    for (i = 0; i < 64; i++) pthread_join(t[i], 0);
}

static long found_;

static void *poller(void *c)
{
    struct ibv_wc wc;
    while (__atomic_load_n(&found_, __ATOMIC_RELAXED) < 20000)
        if (ibv_poll_cq(c, 1, &wc) == 1) __atomic_add_fetch(&found_, 1, __ATOMIC_RELAXED);
    return 0;
}

/* one thread posts, and others poll one queue, in vain most of the time */
static void spins(int pollers)
{
    pthread_t t[8];
    int k;
    begin();
    struct ibv_cq *c = ibv_create_cq(context, 30000, 0, 0, 0);
    struct ibv_qp *q = pair(c, c, 20000);
    uint64_t i;
    connect_(q);
    for (k = 0; k < pollers; k++) pthread_create(&t[k], 0, poller, c);
    for (i = 0; i < 20000; i++) {
        write_(q, i, 1);
        if (i % 100 == 0) usleep(50);
    }
    for (k = 0; k < pollers; k++) pthread_join(t[k], 0);
    ibv_destroy_qp(q);
    ibv_destroy_cq(c);
}

/* says how much memory the program took, in KiB */
static void objects(long n)
{
    struct rusage used;
    long i;
    begin();
    for (i = 0; i < n; i++) {
        struct ibv_cq *c = ibv_create_cq(context, 4, 0, 0, 0);
        struct ibv_mr *m = ibv_reg_mr(pd, &piece, sizeof piece, 0);
        struct ibv_qp *q = pair(c, c, 4);
        ibv_destroy_qp(q);
        ibv_dereg_mr(m);
        ibv_destroy_cq(c);
    }
    getrusage(RUSAGE_SELF, &used);
    printf("%ld\n", used.ru_maxrss);
}

/* an event for each completion, and at the end none */
static void events(void)
{
    begin();
    struct ibv_comp_channel *h = ibv_create_comp_channel(context);
    struct ibv_cq *c = ibv_create_cq(context, 64, 0, h, 0), *got;
    struct ibv_qp *q = pair(c, c, 16);
    struct ibv_wc wc;
    void *with;
    uint64_t i;
    connect_(q);
    ibv_req_notify_cq(c, 0);
    for (i = 0; i < 50; i++) {
        write_(q, i, 1);
        check(!ibv_get_cq_event(h, &got, &with) && got == c, "an event", (long)i);
        ibv_ack_cq_events(c, 1);
        ibv_req_notify_cq(c, 0);
        await(c, i);
        check(ibv_poll_cq(c, 1, &wc) == 0, "nothing more", (long)i);
    }
    ibv_destroy_qp(q);
    ibv_destroy_cq(c);
    ibv_destroy_comp_channel(h);
}

/* what a program may do without a look at what it gets: arms, and does not wait; posts, and does not poll. It ends with all of it there, or destroys it */
static void careless(int destroys)
{
    int i;
    begin();
    struct ibv_comp_channel *h = ibv_create_comp_channel(context);
    struct ibv_cq *c = ibv_create_cq(context, 64, 0, h, 0);
    struct ibv_qp *q = pair(c, c, 16);
    connect_(q);
    ibv_req_notify_cq(c, 0);
    for (i = 0; i < 16; i++) write_(q, (uint64_t)i, 1);
    if (!destroys) return;
    ibv_destroy_qp(q);
    ibv_destroy_cq(c);
    ibv_destroy_comp_channel(h);
}

/* a lost wake-up of its own: it arms behind the completion, does not poll again, and ends while it would wait for an event */
static void sleeps(void)
{
    begin();
    struct ibv_comp_channel *h = ibv_create_comp_channel(context);
    struct ibv_cq *c = ibv_create_cq(context, 64, 0, h, 0);
    struct ibv_qp *q = pair(c, c, 16);
    connect_(q);
    write_(q, 1, 1);
    ibv_req_notify_cq(c, 0);
}

/* closes all files, as daemons do, and opens others under their numbers: only the program may write to them */
static void closes(void)
{
    int pair_[2], i;
    char byte;
    begin();
    some(10);
    for (i = 3; i < 256; i++) close(i);
    for (i = 0; i < 20; i++) check(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair_), "a pair of sockets", i);
    some(10);
    for (i = 3; i < 43; i++) check(recv(i, &byte, 1, 0) < 0 && errno == EAGAIN, "nobody wrote to it", i);
}

/* an asynchronous event that the program never reads, or reads itself: how is 1 after it made the file non-blocking, 2 after it has read another */
static void unread(int how)
{
    begin();
    struct ibv_cq *c = some(1);
    struct ibv_async_event e = {.event_type = IBV_EVENT_CQ_ERR, .element.cq = c}, got;
    if (how == 1) fcntl(context->async_fd, F_SETFL, O_NONBLOCK);
    if (how == 2) {
        check(write(context->cmd_fd, &e, sizeof e) == sizeof e && !ibv_get_async_event(context, &got), "its own", 0);
        ibv_ack_async_event(&got);
    }
    check(write(context->cmd_fd, &e, sizeof e) == sizeof e, "an event", 0);
    ibv_destroy_cq(c);
    if (how) {
        check(!ibv_get_async_event(context, &got) && got.element.cq == c, "it is still there", 0);
        ibv_ack_async_event(&got);
    }
}

static double ns(struct timespec a, long n)
{
    struct timespec b;
    clock_gettime(CLOCK_MONOTONIC, &b);
    return ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / (double)n;
}

/* what a call costs: prints the best of many bursts, in ns */
static void costs(int in_child)
{
    struct timespec a;
    struct ibv_wc wc[32];
    double poll = 1e9, post = 1e9;
    int burst, i;
    begin();
    struct ibv_cq *c = ibv_create_cq(context, 64, 0, 0, 0);
    struct ibv_qp *q = pair(c, c, 32);
    connect_(q);
    if (in_child && fork()) {
        wait(0);
        _exit(0);
    }
    for (burst = 0; burst < 2000; burst++) {
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (i = 0; i < 1000; i++) ibv_poll_cq(c, 1, wc);
        double d = ns(a, 1000);
        if (d < poll) poll = d;
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (i = 0; i < 200; i++) write_(q, 1, 0);
        d = ns(a, 200);
        if (d < post) post = d;
        if (burst % 16 == 0) usleep(3000);
    }
    printf("%.1f %.1f\n", poll, post);
}

int main(int n, char **arguments)
{
    const char *what = n > 1 ? arguments[1] : "";
    int number = n > 2 ? atoi(arguments[2]) : 0;
    if (!strcmp(what, "ids")) ids();
    else if (!strcmp(what, "crowds")) crowds();
    else if (!strcmp(what, "extended")) extended();
    else if (!strcmp(what, "unknown")) unknown();
    else if (!strcmp(what, "found")) found();
    else if (!strcmp(what, "forks")) forks();
    else if (!strcmp(what, "endless")) endless();
    else if (!strcmp(what, "threads")) threads(number);
    else if (!strcmp(what, "spins")) spins(number);
    else if (!strcmp(what, "objects")) objects(number);
    else if (!strcmp(what, "events")) events();
    else if (!strcmp(what, "careless")) careless(number);
    else if (!strcmp(what, "sleeps")) sleeps();
    else if (!strcmp(what, "closes")) closes();
    else if (!strcmp(what, "unread")) unread(number);
    else if (!strcmp(what, "orphan")) { begin(); some(10); puts("running"); fflush(stdout); sleep(1); some(20000); }
    else if (!strcmp(what, "costs")) costs(number);
    else if (!strcmp(what, "exec")) { begin(); some(5); execl("/proc/self/exe", arguments[0], "ids", (char *)0); }
    else if (!strcmp(what, "status")) return number;
    else return 2;
    return 0;
}
