/* library.h - what the files of the preloaded library share: the session of the process, and the state of a thread. */
#ifndef NDKRECORD_LIBRARY_H
#define NDKRECORD_LIBRARY_H
#include <stdint.h>
#include <infiniband/verbs.h>
#undef ibv_reg_mr
#undef ibv_reg_mr_iova
#undef ibv_query_port
#undef ibv_get_device_list

struct ndkt_writer;
struct ndkt_ring;

struct thread {
    struct ndkt_writer *writer;
    uint64_t number;                       /* its id in the trace */
    uint32_t session;                      /* the session that writer is of */
    int inside;                            /* a recorded call is under way: calls from within it are the library's own */
    uint64_t next_request, requests;       /* numbers of requests that are the thread's to use, as next_request up to requests */
    void *scratch;
    size_t scratch_size;
};
extern __thread struct thread self __attribute__((tls_model("initial-exec")));
struct ndkt_writer *session_writer(void);
#define NDKT_WRITER(r) session_writer()
#define NDKT_THREAD() self.number
#if defined(__x86_64__)
# include <x86intrin.h>
# define NDKT_NOW() __rdtsc()
#elif defined(__aarch64__)
static inline uint64_t ticks(void) { uint64_t t; __asm__ volatile("mrs %0, cntvct_el0" : "=r"(t)); return t; }
# define NDKT_NOW() ticks()
#else
# include <time.h>
static inline uint64_t ticks(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec; }
# define NDKT_NOW() ticks()
#endif
#include "shared.h"

#define EXPORT __attribute__((visibility("default")))
#define LIKELY(x) __builtin_expect(!!(x), 1)

/* the session: from the first device that the process opens to its end. 0 where there is none */
extern struct shared *shared;
extern uint32_t session;                   /* counts the sessions of this process and of those it was forked from, so that objects of another are known */
#define RING (&shared->ring)

int session_begin(const char *device, const char *driver);   /* where there is none; 0 where nothing is recorded */
void session_name(uint32_t number, const char *name);        /* has the worker name a connection before it is used */
void session_end(int quiescent);

/* begins a call: 0 where it is not to be recorded. The thread is inside until leave */
static inline int enter(void)
{
    if (!shared || self.inside) return 0;
    self.inside = 1;
    return 1;
}
static inline void leave(void) { self.inside = 0; }

/* events but for those of polls that found nothing */
static inline uint64_t activity(void) { return __atomic_load_n(&RING->next, __ATOMIC_RELAXED) - __atomic_load_n(&shared->quiet, __ATOMIC_RELAXED); }

/* memory of the thread that stays until it asks again; 0 where there is none */
void *scratch(size_t size);
uint32_t new_id(void);
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
#endif
