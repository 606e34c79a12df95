/* rest.c - finds the moments at which the provider is at rest: before an object is destroyed, and at the end of the program. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include "library.h"
#include "control.h"
#include "locks.h"

enum { MOST_CHANNELS = 64 };
#define MS 1000000u
#define LONGEST (10000u * (uint64_t)MS)    /* a wait for retries */

static uint64_t rested;                    /* posts at the latest moment of rest */

static uint64_t usual(void)                /* how long nothing must happen, in ns */
{
    static uint64_t ns = NDKT_NONE;
    const char *ms = getenv("NDKRECORD_REST_MS");
    if (ns == NDKT_NONE) ns = (ms ? strtoul(ms, 0, 10) : 300) * (uint64_t)MS;
    return ns;
}

/* how long the provider may still try to send what was posted; NDKT_NONE where that has no bound */
static uint64_t retrying(void)
{
    uint64_t most = 0;
    struct qp *q;
    pthread_mutex_lock(&locks.objects);
    for (q = qps; q; q = q->older)
        if (mine(q) && q->sends.busy && q->retries > most) most = q->retries;
    pthread_mutex_unlock(&locks.objects);
    return most;
}

static void wait_for(uint64_t ns)
{
    struct timespec t = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    while (nanosleep(&t, &t) && errno == EINTR) {}
}

struct waiting { ndkt_op ops[MOST_CHANNELS]; unsigned n; };

/* a thread that waits for an event on an empty channel shows that there is none at the moment of rest */
static void wait_on(struct object *o, void *with)
{
    struct waiting *w = with;
    struct pollfd p = {((const struct ibv_comp_channel *)o->at)->fd, POLLIN, 0};
    if (w->n < MOST_CHANNELS && poll(&p, 1, 0) == 0) w->ops[w->n++] = ndkt_ibv_get_cq_event_call(RING, o->id);
}

static void close_poll(struct object *o, void *with)
{
    (void)with;
    poll_close((struct cq *)o);
}

static int at_rest(uint64_t ns)
{
    uint64_t before = activity();
    wait_for(ns);
    return activity() == before;
}

void rest(int at_exit)
{
    struct waiting w;
    uint64_t more, posted = posts;
    int error = errno;
    if (!shared || self.inside || !usual() || (posted == rested && !at_exit)) return;
    w.n = 0;
    more = retrying();
    if (more > LONGEST) more = more == NDKT_NONE ? NDKT_NONE : LONGEST + 1;
    /* other threads may go on: then there is no such moment, and what is asked for is not held up for longer */
    if (more <= LONGEST && at_rest(more > usual() ? more : usual()) && enter()) {
        each(CQ, close_poll, 0);
        each(CHANNEL, wait_on, &w);
        ndkt_quiesce_point(RING);
        while (w.n) ndkt_ibv_get_cq_event_ret(RING, w.ops[--w.n], 0, EAGAIN);
        leave();
        rested = posted;
    }
    errno = error;
}

void poll_left(struct object *o, void *with)
{
    struct cq *c = (struct cq *)o;
    struct ibv_wc wc[16];
    (void)with;
    while (record_poll_cq(c->real, 16, wc) > 0) {}
}

static void poll_left_unnoticed(struct object *o, void *with)
{
    if (!((struct cq *)o)->channel) poll_left(o, with);
}

static void count(struct object *o, void *n)
{
    (void)o;
    ++*(uint64_t *)n;
}

/* Polls what is left, as the program will not. A queue with a channel keeps its completions until the moment of rest, so that the trace shows a lost wake-up.
   An unpolled request counts as under way. If it prevents the moment of rest, the queues are polled first. Other threads may still run: their calls prevent
   rest. */
__attribute__((destructor)) static void end(void)
{
    uint64_t before, cqs = 0;
    if (!shared || self.inside) return;
    each(CQ, count, &cqs);
    if (!cqs) {                            /* what was destroyed owes nothing */
        session_end(usual() != 0);
        return;
    }
    each(CQ, poll_left_unnoticed, 0);
    each(CONTEXT, read_events, 0);
    rest(AT_EXIT);
    if (rested != posts) {
        each(CQ, poll_left, 0);
        rest(AT_EXIT);
    }
    before = posts;
    if (rested == before) {
        each(CQ, poll_left, 0);
        if (enter()) each(CQ, close_poll, 0);
        leave();
    }
    session_end(usual() && rested == before && posts == before);
}
