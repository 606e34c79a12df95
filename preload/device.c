/* device.c - opens a device, which begins the recording, and what belongs to it: protection domains, memory, channels. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "library.h"
#include "control.h"

/* puts the library's functions in the tables that programs call through. libibverbs itself uses tables of its own */
static void hook(struct ibv_context *made, struct context *x)
{
    struct verbs_context *v = verbs_get_ctx(made);
    x->real = made;
    x->ops = made->ops;
    made->ops.poll_cq = record_poll_cq;
    made->ops.req_notify_cq = record_req_notify_cq;
    made->ops.post_send = record_post_send;
    made->ops.post_recv = record_post_recv;
    made->ops.post_srq_recv = record_post_srq_recv;
    if (made->ops.alloc_mw) made->ops.alloc_mw = record_alloc_mw;
    if (made->ops.dealloc_mw) made->ops.dealloc_mw = record_dealloc_mw;
    if (made->ops.bind_mw) made->ops.bind_mw = record_bind_mw;
#define HAS(f) (v && v->sz >= sizeof *v - offsetof(struct verbs_context, f) && v->f)
#define HOOK(f) if (HAS(f)) x->more.f = v->f, v->f = record_##f
    HOOK(create_cq_ex); HOOK(create_qp_ex); HOOK(create_srq_ex); HOOK(open_qp); HOOK(post_srq_ops);
    object_add(&x->o, made);
}

/* the kernel's driver of a device, from sysfs; empty where that does not say */
static void driver_of(const struct ibv_device *device, char *name, size_t size)
{
    char path[512], target[256];
    ssize_t n;
    *name = 0;
    snprintf(path, sizeof path, "/sys/class/infiniband/%s/device/driver", device->name);
    n = readlink(path, target, sizeof target - 1);
    if (n > 0) {
        target[n] = 0;
        snprintf(name, size, "%.60s", strrchr(target, '/') ? strrchr(target, '/') + 1 : target);
        return;
    }
    snprintf(path, sizeof path, "/sys/class/infiniband/%s/parent", device->name);
    if (!access(path, F_OK)) snprintf(name, size, "rdma_rxe"); /* no hardware: it names the network interface that it lives on */
}

static struct context *device_begin(const struct ibv_device *device, ndkt_op *op)
{
    struct context *x;
    char driver[64];
    driver_of(device, driver, sizeof driver);
    if (self.inside || !session_begin(device->name, driver) || !enter()) return 0;
    if (!(x = object_new(CONTEXT))) {
        results_lost();
        leave();
        return 0;
    }
    *op = ndkt_ibv_open_device_call(RING, x->o.id);
    return x;
}

static void device_end(struct context *x, struct ibv_context *made, int error, ndkt_op op)
{
    if (made) hook(made, x);
    ndkt_ibv_open_device_ret(RING, op, made ? 0 : (uint32_t)(error ? error : EIO));
    if (!made) object_free(&x->o);
    leave();
}

EXPORT struct ibv_context *ibv_open_device(struct ibv_device *device)
{
    ndkt_op op;
    struct context *x = device_begin(device, &op);
    struct ibv_context *made = real()->ibv_open_device(device);
    int error = errno;
    if (x) device_end(x, made, error, op);
    errno = error;
    return made;
}

EXPORT struct ibv_context *ibv_import_device(int fd)
{
    struct ibv_context *made = real()->ibv_import_device(fd);
    ndkt_op op;
    struct context *x = made ? device_begin(made->device, &op) : 0;
    if (x) device_end(x, made, 0, op);
    return made;
}

EXPORT int ibv_close_device(struct ibv_context *context)
{
    struct context *x = FIND(CONTEXT, context);
    ndkt_op op = 0;
    int r, recorded;
    if (!x) return real()->ibv_close_device(context);
    if (mine(x) && !self.inside && shared) read_events(&x->o, 0);
    recorded = mine(x) && enter();
    if (recorded) op = ndkt_ibv_close_device_call(RING, x->o.id);
    object_remove(&x->o);
    r = real()->ibv_close_device(context);
    if (r) object_add(&x->o, context);
    if (recorded) ndkt_ibv_close_device_ret(RING, op, code(r));
    if (!r) object_free(&x->o);
    if (recorded) leave();
    return r;
}

/* objects of which no more than an id is known */
static struct object *simple_begin(enum kind kind)
{
    struct object *o;
    if (!enter()) return 0;
    if (!(o = object_new(kind))) {
        results_lost();
        leave();
    }
    return o;
}

static void simple_end(struct object *o, const void *made)
{
    if (made) object_add(o, made);
}

static void simple_done(struct object *o, const void *made)
{
    if (!made) object_free(o);
    leave();
}

/* a function that creates one, and one that destroys it */
#define CREATES(type, name, parameters, real_call, kind, call, ret) \
    type *name parameters \
    { \
        struct object *o = simple_begin(kind); \
        ndkt_op op = 0; \
        type *made; \
        int error; \
        if (o) op = call; \
        made = real_call; \
        error = errno; \
        if (o) { \
            simple_end(o, made); \
            errno = error; \
            ret(RING, op, failed(made)); \
            simple_done(o, made); \
            errno = error; \
        } \
        return made; \
    }
#define DESTROYS(name, type, real_call, kind, call, ret) \
    int name(type *at) \
    { \
        struct object *o = FIND(kind, at); \
        ndkt_op op = 0; \
        int r, recorded = mine(o) && enter(); \
        if (recorded) op = call(RING, o->id); \
        if (o) object_remove(o); \
        r = real_call; \
        if (o && r) object_add(o, at); \
        if (recorded) ret(RING, op, code(r)); \
        if (o && !r) object_free(o); \
        if (recorded) leave(); \
        return r; \
    }

EXPORT CREATES(struct ibv_pd, ibv_alloc_pd, (struct ibv_context *c), real()->ibv_alloc_pd(c), PD, ndkt_ibv_alloc_pd_call(RING, o->id, id_of(FIND(CONTEXT, c))), ndkt_ibv_alloc_pd_ret)
EXPORT DESTROYS(ibv_dealloc_pd, struct ibv_pd, real()->ibv_dealloc_pd(at), PD, ndkt_ibv_dealloc_pd_call, ndkt_ibv_dealloc_pd_ret)
EXPORT CREATES(struct ibv_comp_channel, ibv_create_comp_channel, (struct ibv_context *c), real()->ibv_create_comp_channel(c), CHANNEL,
    ndkt_ibv_create_comp_channel_call(RING, o->id, id_of(FIND(CONTEXT, c))), ndkt_ibv_create_comp_channel_ret)
EXPORT DESTROYS(ibv_destroy_comp_channel, struct ibv_comp_channel, real()->ibv_destroy_comp_channel(at), CHANNEL, ndkt_ibv_destroy_comp_channel_call,
    ndkt_ibv_destroy_comp_channel_ret)

#define REGISTERS(name, parameters, real_call) \
    EXPORT CREATES(struct ibv_mr, name, parameters, real_call, MR, ndkt_ibv_reg_mr_call(RING, o->id, id_of(FIND(PD, pd)), n), ndkt_ibv_reg_mr_ret)
REGISTERS(ibv_reg_mr, (struct ibv_pd *pd, void *at, size_t n, int access), real()->ibv_reg_mr(pd, at, n, access))
REGISTERS(ibv_reg_mr_iova, (struct ibv_pd *pd, void *at, size_t n, uint64_t iova, int access), real()->ibv_reg_mr_iova(pd, at, n, iova, access))
REGISTERS(ibv_reg_mr_iova2, (struct ibv_pd *pd, void *at, size_t n, uint64_t iova, unsigned access), real()->ibv_reg_mr_iova2(pd, at, n, iova, access))
REGISTERS(ibv_reg_dmabuf_mr, (struct ibv_pd *pd, uint64_t offset, size_t n, uint64_t iova, int fd, int access),
    real()->ibv_reg_dmabuf_mr(pd, offset, n, iova, fd, access))
EXPORT DESTROYS(ibv_dereg_mr, struct ibv_mr, real()->ibv_dereg_mr(at), MR, ndkt_ibv_dereg_mr_call, ndkt_ibv_dereg_mr_ret)

/* The format has no such function. It registers other memory, unless the old region stays valid or the provider lacks the function. */
EXPORT int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *at, size_t n, int access)
{
    int r = real()->ibv_rereg_mr(mr, flags, pd, at, n, access), error = errno;
    int unchanged = r == IBV_REREG_MR_ERR_INPUT || r == IBV_REREG_MR_ERR_DONT_FORK_NEW || (r == IBV_REREG_MR_ERR_CMD && error == EOPNOTSUPP);
    if (shared && !unchanged && mine(FIND(MR, mr))) results_lost();
    errno = error;
    return r;
}

static struct ibv_context_ops *ops_of(struct ibv_context *c) { return &((struct context *)FIND(CONTEXT, c))->ops; }
CREATES(struct ibv_mw, record_alloc_mw, (struct ibv_pd *pd, enum ibv_mw_type type), ops_of(pd->context)->alloc_mw(pd, type), MW,
    ndkt_ibv_alloc_mw_call(RING, o->id, id_of(FIND(PD, pd))), ndkt_ibv_alloc_mw_ret)
DESTROYS(record_dealloc_mw, struct ibv_mw, ops_of(at->context)->dealloc_mw(at), MW, ndkt_ibv_dealloc_mw_call, ndkt_ibv_dealloc_mw_ret)
