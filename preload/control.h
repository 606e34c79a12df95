/* control.h - what creates and destroys objects shares. */
#ifndef NDKRECORD_CONTROL_H
#define NDKRECORD_CONTROL_H
#include "data.h"
#include "real.h"

struct cq *cq_begin(struct ibv_context *context, uint32_t depth, struct ibv_comp_channel *channel, int extended, ndkt_op *op);
void cq_end(struct cq *c, struct ibv_cq *made, int error, int extended, ndkt_op op);
struct ibv_cq_ex *record_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr);
struct ibv_qp *record_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr);
struct ibv_qp *record_open_qp(struct ibv_context *context, struct ibv_qp_open_attr *attr);
struct ibv_srq *record_create_srq_ex(struct ibv_context *context, struct ibv_srq_init_attr_ex *attr);
int record_post_srq_ops(struct ibv_srq *srq, struct ibv_ops_wr *wr, struct ibv_ops_wr **bad);
uint32_t connection(struct qp *q, const struct ibv_qp_attr *attr, int mask); /* its number, which has a name that both hosts know; 0 where there is none */

enum { AT_EXIT = 1 };
void rest(int at_exit);                                      /* waits until the provider is at rest, and says so in the trace, if it is and was not before */
void read_events(struct object *context, void *with);        /* asynchronous events that the program has not asked for */
void poll_left(struct object *cq, void *with);               /* polls what is left in it */

/* error of a call that returns a pointer */
static inline uint32_t failed(const void *made) { return made ? 0 : (uint32_t)(errno ? errno : EIO); }
#endif
