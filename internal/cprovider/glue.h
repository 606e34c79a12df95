/* glue.h - what the tables in C and the provider in Go know of each other. */
#ifndef GLUE_H
#define GLUE_H
#include "ndkprovider.h"

/* each object in C: what stands for it in Go is behind it */
typedef struct glue_object {
    union {
        NDK_OBJECT_HEADER header;
        NDK_ADAPTER adapter;
        NDK_CQ cq;
        NDK_PD pd;
        NDK_QP qp;
        NDK_MR mr;
        NDK_MW mw;
        NDK_CONNECTOR connector;
        NDK_LISTENER listener;
    } ndk;
    uintptr_t handle;
} glue_object;

typedef struct glue_sge { void *address; uint32_t length, token; } glue_sge;

/* a request of an initiator or a receive; contexts are numbers, as Go must not take them for addresses */
typedef struct glue_request {
    uintptr_t context;
    const glue_sge *sgl;
    unsigned n;
    uint32_t flags, token;
    uint64_t address;
} glue_request;

glue_object *glue_new(NDK_OBJECT_TYPE type, uintptr_t handle);
void glue_free(glue_object *o);
void glue_notify(NDK_FN_CQ_NOTIFICATION_CALLBACK f, uintptr_t context, NTSTATUS status);
void glue_closed(NDK_FN_CLOSE_COMPLETION f, uintptr_t context);
void glue_requested(NDK_FN_REQUEST_COMPLETION f, uintptr_t context, NTSTATUS status);
void glue_connect_event(NDK_FN_CONNECT_EVENT_CALLBACK f, uintptr_t context, glue_object *connector);
#endif
