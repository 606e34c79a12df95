/* recording.h - the shim in a program: a ring for each thread, and a worker that writes the trace. The provider's threads are not ours, so a ring is made
 * at the first event of its thread. */
#ifndef RECORDING_H
#define RECORDING_H
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int recording = 1;                  /* 0: each event is dropped, and counted */
#define NDKT_WRITER(r) (!recording ? 0 : mine ? mine : first_use(r))
#define THREADS 256
#define SLOTS_EACH (1 << 14)
#include "example/threads.h"

static void *allocated(size_t size);
#define NDKS_ALLOC(size) allocated(size)
#define NDKS_FREE(p) free(p)
#include "ndkshim.h"

static ndkt_ring ring;
static ndkt_file trace;
static int stopping, memory_left = -1;     /* how many allocations succeed; -1: all */
static pthread_t worker;

static void *allocated(size_t size)
{
    if (memory_left == 0) return 0;
    if (memory_left > 0) memory_left--;
    return malloc(size);
}

static void pause_us(unsigned us)
{
    struct timespec t = {0, 0};
    t.tv_nsec = 1000L * us;
    nanosleep(&t, 0);
}

static void *drain_rings(void *unused)
{
    (void)unused;
    while (!__atomic_load_n(&stopping, __ATOMIC_ACQUIRE)) {
        ndkt_file_drain(&trace, &ring);
        pause_us(200);
    }
    return 0;
}

static int start_recording(FILE *out)
{
    ndkt_init(&ring, writers);
    ndkt_file_open(&trace, out, "ndkpi", "consumer", "ndkshim", "1");
    return pthread_create(&worker, 0, drain_rings, 0) == 0 && ndks_init(&ring);
}

/* ends the trace; false where it could not be written */
static __attribute__((unused)) int stop_recording(FILE *out, int quiescent)
{
    __atomic_store_n(&stopping, 1, __ATOMIC_RELEASE);
    pthread_join(worker, 0);
    return ndkt_file_close(&trace, &ring, quiescent) >= 0 && fclose(out) == 0;
}
#endif
