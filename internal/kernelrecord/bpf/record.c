/*
 * record.c - the programs of BPF that record what kernel code does with the verbs of one RDMA device: one each at the begin and the end of the driver's
 * functions and of the completion handlers. The loader attaches them to the functions that it finds, and loads all of them twice, as first and second copies.
 *
 * A trampoline of BPF does not run a program where that same program already runs on the processor. So where a softirq interrupts the first copy, its own
 * call passes by this copy, and the second one records it. All other calls reach both copies, and the second has to know: see is_duplicate.
 *
 * The kernel gives some helpers only to programs whose licence is compatible with its own. So the files of this folder may also be used under the MIT licence, or
 * under the GPL, version 2.
 */
#include "record.h"

char licence[] SECTION("license") = "Dual MIT/GPL";

/* Set by the loader before it loads the programs. */
volatile const u64 device = 0;      /* the struct ib_device that is recorded */
volatile const u32 own_process = 0; /* the loader's, for find_device */
volatile const u32 second = 0;      /* these are the second copies */

struct {
    MAP_UINT(type, MAP_TYPE_RINGBUF);
    MAP_UINT(max_entries, 1 << 25);
} ring SECTION(".maps");

u32 enabled = 0;         /* set by the loader: until then, and from then on, nothing is recorded */
u64 next_seq = 0;        /* of the order */
u64 dropped = 0;         /* events that found no room in the ring, or have too many items */
u64 second_copies = 0;   /* calls that passed by the first copy of a program, and reached the second */

/* The frames of calls whose first copy has run, by a hash of their address: at the begin, and at the end. */
#define MARKS (1 << 14)
u64 begun[MARKS];
u64 ended[MARKS];

INLINE u32 slot_of(u64 frame) { return (u32)((frame >> 3) * 0x9E3779B97F4A7C15ull >> 50) & (MARKS - 1); }

/*
 * is_duplicate says whether the first copy has run for this call. That one leaves the call's frame in a slot, and the second takes it out. What a copy that was
 * passed by leaves there, the call's other phase clears: the next call with this frame finds no mark of an earlier one. Where two calls meet in a slot
 * a duplicate may be recorded; the reader of the records drops it by its frame.
 */
INLINE int is_duplicate(u64 frame, int phase)
{
    u64 *mine = phase == BEGIN ? begun : ended;
    u64 *other = phase == BEGIN ? ended : begun;
    u32 i = slot_of(frame);
    __sync_val_compare_and_swap(&other[i], frame, 0);
    if (!second) {
        __sync_lock_test_and_set(&mine[i], frame);
        return 0;
    }
    if (__sync_val_compare_and_swap(&mine[i], frame, 0) == frame) return 1;
    __sync_fetch_and_add(&second_copies, 1);
    return 0;
}

/* frame_of returns the address of the call's frame, where BPF has the arguments, as a number: the verifier allows no arithmetic with the address itself. */
INLINE u64 frame_of(u64 *ctx)
{
    u64 frame = 0;
    bpf_probe_read_kernel(&frame, sizeof frame, &ctx);
    return frame;
}

/* thread_of returns who runs: the task, where the frame is on the task's own stack, else the interrupted processor. */
INLINE u64 thread_of(u64 frame)
{
    struct task_struct *task = (struct task_struct *)bpf_get_current_task();
    u64 stack = (u64)READ(task->stack), size = 1 << 14;
    u32 number = (u32)bpf_get_current_pid_tgid();
    if (HAS(task->stack_vm_area)) {
        struct vm_struct *area = READ(task->stack_vm_area);
        if (area) size = READ(area->size);
    }
    if (number != 0 && frame - stack < size) return number;
    return INTERRUPT | bpf_get_smp_processor_id();
}

/* open_record makes room for a record with the given number of items, and only then takes a place in the order. */
INLINE struct record *open_record(u64 size, u64 *ctx, u64 frame, int kind, int phase)
{
    struct record *r = bpf_ringbuf_reserve(&ring, size, 0);
    if (!r) {
        __sync_fetch_and_add(&dropped, 1);
        return 0;
    }
    r->frame = frame;
    r->thread = thread_of(frame);
    r->object = ctx[0];
    r->count = 0;
    r->unused = 0;
    r->kind = kind;
    r->phase = phase;
    r->copy = second;
    r->value = 0;
    for (int i = 0; i < 6; i++) r->args[i] = 0;
    r->t = bpf_ktime_get_ns();
    r->seq = __sync_fetch_and_add(&next_seq, 1);
    return r;
}

/* close_record hands the record over. The reader looks by itself from time to time; it is woken where much has come together. */
INLINE void close_record(struct record *r)
{
    bpf_ringbuf_submit(r, bpf_ringbuf_query(&ring, RB_AVAIL_DATA) > (1 << 21) ? RB_FORCE_WAKEUP : RB_NO_WAKEUP);
}

/* What user programs create has a uobject: their calls come another way, and are theirs to record. */
INLINE int is_our_cq(struct ib_cq *cq) { return (u64)READ(cq->device) == device && !READ(cq->uobject); }
INLINE int is_our_qp(struct ib_qp *qp) { return (u64)READ(qp->device) == device && !READ(qp->uobject); }
INLINE int is_our_srq(struct ib_srq *srq) { return (u64)READ(srq->device) == device && !READ(srq->uobject); }
INLINE int is_our_mr(struct ib_mr *mr) { return (u64)READ(mr->device) == device; }

/* HALF makes the program at one end of a function; the code fills in the record r. HOOK makes both. ctx has the arguments, and at the end, behind them, what was returned. */
#define HALF(name, KIND, when, PHASE, OURS, CODE) \
    SECTION("f" #when "/" #name) int name##_##when(u64 *ctx) \
    { \
        struct record *r; \
        u64 frame = frame_of(ctx); \
        if (!enabled || is_duplicate(frame, PHASE) || !OURS((void *)ctx[0])) return 0; \
        r = open_record(sizeof *r, ctx, frame, KIND, PHASE); \
        if (!r) return 0; \
        CODE; \
        close_record(r); \
        return 0; \
    }
#define HOOK(name, KIND, OURS, BEGIN_CODE, END_CODE) \
    HALF(name, KIND, entry, BEGIN, OURS, BEGIN_CODE) \
    HALF(name, KIND, exit, END, OURS, END_CODE)
#define RETURNED(index) r->value = (int)ctx[index]

INLINE void of_cq(struct record *r, struct ib_cq *cq) { r->args[1] = (u64)READ(cq->comp_handler); }

HOOK(create_cq, CREATE_CQ, is_our_cq, {
    struct ib_cq_init_attr *attr = (void *)ctx[1];
    r->args[0] = READ(attr->cqe);
    of_cq(r, (void *)ctx[0]);
}, {
    struct ib_cq *cq = (void *)ctx[0];
    RETURNED(3);
    r->args[0] = (u64)READ(cq->cqe);
    of_cq(r, cq);
})

HOOK(destroy_cq, DESTROY_CQ, is_our_cq, , RETURNED(2))

HOOK(req_notify_cq, REQ_NOTIFY_CQ, is_our_cq, {
    r->value = (int)ctx[1];
    of_cq(r, (void *)ctx[0]);
}, RETURNED(2))

/* A function with the arguments of a handler is one only where a CQ has it as its handler. Before it there may be a landing pad of four bytes. */
INLINE int is_handled(u64 *ctx)
{
    struct ib_cq *cq = (void *)ctx[0];
    u64 handler = (u64)READ(cq->comp_handler);
    u64 function = bpf_get_func_ip(ctx);
    return is_our_cq(cq) && (function == handler || function == handler + 4);
}
#define is_our_handler(object) is_handled(ctx)
HOOK(comp_handler, COMP_HANDLER, is_our_handler, , )

INLINE void limits(struct record *r, struct ib_qp_init_attr *attr)
{
    r->args[3] = READ(attr->cap.max_send_wr) | (u64)READ(attr->cap.max_recv_wr) << 32;
    r->args[4] = READ(attr->cap.max_inline_data) | (u64)READ(attr->sq_sig_type) << 32 | (u64)READ(attr->qp_type) << 40;
}

HOOK(create_qp, CREATE_QP, is_our_qp, {
    struct ib_qp_init_attr *attr = (void *)ctx[1];
    r->args[0] = (u64)READ(attr->send_cq);
    r->args[1] = (u64)READ(attr->recv_cq);
    r->args[2] = (u64)READ(attr->srq);
    limits(r, attr);
}, {
    struct ib_qp *qp = (void *)ctx[0];
    RETURNED(3);
    limits(r, (void *)ctx[1]);
    r->args[5] = READ(qp->qp_num);
})

HOOK(modify_qp, MODIFY_QP, is_our_qp, {
    struct ib_qp_attr *attr = (void *)ctx[1];
    r->value = (u32)ctx[2];
    r->args[0] = READ(attr->qp_state);
    if ((r->value & (IB_QP_AV | IB_QP_DEST_QPN)) == (IB_QP_AV | IB_QP_DEST_QPN)) {
        struct ib_gid_attr *own = READ(attr->ah_attr.grh.sgid_attr);
        r->args[1] = READ(attr->dest_qp_num) | 1ull << 32;
        bpf_probe_read_kernel(&r->args[2], 16, PLACE(attr->ah_attr.grh.dgid));
        if (own) bpf_probe_read_kernel(&r->args[4], 16, PLACE(own->gid));
    }
}, RETURNED(4))

HOOK(destroy_qp, DESTROY_QP, is_our_qp, , RETURNED(2))
HOOK(create_srq, CREATE_SRQ, is_our_srq, , RETURNED(3))
HOOK(destroy_srq, DESTROY_SRQ, is_our_srq, , RETURNED(2))
HOOK(dereg_mr, DEREG_MR, is_our_mr, , RETURNED(2))

#include "items.h"

/* What find_device found: the device that this process asks about, and its functions. */
struct {
    u64 device;
    char name[64];
    u64 functions[13];
} found = {};

/* ib_query_port is called where a file of a port's state is read below /sys/class/infiniband. */
SECTION("fentry/ib_query_port") int find_device(u64 *ctx)
{
    struct ib_device *d = (void *)ctx[0];
    if ((u32)(bpf_get_current_pid_tgid() >> 32) != own_process) return 0;
    found.device = (u64)d;
    bpf_probe_read_kernel(found.name, sizeof found.name, PLACE(d->name));
    found.functions[0] = (u64)READ(d->ops.create_cq);
    found.functions[1] = (u64)READ(d->ops.destroy_cq);
    found.functions[2] = (u64)READ(d->ops.create_qp);
    found.functions[3] = (u64)READ(d->ops.modify_qp);
    found.functions[4] = (u64)READ(d->ops.destroy_qp);
    found.functions[5] = (u64)READ(d->ops.create_srq);
    found.functions[6] = (u64)READ(d->ops.destroy_srq);
    found.functions[7] = (u64)READ(d->ops.post_send);
    found.functions[8] = (u64)READ(d->ops.post_recv);
    found.functions[9] = (u64)READ(d->ops.post_srq_recv);
    found.functions[10] = (u64)READ(d->ops.poll_cq);
    found.functions[11] = (u64)READ(d->ops.req_notify_cq);
    found.functions[12] = (u64)READ(d->ops.dereg_mr);
    return 0;
}
