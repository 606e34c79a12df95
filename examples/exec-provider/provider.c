/* provider.c - a provider of NDKPI in memory, for ndkrecord --provider exec:. docs/exec-provider.md has the protocol.
 *
 *   cc -std=c99 -pthread -o provider provider.c && ndkrecord --provider exec:./provider --scenario mixed -o mixed.ndktrace
 *
 * It does what provider.py does, and has the same bugs: NDK_SEEDED_BUG switches on one of those that --bugs lists.
 *
 * There are two threads. One reads lines, so that the consumer never waits for room in the pipe. The other one is the adapter: it answers calls, executes
 * requests and enters callbacks. Nothing else touches the objects below, so they need no lock; and lines are written in the order of events.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <unistd.h>

#include "json.h"

enum {
    NAME = 64,                             /* room of a name, or of the id of a call */
    LONGEST = 1 << 20,                     /* bytes of a line */
    PIECE = 256 << 10,                     /* bytes of memory in a line: base64 makes it longer by a third */
    CQ_DEPTH = 4096, QP_DEPTH = 1024, INLINE = 64
};

static const char OK[] = "STATUS_SUCCESS", CANCELLED[] = "STATUS_CANCELLED", VIOLATION[] = "STATUS_ACCESS_VIOLATION";
static const char INVALID[] = "STATUS_INVALID_PARAMETER", REFUSED[] = "STATUS_CONNECTION_INVALID", FULL[] = "STATUS_INSUFFICIENT_RESOURCES";
static const char PENDING[] = "STATUS_PENDING", OVERFLOWN[] = "STATUS_BUFFER_OVERFLOW";

/* ---- seeded bugs ---- */
static const char *const bugs[] = {
    "bad-token-accepted", "callback-never-armed", "duplicate-completion", "error-not-solicited", "fire-again-for-reported", "flush-misses-last",
    "last-arm-wins", "no-fire-at-arm", "overflow-continues", "refused-post-no-doorbell", "second-arm-dropped", "silent-failure-lost",
    "solicit-bit-ignored", "swap-completions", "token-survives-plain-poll", "two-callbacks-one-arm", "wrong-invalidated-token"
};
enum { BUGS = sizeof bugs / sizeof bugs[0] };
typedef enum bug {
    BAD_TOKEN_ACCEPTED, CALLBACK_NEVER_ARMED, DUPLICATE_COMPLETION, ERROR_NOT_SOLICITED, FIRE_AGAIN_FOR_REPORTED, FLUSH_MISSES_LAST,
    LAST_ARM_WINS, NO_FIRE_AT_ARM, OVERFLOW_CONTINUES, REFUSED_POST_NO_DOORBELL, SECOND_ARM_DROPPED, SILENT_FAILURE_LOST,
    SOLICIT_BIT_IGNORED, SWAP_COMPLETIONS, TOKEN_SURVIVES_PLAIN_POLL, TWO_CALLBACKS_ONE_ARM, WRONG_INVALIDATED_TOKEN, NO_BUG
} bug;

static bug seeded = NO_BUG;

/* ---- what comes in ---- */
typedef struct message {
    struct message *next;
    unsigned long line;
    json *value;                           /* or NULL: at the end of the input, or where something is wrong */
    const char *wrong;
    size_t byte;                           /* where it is wrong */
} message;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t came;
    message *first, **last;
} incoming = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, &incoming.first};

static void come(message *m)
{
    pthread_mutex_lock(&incoming.lock);
    *incoming.last = m;
    incoming.last = &m->next;
    pthread_cond_signal(&incoming.came);
    pthread_mutex_unlock(&incoming.lock);
}

/* Hands a line to the adapter, and returns whether more may be read. */
static bool come_line(const char *line, size_t length, unsigned long number)
{
    message *m = (message *)allocate(sizeof *m);
    m->line = number;
    if (length > LONGEST) {
        m->wrong = "the line has more than 1048576 bytes";
        m->byte = LONGEST + 1;
    } else {
        json_reader r;
        m->value = json_read(&r, line, length);
        m->wrong = r.wrong;
        m->byte = r.at + 1;
    }
    length = m->value != NULL;             /* the adapter may free the message from here on */
    come(m);
    return length != 0;
}

/* The thread that reads. It reads past stdio, whose lock it would hold while the other thread ends the program. */
static void *read_lines(void *unused)
{
    static char line[LONGEST + 1], some[64 << 10];
    size_t length = 0;
    unsigned long number = 1;
    message *end;
    for (;;) {
        ssize_t got = read(STDIN_FILENO, some, sizeof some), i;
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        for (i = 0; i < got; i++) {
            if (some[i] != '\n' && length <= LONGEST) {
                line[length++] = some[i];
                if (length <= LONGEST) continue;
            }
            if (!come_line(line, length, number++)) return unused;
            length = 0;
        }
    }
    if (length && !come_line(line, length, number)) return unused;
    end = (message *)allocate(sizeof *end);
    end->line = number;
    come(end);
    return unused;
}

static unsigned long at_line;              /* of the message that is being handled */

/* Ends the program, and says at which line of the input. */
#ifdef __GNUC__
__attribute__((format(printf, 1, 2), noreturn))
#endif
static void refuse(const char *format, ...)
{
    va_list args;
    fprintf(stderr, "provider: line %lu: ", at_line);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

static bool is_call(const message *m)
{
    return m->value && json_member(m->value, "method");
}

/* Takes the next message, and waits for one. A request that waits for memory takes no calls: their turn is when it is executed. */
static message *take(bool calls)
{
    message *m, **from;
    const json *version;
    pthread_mutex_lock(&incoming.lock);
    for (;;) {
        for (from = &incoming.first; *from && !calls && is_call(*from); from = &(*from)->next) {}
        if (*from) break;
        pthread_cond_wait(&incoming.came, &incoming.lock);
    }
    m = *from;
    *from = m->next;
    if (!m->next) incoming.last = from;
    pthread_mutex_unlock(&incoming.lock);
    at_line = m->line;
    if (m->wrong) refuse("byte %lu: %s", (unsigned long)m->byte, m->wrong);
    if (!m->value) return m;
    version = json_member(m->value, "jsonrpc");
    if (m->value->kind != JSON_OBJECT) refuse("byte 1: no JSON object");
    if (!version || version->kind != JSON_STRING || strcmp(version->text, "2.0")) refuse("the member \"jsonrpc\" is not \"2.0\"");
    return m;
}

static void forget(message *m)
{
    json_free(m->value);
    free(m);
}

/* ---- calls of the consumer ---- */
typedef struct call {
    const char *method;
    const json *params;
    char id[NAME];                         /* as JSON */
} call;

static const json *param(const call *c, const char *key, enum json_kind kind, const char *what)
{
    const json *p = json_member(c->params, key);
    if (!p) refuse("%s: the parameter %s is missing", c->method, key);
    if (p->kind != kind) refuse("%s: the parameter %s is not %s", c->method, key, what);
    return p;
}

static uint64_t number_of(const call *c, const json *of, const char *key)
{
    uint64_t number;
    const json *p = json_member(of, key);
    if (!p) refuse("%s: the parameter %s is missing", c->method, key);
    if (!json_whole(p, &number)) refuse("%s: the parameter %s is not a whole number of at most 64 bits", c->method, key);
    return number;
}

static uint64_t number(const call *c, const char *key)
{
    return number_of(c, c->params, key);
}

static const char *name(const call *c, const char *key)
{
    const char *text = param(c, key, JSON_STRING, "a string")->text;
    if (strlen(text) >= NAME) refuse("%s: the parameter %s has more than %d bytes", c->method, key, NAME - 1);
    return text;
}

/* ---- lines that are written ---- */
static text out;

static void begin(void)
{
    out.length = 0;
    text_add(&out, "{\"jsonrpc\":\"2.0\",\"id\":");
}

/* Writes the line at once: the consumer waits for it. */
static void finish(void)
{
    text_add(&out, "}\n");
    if (fwrite(out.bytes, 1, out.length, stdout) != out.length || fflush(stdout)) refuse("the answer can't be written: %s", strerror(errno));
}

/* Begins an answer. Its result is written behind it. */
static void answer(const char *id)
{
    begin();
    text_add(&out, id);
    text_add(&out, ",\"result\":");
}

static void answer_words(const char *id, const char *result)
{
    answer(id);
    text_add(&out, result);
    finish();
}

static void answer_status(const char *id, const char *status)
{
    answer(id);
    text_add(&out, "{\"status\":");
    text_string(&out, status);
    text_add(&out, "}");
    finish();
}

/* ---- objects ---- */
typedef struct completion {
    char wr[NAME], qp[NAME];
    const char *status, *type;
    uint64_t bytes, token;
    bool solicited, has_token;
    unsigned queue;                        /* the work queue of the request */
} completion;

typedef enum strength { UNARMED, ERRORS, SOLICITED, ANY } strength; /* of arms (ARM-07) */
typedef enum failure { WORKS, UNREPORTED, REPORTED } failure;

typedef struct cq {
    struct cq *next;
    char name[NAME];
    size_t depth, count, room;
    size_t fresh;                          /* of the last entries: placed since the last callback */
    completion *entries;
    strength arm;
    failure failed;
    bool twice;                            /* the arm has had one callback too many */
    bool due, error_due, running, reported;
    bool closing, pending, closed;         /* pending: NdkCloseCompletion follows */
} cq;

typedef struct sge { uint64_t address, length, token; } sge;

typedef struct request {
    struct request *next;
    char wr[NAME];
    const struct post *post;
    bool silent, solicits, has_inline, has_token;
    sge *sgl;
    size_t sges, length;
    unsigned char *inlined;                /* of length bytes */
    uint64_t remote_address, remote_token, token;
    uint64_t made, ends;                   /* tokens that the request makes valid, and invalid */
} request;

typedef struct queue {
    request *first, **last;
    size_t count, depth;
    unsigned number;
} queue;

typedef struct qp {
    struct qp *next, *peer;
    char name[NAME];
    cq *send_cq, *receive_cq;
    queue sends, receives;
    size_t indicated, inline_size;
    bool broken, closed;
} qp;

typedef struct object {                    /* a memory region or a memory window */
    struct object *next;
    char name[NAME];
    uint64_t token;                        /* the last */
} object;

typedef struct region {                    /* what a token stands for */
    uint64_t address, length;
    bool valid, revocable;
} region;

typedef struct offer {                     /* one side of a connection, which waits for the other one */
    struct offer *next;
    char address[NAME], id[NAME];
    qp *from;
    bool accepts;
} offer;

typedef struct asked {                     /* a call to the consumer that it has not answered */
    struct asked *next;
    uint64_t id;
    cq *callback;                          /* that returns with the answer, or NULL */
} asked;

/* What is closed stays in its list to the end: a peer or a queue pair may still refer to it. */
static cq *cqs;
static qp *qps;
static object *objects;
static region *regions;                    /* token t is regions[t - 1] */
static size_t region_count, region_room;
static offer *offers;
static asked *waiting;
static uint64_t last_call;
static unsigned last_queue;

static cq *find_cq(const char *called)
{
    cq *c;
    for (c = cqs; c && (c->closed || strcmp(c->name, called)); c = c->next) {}
    return c;
}

static cq *cq_of(const call *c, const char *key)
{
    cq *found = find_cq(name(c, key));
    if (!found) refuse("%s: there is no CQ %s", c->method, name(c, key));
    return found;
}

static qp *qp_of(const call *c)
{
    const char *called = name(c, "qp");
    qp *q;
    for (q = qps; q && (q->closed || strcmp(q->name, called)); q = q->next) {}
    if (!q) refuse("%s: there is no QP %s", c->method, called);
    return q;
}

/* The memory region or window of a call. For NdkBind that is the window. */
static object *object_of(const call *c)
{
    const char *called = name(c, json_member(c->params, "mw") ? "mw" : "mr");
    object *o;
    for (o = objects; o && strcmp(o->name, called); o = o->next) {}
    if (!o) refuse("%s: there is no %s", c->method, called);
    return o;
}

/* ---- calls to the consumer ---- */
/* Begins a call. Its parameters, but for the bracket that closes them, are written behind it. */
static uint64_t ask(const char *method, cq *callback)
{
    asked *a = (asked *)allocate(sizeof *a);
    a->id = ++last_call;
    a->callback = callback;
    a->next = waiting;
    waiting = a;
    begin();
    text_number(&out, a->id);
    text_add(&out, ",\"method\":");
    text_string(&out, method);
    text_add(&out, ",\"params\":{");
    return a->id;
}

static void asked_all(void)
{
    text_add(&out, "}");
    finish();
}

/* Takes what the consumer answered, and returns which call that was. */
static uint64_t answered(const message *m)
{
    const json *error = json_member(m->value, "error"), *said = json_member(error, "message");
    uint64_t id;
    asked **at, *a;
    if (error) refuse("the consumer: %s", said && said->kind == JSON_STRING ? said->text : "an error without a message");
    if (!json_whole(json_member(m->value, "id"), &id)) refuse("an answer has no id, or one that no call had");
    if (!json_member(m->value, "result")) refuse("the answer to call %llu has no result", (unsigned long long)id);
    for (at = &waiting; *at && (*at)->id != id; at = &(*at)->next) {}
    if (!*at) refuse("call %llu is answered, and does not wait for an answer", (unsigned long long)id);
    a = *at;
    *at = a->next;
    if (a->callback) a->callback->running = false;
    free(a);
    return id;
}

/* Reads at most PIECE bytes of the consumer's memory, and waits for them. */
static void read_piece(uint64_t address, unsigned char *to, size_t length)
{
    uint64_t id = ask("ReadMemory", NULL);
    bool done = false;
    text_add(&out, "\"address\":");
    text_number(&out, address);
    text_add(&out, ",\"length\":");
    text_number(&out, length);
    asked_all();
    while (!done) {
        message *m = take(false);
        if (!m->value) refuse("the input ends, and ReadMemory was not answered");
        if (answered(m) == id) {
            const json *data = json_member(json_member(m->value, "result"), "data");
            size_t got = 0;
            unsigned char *bytes = data && data->kind == JSON_STRING ? base64_read(data->text, &got) : NULL;
            if (!bytes) refuse("ReadMemory: the data is not base64");
            if (got != length) refuse("ReadMemory: %lu bytes of data, not %lu", (unsigned long)got, (unsigned long)length);
            memcpy(to, bytes, length);
            free(bytes);
            done = true;
        }
        forget(m);
    }
}

static void write_piece(uint64_t address, const unsigned char *bytes, size_t length)
{
    ask("WriteMemory", NULL);
    text_add(&out, "\"address\":");
    text_number(&out, address);
    text_add(&out, ",\"data\":");
    text_base64(&out, bytes, length);
    asked_all();
}

/* ---- memory ---- */
static region *valid_region(uint64_t token)
{
    return token > 0 && token <= region_count && regions[token - 1].valid ? &regions[token - 1] : NULL;
}

static bool invalidate(uint64_t token)
{
    region *r = valid_region(token);
    if (r) r->valid = false;
    return r != NULL;
}

/* Gives an object a new token. */
static uint64_t new_region(const call *c, object *of, bool fast)
{
    region *r;
    if (region_count == region_room) {
        region *moved = (region *)allocate((2 * region_room + 16) * sizeof *moved);
        if (region_count) memcpy(moved, regions, region_count * sizeof *moved);
        free(regions);
        regions = moved;
        region_room = 2 * region_room + 16;
    }
    r = &regions[region_count++];
    r->address = number(c, "address");
    r->length = number(c, "length");
    r->revocable = fast;
    r->valid = !fast;                      /* that of a request is valid once it is executed */
    of->token = region_count;
    return of->token;
}

static bool covers(const sge *s)
{
    const region *r = valid_region(s->token);
    return r && s->address >= r->address && s->length <= r->length && s->address - r->address <= r->length - s->length;
}

static bool covered(const request *r)
{
    size_t i;
    for (i = 0; i < r->sges; i++)
        if (r->sgl[i].length && !covers(&r->sgl[i])) return false;
    return true;
}

/* A post is refused where memory lies outside the region of a valid token. A token that is not valid fails the request, not the post. */
static bool in_regions(const request *r)
{
    size_t i;
    for (i = 0; i < r->sges; i++)
        if (r->sgl[i].length && valid_region(r->sgl[i].token) && !covers(&r->sgl[i])) return false;
    return true;
}

static void read_memory(uint64_t address, unsigned char *to, size_t length)
{
    while (length) {
        size_t n = length < PIECE ? length : PIECE;
        read_piece(address, to, n);
        address += n;
        to += n;
        length -= n;
    }
}

static void write_memory(uint64_t address, const unsigned char *bytes, size_t length)
{
    while (length) {
        size_t n = length < PIECE ? length : PIECE;
        write_piece(address, bytes, n);
        address += n;
        bytes += n;
        length -= n;
    }
}

/* The length of all elements. Each was covered by a region, so a sum that has no room is not that of any memory. */
static bool total(const request *r, size_t *length)
{
    size_t i;
    *length = 0;
    for (i = 0; i < r->sges; i++) {
        if (r->sgl[i].length > SIZE_MAX - *length) return false;
        *length += (size_t)r->sgl[i].length;
    }
    return true;
}

/* Reads what a request sends, or returns NULL where a token does not cover it. The caller frees it. */
static unsigned char *gather(const request *r, size_t *length)
{
    unsigned char *data;
    size_t i, n = 0;
    if (r->has_inline) {
        *length = r->length;
        data = (unsigned char *)allocate(r->length);
        if (r->length) memcpy(data, r->inlined, r->length);
        return data;
    }
    if (!covered(r) || !total(r, length)) return NULL;
    data = (unsigned char *)allocate(*length);
    for (i = 0; i < r->sges; n += (size_t)r->sgl[i++].length) read_memory(r->sgl[i].address, data + n, (size_t)r->sgl[i].length);
    return data;
}

/* Writes data to where a request has its memory. */
static bool scatter(const request *r, const unsigned char *data, size_t length)
{
    size_t room, i;
    if (!covered(r) || !total(r, &room) || length > room) return false;
    for (i = 0; i < r->sges && length; i++) {
        size_t n = r->sgl[i].length < length ? (size_t)r->sgl[i].length : length;
        write_memory(r->sgl[i].address, data, n);
        data += n;
        length -= n;
    }
    return true;
}

/* ---- queues of requests ---- */
static void open_queue(queue *q, uint64_t depth)
{
    q->last = &q->first;
    q->depth = (size_t)depth;
    q->number = ++last_queue;
}

static void append(queue *q, request *r)
{
    *q->last = r;
    q->last = &r->next;
    q->count++;
}

static request *pop(queue *q)
{
    request *r = q->first;
    q->first = r->next;
    if (!q->first) q->last = &q->first;
    q->count--;
    return r;
}

static request *take_all(queue *q)
{
    request *all = q->first;
    q->first = NULL;
    q->last = &q->first;
    q->count = 0;
    return all;
}

static void free_request(request *r)
{
    free(r->sgl);
    free(r->inlined);
    free(r);
}

/* ---- completion queues ---- */
static void break_down(qp *q);

static bool matches(const cq *c, const completion *e)
{
    if (c->arm == SOLICITED) return (e->solicited && seeded != SOLICIT_BIT_IGNORED) || (e->status != OK && seeded != ERROR_NOT_SOLICITED);
    return c->arm == ANY;
}

static void satisfy(cq *c)
{
    if (seeded == TWO_CALLBACKS_ONE_ARM && !c->twice) {
        c->twice = true;                   /* and the arm stays */
    } else {
        c->arm = UNARMED;
        c->twice = false;
    }
    c->due = true;
}

static void arm(cq *c, strength wanted)
{
    size_t i;
    bool match = false;
    if (c->closing) return;
    if (seeded == LAST_ARM_WINS || (c->arm < wanted && !(c->arm && seeded == SECOND_ARM_DROPPED))) c->arm = wanted;
    for (i = c->count - c->fresh; i < c->count; i++) match = match || matches(c, &c->entries[i]);
    if (c->failed) {
        c->arm = UNARMED;
        c->error_due = c->failed != REPORTED;
    } else if (match && seeded != NO_FIRE_AT_ARM) {
        satisfy(c);
    } else if (seeded == FIRE_AGAIN_FOR_REPORTED && c->arm == ANY && !c->count && c->reported) {
        satisfy(c);
    }
}

static void add_entry(cq *c, const completion *e)
{
    if (c->count == c->room) {
        size_t room = 2 * c->room + 16;
        completion *moved = (completion *)allocate(room * sizeof *moved);
        if (c->count) memcpy(moved, c->entries, c->count * sizeof *moved);
        free(c->entries);
        c->entries = moved;
        c->room = room;
    }
    c->entries[c->count++] = *e;
}

static void overflow(cq *c)
{
    qp *q;
    if (seeded == OVERFLOW_CONTINUES) return;
    c->failed = UNREPORTED;
    if (c->arm) {
        c->arm = UNARMED;
        c->error_due = true;
    }
    for (q = qps; q; q = q->next)
        if (!q->closed && (q->send_cq == c || q->receive_cq == c)) break_down(q);
}

static void place(cq *c, const completion *e)
{
    if (c->failed || c->closed) return;
    if (c->count == c->depth) {
        overflow(c);
        return;
    }
    add_entry(c, e);
    if (seeded == DUPLICATE_COMPLETION && e->wr[0] && e->wr[strlen(e->wr) - 1] == '7' && c->count < c->depth) add_entry(c, e);
    if (seeded == SWAP_COMPLETIONS && c->count > 1 && c->entries[c->count - 2].queue == e->queue) {
        c->entries[c->count - 1] = c->entries[c->count - 2];
        c->entries[c->count - 2] = *e;
    }
    c->fresh++;
    if (c->arm && matches(c, e)) satisfy(c);
    else if (!c->arm && seeded == CALLBACK_NEVER_ARMED) c->due = true;
}

/* Enters the callback that is owed, unless one runs (ARM-06). Nothing in the CQ is fresh from here on (ARM-05). */
static bool call_back(cq *c)
{
    const char *status = OK;
    if (c->running || c->closed || !(c->due || c->error_due)) return false;
    if (c->due) {
        c->due = false;
    } else {
        status = OVERFLOWN;
        c->error_due = false;
        c->failed = REPORTED;
    }
    c->fresh = 0;
    c->running = c->reported = true;
    ask("NdkCqNotificationCallback", c);
    text_add(&out, "\"cq\":");
    text_string(&out, c->name);
    text_add(&out, ",\"status\":");
    text_string(&out, status);
    asked_all();
    return true;
}

static void add_result(const completion *e, bool extended)
{
    text_add(&out, "{\"wr\":");
    text_string(&out, e->wr);
    text_add(&out, ",\"qp\":");
    text_string(&out, e->qp);
    text_add(&out, ",\"status\":");
    text_string(&out, e->status);
    text_add(&out, ",\"bytes\":");
    text_number(&out, e->bytes);
    if (extended) {
        text_add(&out, ",\"type\":");
        text_string(&out, e->type);
        if (e->has_token) {
            if (seeded == TOKEN_SURVIVES_PLAIN_POLL) invalidate(e->token);
            text_add(&out, ",\"token\":");
            text_number(&out, e->token + (seeded == WRONG_INVALIDATED_TOKEN ? 1 : 0));
        }
    }
    text_add(&out, "}");
}

/* A CQ that was closed has no results. */
static void poll(const call *c, bool extended)
{
    cq *from = find_cq(name(c, "cq"));
    uint64_t room = number(c, "n");
    size_t n = 0;
    answer(c->id);
    text_add(&out, "{\"results\":[");
    for (; from && n < from->count && n < room; n++) {
        if (n) text_add(&out, ",");
        add_result(&from->entries[n], extended);
    }
    text_add(&out, "]}");
    if (n) {
        from->count -= n;
        memmove(from->entries, from->entries + n, from->count * sizeof *from->entries);
        if (from->fresh > from->count) from->fresh = from->count;
    }
    finish();
}

/* ---- queue pairs ---- */
typedef enum operation { SENDS, READS, WRITES, REGISTERS, BINDS, INVALIDATES } operation;

typedef struct post {
    const char *method, *type;
    operation does;
} post;

static const post posts[] = {
    {"NdkSend", "Send", SENDS}, {"NdkSendAndInvalidate", "Send", SENDS}, {"NdkRead", "Read", READS}, {"NdkWrite", "Write", WRITES},
    {"NdkFastRegister", "FastRegister", REGISTERS}, {"NdkBind", "Bind", BINDS}, {"NdkInvalidate", "Invalidate", INVALIDATES}
};
enum { POSTS = sizeof posts / sizeof posts[0] };

static void completed(qp *q, const request *r, const char *status, const char *type, bool receive, const completion *also)
{
    completion e;
    memset(&e, 0, sizeof e);
    if (also) e = *also;
    strcpy(e.wr, r->wr);
    strcpy(e.qp, q->name);
    e.status = status;
    e.type = type;
    e.queue = receive ? q->receives.number : q->sends.number;
    place(receive ? q->receive_cq : q->send_cq, &e);
}

static void received(qp *q, const request *r, const char *status)
{
    completed(q, r, status, "Receive", true, NULL);
}

/* Places the completion of an initiator request, unless it is silent (FLAG-01). */
static void initiated(qp *q, const request *r, const char *status)
{
    if (r->silent && (status == OK || seeded == SILENT_FAILURE_LOST)) return;
    completed(q, r, status, r->post->type, false, NULL);
}

/* Cancels what is pending (FLUSH-01, RES-10). */
static void break_down(qp *q)
{
    request *sends, *receives, *next;
    if (q->broken) return;
    q->broken = true;
    q->indicated = 0;
    sends = take_all(&q->sends);
    receives = take_all(&q->receives);
    for (; sends; sends = next) {
        next = sends->next;
        if (next || seeded != FLUSH_MISSES_LAST) initiated(q, sends, CANCELLED);
        free_request(sends);
    }
    for (; receives; receives = next) {
        next = receives->next;
        received(q, receives, CANCELLED);
        free_request(receives);
    }
}

static void read_sgl(const call *c, request *r)
{
    const json *list = json_member(c->params, "sgl"), *s;
    if (!list || list->kind == JSON_NULL) return;
    if (list->kind != JSON_ARRAY) refuse("%s: the parameter sgl is not a list", c->method);
    for (s = list->first; s; s = s->next) r->sges++;
    r->sgl = (sge *)allocate(r->sges * sizeof *r->sgl);
    r->sges = 0;
    for (s = list->first; s; s = s->next) {
        sge *to = &r->sgl[r->sges++];
        to->address = number_of(c, s, "address");
        to->length = number_of(c, s, "length");
        to->token = number_of(c, s, "token");
    }
}

static bool has_flag(const call *c, const char *flag)
{
    const json *list = json_member(c->params, "flags"), *f;
    if (!list || list->kind == JSON_NULL) return false;
    if (list->kind != JSON_ARRAY) refuse("%s: the parameter flags is not a list", c->method);
    for (f = list->first; f; f = f->next)
        if (f->kind == JSON_STRING && !strcmp(f->text, flag)) return true;
    return false;
}

static request *new_request(const call *c, const post *kind)
{
    request *r = (request *)allocate(sizeof *r);
    strcpy(r->wr, name(c, "wr"));
    r->post = kind;
    read_sgl(c, r);
    if (!kind) return r;                   /* a receive has no more */
    r->silent = has_flag(c, "SILENT_SUCCESS");
    r->solicits = has_flag(c, "SEND_AND_SOLICIT_EVENT");
    r->has_inline = has_flag(c, "INLINE");
    if (r->has_inline) {
        r->inlined = base64_read(param(c, "data", JSON_STRING, "a string")->text, &r->length);
        if (!r->inlined) refuse("%s: the parameter data is not base64", c->method);
    }
    if (json_member(c->params, "token")) {
        r->has_token = true;
        r->token = number(c, "token");
    }
    if (kind->does == READS || kind->does == WRITES) {
        r->remote_address = number(c, "remote_address");
        r->remote_token = number(c, "remote_token");
    }
    return r;
}

static void initiate(const call *c, const post *kind)
{
    qp *q = qp_of(c);
    request *r = new_request(c, kind);
    const char *status = OK;
    if (!q->peer || q->broken) status = REFUSED;
    else if (q->sends.count >= q->sends.depth) status = FULL;
    else if (r->length > q->inline_size || !in_regions(r)) status = INVALID;
    else if (kind->does == REGISTERS || kind->does == BINDS) r->made = new_region(c, object_of(c), true);
    else if (kind->does == INVALIDATES) r->ends = object_of(c)->token;
    if (status == OK) append(&q->sends, r);
    else free_request(r);
    /* A post that is refused ends a chain as one without DEFER does (DEF-05). */
    if (status == OK ? !has_flag(c, "DEFER") : seeded != REFUSED_POST_NO_DOORBELL) q->indicated = q->sends.count;
    answer_status(c->id, status);
}

static void NdkReceive(const call *c)
{
    qp *q = qp_of(c);
    request *r = new_request(c, NULL);
    const char *status = q->receives.count >= q->receives.depth ? FULL : q->broken ? REFUSED : in_regions(r) ? OK : INVALID;
    if (status == OK) append(&q->receives, r);
    else free_request(r);
    answer_status(c->id, status);
}

/* Gives a message to the first receive of the peer. */
static bool deliver(const request *r, qp *peer, const unsigned char *data, size_t length)
{
    completion also;
    request *taken;
    bool fits;
    if (r->has_token && seeded != BAD_TOKEN_ACCEPTED) {
        const region *of = valid_region(r->token);
        if (!of || !of->revocable) return false; /* and the receive is cancelled with the connection (INV-05) */
    }
    taken = pop(&peer->receives);
    fits = scatter(taken, data, length);
    if (fits) {
        memset(&also, 0, sizeof also);
        also.bytes = length;
        also.solicited = r->solicits;
        also.has_token = r->has_token;
        also.token = r->token;
        if (r->has_token && seeded != TOKEN_SURVIVES_PLAIN_POLL) invalidate(r->token);
        completed(peer, taken, OK, r->has_token ? "ReceiveAndInvalidate" : "Receive", true, &also);
    } else {
        received(peer, taken, VIOLATION);
    }
    free_request(taken);
    return fits;
}

static bool move_data(const request *r, qp *peer)
{
    request remote;                        /* the memory of the other side, as a request of one element */
    sge at;
    unsigned char *data;
    size_t length = 0;
    bool moved;
    memset(&remote, 0, sizeof remote);
    remote.sgl = &at;
    remote.sges = 1;
    at.address = r->remote_address;
    at.token = r->remote_token;
    if (r->post->does == READS) {
        if (!total(r, &length)) return false;
        at.length = length;
        data = gather(&remote, &length);
        moved = data && scatter(r, data, length);
    } else {
        data = gather(r, &length);
        at.length = length;
        moved = data && (r->post->does == SENDS ? deliver(r, peer, data, length) : scatter(&remote, data, length));
    }
    free(data);
    return moved;
}

static bool execute(const request *r, qp *peer)
{
    switch (r->post->does) {
    case INVALIDATES: return invalidate(r->ends);
    case REGISTERS:
    case BINDS:
        regions[r->made - 1].valid = true;
        return true;
    default: return move_data(r, peer);
    }
}

/* Executes one request, if one can be. */
static bool step(qp *q)
{
    request *r;
    qp *peer = q->peer;
    if (!q->indicated || q->closed) return false;
    if (q->sends.first->post->does == SENDS && !peer->receives.count) return false;
    r = pop(&q->sends);
    q->indicated--;
    if (execute(r, peer)) {
        initiated(q, r, OK);
    } else {
        initiated(q, r, VIOLATION);
        break_down(q);
        break_down(peer);
    }
    free_request(r);
    return true;
}

/* ---- what happens of itself ---- */
static bool in_use(const cq *c)
{
    const qp *q;
    for (q = qps; q && (q->closed || (q->send_cq != c && q->receive_cq != c)); q = q->next) {}
    return q != NULL;
}

static void finish_close(cq *c)
{
    if (!c->pending || c->running || in_use(c)) return;
    c->pending = false;
    c->closed = true;
    ask("NdkCloseCompletion", NULL);
    text_add(&out, "\"object\":");
    text_string(&out, c->name);
    asked_all();
}

static void progress(void)
{
    bool moved = true;
    qp *q;
    cq *c;
    while (moved) {
        moved = false;
        for (q = qps; q; q = q->next)
            while (step(q)) moved = true;
        for (c = cqs; c; c = c->next) moved = call_back(c) || moved;
        for (c = cqs; c; c = c->next) finish_close(c);
    }
}

/* ---- the other calls of the consumer ---- */
static void Open(const call *c)
{
    answer(c->id);
    text_add(&out, "{\"version\":\"2.1\",\"max_cq_depth\":");
    text_number(&out, CQ_DEPTH);
    text_add(&out, ",\"max_initiator_depth\":");
    text_number(&out, QP_DEPTH);
    text_add(&out, ",\"max_receive_depth\":");
    text_number(&out, QP_DEPTH);
    text_add(&out, ",\"max_inline\":");
    text_number(&out, INLINE);
    text_add(&out, ",\"fast_register\":true,\"bind\":true,\"remote_invalidate\":true,\"describe\":{\"driver\":\"provider.c\"}}");
    finish();
}

/* All but what the consumer has to answer has happened before each call is taken. */
static void AtRest(const call *c)
{
    answer_words(c->id, waiting ? "{\"rest\":false}" : "{\"rest\":true}");
}

static void succeed(const call *c)
{
    answer_status(c->id, OK);
}

static void NdkCreateCq(const call *c)
{
    uint64_t depth = number(c, "depth");
    if (depth > 0 && depth <= CQ_DEPTH) {
        cq *made = (cq *)allocate(sizeof *made), **last = &cqs;
        strcpy(made->name, name(c, "cq"));
        made->depth = (size_t)depth;
        while (*last) last = &(*last)->next;
        *last = made;
        answer_status(c->id, OK);
    } else {
        answer_status(c->id, INVALID);
    }
}

static void NdkCreateQp(const call *c)
{
    qp *made = (qp *)allocate(sizeof *made), **last = &qps;
    strcpy(made->name, name(c, "qp"));
    made->send_cq = cq_of(c, "initiator_cq");
    made->receive_cq = cq_of(c, "receive_cq");
    open_queue(&made->sends, number(c, "initiator_depth"));
    open_queue(&made->receives, number(c, "receive_depth"));
    made->inline_size = (size_t)number(c, "inline");
    while (*last) last = &(*last)->next;
    *last = made;
    answer_status(c->id, OK);
}

static void create_object(const call *c)
{
    object *made = (object *)allocate(sizeof *made);
    strcpy(made->name, name(c, json_member(c->params, "mw") ? "mw" : "mr"));
    made->next = objects;
    objects = made;
    answer_status(c->id, OK);
}

static void NdkRegisterMr(const call *c)
{
    new_region(c, object_of(c), false);
    answer_status(c->id, OK);
}

static void get_token(const call *c)
{
    object *o = object_of(c);
    answer(c->id);
    text_add(&out, "{\"token\":");
    text_number(&out, o->token);
    text_add(&out, "}");
    finish();
}

static void close_object(const call *c)
{
    invalidate(object_of(c)->token);
    answer_status(c->id, OK);
}

/* Two queue pairs are connected once both sides of an address have called. The first is answered then. */
static void join(const call *c)
{
    const char *address = name(c, "peer_address");
    bool accepts = !strcmp(c->method, "NdkAccept");
    qp *q = qp_of(c);
    offer **at, *other;
    for (at = &offers; *at && (strcmp((*at)->address, address) || (*at)->accepts == accepts); at = &(*at)->next) {}
    other = *at;
    if (!other) {
        offer *made = (offer *)allocate(sizeof *made);
        strcpy(made->address, address);
        strcpy(made->id, c->id);
        made->from = q;
        made->accepts = accepts;
        made->next = offers;
        offers = made;
        return;
    }
    *at = other->next;
    q->peer = other->from;
    other->from->peer = q;
    answer_status(other->id, OK);
    answer_status(c->id, OK);
    free(other);
}

static void NdkArmCq(const call *c)
{
    const char *type = name(c, "type");
    cq *of = cq_of(c, "cq");
    if (!strcmp(type, "ERRORS")) arm(of, ERRORS);
    else if (!strcmp(type, "SOLICITED")) arm(of, SOLICITED);
    else if (!strcmp(type, "ANY")) arm(of, ANY);
    else refuse("%s: the type is %s, and not ERRORS, SOLICITED or ANY", c->method, type);
    answer_words(c->id, "{}");
}

static void NdkGetCqResults(const call *c)
{
    poll(c, false);
}

static void NdkGetCqResultsEx(const call *c)
{
    poll(c, true);
}

static void NdkFlush(const call *c)
{
    break_down(qp_of(c));
    answer_words(c->id, "{}");
}

static void NdkCloseQp(const call *c)
{
    qp *q = qp_of(c);
    break_down(q);
    q->closed = true;
    answer_status(c->id, OK);
}

static void NdkCloseCq(const call *c)
{
    cq *of = cq_of(c, "cq");
    of->closing = true;
    of->pending = of->running || in_use(of);
    of->closed = !of->pending;
    answer_status(c->id, of->pending ? PENDING : OK);
}

static void NdkCloseAdapter(const call *c)
{
    answer_words(c->id, "{}");
}

static const struct {
    const char *method;
    void (*carry_out)(const call *);
} methods[] = {
    {"Open", Open}, {"AtRest", AtRest}, {"NdkCreatePd", succeed}, {"NdkClosePd", succeed}, {"NdkCreateCq", NdkCreateCq}, {"NdkCreateQp", NdkCreateQp},
    {"NdkCreateMr", create_object}, {"NdkCreateMw", create_object}, {"NdkRegisterMr", NdkRegisterMr}, {"NdkGetLocalTokenFromMr", get_token},
    {"NdkGetRemoteTokenFromMr", get_token}, {"NdkGetRemoteTokenFromMw", get_token}, {"NdkConnect", join}, {"NdkAccept", join}, {"NdkArmCq", NdkArmCq},
    {"NdkGetCqResults", NdkGetCqResults}, {"NdkGetCqResultsEx", NdkGetCqResultsEx}, {"NdkReceive", NdkReceive}, {"NdkFlush", NdkFlush},
    {"NdkCloseCq", NdkCloseCq}, {"NdkCloseQp", NdkCloseQp}, {"NdkCloseMr", close_object}, {"NdkCloseMw", close_object}, {"NdkCloseAdapter", NdkCloseAdapter}
};
enum { METHODS = sizeof methods / sizeof methods[0] };

/* Writes the id of a call as JSON, to be repeated in its answer. */
static void read_id(const message *m, char *id)
{
    const json *given = json_member(m->value, "id");
    text as_json = {NULL, 0, 0};
    if (!given) refuse("a call has no id");
    if (given->kind == JSON_STRING) text_string(&as_json, given->text);
    else if (given->kind == JSON_NUMBER) text_add(&as_json, given->text);
    else refuse("the id of a call is neither a number nor a string");
    if (as_json.length >= NAME) refuse("the id of a call has more than %d bytes", NAME - 1);
    memcpy(id, as_json.bytes, as_json.length);
    id[as_json.length] = '\0';
    free(as_json.bytes);
}

static void called(const message *m)
{
    const json *method = json_member(m->value, "method");
    size_t i;
    call c;
    if (method->kind != JSON_STRING) refuse("the method of a call is not a string");
    c.method = method->text;
    c.params = json_member(m->value, "params");
    read_id(m, c.id);
    for (i = 0; i < POSTS; i++) {
        if (!strcmp(posts[i].method, c.method)) {
            initiate(&c, &posts[i]);
            return;
        }
    }
    for (i = 0; i < METHODS; i++) {
        if (!strcmp(methods[i].method, c.method)) {
            methods[i].carry_out(&c);
            return;
        }
    }
    begin();
    text_add(&out, c.id);
    text_add(&out, ",\"error\":{\"code\":-32601,\"message\":\"method not found\"}");
    finish();
}

/* ---- the program ---- */
static void free_requests(queue *q)
{
    while (q->count) free_request(pop(q));
}

static void free_all(void)
{
    while (cqs) {
        cq *next = cqs->next;
        free(cqs->entries);
        free(cqs);
        cqs = next;
    }
    while (qps) {
        qp *next = qps->next;
        free_requests(&qps->sends);
        free_requests(&qps->receives);
        free(qps);
        qps = next;
    }
    while (objects) {
        object *next = objects->next;
        free(objects);
        objects = next;
    }
    while (offers) {
        offer *next = offers->next;
        free(offers);
        offers = next;
    }
    while (waiting) {
        asked *next = waiting->next;
        free(waiting);
        waiting = next;
    }
    free(regions);
    free(out.bytes);
}

static void choose_bug(void)
{
    const char *wanted = getenv("NDK_SEEDED_BUG");
    size_t i;
    if (!wanted || !*wanted) return;
    for (i = 0; i < BUGS && strcmp(bugs[i], wanted); i++) {}
    seeded = (bug)i;
    if (seeded != NO_BUG) return;
    fprintf(stderr, "NDK_SEEDED_BUG=%s: there are %s", wanted, bugs[0]);
    for (i = 1; i < BUGS; i++) fprintf(stderr, ", %s", bugs[i]);
    fputc('\n', stderr);
    exit(1);
}

int main(int argc, char **argv)
{
    pthread_t reader;
    message *m;
    size_t i;
    if (argc == 2 && !strcmp(argv[1], "--bugs")) {
        for (i = 0; i < BUGS; i++) puts(bugs[i]);
        return 0;
    }
    if (argc > 1) {
        fputs("usage: provider [--bugs]\n", stderr);
        return 1;
    }
    choose_bug();
    signal(SIGPIPE, SIG_IGN);              /* so that the write fails, which says where */
    if (pthread_create(&reader, NULL, read_lines, NULL)) {
        fputs("provider: no thread can be started\n", stderr);
        return 1;
    }
    for (m = take(true); m->value; m = take(true)) {
        if (is_call(m)) called(m);
        else answered(m);
        progress();
        forget(m);
    }
    forget(m);
    pthread_join(reader, NULL);
    free_all();
    return 0;
}
