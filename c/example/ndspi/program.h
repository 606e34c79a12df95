/* program.h - what the cases of consumer.c have in common: how a provider is loaded, two queue pairs that are connected, and checks. */
#ifndef PROGRAM_H
#define PROGRAM_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "networkdirect.h"

#define CHECK(condition) do { if (!(condition)) give_up(__FILE__, __LINE__, #condition); } while (0)
enum { DEPTH = 32, ROOM = 64, PATIENCE_MS = 10000, FAR_FUTURE_MS = 2000 };

static void give_up(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
    fflush(stderr);
    TerminateProcess(GetCurrentProcess(), 1);
}

static struct {
    HMODULE library, provider;
    HRESULT(STDAPICALLTYPE *can_unload_now)(void);
    nd2_get_class_object get_class_object;
    LONG(WINAPI *example_rest)(void);
    BOOL(WINAPI *at_rest)(void);           /* 0 where no recorder is between */
    int has_bug;                           /* what a bug may break is not checked */
    USHORT port;
} program;

/* one end of a connection. That of a has a CQ for its sends, that of b has one for all */
typedef struct end {
    IND2CompletionQueue *cq, *sends;
    IND2QueuePair *qp;
    IND2Connector *connector;
    unsigned char memory[DEPTH][ROOM];
    IND2MemoryRegion *mr;
    UINT32 token;
    ULONG_PTR posted;                      /* the context of the latest request */
} end;

typedef struct pair {
    IND2Adapter *adapter;
    HANDLE file;
    IND2SharedReceiveQueue *srq;
    IND2Listener *listener;
    end a, b;
} pair;

static void load(const char *library, const char *provider)
{
    program.library = LoadLibraryA(library);
    CHECK(program.library);
    program.get_class_object = (nd2_get_class_object)(void *)GetProcAddress(program.library, "DllGetClassObject");
    program.can_unload_now = (void *)GetProcAddress(program.library, "DllCanUnloadNow");
    program.at_rest = (void *)GetProcAddress(program.library, "NdkrecordAtRest");
    CHECK(program.get_class_object && program.can_unload_now);
    program.provider = LoadLibraryA(provider);
    program.example_rest = (void *)GetProcAddress(program.provider, "ExampleRest");
    CHECK(program.example_rest);
    program.has_bug = GetEnvironmentVariableA("NDSPI_EXAMPLE_BUG", 0, 0) > 1;
}

/* waits until the adapter is at rest, and has the recorder know. What has ended has to be asked for before that */
static void rest(void)
{
    program.example_rest();
    if (program.at_rest) CHECK(program.at_rest());
}

/* ---- overlapped requests ---- */

static OVERLAPPED *new_overlapped(void)
{
    OVERLAPPED *of = calloc(1, sizeof *of);
    CHECK(of);
    of->hEvent = CreateEventA(0, TRUE, FALSE, 0);
    CHECK(of->hEvent);
    return of;
}

static void free_overlapped(OVERLAPPED *of)
{
    CloseHandle(of->hEvent);
    free(of);
}

/* the end of a request, with which its OVERLAPPED is gone */
static HRESULT ended(void *object, OVERLAPPED *of, HRESULT status)
{
    IND2Overlapped *o = object;
    if (status == ND_PENDING) {
        CHECK(WaitForSingleObject(of->hEvent, PATIENCE_MS) == WAIT_OBJECT_0);
        status = o->v->GetOverlappedResult(o, of, TRUE);
    }
    free_overlapped(of);
    return status;
}

/* whether a request has ended; if so its OVERLAPPED is gone */
static int is_ended(void *object, OVERLAPPED *of)
{
    IND2Overlapped *o = object;
    if (o->v->GetOverlappedResult(o, of, FALSE) == ND_PENDING) return 0;
    free_overlapped(of);
    return 1;
}

/* ---- connections ---- */

static struct sockaddr *address(USHORT port)
{
    static struct sockaddr_in a;
    memset(&a, 0, sizeof a);
    a.sin_family = AF_INET;
    a.sin_port = htons(port);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return (struct sockaddr *)(void *)&a;
}
enum { ADDRESS = sizeof(struct sockaddr_in) };

static IND2Adapter *open_adapter(void)
{
    static const CLSID any;
    IND2Provider *p;
    void *found;
    UINT64 id;
    CHECK(program.get_class_object(&any, &ND2_IID_PROVIDER, &found) == ND_SUCCESS);
    p = found;
    CHECK(p->v->ResolveAddress(p, address(0), ADDRESS, &id) == ND_SUCCESS);
    CHECK(p->v->OpenAdapter(p, &ND2_IID_ADAPTER, id, &found) == ND_SUCCESS);
    p->v->Release(p);
    return found;
}

static void open_end(pair *p, end *e, int shared)
{
    OVERLAPPED *of = new_overlapped();
    void *found;
    CHECK(p->adapter->v->CreateCompletionQueue(p->adapter, &ND2_IID_COMPLETION_QUEUE, p->file, 4 * DEPTH, 0, 0, &found) == ND_SUCCESS);
    e->cq = e->sends = found;
    if (e == &p->a) {
        CHECK(p->adapter->v->CreateCompletionQueue(p->adapter, &ND2_IID_COMPLETION_QUEUE, p->file, 4 * DEPTH, 0, 0, &found) == ND_SUCCESS);
        e->sends = found;
    }
    if (shared)
        CHECK(p->adapter->v->CreateQueuePairWithSrq(p->adapter, &ND2_IID_QUEUE_PAIR, (IUnknown *)e->cq, (IUnknown *)e->sends, (IUnknown *)p->srq, e, DEPTH,
            2, ROOM, &found) == ND_SUCCESS);
    else
        CHECK(p->adapter->v->CreateQueuePair(p->adapter, &ND2_IID_QUEUE_PAIR, (IUnknown *)e->cq, (IUnknown *)e->sends, e, DEPTH, DEPTH, 2, 2, ROOM,
            &found) == ND_SUCCESS);
    e->qp = found;
    CHECK(p->adapter->v->CreateMemoryRegion(p->adapter, &ND2_IID_MEMORY_REGION, p->file, &found) == ND_SUCCESS);
    e->mr = found;
    CHECK(ended(e->mr, of, e->mr->v->Register(e->mr, e->memory, sizeof e->memory, ND_MR_FLAG_ALLOW_REMOTE_WRITE | ND_MR_FLAG_ALLOW_REMOTE_READ, of)) ==
        ND_SUCCESS);
    e->token = e->mr->v->GetLocalToken(e->mr);
    CHECK(p->adapter->v->CreateConnector(p->adapter, &ND2_IID_CONNECTOR, p->file, &found) == ND_SUCCESS);
    e->connector = found;
}

/* two queue pairs that are not connected, and a listener. shared: that of b takes its receives from p->srq */
static pair *open_pair(int shared)
{
    pair *p = calloc(1, sizeof *p);
    void *found;
    CHECK(p);
    p->adapter = open_adapter();
    CHECK(p->adapter->v->CreateOverlappedFile(p->adapter, &p->file) == ND_SUCCESS);
    if (shared) {
        CHECK(p->adapter->v->CreateSharedReceiveQueue(p->adapter, &ND2_IID_SHARED_RECEIVE_QUEUE, p->file, DEPTH, 2, 2, 0, 0, &found) == ND_SUCCESS);
        p->srq = found;
    }
    open_end(p, &p->a, 0);
    open_end(p, &p->b, shared);
    CHECK(p->adapter->v->CreateListener(p->adapter, &ND2_IID_LISTENER, p->file, &found) == ND_SUCCESS);
    p->listener = found;
    program.port++;
    CHECK(p->listener->v->Bind(p->listener, address(1000 + program.port), ADDRESS) == ND_SUCCESS);
    CHECK(p->listener->v->Listen(p->listener, 0) == ND_SUCCESS);
    return p;
}

/* the beginning of a connection: what its NdkConnect is pending on */
static OVERLAPPED *begin_connection(pair *p)
{
    OVERLAPPED *asked = new_overlapped(), *connecting = new_overlapped();
    HRESULT status = p->listener->v->GetConnectionRequest(p->listener, (IUnknown *)p->b.connector, asked);
    CHECK(p->a.connector->v->Connect(p->a.connector, (IUnknown *)p->a.qp, address(1000 + program.port), ADDRESS, 1, 1, 0, 0, connecting) == ND_PENDING);
    CHECK(ended(p->listener, asked, status) == ND_SUCCESS);
    return connecting;
}

static void connect_pair(pair *p)
{
    OVERLAPPED *connecting = begin_connection(p), *accepting = new_overlapped(), *completing = new_overlapped();
    IND2Connector *a = p->a.connector, *b = p->b.connector;
    CHECK(b->v->Accept(b, (IUnknown *)p->b.qp, 1, 1, 0, 0, accepting) == ND_PENDING);
    CHECK(ended(a, connecting, ND_PENDING) == ND_SUCCESS);
    if (program.has_bug) program.example_rest();
    if (b->v->GetOverlappedResult((void *)b, accepting, FALSE) != ND_PENDING) {
        CHECK(program.has_bug);
        free_overlapped(accepting);
        accepting = 0;
    }
    CHECK(ended(a, completing, a->v->CompleteConnect(a, completing)) == ND_SUCCESS);
    if (accepting) CHECK(ended(b, accepting, ND_PENDING) == ND_SUCCESS);
}

static pair *connected(int shared)
{
    pair *p = open_pair(shared);
    connect_pair(p);
    return p;
}

/* ---- requests: the context of each is the place of its buffer, and 1000 more for each end of it ---- */

static ND2_SGE buffer(end *e, ULONG_PTR n, ULONG size)
{
    ND2_SGE s = {0, 0, 0};
    s.Buffer = e->memory[n % DEPTH];
    s.BufferLength = size;
    s.MemoryRegionToken = e->token;
    return s;
}

static void post_receive(pair *p, end *e)
{
    ULONG_PTR n = ++e->posted;
    ND2_SGE s = buffer(e, n, ROOM);
    HRESULT status = p->srq && e == &p->b ? p->srq->v->Receive(p->srq, (void *)n, &s, 1) : e->qp->v->Receive(e->qp, (void *)n, &s, 1);
    CHECK(status == ND_SUCCESS);
}

static HRESULT post_send(end *e, ULONG size, ULONG flags)
{
    ULONG_PTR n = ++e->posted;
    ND2_SGE s = buffer(e, n, size);
    memset(s.Buffer, (int)(n & 0x7f), size);
    return e->qp->v->Send(e->qp, (void *)n, &s, 1, flags);
}

/* polls until nothing is there: how many completions there were. Each has the contexts of a request of its own */
static int poll_one(end *e, IND2CompletionQueue *cq, HRESULT status)
{
    ND2_RESULT results[DEPTH];
    ULONG got, i;
    int sum = 0;
    do {
        got = cq->v->GetResults(cq, results, DEPTH);
        for (i = 0; i < got; i++, sum++) {
            if (program.has_bug) continue;
            CHECK(results[i].QueuePairContext == e);
            CHECK((ULONG_PTR)results[i].RequestContext >= 1 && (ULONG_PTR)results[i].RequestContext <= e->posted);
            CHECK(results[i].Status == status);
        }
    } while (got == DEPTH || (got && program.has_bug));
    return sum;
}

static int poll(end *e, HRESULT status)
{
    return poll_one(e, e->cq, status) + (e->sends == e->cq ? 0 : poll_one(e, e->sends, status));
}

static OVERLAPPED *arm(end *e, ULONG type, HRESULT *status)
{
    OVERLAPPED *of = new_overlapped();
    *status = e->cq->v->Notify(e->cq, type, of);
    return of;
}

/* ---- the end ---- */

static void disconnect(end *e)
{
    OVERLAPPED *of = new_overlapped();
    HRESULT status = e->connector->v->Disconnect(e->connector, of);
    CHECK(ended(e->connector, of, status) == ND_SUCCESS);
}

static void release(void *object)
{
    IUnknown *o = object;
    if (o) o->lpVtbl->Release(o);
}

static void close_end(end *e)
{
    OVERLAPPED *of = new_overlapped();
    release(e->connector);
    release(e->qp);
    CHECK(ended(e->mr, of, e->mr->v->Deregister(e->mr, of)) == ND_SUCCESS);
    release(e->mr);
    if (e->sends != e->cq) release(e->sends);
    release(e->cq);
}

static void close_pair(pair *p)
{
    close_end(&p->a);
    close_end(&p->b);
    release(p->listener);
    release(p->srq);
    CloseHandle(p->file);
    release(p->adapter);
    free(p);
}

/* ends a connection that is as it should be */
static void finish(pair *p)
{
    disconnect(&p->a);
    disconnect(&p->b);
    rest();
    poll(&p->a, ND_CANCELED);
    poll(&p->b, ND_CANCELED);
    close_pair(p);
}
#endif
