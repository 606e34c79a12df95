#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER ndk
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng_tp.h"
#if !defined(LTTNG_TP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define LTTNG_TP_H
#include <lttng/tracepoint.h>
#include <stdint.h>
LTTNG_UST_TRACEPOINT_EVENT(ndk, event,
    LTTNG_UST_TP_ARGS(uint16_t, class_, uint64_t, thr, uint64_t, op, uint64_t, a, uint64_t, b, uint64_t, c),
    LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint16_t, class_, class_) lttng_ust_field_integer(uint64_t, thr, thr)
        lttng_ust_field_integer(uint64_t, op, op) lttng_ust_field_integer(uint64_t, a, a) lttng_ust_field_integer(uint64_t, b, b)
        lttng_ust_field_integer(uint64_t, c, c)))
LTTNG_UST_TRACEPOINT_EVENT(ndk, polled,
    LTTNG_UST_TP_ARGS(uint64_t, thr, uint64_t, op, const uint32_t *, results, unsigned, n),
    LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, thr, thr) lttng_ust_field_integer(uint64_t, op, op)
        lttng_ust_field_sequence(uint32_t, results, results, unsigned, n)))
#endif
#include <lttng/tracepoint-event.h>
