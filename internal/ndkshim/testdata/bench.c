/* bench.c - nanoseconds that the shim adds to a call: a send, an arm and a poll of one result, over a provider that does next to nothing. Prints the best
 * of many short runs: with nothing recorded, and with everything recorded. */
#define _GNU_SOURCE
#include "fake_adapter.h"

enum { ROUNDS = 1000, RUNS = 400, CALLS = 3 };

static void *sent;

static NTSTATUS quick_send(NDK_QP *qp, PVOID context, const NDK_SGE *sgl, ULONG n, ULONG flags)
{
    (void)qp; (void)sgl; (void)n; (void)flags;
    sent = context;
    return 0;
}

static VOID quick_arm(NDK_CQ *cq, ULONG type) { (void)cq; (void)type; }

static ULONG quick_poll(NDK_CQ *cq, NDK_RESULT results[], ULONG n)
{
    (void)cq; (void)n;
    results[0].Status = 0;
    results[0].BytesTransferred = 0;
    results[0].QPContext = fake.qp_context;
    results[0].RequestContext = sent;
    return 1;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static double best_of(NDK_QP *qp, NDK_CQ *cq)
{
    double best = 1e18;
    unsigned run, i;
    NDK_RESULT r;
    NDK_SGE s;
    memset(&s, 0, sizeof s);
    for (run = 0; run < RUNS; run++) {
        double began = now(), took;
        for (i = 0; i < ROUNDS; i++) {
            qp->Dispatch->NdkSend(qp, &cq, &s, 1, 0);
            cq->Dispatch->NdkArmCq(cq, NDK_CQ_NOTIFY_ANY);
            if (cq->Dispatch->NdkGetCqResults(cq, &r, 1) != 1) exit(3);
        }
        took = now() - began;
        if (took < best) best = took;
        ndkt_file_drain(&trace, &ring);
    }
    return best / ROUNDS / CALLS;
}

int main(void)
{
    fake_object *theirs = fake_new(NdkObjectTypeAdapter);
    NDK_ADAPTER *adapter;
    NDK_CQ *cq, *inner_cq;
    NDK_PD *pd;
    NDK_QP *qp, *inner_qp;
    NDK_CQ_DISPATCH of_cq = fake_cq;
    NDK_QP_DISPATCH of_qp = fake_qp;
    FILE *out = fopen("/dev/null", "wb");
    double without, off, on;
    slots_each = 1 << 14;
    of_cq.NdkGetCqResults = quick_poll;
    of_cq.NdkArmCq = quick_arm;
    of_qp.NdkSend = quick_send;
    CHECK(out && start_recording(out));
    CHECK((adapter = ndks_open(&theirs->ndk.adapter)) != 0);
    __atomic_store_n(&stopping, 1, __ATOMIC_RELEASE); /* this thread drains, between the runs */
    pthread_join(worker, 0);
    CHECK(adapter->Dispatch->NdkCreateCq(adapter, 9, 0, 0, 0, 0, 0, &cq) == 0);
    inner_cq = &fake.object->ndk.cq;
    inner_cq->Dispatch = &of_cq;
    CHECK(adapter->Dispatch->NdkCreatePd(adapter, 0, 0, &pd) == 0 && pd->Dispatch->NdkCreateQp(pd, cq, cq, 0, 16, 8, 1, 2, 3, 0, 0, &qp) == 0);
    inner_qp = &fake.object->ndk.qp;
    inner_qp->Dispatch = &of_qp;
    without = best_of(inner_qp, inner_cq);
    recording = 0;
    off = best_of(qp, cq);
    recording = 1;
    on = best_of(qp, cq);
    ndks_closed(adapter, ndks_closing(adapter));
    printf("off %.1f\non %.1f\n", off - without, on - without);
    return ndkt_file_close(&trace, &ring, 0) < 0;
}
