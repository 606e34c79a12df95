/* record.h - a record of the ring buffer. events/decode.go reads the same. All integers are those of the machine. */
#ifndef RECORD_H
#define RECORD_H

#include "kernel.h"

/* What was called. */
enum kind {
    CREATE_CQ = 1,
    DESTROY_CQ,
    CREATE_QP,
    MODIFY_QP,
    DESTROY_QP,
    CREATE_SRQ,
    DESTROY_SRQ,
    POST_SEND,
    POST_RECV,
    POST_SRQ_RECV,
    POLL_CQ,
    REQ_NOTIFY_CQ,
    COMP_HANDLER,
    DEREG_MR,
};

enum phase { BEGIN = 0, END = 1 };

struct record {
    u64 seq;    /* place in the order of all records, without holes */
    u64 t;      /* nanoseconds, CLOCK_MONOTONIC */
    u64 frame;  /* address of the call's frame on its stack: the same for its begin and its end, and for no other call meanwhile */
    u64 thread; /* number of the task; on a stack of interrupts the processor's, with INTERRUPT */
    u64 object; /* address of the CQ, QP, SRQ or MR */
    s64 value;  /* what the call was given, or returned */
    u64 args[6];
    u32 count; /* items behind the record */
    u8 kind, phase, copy, unused;
};

#define INTERRUPT (1ull << 63)

/* A request of a post, or a completion of a poll. */
struct item {
    u64 id;    /* wr_id or wr_cqe */
    u64 place; /* address of the request; of a completion the QP's */
    u64 bytes;
    u64 mr;
    u32 opcode, flags, key, status;
    u32 vendor, unused;
};

/* A record has room for one of these numbers of items. What has more is dropped, and counted. */
#define MOST_ITEMS 64

#endif
