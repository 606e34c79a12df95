/* stress FILE SLOTS ROUNDS: four threads record while one drains. Prints how many events were attempted. */
#include "example/threads.h"

static ndkt_ring ring;
static ndkt_file file;
static uint64_t rounds, running = 4, attempted;

static void *work(void *argument)
{
    uint32_t qp = (uint32_t)(uintptr_t)argument;
    uint64_t i, n = 0;
    unsigned k;
    for (i = 0; i < rounds; i++) {
        ndkt_result results[5];
        ndkt_op post = ndkt_NdkSend_call(&ring, qp, 0, i), poll;
        ndkt_NdkSend_ret(&ring, post, NDKT_STATUS_SUCCESS);
        poll = ndkt_NdkGetCqResults_call(&ring, qp, 16);
        memset(results, 0, sizeof results);
        for (k = 0; k < 5; k++) {
            results[k].wr = post;
            results[k].qp = qp;
            results[k].has = NDKT_HAS_STATUS | NDKT_HAS_BYTES;
            results[k].bytes = k;
        }
        ndkt_NdkGetCqResults_ret(&ring, poll, results, (unsigned)(i % 6));
        n += 4;
    }
    NDKT_ADD(&attempted, n);
    NDKT_ADD(&running, (uint64_t)-1);
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t threads[4];
    uintptr_t i;
    FILE *out;
    if (argc != 4 || !(out = fopen(argv[1], "wb"))) return 2;
    slots_each = strtoull(argv[2], 0, 0);
    rounds = strtoull(argv[3], 0, 0);
    ndkt_init(&ring, writers);
    ndkt_file_open(&file, out, "ndkpi", "provider", "stress", "1");
    for (i = 0; i < 4; i++) pthread_create(&threads[i], 0, work, (void *)(i + 1));
    while (NDKT_LOAD(&running)) ndkt_file_drain(&file, &ring);
    for (i = 0; i < 4; i++) pthread_join(threads[i], 0);
    if (ndkt_file_close(&file, &ring, 1) < 0 || fclose(out)) return 1;
    printf("%llu\n", (unsigned long long)attempted);
    return 0;
}
