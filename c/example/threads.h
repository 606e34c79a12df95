/* threads.h - a writer for each thread, made at its first event: what a program in user mode does. THREADS, SLOTS_EACH and NDKT_WRITER may be defined before. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct ndkt_writer;
struct ndkt_ring;
static __thread struct ndkt_writer *mine;
static __thread uint64_t self;
static struct ndkt_writer *first_use(struct ndkt_ring *);
#define NDKT_THREAD() self
#ifndef NDKT_WRITER
# define NDKT_WRITER(r) (mine ? mine : first_use(r))
#endif
#include "ndktrace_file.h"

#ifndef THREADS
# define THREADS 64
#endif
#ifndef SLOTS_EACH
# define SLOTS_EACH 64
#endif
static ndkt_writer *writers[THREADS];
static uint64_t slots_each = SLOTS_EACH;

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
