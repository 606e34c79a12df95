/* requests.h - the numbers that stand for the program's wr_id while a request is with the provider.
 *
 * Programs use one wr_id for many requests, and a trace needs a number that is used once. The provider is given the place of a slot, which has both.
 * This does not depend on recording: what was given while it was recorded is translated back when it is not. */
#ifndef NDKRECORD_REQUESTS_H
#define NDKRECORD_REQUESTS_H
#include <stdint.h>

struct qp;
struct slot {
    uint64_t user;                         /* the program's wr_id */
    uint64_t wr;                           /* the id in the trace */
    struct qp *qp;                         /* 0 of a receive of an SRQ */
    uint32_t generation;                   /* of a slot that is used again */
    uint32_t state;
};
enum slot_state { SLOT_FREE, SLOT_AWAITED, SLOT_SILENT }; /* a silent one has no completion where it succeeds */

struct run;
struct queue {                             /* of a send queue, a receive queue, or an SRQ */
    struct run *run;                       /* the newest, and behind it those it outgrew */
    uint64_t tail;
    uint32_t last;                         /* the place of the request posted last */
    int busy;                              /* that request has not completed */
};

int queue_open(struct queue *q, uint32_t depth);             /* 0 where there is no memory */
void queue_reset(struct queue *q);                           /* what was posted will not complete */
void queue_close(struct queue *q);
/* the wr_id for the provider, or 0 where there is no memory. slot is where the user's was put */
uint64_t request_post(struct queue *q, uint64_t user, struct qp *qp, int silent, struct slot **slot);
struct slot *request_find(uint64_t wr_id);                   /* 0 where it is the program's own */
void request_done(struct slot *s);                           /* it completed, or was refused */
uint32_t request_place(uint64_t wr_id);
uint64_t request_number(void);                               /* NDKT_WR of a number that no other request has */
#endif
