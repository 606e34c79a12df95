/* objects.h - what is known of the program's objects, by their addresses. Ids are never used again, though addresses are. */
#ifndef NDKRECORD_OBJECTS_H
#define NDKRECORD_OBJECTS_H
#include "library.h"
#include "requests.h"

/* QPN: a queue pair by its context and number */
enum kind { CONTEXT = 1, PD, CHANNEL, CQ, QP, SRQ, MR, MW, QPN, KINDS };

struct object {
    struct object *next;                   /* in its bucket, or among the spare ones */
    const void *at;
    uint32_t of;                           /* a QPN's number */
    uint32_t kind;
    uint32_t id, session;
};

struct context {
    struct object o;
    struct ibv_context *real;
    struct ibv_context_ops ops;            /* the provider's, before they were replaced */
    struct verbs_context more;             /* its members that the provider's structure has, else 0 */
    int reads_async;                       /* the program has called ibv_get_async_event */
};

struct cq {
    struct object o;
    struct context *context;
    struct ibv_cq *real;
    struct object *channel;
    uint64_t open;                         /* a poll that found nothing and has not returned in the trace, so that others can be recorded as one with it */
    uint32_t open_n;                       /* the room for results that it was given */
    uint64_t mark;                         /* activity() behind its latest poll that found nothing */
    struct ibv_cq_ex ex;                   /* the provider's functions, of an extended one */
};

struct sender;
struct qp {
    struct object o;
    struct object by_number;
    struct context *context;
    struct ibv_qp *real;
    struct cq *send_cq, *recv_cq;
    struct queue sends, receives;
    struct sender *sender;                 /* of one with the extended interface */
    struct qp *older, *newer;              /* of all that are there */
    uint32_t number;
    int type, signals_all;
    uint64_t retries;                      /* how long it may try to send, in ns; NDKT_NONE for ever */
};

struct srq {
    struct object o;
    struct context *context;
    struct queue receives;
};

void *object_new(enum kind kind);                            /* zeros, with an id; 0 where there is no memory */
void object_add(struct object *o, const void *at);           /* from here on it is found */
void object_remove(struct object *o);                        /* it is found no more, and stays readable until object_free */
void object_free(struct object *o);
void *object_find(enum kind kind, const void *at, uint32_t of);
void qp_number(struct qp *q, const void *context, uint32_t number); /* has it found by its number, and listed */
void qp_unlist(struct qp *q);
extern struct qp *qps;                     /* under locks.objects */
/* calls with each object of the kind, not under a lock; objects must not be destroyed meanwhile */
void each(enum kind kind, void (*do_)(struct object *, void *), void *with);

static inline uint32_t id_of(const void *object) { return object && ((const struct object *)object)->session == session ? ((const struct object *)object)->id : 0; }
static inline int mine(const void *object) { return object && ((const struct object *)object)->session == session; }
#define FIND(kind, at) object_find((kind), (at), 0)
#endif
