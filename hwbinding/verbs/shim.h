// What Go can't say of libibverbs: unions, and lists of requests.
#include <errno.h>
#include <stdlib.h>
#include <infiniband/verbs.h>

// send_request is struct ibv_send_wr without its unions, its chain and its pointers to anything that Go owns.
struct send_request {
	uint64_t wr_id;
	uint32_t opcode, send_flags;
	uint32_t num_sge; // the next ones of the list that all requests share
	uint32_t rkey;
	uint64_t remote_addr;
	struct ibv_mw *mw;
	struct ibv_mr *mr;
	uint64_t bind_addr, bind_length;
	uint32_t bind_access;
};

struct receive_request {
	uint64_t wr_id;
	uint32_t num_sge;
};

// post_send posts n > 0 requests with one ibv_post_send. It returns an errno, and in *posted how many were accepted.
static inline int post_send(struct ibv_qp *qp, const struct send_request *r, struct ibv_sge *sge, int n, int *posted)
{
	struct ibv_send_wr *wr = calloc(n, sizeof *wr), *bad = NULL;

	*posted = 0;
	if (!wr)
		return ENOMEM;
	for (int i = 0; i < n; i++, r++) {
		wr[i].wr_id = r->wr_id;
		wr[i].next = i + 1 < n ? &wr[i + 1] : NULL;
		wr[i].opcode = r->opcode;
		wr[i].send_flags = r->send_flags;
		wr[i].sg_list = sge;
		wr[i].num_sge = r->num_sge;
		sge += r->num_sge;
		switch (r->opcode) {
		case IBV_WR_RDMA_READ:
		case IBV_WR_RDMA_WRITE:
			wr[i].wr.rdma.remote_addr = r->remote_addr;
			wr[i].wr.rdma.rkey = r->rkey;
			break;
		case IBV_WR_LOCAL_INV:
		case IBV_WR_SEND_WITH_INV:
			wr[i].invalidate_rkey = r->rkey;
			break;
		case IBV_WR_BIND_MW:
			wr[i].bind_mw.mw = r->mw;
			wr[i].bind_mw.rkey = r->rkey;
			wr[i].bind_mw.bind_info.mr = r->mr;
			wr[i].bind_mw.bind_info.addr = r->bind_addr;
			wr[i].bind_mw.bind_info.length = r->bind_length;
			wr[i].bind_mw.bind_info.mw_access_flags = r->bind_access;
			break;
		}
	}
	int err = ibv_post_send(qp, wr, &bad);
	if (!err)
		*posted = n;
	else if (bad)
		*posted = bad - wr;
	// A window's key changes when the request that binds it is posted; the library leaves that to its caller.
	for (int i = 0; i < *posted; i++)
		if (wr[i].opcode == IBV_WR_BIND_MW)
			wr[i].bind_mw.mw->rkey = wr[i].bind_mw.rkey;
	free(wr);
	return err;
}

// post_recv is post_send for receives.
static inline int post_recv(struct ibv_qp *qp, const struct receive_request *r, struct ibv_sge *sge, int n, int *posted)
{
	struct ibv_recv_wr *wr = calloc(n, sizeof *wr), *bad = NULL;

	*posted = 0;
	if (!wr)
		return ENOMEM;
	for (int i = 0; i < n; i++, r++) {
		wr[i].wr_id = r->wr_id;
		wr[i].next = i + 1 < n ? &wr[i + 1] : NULL;
		wr[i].sg_list = sge;
		wr[i].num_sge = r->num_sge;
		sge += r->num_sge;
	}
	int err = ibv_post_recv(qp, wr, &bad);
	if (!err)
		*posted = n;
	else if (bad)
		*posted = bad - wr;
	free(wr);
	return err;
}

static inline uint32_t invalidated_rkey(const struct ibv_wc *wc)
{
	return wc->invalidated_rkey;
}

// port_info is the part of ibv_query_port that connecting needs; ibv_query_port is a macro.
static inline int port_info(struct ibv_context *context, uint8_t port, uint16_t *lid, int *mtu, int *active,
			    int *ethernet)
{
	struct ibv_port_attr attr;
	int err = ibv_query_port(context, port, &attr);

	if (!err) {
		*lid = attr.lid;
		*mtu = attr.active_mtu;
		*active = attr.state == IBV_PORT_ACTIVE;
		*ethernet = attr.link_layer == IBV_LINK_LAYER_ETHERNET;
	}
	return err;
}

static inline struct ibv_mr *reg_mr(struct ibv_pd *pd, uint64_t addr, size_t length, int access)
{
	return ibv_reg_mr(pd, (void *)(uintptr_t)addr, length, access);
}

// The object of an asynchronous event, NULL where it has none of these.
static inline void *event_object(const struct ibv_async_event *event)
{
	switch (event->event_type) {
	case IBV_EVENT_CQ_ERR:
		return event->element.cq;
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		return event->element.qp;
	default:
		return NULL;
	}
}
