/* ndktrace.h - records what an NDK provider, an NDK consumer or a verbs program does.
 *
 * C99 and C++11, freestanding: no library, no allocation, no lock, no floating point, no thread-local storage. A writer is a ring of slots that one
 * thread fills at a time: a thread in user mode, a processor at DISPATCH_LEVEL in a kernel. All writers share one counter, which gives each event
 * its place in the order. ndktrace_file.h has the worker that drains the rings into a file for tracecheck. docs/c-recorder.md says how to use both.
 *
 * Before this header is included these have to be defined:
 *   NDKT_WRITER(r)  the caller's ndkt_writer *, or 0: then the event is counted as dropped
 *   NDKT_THREAD()   a number of the caller's thread, not 0. In a kernel the address of the thread: the id of each idle thread is 0
 * and these may be:
 *   NDKT_DONE(r)    ends the use of the writer that NDKT_WRITER gave
 *   NDKT_NOW()      ticks of a clock; 0 by default. They are information only, as the order is total
 */
#ifndef NDKTRACE_H
#define NDKTRACE_H
#include <stddef.h>
#include <stdint.h>

#ifndef NDKT_WRITER
# error "define NDKT_WRITER(r)"
#endif
#ifndef NDKT_THREAD
# error "define NDKT_THREAD()"
#endif
#ifndef NDKT_DONE
# define NDKT_DONE(r) ((void)(r))
#endif
#ifndef NDKT_NOW
# define NDKT_NOW() 0
#endif

#if defined(_MSC_VER) && !defined(__clang__)
# include <intrin.h>
# define NDKT_INLINE static __forceinline
# define NDKT_ADD(p, n)   ((uint64_t)_InterlockedExchangeAdd64((volatile long long *)(p), (long long)(n)))
# if defined(_M_ARM64)
#  define NDKT_LOAD(p)    ((uint64_t)__ldar64((unsigned __int64 volatile *)(p)))
#  define NDKT_STORE(p, v) __stlr64((unsigned __int64 volatile *)(p), (unsigned __int64)(v))
# else
#  define NDKT_LOAD(p)    (*(volatile uint64_t *)(p))
#  define NDKT_STORE(p, v) do { _ReadWriteBarrier(); *(volatile uint64_t *)(p) = (v); } while (0)
# endif
#else
# if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#  error "slots have the lowest byte first"
# endif
# define NDKT_INLINE static inline __attribute__((always_inline, unused))
# define NDKT_ADD(p, n)   __atomic_fetch_add((p), (uint64_t)(n), __ATOMIC_SEQ_CST)
# define NDKT_LOAD(p)     __atomic_load_n((p), __ATOMIC_ACQUIRE)
# define NDKT_STORE(p, v) __atomic_store_n((p), (uint64_t)(v), __ATOMIC_RELEASE)
#endif

#define NDKT_MOST 1023                     /* results or requests of one event: with more it is dropped */

/* the place of a call or a callback in the order; 0 where it was not recorded. The id of a request of NDKPI is the op of its post */
typedef uint64_t ndkt_op;

#define NDKT_NONE  (~(uint64_t)0)          /* an optional argument that is not known */
#define NDKT_FALSE 1u                      /* a truth; 0 where it is not known */
#define NDKT_TRUE  2u
#define NDKT_WR(n) ((uint64_t)4095 << 52 | (n)) /* the id wN of a request of libibverbs: numbers of the caller's own, none twice */

/* 64 bytes: what is not ops and stamps is in the file as it is here */
typedef struct ndkt_slot {
    uint16_t class_, more;                 /* which function and phase; slots behind this one */
    uint32_t has;                          /* which optional fields are there */
    uint64_t stamp;                        /* the place in the order, from 1. Written last; 0 in a slot that begins no event */
    uint64_t t, thr, op;
    uint64_t w[3];                         /* the fields */
} ndkt_slot;

#if defined(__GNUC__)
typedef uint64_t __attribute__((may_alias)) ndkt_word;
#else
typedef uint64_t ndkt_word;
#endif

/* an element of results: has is the sum of NDKT_HAS_ bits. status is always there */
typedef struct ndkt_result {
    uint64_t wr, zero, bytes;
    uint32_t qp, status, token, provider_error, type, opcode, has, pad[3];
} ndkt_result;
#define NDKT_HAS_BYTES          1u
#define NDKT_HAS_STATUS         2u
#define NDKT_HAS_TOKEN          4u
#define NDKT_HAS_PROVIDER_ERROR 8u
#define NDKT_HAS_TYPE           16u        /* of NdkGetCqResultsEx alone */
#define NDKT_HAS_OPCODE         32u        /* of libibverbs alone */

/* an element of wrs */
typedef struct ndkt_request {
    uint64_t wr, zero, bytes;
    uint32_t opcode, flags, token, mr, mw, pad, has, pad2[3];
} ndkt_request;
#define NDKT_REQUEST_HAS_BYTES  1u
#define NDKT_REQUEST_HAS_OPCODE 2u
#define NDKT_REQUEST_HAS_TOKEN  4u

/* one thread fills it at a time */
typedef struct ndkt_writer {
    ndkt_slot *slots;
    uint64_t size, tail, freed, dropped;   /* freed: the head, as it was looked at last */
    uint64_t pad0[3];
    uint64_t head;                         /* the worker's: slots before it are free again */
    uint64_t pad1[7];
} ndkt_writer;

typedef struct ndkt_ring {
    uint64_t next;                         /* the place of the newest event */
    uint64_t pad0[7];
    ndkt_writer **writers;                 /* entries come one by one, and stay */
    uint64_t count;
    uint64_t wanted;                       /* the worker's: the place of the event that it needs next */
    uint64_t ids;
    uint64_t unwritten;                    /* events of callers without a writer */
    uint64_t pad1[3];
} ndkt_ring;

NDKT_INLINE void ndkt_init(ndkt_ring *r, ndkt_writer **writers)
{
    r->next = 0; r->writers = writers; r->count = 0; r->wanted = 1; r->ids = 0; r->unwritten = 0;
}

/* slots: zeros, a power of two of them. The caller then stores the writer in writers, and raises count with NDKT_STORE */
NDKT_INLINE void ndkt_init_writer(ndkt_writer *w, ndkt_slot *slots, uint64_t size)
{
    w->slots = slots; w->size = size; w->tail = 0; w->freed = 0; w->dropped = 0; w->head = 0;
}

/* the number of a new object. None is given twice, also when its address is. 4094 and 4095 are the worker's own */
NDKT_INLINE uint32_t ndkt_new_id(ndkt_ring *r)
{
    uint32_t id = (uint32_t)NDKT_ADD(&r->ids, 1) + 1;
    return id < 4094 ? id : id + 2;
}

/* room is looked at before an event takes its place, so that places have no gaps */
NDKT_INLINE int ndkt_room(ndkt_writer *w, uint64_t n)
{
    if (w->tail + n - w->freed <= w->size) return 1;
    w->freed = NDKT_LOAD(&w->head);
    return w->tail + n - w->freed <= w->size;
}

NDKT_INLINE void ndkt_drop(ndkt_ring *r, ndkt_writer *w)
{
    if (w) NDKT_STORE(&w->dropped, w->dropped + 1);
    else NDKT_ADD(&r->unwritten, 1);
}

/* Writes an event. begins: it has no op yet, so its place is its op. without: an earlier event that it needs was dropped, so it is dropped as well.
 * own is the index of the field that is its own op: 1 to 3, or 0. behind: further slots. Returns its place, or 0 if it was dropped. */
NDKT_INLINE ndkt_op ndkt_put(ndkt_ring *r, unsigned class_, int begins, int without, ndkt_op op, uint32_t has, uint64_t a, uint64_t b, uint64_t c,
    unsigned own, const void *behind, unsigned more)
{
    ndkt_writer *w = NDKT_WRITER(r);
    uint64_t at = 0;
    if (!w || without || more > NDKT_MOST || !ndkt_room(w, 1 + (uint64_t)more)) {
        ndkt_drop(r, w);
    } else {
        ndkt_slot *s = &w->slots[w->tail & (w->size - 1)];
        const ndkt_word *from = (const ndkt_word *)behind;
        unsigned i, k;
        for (i = 0; i < more; i++, from += 8) {
            ndkt_word *to = (ndkt_word *)&w->slots[(w->tail + 1 + i) & (w->size - 1)];
            for (k = 0; k < 8; k++)
                if (k != 1) to[k] = from[k];
            to[1] = 0;                     /* no stamp */
        }
        s->class_ = (uint16_t)class_; s->more = (uint16_t)more; s->has = has;
        s->t = (uint64_t)NDKT_NOW(); s->thr = (uint64_t)NDKT_THREAD() & (((uint64_t)1 << 51) - 1);
        s->w[0] = a; s->w[1] = b; s->w[2] = c;
        at = NDKT_ADD(&r->next, 1) + 1;    /* last of all: a thread rarely has to wait for the stamp */
        if (begins) op = at;
        if (own) s->w[own - 1] = at;
        s->op = op;
        NDKT_STORE(&s->stamp, at);
        w->tail += 1 + (uint64_t)more;
    }
    NDKT_DONE(r);
    return at;
}

/* ---- the worker: one thread. Copies events, in order, to a buffer for room slots, and returns how many slots it filled ---- */
NDKT_INLINE uint64_t ndkt_read(ndkt_ring *r, ndkt_slot *to, uint64_t room)
{
    uint64_t got = 0, before, i, k, n = NDKT_LOAD(&r->count);
    do {
        before = got;
        for (i = 0; i < n; i++) {
            ndkt_writer *w = r->writers[i];
            uint64_t head = w->head, slots;
            for (;;) {
                ndkt_slot *s = &w->slots[head & (w->size - 1)];
                if (NDKT_LOAD(&s->stamp) != r->wanted) break;
                slots = 1 + (uint64_t)s->more;
                if (got + slots > room) {
                    NDKT_STORE(&w->head, head);
                    return got;
                }
                for (k = 0; k < slots; k++) to[got++] = w->slots[head++ & (w->size - 1)];
                r->wanted++;
            }
            NDKT_STORE(&w->head, head);
        }
    } while (got != before);
    return got;
}

/* how many events were dropped so far: those that are recorded, and these, are all that were attempted */
NDKT_INLINE uint64_t ndkt_dropped(ndkt_ring *r)
{
    uint64_t sum = NDKT_LOAD(&r->unwritten), i, n = NDKT_LOAD(&r->count);
    for (i = 0; i < n; i++) sum += NDKT_LOAD(&r->writers[i]->dropped);
    return sum;
}

#include "ndktrace_functions.h"
#endif
