/* real.h - the functions of libibverbs that the library stands before, and dlsym and dlvsym. */
#ifndef NDKRECORD_REAL_H
#define NDKRECORD_REAL_H
#include <infiniband/verbs.h>
#undef ibv_reg_mr
#undef ibv_reg_mr_iova
#undef ibv_query_port

/* name and version. exports.map has the same */
#define REAL_FUNCTIONS(X) \
    X(ibv_open_device, "IBVERBS_1.1") X(ibv_import_device, "IBVERBS_1.10") X(ibv_close_device, "IBVERBS_1.1") \
    X(ibv_alloc_pd, "IBVERBS_1.1") X(ibv_dealloc_pd, "IBVERBS_1.1") \
    X(ibv_reg_mr, "IBVERBS_1.1") X(ibv_reg_mr_iova, "IBVERBS_1.7") X(ibv_reg_mr_iova2, "IBVERBS_1.8") X(ibv_reg_dmabuf_mr, "IBVERBS_1.12") \
    X(ibv_rereg_mr, "IBVERBS_1.1") X(ibv_dereg_mr, "IBVERBS_1.1") \
    X(ibv_create_comp_channel, "IBVERBS_1.0") X(ibv_destroy_comp_channel, "IBVERBS_1.0") \
    X(ibv_create_cq, "IBVERBS_1.1") X(ibv_resize_cq, "IBVERBS_1.1") X(ibv_destroy_cq, "IBVERBS_1.1") \
    X(ibv_get_cq_event, "IBVERBS_1.1") X(ibv_ack_cq_events, "IBVERBS_1.1") \
    X(ibv_create_qp, "IBVERBS_1.1") X(ibv_modify_qp, "IBVERBS_1.1") X(ibv_destroy_qp, "IBVERBS_1.1") \
    X(ibv_create_srq, "IBVERBS_1.1") X(ibv_destroy_srq, "IBVERBS_1.1") \
    X(ibv_get_async_event, "IBVERBS_1.1") X(ibv_ack_async_event, "IBVERBS_1.1")

struct real {
#define X(name, version) __typeof__(name) *name;
    REAL_FUNCTIONS(X)
#undef X
    __typeof__(ibv_qp_to_qp_ex) *ibv_qp_to_qp_ex;
    __typeof__(ibv_query_gid) *ibv_query_gid;
};
const struct real *real(void);
void *elf_find(const char *name);
#endif
