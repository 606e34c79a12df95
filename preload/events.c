/* events.c - completion events and asynchronous events. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include "library.h"
#include "control.h"

EXPORT int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **context)
{
    struct object *h = FIND(CHANNEL, channel);
    struct cq *c;
    ndkt_op op;
    int r, error;
    if (!mine(h) || !enter()) return real()->ibv_get_cq_event(channel, cq, context);
    op = ndkt_ibv_get_cq_event_call(RING, h->id);
    leave();                               /* it may wait for long, and be cancelled */
    r = real()->ibv_get_cq_event(channel, cq, context);
    error = errno;
    if (!enter()) return r;
    if (r) {
        ndkt_ibv_get_cq_event_ret(RING, op, 0, (uint32_t)(error ? error : EIO));
    } else if (mine(c = FIND(CQ, *cq))) {
        poll_close(c);
        ndkt_ibv_get_cq_event_ret(RING, op, c->o.id, 0);
    } else {
        results_lost();
    }
    leave();
    errno = error;
    return r;
}

EXPORT void ibv_ack_cq_events(struct ibv_cq *cq, unsigned n)
{
    struct cq *c = FIND(CQ, cq);
    ndkt_op op;
    if (!mine(c) || !enter()) {
        real()->ibv_ack_cq_events(cq, n);
        return;
    }
    op = ndkt_ibv_ack_cq_events_call(RING, c->o.id, n);
    real()->ibv_ack_cq_events(cq, n);
    ndkt_ibv_ack_cq_events_ret(RING, op);
    leave();
}

static void say(ndkt_op op, const struct ibv_async_event *e)
{
    uint32_t cq = 0, qp = 0, srq = 0;
    switch (e->event_type) {
    case IBV_EVENT_CQ_ERR: cq = id_of(FIND(CQ, e->element.cq)); break;
    case IBV_EVENT_QP_FATAL: case IBV_EVENT_QP_REQ_ERR: case IBV_EVENT_QP_ACCESS_ERR: case IBV_EVENT_COMM_EST: case IBV_EVENT_SQ_DRAINED:
    case IBV_EVENT_PATH_MIG: case IBV_EVENT_PATH_MIG_ERR: case IBV_EVENT_QP_LAST_WQE_REACHED: qp = id_of(FIND(QP, e->element.qp)); break;
    case IBV_EVENT_SRQ_ERR: case IBV_EVENT_SRQ_LIMIT_REACHED: srq = id_of(FIND(SRQ, e->element.srq)); break;
    default: break;
    }
    ndkt_ibv_get_async_event_ret(RING, op, (uint64_t)(unsigned)e->event_type, 0, cq, qp, srq);
}

EXPORT int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
    struct context *x = FIND(CONTEXT, context);
    ndkt_op op;
    int r, error;
    if (x) __atomic_store_n(&x->reads_async, 1, __ATOMIC_RELEASE);
    if (!mine(x) || !enter()) return real()->ibv_get_async_event(context, event);
    op = ndkt_ibv_get_async_event_call(RING, x->o.id);
    leave();
    r = real()->ibv_get_async_event(context, event);
    error = errno;
    if (!enter()) return r;
    if (r) ndkt_ibv_get_async_event_ret(RING, op, NDKT_NONE, (uint32_t)(error ? error : EIO), 0, 0, 0);
    else say(op, event);
    leave();
    errno = error;
    return r;
}

EXPORT void ibv_ack_async_event(struct ibv_async_event *event)
{
    ndkt_op op;
    if (!enter()) {
        real()->ibv_ack_async_event(event);
        return;
    }
    op = ndkt_ibv_ack_async_event_call(RING);
    real()->ibv_ack_async_event(event);
    ndkt_ibv_ack_async_event_ret(RING, op);
    leave();
}

/* A program that has asked for one, or made the file non-blocking so as to ask when there is one, reads them itself: it would wait for what was taken */
void read_events(struct object *o, void *with)
{
    struct context *x = (struct context *)o;
    struct pollfd p = {x->real->async_fd, POLLIN, 0};
    struct ibv_async_event event;
    int flags, error = errno;
    ndkt_op op;
    (void)with;
    while (!__atomic_load_n(&x->reads_async, __ATOMIC_ACQUIRE)) {
        flags = fcntl(p.fd, F_GETFL);
        if (flags < 0 || flags & O_NONBLOCK || poll(&p, 1, 0) != 1 || !(p.revents & POLLIN) || !enter()) break;
        op = ndkt_ibv_get_async_event_call(RING, x->o.id);
        if (real()->ibv_get_async_event(x->real, &event)) {
            ndkt_ibv_get_async_event_ret(RING, op, NDKT_NONE, (uint32_t)(errno ? errno : EIO), 0, 0, 0);
            leave();
            break;
        }
        say(op, &event);
        op = ndkt_ibv_ack_async_event_call(RING);
        real()->ibv_ack_async_event(&event);
        ndkt_ibv_ack_async_event_ret(RING, op);
        leave();
    }
    errno = error;
}
