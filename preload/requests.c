/* requests.c - slots for requests, in runs of a power of two that the queues take and give back. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include "library.h"
#include "locks.h"
#include "requests.h"

enum { BLOCK = 65536, BLOCKS = 65536, SMALLEST = 4, SIZES = 17, SOME_NUMBERS = 256 };
#define MARK ((uint64_t)0xA5CE << 48)      /* of a wr_id that is a slot's place, with 16 bits of its generation */

struct run { struct run *older; struct slot *slots; uint32_t place, size; int class_; };

static struct slot *blocks[BLOCKS];
static uint64_t used = BLOCK;              /* places that were given out; the first block has none, so that no place is 0 */
static struct run *spare[SIZES];
static uint64_t numbers;

/* a run of 1 << class_ slots */
static struct run *run_new(int class_)
{
    struct run *r;
    uint32_t size = 1u << class_;
    pthread_mutex_lock(&locks.requests);
    r = spare[class_];
    if (r) {
        spare[class_] = r->older;
    } else if ((r = malloc(sizeof *r)) != 0) {
        uint64_t block;
        used = (used + size - 1) & ~(uint64_t)(size - 1);
        block = used / BLOCK;
        if (block < BLOCKS && !blocks[block]) {
            void *m = mmap(0, BLOCK * sizeof(struct slot), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (m != MAP_FAILED) __atomic_store_n(&blocks[block], m, __ATOMIC_RELEASE);
        }
        if (block < BLOCKS && blocks[block]) {
            *r = (struct run){0, blocks[block] + used % BLOCK, (uint32_t)used, size, class_};
            used += size;
        } else {
            free(r);
            r = 0;
        }
    }
    pthread_mutex_unlock(&locks.requests);
    if (r) r->older = 0;
    return r;
}

int queue_open(struct queue *q, uint32_t depth)
{
    int class_ = SMALLEST;
    while (class_ < SIZES - 1 && 1u << class_ < 2 * (uint64_t)depth) class_++;
    q->run = run_new(class_);
    q->tail = 0;
    q->last = 0;
    q->busy = 0;
    return q->run != 0;
}

void queue_reset(struct queue *q)
{
    struct run *r;
    uint32_t i;
    for (r = __atomic_load_n(&q->run, __ATOMIC_ACQUIRE); r; r = r->older)
        for (i = 0; i < r->size; i++) __atomic_store_n(&r->slots[i].state, SLOT_FREE, __ATOMIC_RELEASE);
    q->busy = 0;
}

void queue_close(struct queue *q)
{
    struct run *r, *next;
    queue_reset(q);
    pthread_mutex_lock(&locks.requests);
    for (r = q->run; r; r = next) {
        next = r->older;
        r->older = spare[r->class_];
        spare[r->class_] = r;
    }
    q->run = 0;
    pthread_mutex_unlock(&locks.requests);
}

/* a run of twice the size in front of full, unless another thread was faster. One of the largest size is used on: its oldest slots are */
static int grow(struct queue *q, struct run *full)
{
    struct run *r;
    if (full->class_ >= SIZES - 1) r = run_new(SIZES - 1);
    else r = run_new(full->class_ + 1);
    if (!r) return 0;
    pthread_mutex_lock(&locks.requests);
    if (q->run == full) {
        r->older = full;
        __atomic_store_n(&q->run, r, __ATOMIC_RELEASE);
    } else {
        r->older = spare[r->class_];
        spare[r->class_] = r;
    }
    pthread_mutex_unlock(&locks.requests);
    return 1;
}

uint64_t request_post(struct queue *q, uint64_t user, struct qp *qp, int silent, struct slot **slot)
{
    struct run *r;
    uint32_t i;
    while ((r = __atomic_load_n(&q->run, __ATOMIC_ACQUIRE)) != 0) {
        for (i = 0; i < r->size; i++) {
            /* a silent request is done when as many behind it were posted as the queue has room for, and there are twice as many slots */
            uint32_t at = (uint32_t)__atomic_fetch_add(&q->tail, 1, __ATOMIC_RELAXED) & (r->size - 1);
            struct slot *s = &r->slots[at];
            uint32_t was = __atomic_load_n(&s->state, __ATOMIC_RELAXED);
            if (was == SLOT_AWAITED) continue;
            if (!__atomic_compare_exchange_n(&s->state, &was, silent ? SLOT_SILENT : SLOT_AWAITED, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) continue;
            s->user = user;
            s->qp = qp;
            s->wr = 0;
            s->generation++;
            *slot = s;
            q->last = r->place + at;
            q->busy = 1;
            return MARK | (uint64_t)(uint16_t)s->generation << 32 | (r->place + at);
        }
        if (!grow(q, r)) return 0;
    }
    return 0;
}

struct slot *request_find(uint64_t wr_id)
{
    struct slot *block, *s;
    uint32_t place = (uint32_t)wr_id;
    if (wr_id >> 48 != MARK >> 48) return 0;
    block = __atomic_load_n(&blocks[place / BLOCK], __ATOMIC_ACQUIRE);
    if (!block) return 0;
    s = &block[place % BLOCK];
    return (uint16_t)s->generation == (uint16_t)(wr_id >> 32) && s->generation ? s : 0;
}

void request_done(struct slot *s) { __atomic_store_n(&s->state, SLOT_FREE, __ATOMIC_RELEASE); }
uint32_t request_place(uint64_t wr_id) { return (uint32_t)wr_id; }

uint64_t request_number(void)
{
    if (self.next_request == self.requests) {
        self.next_request = __atomic_fetch_add(&numbers, SOME_NUMBERS, __ATOMIC_RELAXED);
        self.requests = self.next_request + SOME_NUMBERS;
    }
    return NDKT_WR(++self.next_request);
}
