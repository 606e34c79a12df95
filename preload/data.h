/* data.h - the functions of the data path that stand in the tables of a context, a queue pair and a completion queue. */
#ifndef NDKRECORD_DATA_H
#define NDKRECORD_DATA_H
#include "objects.h"

int record_poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc);
int record_req_notify_cq(struct ibv_cq *cq, int solicited_only);
int record_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
int record_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
int record_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
int record_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind);
struct ibv_mw *record_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type);
int record_dealloc_mw(struct ibv_mw *mw);

void record_cq_ex(struct cq *c, struct ibv_cq_ex *cq);       /* puts its functions in place of the provider's */
int record_qp_ex(struct qp *q, struct ibv_qp_ex *qp);        /* the same; 0 where there is no memory */
void sender_free(struct sender *s);

void poll_close(struct cq *c);                               /* ends the poll that is open in the trace */
extern uint64_t posts;                                       /* requests that were posted; information only */
void results_lost(void);                                     /* counts an event that can't be recorded as dropped */
static inline uint32_t code(int returned) { return (uint32_t)(returned < 0 ? errno : returned); }
#endif
