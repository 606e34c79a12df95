/* shared.h - what the library in a recorded program and the worker that writes its trace have in common.
 *
 * The library connects to the worker's socket when the program opens its first device. The worker answers with a file in memory, which both map: the
 * rings that the program's threads fill, and the worker drains. So the events of a program that is killed are not lost with it. */
#ifndef NDKRECORD_SHARED_H
#define NDKRECORD_SHARED_H
#include <stdint.h>

#ifndef NDKT_WRITER
# define NDKT_WRITER(r) ((void)(r), (struct ndkt_writer *)0)
# define NDKT_THREAD() 0
#endif
#include "ndktrace.h"

enum {
    SHARED_VERSION = 1,
    SHARED_THREADS = 1024,                 /* that record at a time */
    SHARED_SLOTS = 16384,                  /* of a thread: 1 MiB, of which as much is used as the thread fills between two drains */
    FIRST_CONNECTION = 3072,               /* numbers that get the names of connections, one after the other, again and again */
    CONNECTIONS = 4094 - FIRST_CONNECTION,
};

struct shared {
    ndkt_ring ring;                        /* its pointers are not used: each side has its own */
    uint64_t quiet;                        /* events of polls that found nothing */
    uint64_t ended;                        /* the worker did not drain for long: no thread waits for it any more */
    uint64_t pad[6];
    ndkt_writer writers[SHARED_THREADS];   /* the first ring.count of them */
    ndkt_slot slots[SHARED_THREADS][SHARED_SLOTS] __attribute__((aligned(65536))); /* the library maps those of a thread when that begins */
};

/* what the library sends, each as one packet. The worker answers with a byte, 0 where it could not */
enum message_kind { MESSAGE_HELLO = 1, MESSAGE_NAME, MESSAGE_END };
struct message {
    uint32_t kind;
    uint32_t number;                       /* of HELLO the version, of NAME the number that gets the name, of END whether the provider is at rest */
    char program[64], device[64], driver[64];
    char name[256];
};
#endif
