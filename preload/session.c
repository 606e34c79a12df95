/* session.c - the connection to the worker, the ring of each thread, and what a fork does to both. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "library.h"
#include "locks.h"

__thread struct thread self __attribute__((tls_model("initial-exec")));
struct shared *shared;
uint32_t session;

/* A file of the library's. A program that closes all files may have another under its number */
struct own { int number; struct stat is; };
static struct own worker = {.number = -1}, rings = {.number = -1};
static pthread_key_t exits;
static uint64_t threads;                   /* numbers that were given */
static uint32_t spare[SHARED_THREADS], spares;  /* writers whose threads have ended */

void complain(const char *format, ...)
{
    char line[512];
    va_list list;
    int n = snprintf(line, sizeof line, "ndkrecord: %s (%d): ", program_invocation_short_name, (int)getpid());
    va_start(list, format);
    n += vsnprintf(line + n, sizeof line - (size_t)n - 1, format, list);
    va_end(list);
    if (n > (int)sizeof line - 2) n = (int)sizeof line - 2;
    line[n++] = '\n';
    if (write(2, line, (size_t)n) < 0) return;
}

void *scratch(size_t size)
{
    if (self.scratch_size < size) {
        void *more = realloc(self.scratch, size);
        if (!more) return 0;
        self.scratch = more;
        self.scratch_size = size;
    }
    return self.scratch;
}

uint32_t new_id(void)
{
    uint32_t id = ndkt_new_id(RING);
    return id < FIRST_CONNECTION ? id : id + CONNECTIONS + 2;
}

static int still(const struct own *f)
{
    struct stat now;
    return f->number >= 0 && !fstat(f->number, &now) && now.st_ino == f->is.st_ino && now.st_dev == f->is.st_dev;
}

static void own_close(struct own *f)
{
    if (still(f)) close(f->number);
    f->number = -1;
}

static int own_open(struct own *f, int number)
{
    f->number = number;
    if (number >= 0 && !fstat(number, &f->is)) return 1;
    f->number = -1;
    return 0;
}

/* asks the worker, and takes the file that comes with its answer, if one may */
static int ask(struct message *m, int *file)
{
    char answer = 0, space[CMSG_SPACE(sizeof(int))];
    struct iovec in = {&answer, 1};
    struct msghdr h = {.msg_iov = &in, .msg_iovlen = 1, .msg_control = file ? space : 0, .msg_controllen = file ? sizeof space : 0};
    struct cmsghdr *c;
    ssize_t n;
    if (send(worker.number, m, sizeof *m, MSG_NOSIGNAL) != sizeof *m) return 0;
    do n = recvmsg(worker.number, &h, MSG_CMSG_CLOEXEC); while (n < 0 && errno == EINTR);
    if (n != 1 || !answer) return 0;
    if (file) {
        c = CMSG_FIRSTHDR(&h);
        if (!c || c->cmsg_type != SCM_RIGHTS) return 0;
        memcpy(file, CMSG_DATA(c), sizeof *file);
    }
    return 1;
}

static int reach(const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int s;
    if (strlen(path) >= sizeof to.sun_path) return -1;
    strcpy(to.sun_path, path);
    s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (s >= 0 && connect(s, (struct sockaddr *)&to, sizeof to)) {
        close(s);
        return -1;
    }
    return s;
}

static void give_back(void *of)
{
    pthread_mutex_lock(&locks.session);
    if (shared && self.session == session && self.writer == of) spare[spares++] = (uint32_t)((ndkt_writer *)of - shared->writers);
    self.writer = 0;
    pthread_mutex_unlock(&locks.session);
    free(self.scratch);
    self.scratch = 0;
    self.scratch_size = 0;
}

/* nothing of the parent's session is the child's: it records into a file of its own, from the first device that it opens */
static void in_child(void)
{
    own_close(&worker);
    own_close(&rings);
    shared = 0;                            /* the child has no such memory: MADV_DONTFORK */
    spares = 0;
    memset(&self, 0, sizeof self);
    locks_unlock();
}

__attribute__((constructor)) static void prepare(void)
{
    pthread_key_create(&exits, give_back);
    pthread_atfork(locks_lock, locks_unlock, in_child);
}

/* the shared memory is not passed to a child, and not written to a core file */
static void *map(size_t from, size_t size)
{
    void *memory = mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED, rings.number, (off_t)from);
    if (memory != MAP_FAILED) {
        madvise(memory, size, MADV_DONTFORK);
        madvise(memory, size, MADV_DONTDUMP);
    }
    return memory;
}

int session_begin(const char *device, const char *driver)
{
    const char *path = getenv("NDKRECORD_SOCKET"), *why = 0;
    struct message hello = {.kind = MESSAGE_HELLO, .number = SHARED_VERSION};
    int file = -1, state;
    void *memory = MAP_FAILED;
    if (shared) return 1;
    if (!path) return 0;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    pthread_mutex_lock(&locks.session);
    if (!shared) {
        snprintf(hello.program, sizeof hello.program, "%s", program_invocation_short_name);
        snprintf(hello.device, sizeof hello.device, "%s", device);
        snprintf(hello.driver, sizeof hello.driver, "%s", driver);
        if (!own_open(&worker, reach(path))) why = "ndkrecord is gone";
        else if (!ask(&hello, &file) || !own_open(&rings, file)) why = "ndkrecord could not begin a trace";
        else if ((memory = map(0, offsetof(struct shared, slots))) == MAP_FAILED) why = strerror(errno);
        if (why) {
            complain("not recorded: %s", why);
            own_close(&worker);
            own_close(&rings);
        } else {
            spares = 0;
            session++;
            __atomic_store_n(&shared, memory, __ATOMIC_RELEASE);
        }
    }
    pthread_mutex_unlock(&locks.session);
    pthread_setcancelstate(state, 0);
    return shared != 0;
}

static void tell(struct message *m)
{
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    pthread_mutex_lock(&locks.session);
    if (still(&worker) && !ask(m, 0)) own_close(&worker);
    pthread_mutex_unlock(&locks.session);
    pthread_setcancelstate(state, 0);
}

void session_name(uint32_t number, const char *name)
{
    struct message m = {.kind = MESSAGE_NAME, .number = number};
    snprintf(m.name, sizeof m.name, "%s", name);
    tell(&m);
}

void session_end(int quiescent)
{
    struct message m = {.kind = MESSAGE_END, .number = (uint32_t)quiescent};
    if (shared) tell(&m);
}

/* a ring for a thread that has none yet; 0 where there is none left */
static ndkt_writer *first_use(void)
{
    ndkt_writer *w = 0;
    uint64_t n;
    pthread_mutex_lock(&locks.session);
    if (!self.number) self.number = ++threads;
    n = RING->count;
    if (spares) {
        w = &shared->writers[spare[--spares]];
    } else if (n < SHARED_THREADS && still(&rings)) {
        void *slots = map(offsetof(struct shared, slots) + n * sizeof shared->slots[0], sizeof shared->slots[0]);
        if (slots != MAP_FAILED) {
            w = &shared->writers[n];
            ndkt_init_writer(w, slots, SHARED_SLOTS);
            NDKT_STORE(&RING->count, n + 1);
        }
    }
    pthread_mutex_unlock(&locks.session);
    self.writer = w;
    self.session = session;
    pthread_setspecific(exits, w);
    return w;
}

/* waits for the worker where the ring is full, as a trace with a hole is worth little. One that does not drain for some seconds is waited for no longer */
static void wait_for_room(ndkt_writer *w)
{
    struct timespec pause = {0, 20000};
    uint64_t head = NDKT_LOAD(&w->head);
    int i;
    for (i = 0; i < 50000 && !NDKT_LOAD(&shared->ended); i++) {
        w->freed = NDKT_LOAD(&w->head);
        if (w->tail - w->freed < SHARED_SLOTS - NDKT_MOST) return;
        if (w->freed != head) {
            head = w->freed;
            i = 0;
        }
        if (i < 16) sched_yield();
        else nanosleep(&pause, 0);
    }
    NDKT_STORE(&shared->ended, 1);         /* from here on events are dropped and counted; no thread waits */
}

ndkt_writer *session_writer(void)
{
    ndkt_writer *w = self.writer;
    int error;
    if (LIKELY(w && self.session == session && w->tail - w->freed < SHARED_SLOTS - NDKT_MOST)) return w;
    error = errno;
    if (!w || self.session != session) w = first_use();
    else wait_for_room(w);
    errno = error;
    return w;
}
