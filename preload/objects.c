/* objects.c - the table of objects: readers take no lock where what they look for is there. */
#include <stdlib.h>
#include <string.h>
#include "library.h"
#include "locks.h"
#include "objects.h"

enum { BUCKETS = 65536, CHUNK = 64 };

struct locks locks = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
struct qp *qps;

static struct object *buckets[BUCKETS];
static struct object *spare[KINDS];        /* memory of objects is never given back, so that a reader without a lock reads one */
static const size_t sizes[KINDS] = {
    [CONTEXT] = sizeof(struct context), [PD] = sizeof(struct object), [CHANNEL] = sizeof(struct object), [CQ] = sizeof(struct cq),
    [QP] = sizeof(struct qp), [SRQ] = sizeof(struct srq), [MR] = sizeof(struct object), [MW] = sizeof(struct object),
};

static unsigned bucket(enum kind kind, const void *at, uint32_t of)
{
    uint64_t h = ((uint64_t)(uintptr_t)at >> 4 ^ (uint64_t)of << 20 ^ (uint64_t)kind) * 0x9E3779B97F4A7C15u;
    return (unsigned)(h >> 48);
}

void *object_new(enum kind kind)
{
    struct object *o;
    size_t i, size = (sizes[kind] + 15) & ~(size_t)15;
    pthread_mutex_lock(&locks.objects);
    if (!spare[kind]) {
        char *m = calloc(CHUNK, size);
        for (i = 0; m && i < CHUNK; i++) {
            o = (struct object *)(m + i * size);
            o->next = spare[kind];
            spare[kind] = o;
        }
    }
    o = spare[kind];
    if (o) spare[kind] = o->next;
    pthread_mutex_unlock(&locks.objects);
    if (!o) return 0;
    memset(o, 0, size);
    o->kind = kind;
    o->session = session;
    o->id = shared ? new_id() : 0;
    return o;
}

static void put(struct object *o)
{
    unsigned b = bucket(o->kind, o->at, o->of);
    pthread_mutex_lock(&locks.objects);
    o->next = buckets[b];
    __atomic_store_n(&buckets[b], o, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&locks.objects);
}

static void take(struct object *o)
{
    struct object **p;
    pthread_mutex_lock(&locks.objects);
    for (p = &buckets[bucket(o->kind, o->at, o->of)]; *p && *p != o; p = &(*p)->next) {}
    if (*p) __atomic_store_n(p, o->next, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&locks.objects);
}

void object_add(struct object *o, const void *at)
{
    o->at = at;
    put(o);
}

void object_remove(struct object *o) { take(o); }

void object_free(struct object *o)
{
    pthread_mutex_lock(&locks.objects);
    o->next = spare[o->kind];
    spare[o->kind] = o;
    pthread_mutex_unlock(&locks.objects);
}

static struct object *search(struct object *o, enum kind kind, const void *at, uint32_t of, unsigned most)
{
    for (; o && most; o = __atomic_load_n(&o->next, __ATOMIC_ACQUIRE), most--)
        if (o->at == at && o->kind == (uint32_t)kind && o->of == of) return o;
    return 0;
}

void *object_find(enum kind kind, const void *at, uint32_t of)
{
    unsigned b = bucket(kind, at, of);
    struct object *first = __atomic_load_n(&buckets[b], __ATOMIC_ACQUIRE), *o;
    if (!at || !first) return 0;
    /* one that is destroyed meanwhile leads elsewhere: then, and where there is none, the lock says so */
    o = search(first, kind, at, of, 1024);
    if (!o) {
        pthread_mutex_lock(&locks.objects);
        o = search(buckets[b], kind, at, of, ~0u);
        pthread_mutex_unlock(&locks.objects);
    }
    if (o && kind == QPN) return (char *)o - offsetof(struct qp, by_number);
    return o;
}

void qp_number(struct qp *q, const void *context, uint32_t number)
{
    q->number = number;
    q->by_number.kind = QPN;
    q->by_number.at = context;
    q->by_number.of = number;
    put(&q->by_number);
    pthread_mutex_lock(&locks.objects);
    q->older = qps;
    q->newer = 0;
    if (qps) qps->newer = q;
    qps = q;
    pthread_mutex_unlock(&locks.objects);
}

void qp_unlist(struct qp *q)
{
    take(&q->by_number);
    pthread_mutex_lock(&locks.objects);
    if (q->older) q->older->newer = q->newer;
    if (q->newer) q->newer->older = q->older;
    else qps = q->older;
    pthread_mutex_unlock(&locks.objects);
}

void each(enum kind kind, void (*do_)(struct object *, void *), void *with)
{
    struct object **all = 0, *o;
    size_t n = 0, room = 0, i;
    unsigned b;
    pthread_mutex_lock(&locks.objects);
    for (b = 0; b < BUCKETS; b++)
        for (o = buckets[b]; o; o = o->next) {
            if (o->kind != (uint32_t)kind || o->session != session) continue;
            if (n == room) {
                struct object **more = realloc(all, (room = room ? 2 * room : 64) * sizeof *all);
                if (!more) break;
                all = more;
            }
            all[n++] = o;
        }
    pthread_mutex_unlock(&locks.objects);
    for (i = 0; i < n; i++) do_(all[i], with);
    free(all);
}
