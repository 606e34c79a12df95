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

struct ndkt_writer;
struct ndkt_ring;
static __thread struct ndkt_writer *mine;
static __thread uint64_t self;
static int recording = 1;                  /* 0: each event is dropped, and counted */
static struct ndkt_writer *first_use(struct ndkt_ring *);
#define NDKT_THREAD() self
#define NDKT_WRITER(r) (!recording ? 0 : mine ? mine : first_use(r))
static void *allocated(size_t size);
#define NDKS_ALLOC(size) allocated(size)
#define NDKS_FREE(p) free(p)
#include "ndktrace_file.h"
#include "ndkshim.h"

enum { THREADS = 256 };
static ndkt_writer *writers[THREADS];
static uint64_t slots_each = 1 << 14;
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

static struct ndkt_writer *first_use(struct ndkt_ring *r)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    char *memory = (char *)calloc(1, 64 + sizeof(ndkt_writer) + 64 * (size_t)slots_each);
    ndkt_writer *w = (ndkt_writer *)(((uintptr_t)memory + 63) & ~(uintptr_t)63);
    ndkt_init_writer(w, (ndkt_slot *)(w + 1), slots_each);
    pthread_mutex_lock(&lock);
    if (r->count < THREADS) {
        writers[r->count] = w;
        self = r->count + 1;
        NDKT_STORE(&r->count, r->count + 1);
        mine = w;
    }
    pthread_mutex_unlock(&lock);
    return mine;
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
