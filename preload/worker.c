/* worker.c - writes the traces of recorded programs: ndkrecord-worker SOCKET FILE.
 *
 * It is a process of its own, so that a program's death, of whatever kind, ends its trace and does not cut it. The first process that connects is
 * recorded into FILE, each other one into a file with its process number in its name. It ends when its standard input does, and no process is recorded
 * any more. On its standard output it says "ready", and a line for each trace that ended: events, dropped events, whether at rest, the errno where it
 * could not be written, file. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
# include <x86intrin.h>
#endif
#include "output.h"
#define NDKT_FILE_WRITE(to, bytes, size) output_write((to), (bytes), (size))
#include "shared.h"
#include "ndktrace_file.h"

enum { MOST_SESSIONS = 1000 };

struct session {
    int socket;
    unsigned pid;
    struct shared *shared;
    ndkt_ring ring;                        /* the worker's own view: pointers into its own mapping, and what it has read of the program's */
    ndkt_writer writers[SHARED_THREADS];
    ndkt_writer *pointers[SHARED_THREADS];
    ndkt_file file;
    struct output out;
    int at_rest;
    uint64_t events_at_rest;
};

static struct session *sessions[MOST_SESSIONS];
static int count, begun;
static const char *first_file;
static uint64_t ticks_per_us;

/* ticks of the clock that the library takes, in a microsecond; 0 where they are nanoseconds */
static uint64_t measure(void)
{
#if defined(__x86_64__)
    struct timespec a, b, pause = {0, 20000000};
    uint64_t from, to, us;
    clock_gettime(CLOCK_MONOTONIC_RAW, &a);
    from = __rdtsc();
    nanosleep(&pause, 0);
    clock_gettime(CLOCK_MONOTONIC_RAW, &b);
    to = __rdtsc();
    us = (uint64_t)(b.tv_sec - a.tv_sec) * 1000000u + (uint64_t)((b.tv_nsec - a.tv_nsec) / 1000);
    return us && to - from > us ? (to - from) / us : 1;
#elif defined(__aarch64__)
    uint64_t hz;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
    return hz >= 1000000 ? hz / 1000000 : 1;
#else
    return 0;
#endif
}

/* what comes from a program goes into a line of JSON: printable, without quotes and backslashes */
static const char *plain(char *text, size_t size)
{
    size_t i;
    text[size - 1] = 0;
    for (i = 0; text[i]; i++)
        if ((unsigned char)text[i] < 32 || (unsigned char)text[i] > 126 || text[i] == '"' || text[i] == '\\') text[i] = '_';
    return text;
}

/* FILE, or with the process's number before its ending; and a number more where one process had a trace before it ran another program */
static int open_file(struct session *s)
{
    static const char *const endings[] = {".ndktrace.ctf", ".ctf"};
    size_t length = strlen(first_file), ending = 0, i;
    char name[4200];
    unsigned again;
    if (!begun++) return output_open(&s->out, first_file, 0);
    for (i = 0; !ending && i < 2; i++) {
        size_t n = strlen(endings[i]);
        if (length > n && !strcmp(first_file + length - n, endings[i])) ending = n;
    }
    for (again = 1; again < 10000; again++) {
        char more[16] = "";
        if (again > 1) snprintf(more, sizeof more, "-%u", again);
        snprintf(name, sizeof name, "%.*s.%u%s%s", (int)(length - ending), first_file, s->pid, more, first_file + length - ending);
        if (output_open(&s->out, name, 1)) return 1;
        if (errno != EEXIST) return 0;
    }
    return 0;
}

static void header(struct session *s, struct message *m)
{
    char line[1400], driver[100] = "";
    struct utsname system;
    memset(&system, 0, sizeof system);
    uname(&system);
    if (m->driver[0]) snprintf(driver, sizeof driver, "\"driver\":\"%.63s\",", plain(m->driver, sizeof m->driver));
    snprintf(line, sizeof line, "{\"rec\":\"hdr\",\"format\":\"ndk-trace\",\"v\":\"1.1\",\"dialect\":\"verbs\",\"side\":\"consumer\",\"order\":\"total\","
        "\"clock\":{\"id\":\"ticks\",\"unit\":\"ns\"},\"producer\":{\"name\":\"ndkrecord run\",\"version\":\"0.1\"},"
        "\"adapter\":{\"device\":\"%.63s\",%s\"kernel\":\"%.64s\"},\"run\":{\"program\":\"%.63s\",\"pid\":\"%u\"}}",
        plain(m->device, sizeof m->device), driver, plain(system.release, sizeof system.release), plain(m->program, sizeof m->program), s->pid);
    memset(&s->file, 0, sizeof s->file);
    s->file.to = &s->out;
    s->file.ticks_per_us = ticks_per_us;
    ndkt_file_text(&s->file, 0, 0, line);
    ndkt_file_name(&s->file, NDKT_NAME_W, "w");
    ndkt_file_name(&s->file, NDKT_NAME_UNKNOWN, "?");
}

/* a file in memory of the size that is shared. The limit of a file's size is for the trace: as far as may be, it is lifted here */
static int memory(void)
{
    int file = memfd_create("ndkrecord", MFD_CLOEXEC), error = -1;
    struct rlimit limit, lifted;
    if (file < 0) return -1;
    if (!getrlimit(RLIMIT_FSIZE, &limit)) {
        lifted = limit;
        lifted.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_FSIZE, &lifted);
        error = ftruncate(file, sizeof(struct shared)) ? errno : 0;
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    if (!error) return file;
    close(file);
    errno = error;
    return -1;
}

/* has a trace begin. Returns the memory that the program gets, as an open file; -1 where there is none */
static int begin(struct session *s, struct message *m)
{
    int file;
    if (m->number != SHARED_VERSION) return -1;
    file = memory();
    if (file >= 0) {
        s->shared = mmap(0, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
        if (s->shared == MAP_FAILED) s->shared = 0;
    }
    if (!s->shared || !open_file(s)) {
        printf("0 0 0 %d %s\n", errno, first_file);
        fflush(stdout);
        if (s->shared) munmap(s->shared, sizeof(struct shared));
        s->shared = 0;
        if (file >= 0) close(file);
        return -1;
    }
    ndkt_init(&s->shared->ring, 0);
    ndkt_init(&s->ring, s->pointers);
    header(s, m);
    return file;
}

static uint64_t drain(struct session *s)
{
    struct shared *from = s->shared;
    uint64_t i, events, n = NDKT_LOAD(&from->ring.count);
    if (n > SHARED_THREADS) n = SHARED_THREADS;
    for (i = s->ring.count; i < n; i++) {
        ndkt_init_writer(&s->writers[i], from->slots[i], SHARED_SLOTS);
        s->pointers[i] = &s->writers[i];
    }
    s->ring.count = n;
    s->ring.next = NDKT_LOAD(&from->ring.next);
    s->ring.unwritten = NDKT_LOAD(&from->ring.unwritten);
    for (i = 0; i < n; i++) s->writers[i].dropped = NDKT_LOAD(&from->writers[i].dropped);
    events = ndkt_file_drain(&s->file, &s->ring);
    for (i = 0; i < n; i++)
        if (from->writers[i].head != s->writers[i].head) NDKT_STORE(&from->writers[i].head, s->writers[i].head);
    return events;
}

static void end(struct session *s)
{
    int at_rest;
    if (s->shared) {
        drain(s);
        at_rest = s->at_rest && s->file.events == s->events_at_rest;
        ndkt_file_close(&s->file, &s->ring, at_rest);
        output_close(&s->out);
        printf("%llu %llu %d %d %s\n", (unsigned long long)s->file.events, (unsigned long long)s->file.dropped, at_rest, s->out.error, s->out.name);
        fflush(stdout);
        munmap(s->shared, sizeof(struct shared));
    }
    close(s->socket);
    free(s);
}

/* answers with a byte, and a file where there is one */
static void answer(int socket, int good, int file)
{
    char byte = (char)good, space[CMSG_SPACE(sizeof(int))];
    struct iovec out = {&byte, 1};
    struct msghdr h = {.msg_iov = &out, .msg_iovlen = 1};
    struct cmsghdr *c;
    memset(space, 0, sizeof space);
    if (file >= 0) {
        h.msg_control = space;
        h.msg_controllen = sizeof space;
        c = CMSG_FIRSTHDR(&h);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(c), &file, sizeof file);
    }
    sendmsg(socket, &h, MSG_NOSIGNAL);
}

/* what a program says; 0 where it has ended */
static int serve(struct session *s)
{
    struct message m;
    ssize_t n = recv(s->socket, &m, sizeof m, 0);
    int file;
    if (n < 0 && errno == EINTR) return 1;
    if (n != sizeof m) return 0;
    if (m.kind == MESSAGE_HELLO && !s->shared) {
        file = begin(s, &m);
        answer(s->socket, file >= 0, file);
        if (file >= 0) close(file);
        return file >= 0;
    }
    if (!s->shared) return 0;
    if (m.kind == MESSAGE_NAME) {
        m.name[sizeof m.name - 1] = 0;
        if (m.number >= FIRST_CONNECTION && m.number < FIRST_CONNECTION + CONNECTIONS) {
            drain(s);                      /* events before it may have the number under its old name */
            ndkt_file_name(&s->file, m.number, plain(m.name, sizeof m.name));
        }
    } else if (m.kind == MESSAGE_END) {
        drain(s);
        s->at_rest = m.number == 1;
        s->events_at_rest = s->file.events;
    }
    answer(s->socket, 1, -1);
    return 1;
}

static void take(int listener)
{
    struct ucred who = {0, 0, 0};
    socklen_t size = sizeof who;
    int socket = accept4(listener, 0, 0, SOCK_CLOEXEC);
    struct session *s;
    if (socket < 0) return;
    s = count < MOST_SESSIONS ? calloc(1, sizeof *s) : 0;
    if (!s) {
        close(socket);
        return;
    }
    getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size);
    s->socket = socket;
    s->pid = (unsigned)who.pid;
    sessions[count++] = s;
}

static void work(int listener)
{
    struct pollfd files[MOST_SESSIONS + 2];
    int running = 1, wait = 1, i, n;
    uint64_t events;
    while (running || count) {
        n = count;
        files[0] = (struct pollfd){running ? 0 : -1, POLLIN, 0};
        files[1] = (struct pollfd){listener, POLLIN, 0};
        for (i = 0; i < n; i++) files[2 + i] = (struct pollfd){sessions[i]->socket, POLLIN, 0};
        if (poll(files, (nfds_t)(n + 2), count ? wait : -1) < 0) memset(files, 0, sizeof files);
        events = 0;
        for (i = n - 1; i >= 0; i--) {
            if (files[2 + i].revents && !serve(sessions[i])) {
                end(sessions[i]);
                sessions[i] = sessions[--count];
                continue;
            }
            if (sessions[i]->shared) events += drain(sessions[i]);
        }
        if (files[1].revents) take(listener);
        if (files[0].revents) {
            char ignored[64];
            if (read(0, ignored, sizeof ignored) <= 0) running = 0;
        }
        wait = events > SHARED_SLOTS / 8 ? 0 : events ? 1 : wait < 8 ? wait + 1 : wait;
    }
}

int main(int n, char **arguments)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int listener;
    if (n != 3 || strlen(arguments[1]) >= sizeof at.sun_path) {
        fprintf(stderr, "ndkrecord-worker is started by ndkrecord run\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);              /* a file that is too large is an error of writing */
    signal(SIGINT, SIG_IGN);               /* of the terminal: the program that is recorded decides what it means */
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    first_file = arguments[2];
    ticks_per_us = measure();
    strcpy(at.sun_path, arguments[1]);
    listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&at, sizeof at) || listen(listener, 64)) {
        perror("ndkrecord-worker");
        return 1;
    }
    printf("ready\n");
    fflush(stdout);
    work(listener);
    return 0;
}
