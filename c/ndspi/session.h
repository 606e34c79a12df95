/* session.h - the trace of this process: a ring for each thread, a worker that drains them into the file, and when it may be said that the provider is at
 * rest. Included by recorder.c.
 *
 * NDKRECORD_FILE is the file; ndspi-PID.ndktrace.ctf in the current folder where it is not set. NDKRECORD_REST_MS is the silence that counts as rest: 700
 * where it is not set, and 0 for no guess at all.
 */
#ifndef NDSPI_SESSION_H
#define NDSPI_SESSION_H

struct ndkt_writer;
struct ndkt_ring;
static struct ndkt_writer *session_writer(const struct ndkt_ring *r);
static uint64_t session_now(void);
static int session_write(void *to, const void *bytes, size_t size);
#define NDKT_WRITER(r) session_writer(r)
#define NDKT_THREAD() GetCurrentThreadId()
#define NDKT_NOW() session_now()
#define NDKT_FILE_WRITE(to, bytes, size) session_write((to), (bytes), (size))
#include "../ndktrace_file.h"
#define NDKS_ALLOC(size) HeapAlloc(GetProcessHeap(), 0, (size))
#define NDKS_FREE(p) HeapFree(GetProcessHeap(), 0, (p))
#include "../ndkshim_slots.h"
#include "../ndkshim_ways.h"

enum { SESSION_WRITERS = 1024, SESSION_SLOTS = 1 << 13 };
enum { SESSION_REST_MS = 700, SESSION_PAUSE_MS = 1, SESSION_RESTS_EVERY_MS = 20, SESSION_PATIENCE_MS = 3000 };

typedef struct session_ring {              /* a writer, and where it waits for its next thread */
    ndkt_writer writer;
    struct session_ring *next;
    uint64_t pad[7];
    ndkt_slot slots[SESSION_SLOTS];
} session_ring;

static struct {
    int on;                                /* there is a file */
    DWORD tls;
    SRWLOCK lock;                          /* of unused and the count of writers */
    session_ring *unused;                  /* rings whose threads have ended */
    ndkt_writer *writers[SESSION_WRITERS];
    ndkt_ring ring;
    ndkt_file file;
    HANDLE out;
    SRWLOCK draining;
    volatile LONG busy;                    /* a packet is neither in the rings nor in the file as a whole */
    volatile LONG64 calls;                 /* calls of the consumer that are under way, but for polls, and those that wait */
    uint64_t quiet;                        /* events of polls that found nothing, see cq.h */
    uint64_t hurried;                      /* the worker does not drain: no thread waits for it any more */
    unsigned rest_ms;
    uint64_t rested;                       /* the place of the latest mark of rest */
    ndkt_ring scratch;                     /* see session_rest */
    ndkt_writer scratch_writer, *scratch_writers[1], marks;
    ndkt_slot scratch_slots[2], mark_slots[64];
} session;

/* ---- messages: what a user has to know, where programs have them ---- */

static void session_say(const char *format, ...)
{
    char text[1024], line[1100];
    DWORD written;
    HANDLE err = GetStdHandle(STD_ERROR_HANDLE);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(line, sizeof line, "ndspi recorder: %s\n", text);
    OutputDebugStringA(line);
    if (err && err != INVALID_HANDLE_VALUE) WriteFile(err, line, (DWORD)strlen(line), &written, 0);
}

/* ---- what the C recorder asks for ---- */

static uint64_t session_now(void)
{
    LARGE_INTEGER ticks;
    QueryPerformanceCounter(&ticks);
    return (uint64_t)ticks.QuadPart;
}

static int session_write(void *to, const void *bytes, size_t size)
{
    DWORD written = 0;
    return WriteFile((HANDLE)to, bytes, (DWORD)size, &written, 0) && written == size;
}

/* a ring that no thread uses, or 0 */
static session_ring *session_new_ring(void)
{
    session_ring *ring;
    AcquireSRWLockExclusive(&session.lock);
    ring = session.unused;
    if (ring) session.unused = ring->next;
    ReleaseSRWLockExclusive(&session.lock);
    if (ring || NDKT_LOAD(&session.ring.count) >= SESSION_WRITERS) return ring;
    ring = (session_ring *)VirtualAlloc(0, sizeof *ring, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE); /* zeros, and in a line of its own */
    if (!ring) return 0;
    ndkt_init_writer(&ring->writer, ring->slots, SESSION_SLOTS);
    AcquireSRWLockExclusive(&session.lock);
    if (session.ring.count < SESSION_WRITERS) {
        session.writers[session.ring.count] = &ring->writer;
        NDKT_STORE(&session.ring.count, session.ring.count + 1);
        ReleaseSRWLockExclusive(&session.lock);
        return ring;
    }
    ReleaseSRWLockExclusive(&session.lock);
    VirtualFree(ring, 0, MEM_RELEASE);
    return 0;
}

/* Waits for the worker where a ring is full, as a trace with a hole is worth little. A worker that does not drain is waited for once. */
static void session_wait_for_room(ndkt_writer *w)
{
    ULONGLONG until = GetTickCount64() + SESSION_PATIENCE_MS;
    while (!ndkt_room(w, NDKT_MOST + 1) && !NDKT_LOAD(&session.hurried)) {
        if (GetTickCount64() > until) NDKT_STORE(&session.hurried, 1);
        Sleep(SESSION_PAUSE_MS);
    }
}

static struct ndkt_writer *session_writer(const struct ndkt_ring *r)
{
    session_ring *mine;
    DWORD error;
    if (r == &session.scratch) return &session.scratch_writer;
    if (!session.on) return 0;
    error = GetLastError();                /* which the consumer may be about to ask for */
    mine = (session_ring *)TlsGetValue(session.tls);
    if (!mine) {
        mine = session_new_ring();
        if (mine) TlsSetValue(session.tls, mine);
    }
    if (mine && !ndkt_room(&mine->writer, NDKT_MOST + 1)) session_wait_for_room(&mine->writer);
    SetLastError(error);
    return mine ? &mine->writer : 0;
}

static void session_thread_ends(void)
{
    session_ring *mine = session.on ? (session_ring *)TlsGetValue(session.tls) : 0;
    if (!mine) return;
    TlsSetValue(session.tls, 0);
    AcquireSRWLockExclusive(&session.lock);
    mine->next = session.unused;
    session.unused = mine;
    ReleaseSRWLockExclusive(&session.lock);
}

/* how many events there were but for polls that found nothing */
static uint64_t session_activity(void) { return NDKT_LOAD(&session.ring.next) - NDKT_LOAD(&session.quiet); }

/* what could not be recorded, or would be a lie: nothing that rests on it is decided */
static void session_lost(void) { NDKT_ADD(&session.ring.unwritten, 1); }

static void session_begin(void) { InterlockedIncrement64(&session.calls); }
static void session_end(void) { InterlockedDecrement64(&session.calls); }

/* ---- rest ---- */

static int overlapped_all_asked(void);

/* Records that the provider is at rest, where nothing was recorded since a place, nothing is under way, and the consumer has asked for each result that is
 * there. The mark takes the place behind that one, or none: an event that comes meanwhile has taken it. marks is a writer under session.draining. */
static int session_rest(uint64_t place)
{
    ndkt_writer *w = &session.marks;
    ndkt_slot *s;
    if (!session.on || session.calls || !overlapped_all_asked() || !ndkt_room(w, 1)) return 0;
    s = &w->slots[w->tail & (w->size - 1)];
    ndkt_init(&session.scratch, session.scratch_writers);
    ndkt_init_writer(&session.scratch_writer, session.scratch_slots, 2);
    ndkt_quiesce_point(&session.scratch);
    *s = session.scratch_slots[0];
    s->stamp = 0;
    if (session.calls || !NDKS_CAS(&session.ring.next, place, place + 1)) return 0;
    NDKT_STORE(&s->stamp, place + 1);
    w->tail++;
    session.rested = place + 1;
    return 1;
}

/* ---- the worker ---- */

static void session_drain(void)
{
    AcquireSRWLockExclusive(&session.draining);
    if (session.ring.wanted <= NDKT_LOAD(&session.ring.next)) {
        InterlockedExchange(&session.busy, 1);
        ndkt_file_drain(&session.file, &session.ring);
        InterlockedExchange(&session.busy, 0);
    }
    ReleaseSRWLockExclusive(&session.draining);
}

static DWORD WINAPI session_work(void *unused)
{
    uint64_t seen = 0, next, place;
    ULONGLONG since = GetTickCount64(), looked = since, now;
    (void)unused;
    for (;;) {
        Sleep(SESSION_PAUSE_MS);
        session_drain();
        now = GetTickCount64();
        next = session_activity();
        if (next != seen || now - looked > session.rest_ms / 2) { /* behind a pause of this thread there was none to see silence */
            seen = next;
            since = now;
        } else if (session.rest_ms && next && NDKT_LOAD(&session.ring.next) != session.rested && now - since >= session.rest_ms) {
            AcquireSRWLockExclusive(&session.draining);
            place = NDKT_LOAD(&session.ring.next);
            if (session_activity() != seen || !session_rest(place)) since = now - session.rest_ms + SESSION_RESTS_EVERY_MS;
            ReleaseSRWLockExclusive(&session.draining);
        }
        looked = now;
    }
    return 0;
}

static HANDLE session_file(void)
{
    char path[1024];
    DWORD n = GetEnvironmentVariableA("NDKRECORD_FILE", path, sizeof path);
    HANDLE out;
    if (!n) snprintf(path, sizeof path, "ndspi-%lu.ndktrace.ctf", GetCurrentProcessId());
    if (n >= sizeof path) {
        session_say("NDKRECORD_FILE has %lu characters, more than %u: this program is not recorded", n, (unsigned)sizeof path - 1);
        return INVALID_HANDLE_VALUE;
    }
    out = CreateFileA(path, GENERIC_WRITE, FILE_SHARE_READ, 0, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, 0);
    if (out == INVALID_HANDLE_VALUE) session_say("%s can't be written (error %lu), so this program is not recorded; set NDKRECORD_FILE", path, GetLastError());
    return out;
}

static void session_start(void)
{
    char ms[16], guess[64] = "";
    LARGE_INTEGER ticks;
    HANDLE worker;
    session.tls = TlsAlloc();
    session.out = session.tls == TLS_OUT_OF_INDEXES ? INVALID_HANDLE_VALUE : session_file();
    if (session.out == INVALID_HANDLE_VALUE) return;
    session.rest_ms = GetEnvironmentVariableA("NDKRECORD_REST_MS", ms, sizeof ms) ? (unsigned)atoi(ms) : SESSION_REST_MS;
    if (session.rest_ms) snprintf(guess, sizeof guess, "a guess: silence of %ums", session.rest_ms);
    ndkt_init(&session.ring, session.writers);
    ndkt_init_writer(&session.marks, session.mark_slots, 64);
    session.writers[0] = &session.marks;
    session.scratch_writers[0] = &session.scratch_writer;
    NDKT_STORE(&session.ring.count, 1);
    ndkt_file_open_guess(&session.file, session.out, "ndspi", "consumer", "ndspi recorder", "1", guess);
    QueryPerformanceFrequency(&ticks);
    session.file.ticks_per_us = ticks.QuadPart >= 1000000 ? (uint64_t)ticks.QuadPart / 1000000 : 1;
    worker = CreateThread(0, 0, session_work, 0, 0, 0);
    if (!worker) {
        session_say("no thread to write the trace (error %lu): this program is not recorded", GetLastError());
        CloseHandle(session.out);
        return;
    }
    CloseHandle(worker);
    session.on = 1;
}

/* Ends the trace with the process, when no other thread is there any more. A worker that was stopped amidst a packet has left a file that is readable up to
 * that packet: it gets no end. objects: there are some. Without any, all is released, so nothing can come any more. */
static void session_finish(int objects)
{
    if (!session.on || session.busy) return;
    session.on = 0;
    ndkt_file_close(&session.file, &session.ring, !objects || (session.rested && session.rested == NDKT_LOAD(&session.ring.next)));
    CloseHandle(session.out);
}
#endif
