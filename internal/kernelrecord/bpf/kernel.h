/*
 * kernel.h - what the recorder needs to know of Linux's kernel: the members that it reads, whose places the loader finds in the running kernel's BTF,
 * and the helpers of BPF that it calls (Linux, include/uapi/linux/bpf.h). No header of the kernel and none of libbpf is needed.
 */
#ifndef KERNEL_H
#define KERNEL_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;

#define SECTION(name) __attribute__((section(name), used))
#define INLINE static inline __attribute__((always_inline))

/* Maps, in the form that loaders of BPF read from BTF. */
#define MAP_TYPE_RINGBUF 27
#define MAP_UINT(name, value) int (*name)[value]

/* Helpers, by their numbers. */
static u64 (*bpf_ktime_get_ns)(void) = (void *)5;
static u32 (*bpf_get_smp_processor_id)(void) = (void *)8;
static u64 (*bpf_get_current_pid_tgid)(void) = (void *)14;
static u64 (*bpf_get_current_task)(void) = (void *)35;
static long (*bpf_probe_read_kernel)(void *to, u32 size, const void *from) = (void *)113;
static void *(*bpf_ringbuf_reserve)(void *ring, u64 size, u64 flags) = (void *)131;
static void (*bpf_ringbuf_submit)(void *data, u64 flags) = (void *)132;
static u64 (*bpf_ringbuf_query)(void *ring, u64 flags) = (void *)134;
static u64 (*bpf_get_func_ip)(void *ctx) = (void *)173;
#define RB_NO_WAKEUP 1
#define RB_FORCE_WAKEUP 2
#define RB_AVAIL_DATA 0

/* SIZE_OF is the size of a type in the running kernel. */
#define SIZE_OF(type) __builtin_preserve_type_info(*(type *)0, 1)

/* HAS says whether the running kernel has a member. */
#define HAS(member) __builtin_preserve_field_info(member, 2)

/* READ(member) reads a member of the kernel's memory; PLACE(member) is where it is. A read that fails gives 0. */
#define PLACE(member) ((void *)__builtin_preserve_access_index(&(member)))
#define READ(member) \
    ({ \
        __typeof__(member) value__; \
        __builtin_memset(&value__, 0, sizeof value__); \
        bpf_probe_read_kernel(&value__, sizeof value__, PLACE(member)); \
        value__; \
    })

/* The enums are named as the kernel names them: a member is found by its name and the kind of its type. */
enum ib_sig_type { SIG_TYPE };
enum ib_qp_type { QP_TYPE };
enum ib_qp_state { QP_STATE };
enum ib_wr_opcode { WR_OPCODE };
enum ib_wc_status { WC_STATUS };
enum ib_wc_opcode { WC_OPCODE };

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct vm_struct {
    unsigned long size;
};

struct task_struct {
    void *stack;
    struct vm_struct *stack_vm_area;
};

struct ib_device_ops {
    void *post_send, *post_recv, *post_srq_recv, *poll_cq, *req_notify_cq;
    void *create_cq, *destroy_cq, *create_qp, *modify_qp, *destroy_qp, *create_srq, *destroy_srq, *dereg_mr;
};

struct ib_device {
    struct ib_device_ops ops;
    char name[64];
};

struct ib_cq {
    struct ib_device *device;
    void *uobject;
    void *comp_handler;
    int cqe;
};

struct ib_cq_init_attr {
    u32 cqe;
};

struct ib_srq {
    struct ib_device *device;
    void *uobject;
};

struct ib_mr {
    struct ib_device *device;
};

struct ib_qp {
    struct ib_device *device;
    void *uobject;
    u32 qp_num;
};

struct ib_qp_cap {
    u32 max_send_wr, max_recv_wr, max_inline_data;
};

struct ib_qp_init_attr {
    struct ib_cq *send_cq, *recv_cq;
    struct ib_srq *srq;
    struct ib_qp_cap cap;
    enum ib_sig_type sq_sig_type;
    enum ib_qp_type qp_type;
};

union ib_gid {
    u8 raw[16];
};

struct ib_gid_attr {
    union ib_gid gid;
};

struct ib_global_route {
    struct ib_gid_attr *sgid_attr;
    union ib_gid dgid;
};

struct rdma_ah_attr {
    struct ib_global_route grh;
};

struct ib_qp_attr {
    enum ib_qp_state qp_state;
    u32 dest_qp_num;
    struct rdma_ah_attr ah_attr;
};

struct ib_sge {
    u64 addr;
    u32 length;
};

struct ib_send_wr {
    struct ib_send_wr *next;
    u64 wr_id;
    struct ib_sge *sg_list;
    int num_sge;
    enum ib_wr_opcode opcode;
    int send_flags;
    union {
        u32 invalidate_rkey;
    } ex;
};

struct ib_reg_wr {
    struct ib_send_wr wr;
    struct ib_mr *mr;
    u32 key;
};

struct ib_recv_wr {
    struct ib_recv_wr *next;
    u64 wr_id;
    struct ib_sge *sg_list;
    int num_sge;
};

struct ib_wc {
    u64 wr_id;
    enum ib_wc_status status;
    enum ib_wc_opcode opcode;
    u32 vendor_err, byte_len;
    struct ib_qp *qp;
    union {
        u32 invalidate_rkey;
    } ex;
    int wc_flags;
};

#pragma clang attribute pop

/* The numbers that the recorder knows: members of enums that have had them since they are. */
#define IB_QP_AV (1 << 7)
#define IB_QP_DEST_QPN (1 << 20)
#define IB_WR_REG_MR 32
#define IB_WR_REG_MR_INTEGRITY 33

#endif
