/* consumer.c - a program that uses the Network Direct SPI, for the example provider, with the recorder between or without it. It checks what it gets.
 *
 *   x86_64-w64-mingw32-gcc -std=gnu99 -O2 -static -I c/ndspi -o consumer.exe c/example/ndspi/consumer.c -lws2_32
 *   consumer.exe LIBRARY PROVIDER CASE...
 *
 * LIBRARY is what is loaded as a provider; PROVIDER is the example provider, which is the same where there is no recorder. `all` plays all cases.
 */
#include "program.h"

static void messages(void)
{
    pair *p = connected(0);
    int i, got = 0;
    for (i = 0; i < 8; i++) post_receive(p, &p->b);
    for (i = 0; i < 8; i++) CHECK(post_send(&p->a, 1 + i, i == 3 ? ND_OP_FLAG_INLINE : 0) == ND_SUCCESS);
    rest();
    got = poll(&p->a, ND_SUCCESS) + poll(&p->b, ND_SUCCESS);
    CHECK(program.has_bug || got == 16);
    for (i = 1; i <= 8 && !program.has_bug; i++) CHECK(p->b.memory[i][0] == i);
    finish(p);
}

static void notified(void)
{
    pair *p = connected(0);
    HRESULT status;
    OVERLAPPED *of = arm(&p->b, ND_CQ_NOTIFY_ANY, &status);
    CHECK(status == ND_PENDING && !is_ended(p->b.cq, of));
    post_receive(p, &p->b);
    CHECK(post_send(&p->a, 5, 0) == ND_SUCCESS);
    program.example_rest();
    CHECK(is_ended(p->b.cq, of) || program.has_bug);
    rest();
    CHECK(poll(&p->b, ND_SUCCESS) == 1);
    poll(&p->a, ND_SUCCESS);
    finish(p);
}

/* A completion that was not reported ends a request at once, or soon. One that was does not. */
static void armed_over_completions(void)
{
    pair *p = connected(0);
    HRESULT status;
    OVERLAPPED *of;
    int i;
    for (i = 0; i < 4; i++) {
        post_receive(p, &p->b);
        CHECK(post_send(&p->a, 5, 0) == ND_SUCCESS);
        program.example_rest();
        of = arm(&p->b, ND_CQ_NOTIFY_ANY, &status);
        program.example_rest();
        if (status == ND_PENDING) CHECK(is_ended(p->b.cq, of) || program.has_bug);
        else free_overlapped(of);
        rest();
        if (i % 2) continue;               /* it stays, and was reported */
        poll(&p->b, ND_SUCCESS);
    }
    of = arm(&p->b, ND_CQ_NOTIFY_ANY, &status);
    program.example_rest();
    CHECK((status == ND_PENDING && !is_ended(p->b.cq, of)) || program.has_bug);
    rest();
    poll(&p->b, ND_SUCCESS);
    poll(&p->a, ND_SUCCESS);
    post_receive(p, &p->b);
    CHECK(post_send(&p->a, 5, 0) == ND_SUCCESS);
    program.example_rest();
    CHECK(program.has_bug || is_ended(p->b.cq, of));
    poll(&p->b, ND_SUCCESS);
    poll(&p->a, ND_SUCCESS);
    finish(p);
}

/* What was placed before the only request for a notification is new to it. */
static void armed_late(void)
{
    pair *p = connected(0);
    HRESULT status;
    OVERLAPPED *of;
    post_receive(p, &p->b);
    CHECK(post_send(&p->a, 5, 0) == ND_SUCCESS);
    rest();
    of = arm(&p->b, ND_CQ_NOTIFY_ANY, &status);
    program.example_rest();
    CHECK((status == ND_PENDING && is_ended(p->b.cq, of)) || program.has_bug);
    rest();
    CHECK(poll(&p->b, ND_SUCCESS) == 1 || program.has_bug);
    poll(&p->a, ND_SUCCESS);
    finish(p);
}

static void two_requests(void)
{
    pair *p = connected(0);
    HRESULT first, second;
    OVERLAPPED *one = arm(&p->b, ND_CQ_NOTIFY_ANY, &first), *two = arm(&p->b, ND_CQ_NOTIFY_SOLICITED, &second);
    CHECK(first == ND_PENDING && second == ND_PENDING);
    post_receive(p, &p->b);
    CHECK(post_send(&p->a, 5, 0) == ND_SUCCESS);
    program.example_rest();
    CHECK(is_ended(p->b.cq, one) || program.has_bug);
    CHECK(is_ended(p->b.cq, two) || program.has_bug);
    rest();
    poll(&p->b, ND_SUCCESS);
    poll(&p->a, ND_SUCCESS);
    finish(p);
}

static void solicited(void)
{
    pair *p = connected(0);
    HRESULT status;
    OVERLAPPED *of = arm(&p->b, ND_CQ_NOTIFY_SOLICITED, &status);
    CHECK(status == ND_PENDING);
    post_receive(p, &p->b);
    post_receive(p, &p->b);
    CHECK(post_send(&p->a, 5, 0) == ND_SUCCESS);
    program.example_rest();
    CHECK(!is_ended(p->b.cq, of));
    rest();
    CHECK(post_send(&p->a, 5, ND_OP_FLAG_SEND_AND_SOLICIT_EVENT) == ND_SUCCESS);
    program.example_rest();
    CHECK(is_ended(p->b.cq, of) || program.has_bug);
    rest();
    poll(&p->b, ND_SUCCESS);
    poll(&p->a, ND_SUCCESS);
    finish(p);
}

/* A failure also ends a request for solicited completions. */
static void failure_solicited(void)
{
    pair *p = connected(0);
    HRESULT status;
    OVERLAPPED *of = arm(&p->b, ND_CQ_NOTIFY_SOLICITED, &status);
    CHECK(status == ND_PENDING);
    post_receive(p, &p->b);
    CHECK(p->b.qp->v->Flush(p->b.qp) == ND_SUCCESS);
    program.example_rest();
    CHECK(is_ended(p->b.cq, of) || program.has_bug);
    rest();
    CHECK(poll(&p->b, ND_CANCELED) == 1);
    finish(p);
}

/* A message waits for its receive. */
static void no_receive(void)
{
    pair *p = connected(0);
    CHECK(post_send(&p->a, 5, 0) == ND_SUCCESS);
    rest();
    CHECK(poll(&p->a, ND_SUCCESS) == 0 || program.has_bug);
    post_receive(p, &p->b);
    rest();
    poll(&p->a, ND_SUCCESS);
    CHECK(poll(&p->b, ND_SUCCESS) == 1 || program.has_bug);
    finish(p);
}

static void failure(void)
{
    pair *p = connected(0);
    ND2_RESULT results[4];
    ND2_SGE s = buffer(&p->a, ++p->a.posted, 8);
    post_receive(p, &p->b);
    post_receive(p, &p->b);
    CHECK(p->a.qp->v->Write(p->a.qp, (void *)p->a.posted, &s, 1, (ULONG_PTR)p->b.memory, 0x77, 0) == ND_SUCCESS);
    program.example_rest();
    CHECK(p->a.sends->v->GetResults(p->a.sends, results, 4) == 1 && results[0].Status == ND_REMOTE_ERROR && results[0].QueuePairContext == &p->a);
    CHECK(post_send(&p->a, 5, 0) == ND_SUCCESS);
    rest();
    poll(&p->a, ND_CANCELED);
    poll(&p->b, ND_CANCELED);
    disconnect(&p->a);
    disconnect(&p->b);
    rest();
    poll(&p->b, ND_CANCELED);
    close_pair(p);
}

/* A message that is too long for its receive fails both. */
static void too_long(void)
{
    pair *p = connected(0);
    ND2_RESULT r;
    ND2_SGE s = buffer(&p->b, ++p->b.posted, 4);
    CHECK(p->b.qp->v->Receive(p->b.qp, (void *)p->b.posted, &s, 1) == ND_SUCCESS);
    CHECK(post_send(&p->a, 5, 0) == ND_SUCCESS);
    rest();
    CHECK(p->b.cq->v->GetResults(p->b.cq, &r, 1) == 1 && r.Status == ND_BUFFER_OVERFLOW && r.RequestContext == (void *)p->b.posted);
    CHECK(p->a.sends->v->GetResults(p->a.sends, &r, 1) == 1 && r.Status == ND_REMOTE_ERROR);
    finish(p);
}

static void flush(void)
{
    pair *p = connected(0);
    int i;
    for (i = 0; i < 4; i++) post_receive(p, &p->b);
    CHECK(p->b.qp->v->Flush(p->b.qp) == ND_SUCCESS);
    rest();
    CHECK(poll(&p->b, ND_CANCELED) == 4 || program.has_bug);
    finish(p);
}

static void silent(void)
{
    pair *p = connected(0);
    int i;
    for (i = 0; i < 3; i++) post_receive(p, &p->b);
    CHECK(post_send(&p->a, 5, ND_OP_FLAG_SILENT_SUCCESS) == ND_SUCCESS);
    CHECK(post_send(&p->a, 5, ND_OP_FLAG_SILENT_SUCCESS) == ND_SUCCESS);
    CHECK(post_send(&p->a, 5, 0) == ND_SUCCESS);
    rest();
    CHECK(poll(&p->a, ND_SUCCESS) == 1 || program.has_bug);
    CHECK(poll(&p->b, ND_SUCCESS) == 3);
    finish(p);
}

static void disconnects(void)
{
    pair *p = connected(0);
    OVERLAPPED *of = new_overlapped();
    HRESULT status = p->b.connector->v->NotifyDisconnect(p->b.connector, of);
    CHECK(status == ND_PENDING);
    post_receive(p, &p->a);
    post_receive(p, &p->b);
    disconnect(&p->a);
    program.example_rest();
    CHECK(is_ended(p->b.connector, of));
    rest();
    CHECK(poll(&p->a, ND_CANCELED) == 1 || program.has_bug);
    finish(p);
}

static void remote_memory(void)
{
    pair *p = connected(0);
    IND2MemoryWindow *w;
    void *found;
    ND2_SGE s = buffer(&p->a, 1, 8);
    ND2_RESULT results[4];
    UINT32 token;
    CHECK(p->adapter->v->CreateMemoryWindow(p->adapter, &ND2_IID_MEMORY_WINDOW, &found) == ND_SUCCESS);
    w = found;
    p->b.posted = p->a.posted = 3;
    CHECK(p->b.qp->v->Bind(p->b.qp, (void *)1, (IUnknown *)p->b.mr, (IUnknown *)w, p->b.memory[5], ROOM, ND_OP_FLAG_ALLOW_WRITE) == ND_SUCCESS);
    token = w->v->GetRemoteToken(w);
    rest();
    CHECK(p->b.cq->v->GetResults(p->b.cq, results, 4) == 1 && results[0].RequestType == Nd2RequestTypeBind);
    memset(s.Buffer, 9, 8);
    CHECK(p->a.qp->v->Write(p->a.qp, (void *)1, &s, 1, (ULONG_PTR)p->b.memory[5], token, 0) == ND_SUCCESS);
    s = buffer(&p->a, 2, 8);
    CHECK(p->a.qp->v->Read(p->a.qp, (void *)2, &s, 1, (ULONG_PTR)p->b.memory[5], p->b.mr->v->GetRemoteToken(p->b.mr), ND_OP_FLAG_READ_FENCE) == ND_SUCCESS);
    rest();
    CHECK(poll(&p->a, ND_SUCCESS) == 2 && p->a.memory[2][7] == 9);
    CHECK(p->b.qp->v->Invalidate(p->b.qp, (void *)2, (IUnknown *)w, 0) == ND_SUCCESS);
    rest();
    CHECK(p->b.cq->v->GetResults(p->b.cq, results, 4) == 1 && results[0].RequestType == Nd2RequestTypeInvalidate);
    w->v->Release(w);
    finish(p);
}

static void shared(void)
{
    pair *p = connected(1);
    OVERLAPPED *of = new_overlapped();
    int i;
    CHECK(p->srq->v->Modify(p->srq, 0, 2) == ND_SUCCESS);
    for (i = 0; i < 3; i++) post_receive(p, &p->b);
    CHECK(p->srq->v->Notify(p->srq, of) == ND_PENDING);
    for (i = 0; i < 3; i++) CHECK(post_send(&p->a, 5, 0) == ND_SUCCESS);
    program.example_rest();
    CHECK(is_ended(p->srq, of));
    rest();
    CHECK(poll(&p->a, ND_SUCCESS) == 3 && poll(&p->b, ND_SUCCESS) == 3);
    finish(p);
}

#include "traps.h"

static const struct { const char *name; void (*play)(void); int alone; } cases[] = { /* alone: not among all, where what follows would rest on it */
    {"messages", messages, 0}, {"notified", notified, 0}, {"armed-over-completions", armed_over_completions, 0}, {"armed-late", armed_late, 0},
    {"two-requests", two_requests, 0}, {"solicited", solicited, 0}, {"failure-solicited", failure_solicited, 0}, {"no-receive", no_receive, 0},
    {"failure", failure, 0}, {"too-long", too_long, 0}, {"flush", flush, 0}, {"silent", silent, 0}, {"disconnects", disconnects, 0},
    {"remote-memory", remote_memory, 0}, {"shared", shared, 1}, {"identity", identity, 0}, {"queries", queries, 0}, {"refused", refused, 0}, {"released", released, 0}, {"backwards", backwards, 0}, {"unpolled", unpolled, 0},
    {"churn", churn, 0}, {"polling", polling, 1}, {"threads", threads, 0}, {"unasked", unasked, 1}, {"cancelled", cancelled, 1}, {"silence", silence, 1},
    {"killed", killed, 1}, {"flood", flood, 1},
};
enum { CASES = sizeof cases / sizeof *cases };

int main(int argc, char **argv)
{
    int i, k, played;
    if (argc < 4) {
        fprintf(stderr, "usage: consumer LIBRARY PROVIDER CASE...\n");
        return 2;
    }
    load(argv[1], argv[2]);
    for (i = 3; i < argc; i++) {
        played = 0;
        for (k = 0; k < CASES; k++) {
            if (strcmp(argv[i], cases[k].name) != 0 && (strcmp(argv[i], "all") != 0 || cases[k].alone)) continue;
            cases[k].play();
            played++;
        }
        if (!played) {
            fprintf(stderr, "no case %s\n", argv[i]);
            return 2;
        }
    }
    CHECK(program.example_rest() == 0);    /* no object is left */
    CHECK(program.can_unload_now() == S_OK);
    return 0;
}
