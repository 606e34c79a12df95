/* ndktrace_file.h - the worker of ndktrace.h: drains rings into a file that tracecheck reads. It needs stdio.h and string.h.
 *
 *   ndkt_file f;
 *   ndkt_file_open(&f, out, "ndkpi", "provider", "my driver", "1.0");
 *   while (running) ndkt_file_drain(&f, &ring);   // by one thread, often enough that no ring is full
 *   ndkt_file_close(&f, &ring, quiescent);        // when no thread records any more
 *
 * A kernel's worker does the same with its own functions to write: define NDKT_FILE_WRITE before this header is included.
 */
#ifndef NDKTRACE_FILE_H
#define NDKTRACE_FILE_H
#include <stdio.h>
#include <string.h>
#include "ndktrace.h"
#include "ndktrace_classes.h"

#ifndef NDKT_FILE_WRITE
# define NDKT_FILE_WRITE(to, bytes, size) (fwrite((bytes), 1, (size), (FILE *)(to)) == (size))
#endif

#if defined(__GNUC__)
# define NDKT_FILE static __attribute__((unused))
#else
# define NDKT_FILE static
#endif

enum { NDKT_FILE_SLOTS = 1 + NDKT_MOST };  /* of a packet, so that each event has room */
enum { NDKT_NAME_W = 4095, NDKT_NAME_UNKNOWN = 4094 }; /* what the ids of requests begin with, but for those that are ops */

typedef struct ndkt_file {
    void *to;
    uint64_t ticks_per_us;                 /* of NDKT_NOW, where it counts no nanoseconds; else 0 */
    uint64_t highest[3];                   /* the highest number of an id without a name, and behind those two */
    uint64_t t, first_t, events, dropped, unknown;
    int failed;                            /* to write */
    ndkt_slot slots[1 + NDKT_FILE_SLOTS];
} ndkt_file;

NDKT_FILE uint64_t ndkt_file_place(ndkt_file *f, uint64_t id)
{
    uint64_t name = id >> 52, number = id & (((uint64_t)1 << 52) - 1), place, *highest = f->highest;
    if (!id) return 0;
    if (name) highest += name == NDKT_NAME_W ? 1 : 2;
    if (number > *highest) {
        place = number - *highest;
        *highest = number;
    } else {
        place = number - *highest - 1;
    }
    return name << 52 | (place & (((uint64_t)1 << 52) - 1));
}

/* writes the slots behind the packet's header. unused: bytes behind the last field of the last one */
NDKT_FILE void ndkt_file_packet(ndkt_file *f, uint64_t slots, unsigned unused, uint64_t begin, uint64_t end)
{
    unsigned char *p = (unsigned char *)f->slots;
    uint64_t bits = (1 + slots) * 512, used = bits - 8 * (uint64_t)unused;
    const uint32_t magic = 0xC1FC1FC1u;
    memset(p, 0, 64);
    memcpy(p, &magic, 4);
    memcpy(p + 4, ndkt_uuid, 16);
    memcpy(p + 24, &begin, 8);
    memcpy(p + 32, &end, 8);
    memcpy(p + 40, &used, 8);
    memcpy(p + 48, &bits, 8);
    memcpy(p + 56, &f->dropped, 8);
    if (!f->failed && !NDKT_FILE_WRITE(f->to, p, (size_t)(64 * (1 + slots)))) f->failed = 1;
}

/* writes a record of text as a packet of its own */
NDKT_FILE void ndkt_file_text(ndkt_file *f, unsigned class_, uint64_t number, const char *text)
{
    uint32_t length = (uint32_t)strlen(text);
    unsigned slots = (44 + length + 63) / 64;
    unsigned char *p = (unsigned char *)(f->slots + 1);
    memset(p, 0, 64 * (size_t)slots);
    f->slots[1].class_ = (uint16_t)class_;
    f->slots[1].more = (uint16_t)(slots - 1);
    f->slots[1].op = number;
    memcpy(p + 40, &length, 4);
    memcpy(p + 44, text, length);
    ndkt_file_packet(f, slots, 64 * slots - 44 - length, f->events, f->events);
}

/* gives a number below 4094 a name: an object or a connection with this number has it as its id */
NDKT_FILE void ndkt_file_name(ndkt_file *f, unsigned number, const char *name) { ndkt_file_text(f, 4, number, name); }

/* Begins a file. The texts are copied into JSON as they are: printable, without quotes and backslashes, 200 bytes each at most. rest is how it was found
 * that the provider is at rest, where that is a guess, or empty */
NDKT_FILE void ndkt_file_open_guess(ndkt_file *f, void *to, const char *dialect, const char *side, const char *producer, const char *version,
    const char *rest)
{
    char line[1024];
    memset(f, 0, sizeof *f);
    f->to = to;
    snprintf(line, sizeof line, "{\"rec\":\"hdr\",\"format\":\"ndk-trace\",\"v\":\"1.1\",\"dialect\":\"%.20s\",\"side\":\"%.20s\",\"order\":\"total\","
        "\"clock\":{\"id\":\"ticks\",\"unit\":\"ns\"},\"producer\":{\"name\":\"%.200s\",\"version\":\"%.200s\"}%s%.200s%s}", dialect, side, producer, version,
        *rest ? ",\"run\":{\"rest\":\"" : "", rest, *rest ? "\"}" : "");
    ndkt_file_text(f, 0, 0, line);
    ndkt_file_name(f, NDKT_NAME_W, "w");
    ndkt_file_name(f, NDKT_NAME_UNKNOWN, "?");
}

NDKT_FILE void ndkt_file_open(ndkt_file *f, void *to, const char *dialect, const char *side, const char *producer, const char *version)
{
    ndkt_file_open_guess(f, to, dialect, side, producer, version, "");
}

/* has the numbers of an event be relative to those before, as they are in a file */
NDKT_FILE void ndkt_file_relate(ndkt_file *f, ndkt_slot *s)
{
    const ndkt_class *c = &ndkt_classes[s->class_];
    uint64_t t = s->t, id;
    unsigned i;
    s->stamp = 0;                          /* no gap */
    if (f->ticks_per_us) {
        if (!f->first_t) f->first_t = t;
        t = t < f->first_t ? 0 : (t - f->first_t) / f->ticks_per_us * 1000 + (t - f->first_t) % f->ticks_per_us * 1000 / f->ticks_per_us;
    }
    t &= ~((uint64_t)1 << 63);
    s->t = t - f->t;
    f->t = t;
    s->op = ndkt_file_place(f, s->op);
    if (c->id) {
        memcpy(&id, (unsigned char *)s + c->id, 8);
        id = ndkt_file_place(f, id);
        memcpy((unsigned char *)s + c->id, &id, 8);
    }
    for (i = 1; c->list && i <= s->more; i++) {
        memcpy(&id, s + i, 8);
        if (!id) id = (uint64_t)NDKT_NAME_UNKNOWN << 52 | ++f->unknown; /* of a request whose post was dropped */
        id = ndkt_file_place(f, id);
        memcpy(s + i, &id, 8);
    }
}

/* writes what is in the rings, and returns how many events that were */
NDKT_FILE uint64_t ndkt_file_drain(ndkt_file *f, ndkt_ring *r)
{
    uint64_t all = 0, n, i, begin, events;
    while ((n = ndkt_read(r, f->slots + 1, NDKT_FILE_SLOTS)) > 0) {
        unsigned unused = 0;
        begin = f->slots[1].stamp;
        events = 0;
        for (i = 1; i <= n; i += 1 + (uint64_t)f->slots[i].more) {
            ndkt_file_relate(f, &f->slots[i]);
            unused = f->slots[i].more ? 0 : 64u - ndkt_classes[f->slots[i].class_].end;
            events++;
        }
        f->dropped = ndkt_dropped(r);
        f->events += events;
        all += events;
        ndkt_file_packet(f, n, unused, begin, begin + events - 1);
    }
    return all;
}

/* Ends a file when no thread records any more. An event whose place was taken and that was never written, as its thread was killed, ends the trace
 * there: what comes behind it is counted as dropped, and the trace is not quiescent. Returns how many events the file has, or -1 where it could not
 * be written. */
NDKT_FILE int64_t ndkt_file_close(ndkt_file *f, ndkt_ring *r, int quiescent)
{
    char line[200];
    uint64_t left;
    ndkt_file_drain(f, r);
    left = NDKT_LOAD(&r->next) + 1 - r->wanted;
    f->dropped = ndkt_dropped(r) + left;
    snprintf(line, sizeof line, "{\"rec\":\"end\",\"events\":%llu,\"dropped\":%llu,\"quiescent\":%s}", (unsigned long long)f->events,
        (unsigned long long)f->dropped, quiescent && !left ? "true" : "false");
    ndkt_file_text(f, 1, 0, line);
    return f->failed ? -1 : (int64_t)f->events;
}
#endif
