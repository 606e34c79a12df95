/* consumer.c - the cases of cases.h on the reference provider, recorded by the shim.
 *
 *   consumer CASE SEED FILE     CASE may be "all"; the environment's NDK_SEEDED_BUG switches a bug of the provider on
 *
 * It exits with 3 where the shim or the provider spoils a context or data. */
#include "cases.h"

static const struct { const char *name; void (*play)(end *, end *); unsigned depth; } cases[] = {
    {"not-armed", not_armed, CQ_DEPTH}, {"armed-once", armed_once, CQ_DEPTH}, {"two-completions", two_completions, CQ_DEPTH},
    {"stronger-first", stronger_first, CQ_DEPTH}, {"weaker-first", weaker_first, CQ_DEPTH}, {"armed-thrice", armed_thrice, CQ_DEPTH},
    {"solicited", solicited, CQ_DEPTH}, {"flushed-receive", flushed_receive, CQ_DEPTH}, {"armed-over-fresh", armed_over_fresh, CQ_DEPTH},
    {"armed-over-reported", armed_over_reported, CQ_DEPTH}, {"armed-in-callback", armed_in_callback, CQ_DEPTH},
    {"armed-beside-callback", armed_beside_callback, CQ_DEPTH}, {"refused-behind-deferred", refused_behind_deferred, CQ_DEPTH},
    {"refused-alone", refused_alone, CQ_DEPTH}, {"many", many, CQ_DEPTH}, {"silent-flushed", silent_flushed, CQ_DEPTH},
    {"silent-succeeds", silent_succeeds, CQ_DEPTH}, {"both-queues-flushed", both_queues_flushed, CQ_DEPTH}, {"too-many", too_many, 2},
    {"invalidated-by-peer", invalidated_by_peer, CQ_DEPTH}, {"invalidated-twice", invalidated_twice, CQ_DEPTH},
    {"token-used-up", token_used_up, CQ_DEPTH}, {"written-and-read", written_and_read, CQ_DEPTH},
    {"closed-beside-callback", closed_beside_callback, CQ_DEPTH}, {"closed-before-qps", closed_before_qps, CQ_DEPTH},
    {"two-threads", two_threads, CQ_DEPTH},
};

int main(int argc, char **argv)
{
    static end a, b;
    unsigned i, played = 0;
    FILE *out;
    if (argc != 4 || !(out = fopen(argv[3], "wb"))) return 2;
    CHECK(start_recording(out));
    open_world(strtoull(argv[2], 0, 0));
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(argv[1], "all") && strcmp(argv[1], cases[i].name)) continue;
        open_ends(&a, &b, cases[i].depth);
        cases[i].play(&a, &b);
        close_ends(&a, &b);
        played++;
    }
    if (!played) return 2;
    close_world();
    i = (unsigned)ndks_end();
    if (i) fprintf(stderr, "%u objects are left\n", i);
    return stop_recording(out, 1) && !i ? 0 : 1;
}
