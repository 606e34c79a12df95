/* ndkshim_slots.h - numbers that a provider carries in place of the consumer's contexts. Included by ndkshim.h.
 *
 * A queue has slots. A slot keeps the context of a consumer and the op that the trace has for it, whether the event was recorded or not, so that
 * no context depends on recording. The provider gets the slot's number. Slots come in chunks that never move, and are found without a lock: one
 * thread takes them while another returns them. A slot that was returned keeps its contents until it is taken again, which is as late as possible: so
 * a completion that comes twice, or for a refused request, can still be recognised.
 *
 * A silent request that succeeds has no completion. Its slot is returned with the completion of the next request of its queue that is not silent.
 */
#ifndef NDKSHIM_SLOTS_H
#define NDKSHIM_SLOTS_H

#if defined(_MSC_VER) && !defined(__clang__)
# define NDKS_CAS(p, from, to) (_InterlockedCompareExchange64((volatile long long *)(p), (long long)(to), (long long)(from)) == (long long)(from))
# define NDKS_SWAP(p, v)       ((uint64_t)_InterlockedExchange64((volatile long long *)(p), (long long)(v)))
#else
static inline __attribute__((always_inline, unused)) int ndks_cas(uint64_t *p, uint64_t from, uint64_t to)
{
    return __atomic_compare_exchange_n(p, &from, to, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
# define NDKS_CAS(p, from, to) ndks_cas((p), (from), (to))
# define NDKS_SWAP(p, v)       __atomic_exchange_n((p), (uint64_t)(v), __ATOMIC_SEQ_CST)
#endif

typedef char ndks_pointers_have_64_bits[sizeof(void *) == 8 ? 1 : -1];

enum { NDKS_FREE_SLOT, NDKS_LIVE, NDKS_DONE };  /* NDKS_DONE: a silent request that has completed, and is still in a chain */
enum { NDKS_FIRST = 6, NDKS_CHUNKS = 24 };      /* the first chunk has 1 << NDKS_FIRST slots, and each one twice as many as the one before it */
enum { NDKS_AT_ONCE = 1024 };                   /* how many slots a queue has from the beginning, at most: few queues are ever full */

typedef struct ndks_slot {
    void *context;                         /* the consumer's */
    uint64_t wr, state;
    uint64_t next;                         /* the slot behind it in its list: an index from 1 */
    uint32_t chain;                        /* the silent requests that end with this one: an index from 1 */
    uint32_t turn;                         /* how often it was taken, so that an old number is known to be old */
    uint64_t silent;
} ndks_slot;

typedef struct ndks_slots {
    uint64_t chunks[NDKS_CHUNKS];          /* addresses of them */
    uint64_t used;                         /* slots that were taken at least once */
    uint64_t room;
    uint64_t ready;                        /* may be taken: an index from 1, and a count above it, so that it never looks as before */
    uint64_t returned;                     /* were given back: an index from 1 */
    uint64_t silent;                       /* silent requests behind which no other one was posted: an index from 1 */
} ndks_slots;

static void ndks_zero(void *memory, size_t size)
{
    volatile uint64_t *p = (volatile uint64_t *)memory; /* volatile: a compiler would call memset */
    size_t i;
    for (i = 0; i < size / 8; i++) p[i] = 0;
}

static ndks_slot *ndks_at(const ndks_slots *q, uint32_t index)
{
    uint64_t n = (uint64_t)index - 1 + (1u << NDKS_FIRST);
    unsigned k = 0;
    while (n >> (NDKS_FIRST + 1 + k)) k++;
    return (ndks_slot *)(uintptr_t)NDKT_LOAD(&q->chunks[k]) + (n - ((uint64_t)1 << (NDKS_FIRST + k)));
}

/* makes room for twice as many; false where there is no memory */
static int ndks_grow(ndks_slots *q)
{
    uint64_t room = NDKT_LOAD(&q->room), size;
    unsigned k = 0;
    ndks_slot *chunk;
    while (k < NDKS_CHUNKS && ((uint64_t)1 << (NDKS_FIRST + k)) - (1u << NDKS_FIRST) < room) k++;
    if (k == NDKS_CHUNKS) return 0;
    size = (uint64_t)1 << (NDKS_FIRST + k);
    chunk = (ndks_slot *)NDKS_ALLOC((size_t)size * sizeof(ndks_slot));
    if (!chunk) return 0;
    ndks_zero(chunk, (size_t)size * sizeof(ndks_slot));
    if (!NDKS_CAS(&q->chunks[k], 0, (uintptr_t)chunk)) NDKS_FREE(chunk);
    NDKS_CAS(&q->room, room, room + size);
    return 1;
}

/* depth: how many slots are needed at once */
static int ndks_init_slots(ndks_slots *q, uint64_t depth)
{
    ndks_zero(q, sizeof *q);
    while (q->room < depth && q->room < NDKS_AT_ONCE)
        if (!ndks_grow(q)) return 0;
    return 1;
}

static void ndks_free_slots(ndks_slots *q)
{
    unsigned k;
    for (k = 0; k < NDKS_CHUNKS; k++)
        if (q->chunks[k]) NDKS_FREE((void *)(uintptr_t)q->chunks[k]);
    ndks_zero(q, sizeof *q);
}

static void ndks_push(ndks_slots *q, uint64_t *list, uint32_t index)
{
    ndks_slot *s = ndks_at(q, index);
    uint64_t head;
    do {
        head = NDKT_LOAD(list);
        NDKT_STORE(&s->next, (uint32_t)head);
    } while (!NDKS_CAS(list, head, index));
}

/* moves what was given back to what may be taken, the oldest first */
static int ndks_refill(ndks_slots *q)
{
    uint32_t from = (uint32_t)NDKS_SWAP(&q->returned, 0), last = from, first = 0, next;
    uint64_t head;
    if (!from) return 0;
    for (; from; from = next) {
        ndks_slot *s = ndks_at(q, from);
        next = (uint32_t)NDKT_LOAD(&s->next);
        NDKT_STORE(&s->next, first);
        first = from;
    }
    do {
        head = NDKT_LOAD(&q->ready);
        NDKT_STORE(&ndks_at(q, last)->next, (uint32_t)head);
    } while (!NDKS_CAS(&q->ready, head, ((head >> 32) + 1) << 32 | first));
    return 1;
}

/* the index of a free slot, from 1; 0 where there is no memory. Slots that were never used come first */
static uint32_t ndks_unused(ndks_slots *q)
{
    uint64_t head, used;
    for (;;) {
        used = NDKT_LOAD(&q->used);
        if (used < NDKT_LOAD(&q->room)) {
            if (NDKS_CAS(&q->used, used, used + 1)) return (uint32_t)used + 1;
            continue;
        }
        head = NDKT_LOAD(&q->ready);
        if ((uint32_t)head) {
            uint32_t next = (uint32_t)NDKT_LOAD(&ndks_at(q, (uint32_t)head)->next);
            if (NDKS_CAS(&q->ready, head, ((head >> 32) + 1) << 32 | next)) return (uint32_t)head;
        } else if (!ndks_refill(q) && !ndks_grow(q)) {
            return 0;
        }
    }
}

static uint64_t ndks_number(uint32_t turn, uint32_t index, unsigned bit) { return (uint64_t)turn << 33 | (uint64_t)index << 1 | bit; }

/* takes a slot for a context, and returns its number, or 0. bit is the lowest of the number, for the caller's use */
static uint64_t ndks_take(ndks_slots *q, void *context, int silent, unsigned bit)
{
    uint32_t index = ndks_unused(q);
    ndks_slot *s;
    if (!index) return 0;
    s = ndks_at(q, index);
    s->context = context;
    s->wr = 0;
    s->silent = silent != 0;
    s->turn = (s->turn + 1) & 0x7fffffff;
    if (!s->turn) s->turn = 1;
    s->chain = silent ? 0 : (uint32_t)NDKS_SWAP(&q->silent, 0);
    NDKT_STORE(&s->state, NDKS_LIVE);
    return ndks_number(s->turn, index, bit);
}

/* the slot of a number, or 0 for one that was never given or is given to another by now */
static ndks_slot *ndks_find(ndks_slots *q, uint64_t number)
{
    uint64_t index = (number >> 1) & 0xffffffffu;
    ndks_slot *s;
    if (!index || index > NDKT_LOAD(&q->used)) return 0;
    s = ndks_at(q, (uint32_t)index);
    return s->turn == number >> 33 ? s : 0;
}

static void ndks_give_back(ndks_slots *q, uint32_t index)
{
    NDKT_STORE(&ndks_at(q, index)->state, NDKS_FREE_SLOT);
    ndks_push(q, &q->returned, index);
}

/* returns the slots that a completion ends: its own, and those of the silent requests ahead of it. False if another completion has done so before */
static int ndks_complete(ndks_slots *q, uint64_t number)
{
    ndks_slot *s = ndks_find(q, number);
    uint32_t silent, next;
    if (!s) return 0;
    if (s->silent) return NDKS_CAS(&s->state, NDKS_LIVE, NDKS_DONE);
    if (!NDKS_CAS(&s->state, NDKS_LIVE, NDKS_FREE_SLOT)) return 0;
    for (silent = s->chain; silent; silent = next) {
        next = (uint32_t)NDKT_LOAD(&ndks_at(q, silent)->next);
        ndks_give_back(q, silent);
    }
    ndks_push(q, &q->returned, (uint32_t)(number >> 1));
    return 1;
}

/* what becomes of the slot when its post has returned: a refused one gives it back, and an accepted silent one waits for the next that is not */
static void ndks_posted(ndks_slots *q, uint64_t number, int accepted)
{
    ndks_slot *s = ndks_find(q, number);
    uint32_t index = (uint32_t)(number >> 1), silent, next;
    if (!s) return;
    if (s->silent) {
        if (accepted) ndks_push(q, &q->silent, index);
        else ndks_give_back(q, index);
    } else if (!accepted) {
        silent = s->chain;
        if (!NDKS_CAS(&s->state, NDKS_LIVE, NDKS_FREE_SLOT)) return;
        for (; silent; silent = next) {
            next = (uint32_t)NDKT_LOAD(&ndks_at(q, silent)->next);
            ndks_push(q, &q->silent, silent);
        }
        ndks_push(q, &q->returned, index);
    }
}
#endif
