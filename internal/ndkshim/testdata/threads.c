/* threads.c - one thread posts to a QP while another polls its CQ: each completion has the context of its request, and recorded and dropped are all.
 *
 *   threads FILE SLOTS ROUNDS    rings of SLOTS slots; says how many events were attempted */
#include "fake_adapter.h"

enum { UNDER_WAY = 64, POSTS = 1 << 16 };

/* the provider: what is posted completes in order. Every third request is silent and succeeds, every seventh is refused */
static void *placed[UNDER_WAY];
static uint64_t put, taken, attempted;

static NTSTATUS queue_send(NDK_QP *qp, PVOID context, const NDK_SGE *sgl, ULONG n, ULONG flags)
{
    (void)qp; (void)sgl; (void)n;
    if (flags & NDK_OP_FLAG_INLINE) return REFUSED;
    if (flags) return 0;
    placed[put % UNDER_WAY] = context;
    __atomic_store_n(&put, put + 1, __ATOMIC_RELEASE);
    return 0;
}

static ULONG queue_poll(NDK_CQ *cq, NDK_RESULT results[], ULONG n)
{
    ULONG i;
    (void)cq;
    for (i = 0; i < n && taken < __atomic_load_n(&put, __ATOMIC_ACQUIRE); i++) {
        memset(&results[i], 0, sizeof results[i]);
        results[i].QPContext = fake.qp_context;
        results[i].RequestContext = placed[taken % UNDER_WAY];
        __atomic_store_n(&taken, taken + 1, __ATOMIC_RELEASE);
    }
    return i;
}

static NDK_CQ *cq;
static NDK_QP *qp;
static NDK_QP_DISPATCH of_qp;
static NDK_CQ_DISPATCH of_cq;
static int cookies[POSTS];
static unsigned rounds;

static void *posts(void *unused)
{
    unsigned i;
    for (i = 0; i < rounds; i++) {
        while (put - __atomic_load_n(&taken, __ATOMIC_ACQUIRE) >= UNDER_WAY - 1) pause_us(10);
        CHECK(qp->Dispatch->NdkSend(qp, &cookies[i % POSTS], 0, 0, (i % 3 ? 0 : NDK_OP_FLAG_SILENT_SUCCESS) | (i % 7 ? 0 : NDK_OP_FLAG_INLINE)) ==
            (i % 7 ? 0 : REFUSED));
    }
    (void)unused;
    NDKT_ADD(&attempted, 2 * (uint64_t)rounds);
    return 0;
}

static void *polls(void *unused)
{
    NDK_RESULT results[5];
    unsigned i = 0, got, k, calls = 0;
    int last = 0;
    while (!last) {
        last = (int)__atomic_load_n(&attempted, __ATOMIC_ACQUIRE) != 0; /* all is posted: one more look */
        do {
            got = cq->Dispatch->NdkGetCqResults(cq, results, 1 + calls++ % 5);
            for (k = 0; k < got; k++, i++) {
                while (!(i % 7) || !(i % 3)) i++; /* refused, or silent */
                CHECK(results[k].RequestContext == &cookies[i % POSTS] && results[k].QPContext == (void *)cookies);
            }
        } while (got);
    }
    (void)unused;
    NDKT_ADD(&attempted, 2 * (uint64_t)calls);
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    fake_object *theirs = fake_new(NdkObjectTypeAdapter);
    NDK_ADAPTER *adapter;
    NDK_PD *pd;
    FILE *out;
    uint64_t room;
    if (argc != 4 || !(out = fopen(argv[1], "wb"))) return 2;
    slots_each = strtoull(argv[2], 0, 0);
    rounds = (unsigned)strtoul(argv[3], 0, 0);
    CHECK(start_recording(out) && (adapter = ndks_open(&theirs->ndk.adapter)) != 0);
    CHECK(adapter->Dispatch->NdkCreateCq(adapter, 9, 0, 0, 0, 0, 0, &cq) == 0 && !fake.notify);
    of_cq = fake_cq;
    of_cq.NdkGetCqResults = queue_poll;
    fake.object->ndk.cq.Dispatch = &of_cq;
    CHECK(adapter->Dispatch->NdkCreatePd(adapter, 0, 0, &pd) == 0 && pd->Dispatch->NdkCreateQp(pd, cq, cq, cookies, 16, 8, 1, 2, 3, 0, 0, &qp) == 0);
    of_qp = fake_qp;
    of_qp.NdkSend = queue_send;
    fake.object->ndk.qp.Dispatch = &of_qp;
    pthread_create(&threads[0], 0, posts, 0);
    pthread_create(&threads[1], 0, polls, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    room = ((ndks_qp *)(void *)qp)->initiator.room;
    CHECK(room <= 4 * UNDER_WAY); /* silent and refused requests give their slots back */
    CHECK(qp->Dispatch->NdkCloseQp(&qp->Header, 0, 0) == 0 && cq->Dispatch->NdkCloseCq(&cq->Header, 0, 0) == 0);
    CHECK(pd->Dispatch->NdkClosePd(&pd->Header, 0, 0) == 0);
    ndks_closed(adapter, ndks_closing(adapter));
    CHECK(ndks_end() == 0 && stop_recording(out, 1));
    free(theirs);
    printf("%llu\n", (unsigned long long)attempted + 14);
    return 0;
}
