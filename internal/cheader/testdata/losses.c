/* losses FILE: each way to lose an event. */
#include <stdint.h>

struct ndkt_writer;
static struct ndkt_writer *writer;
#define NDKT_WRITER(r) writer
#define NDKT_THREAD() 7
#include "ndktrace_file.h"

int main(int argc, char **argv)
{
    static ndkt_slot slots[4096];
    static ndkt_writer w, *writers[1];
    static ndkt_ring ring;
    static ndkt_file file;
    static ndkt_result results[1024];
    FILE *out = fopen(argv[argc - 1], "wb");
    ndkt_op op;
    unsigned i;
    if (!out) return 1;
    for (i = 0; i < 1024; i++) {
        results[i].wr = 1;
        results[i].has = NDKT_HAS_STATUS;
    }
    ndkt_init(&ring, writers);
    ndkt_init_writer(&w, slots, 4096);
    writers[0] = writer = &w;
    NDKT_STORE(&ring.count, 1);
    ndkt_file_open(&file, out, "ndkpi", "provider", "losses", "1");
    op = ndkt_NdkGetCqResults_call(&ring, 1, 2000);
    ndkt_NdkGetCqResults_ret(&ring, op, results, 1023);
    op = ndkt_NdkGetCqResults_call(&ring, 1, 2000);
    ndkt_NdkGetCqResults_ret(&ring, op, results, 1024); /* too many */
    writer = 0;
    op = ndkt_NdkFlush_call(&ring, 1);     /* no writer */
    ndkt_NdkFlush_ret(&ring, op, NDKT_NONE);
    writer = &w;
    ndkt_quiesce_point(&ring);
    NDKT_ADD(&ring.next, 1);               /* a thread that is gone */
    ndkt_quiesce_point(&ring);
    return ndkt_file_close(&file, &ring, 1) < 0 || fclose(out) != 0;
}
