/* ndkshim.h - records an NDK provider, or an NDK consumer, that is not to be changed: stand-in objects over an NDK provider.
 *
 * It is given the provider's NDK_ADAPTER, and the consumer is given a stand-in for it. Each object that the consumer creates through that is a
 * stand-in, with a header and a dispatch table of its own, which records each call, return and callback with ndktrace.h, and passes it on.
 * C99, freestanding, no lock. docs/ndk-shim.md says how to use it. One file of a driver includes this header; before that it defines what ndktrace.h
 * asks for, and
 *   NDKS_ALLOC(size)  memory that is never paged out, aligned to 16 bytes; or 0. It is called at DISPATCH_LEVEL as well
 *   NDKS_FREE(p)      gives it back
 *   NDKS_WDK          where the WDK's ndkpi.h is to be used
 *
 *   ndks_init(&ring);                        // once, before all else; false where there is no memory
 *   adapter = ndks_open(theirs);             // for each adapter: a stand-in, which the consumer gets; 0 where there is no memory
 *   op = ndks_closing(adapter);              // before the provider's adapter is closed, which is ndks_provider(adapter)
 *   ndks_closed(adapter, op);                // when it is closed
 *   ndks_end();                              // at last
 */
#ifndef NDKSHIM_H
#define NDKSHIM_H
#include "ndktrace.h"
#include "ndkshim_ndkpi.h"

#ifndef NDKS_ALLOC
# error "define NDKS_ALLOC(size)"
#endif
#ifndef NDKS_FREE
# error "define NDKS_FREE(p)"
#endif

/* what may be called, and is not called by every user */
#if defined(__GNUC__) || defined(__clang__)
# define NDKS_API static __attribute__((unused))
#else
# define NDKS_API static
#endif

#define NDKS_SUCCESS     ((NTSTATUS)0)
#define NDKS_PENDING     ((NTSTATUS)NDKT_STATUS_PENDING)
#define NDKS_NO_MEMORY   ((NTSTATUS)NDKT_STATUS_INSUFFICIENT_RESOURCES)
#define NDKS_UNSUPPORTED ((NTSTATUS)NDKT_STATUS_NOT_SUPPORTED)

#include "ndkshim_slots.h"
#include "ndkshim_ways.h"

enum { NDKS_LAMS = 64 };

typedef struct ndks_lam { uint64_t memory, id; } ndks_lam;

struct ndks_object;
typedef struct ndks_shim {
    ndkt_ring *ring;
    ndks_slots objects;                    /* what carries the number of an object finds it here, and its id when it is gone */
    ndks_slots creations, requests, closes; /* those that may be pending */
    ndks_ways ways;                        /* so that both ends of a connection have one name */
    ndks_lam lams[NDKS_LAMS];
} ndks_shim;

/* the one of this driver: a callback has no way to it but the number that it carries */
static ndks_shim ndks;

/* what a consumer has: any of these is the beginning of a stand-in */
typedef union ndks_ndk {
    NDK_OBJECT_HEADER header;
    NDK_ADAPTER adapter;
    NDK_CQ cq;
    NDK_PD pd;
    NDK_QP qp;
    NDK_SRQ srq;
    NDK_MR mr;
    NDK_MW mw;
    NDK_CONNECTOR connector;
    NDK_LISTENER listener;
    NDK_SHARED_ENDPOINT endpoint;
} ndks_ndk;

/* the provider's own object. Its Dispatch is as the provider has set it: what a consumer replaces is that of the stand-in */
typedef union ndks_inner {
    void *any;
    NDK_OBJECT_HEADER *header;
    NDK_ADAPTER *adapter;
    NDK_CQ *cq;
    NDK_PD *pd;
    NDK_QP *qp;
    NDK_SRQ *srq;
    NDK_MR *mr;
    NDK_MW *mw;
    NDK_CONNECTOR *connector;
    NDK_LISTENER *listener;
    NDK_SHARED_ENDPOINT *endpoint;
} ndks_inner;

/* what each stand-in begins with */
typedef struct ndks_object {
    ndks_ndk ndk;                          /* first: a consumer's pointer is a pointer to this */
    ndks_inner inner;
    uint64_t number;                       /* in ndks.objects */
    uint64_t refs;                         /* of the consumer until it is closed, and of other stand-ins */
    NDK_OBJECT_TYPE type;
    uint32_t id;                           /* in the trace */
    uint64_t closing;                      /* its number in ndks.closes */
    NDK_FN_CLOSE_COMPLETION close;
    void *close_context;
} ndks_object;

typedef struct ndks_seen {                 /* memory for the results of a poll */
    uint64_t room, pad[7];
    ndkt_result results[1];
} ndks_seen;

struct ndks_qp;
typedef struct ndks_cq {
    ndks_object o;
    NDK_FN_CQ_NOTIFICATION_CALLBACK notify;
    void *context;
    uint64_t seen;                         /* address of an ndks_seen that no poll uses, or 0 */
    uint64_t graves;                       /* address of the QP that was closed last and may have completions here, see ndks_bury */
    uint64_t closed;
} ndks_cq;

typedef struct ndks_srq {
    ndks_object o;
    NDK_FN_SRQ_NOTIFICATION_CALLBACK notify;
    void *context;
    ndks_slots slots;
} ndks_srq;

typedef struct ndks_qp {
    ndks_object o;
    ndks_cq *cq[2];                        /* of receives, and of the initiator */
    struct ndks_qp *behind[2];             /* in the graves of each */
    ndks_srq *srq;                         /* or 0 */
    void *context;
    ndks_slots initiator, receive;
} ndks_qp;

typedef struct ndks_region {               /* an MR or an MW */
    ndks_object o;
    uint64_t token;                        /* of its latest registration or binding, or NDKT_NONE */
} ndks_region;

typedef struct ndks_listener {
    ndks_object o;
    NDK_FN_CONNECT_EVENT_CALLBACK event;
    void *context;
} ndks_listener;

typedef struct ndks_connector {
    ndks_object o;
    uint32_t qp, conn;                     /* ids */
    NDK_FN_DISCONNECT_EVENT_CALLBACK event;
    NDK_FN_DISCONNECT_EVENT_CALLBACK_EX event_ex;
    void *context;
} ndks_connector;

#include "ndkshim_objects.h"
#include "ndkshim_cq.h"
#include "ndkshim_qp.h"
#include "ndkshim_pd.h"
#include "ndkshim_connector.h"
#include "ndkshim_listener.h"
#include "ndkshim_adapter.h"
#include "ndkshim_close.h"
#endif
