/* traps.h - the cases of consumer.c that a recorder may get wrong: identities and counts of references, requests that pend when objects are released, threads,
 * and programs that do not ask for the end of a request. Included by consumer.c.
 */
#ifndef TRAPS_H
#define TRAPS_H

static ULONG count_of(void *object)
{
    IUnknown *o = object;
    o->lpVtbl->AddRef(o);
    return o->lpVtbl->Release(o);
}

static void identity(void)
{
    pair *p = connected(0);
    IUnknown *cq = (IUnknown *)p->b.cq;
    void *unknown, *again, *requests, *other;
    CHECK(cq->lpVtbl->QueryInterface(cq, &ND2_IID_UNKNOWN, &unknown) == S_OK);
    CHECK(cq->lpVtbl->QueryInterface(cq, &ND2_IID_COMPLETION_QUEUE, &again) == S_OK);
    CHECK(unknown == again);               /* whichever way it is asked for, an object has one IUnknown */
    CHECK(cq->lpVtbl->QueryInterface(cq, &ND2_IID_OVERLAPPED, &requests) == S_OK && requests == unknown);
    if (program.at_rest) CHECK(count_of(cq) == 4); /* a provider counts those of its own objects as well */
    release(requests);
    CHECK(cq->lpVtbl->QueryInterface(cq, &ND2_IID_QUEUE_PAIR, &other) == E_NOINTERFACE && other == 0);
    CHECK(p->adapter->v->CreateCompletionQueue(p->adapter, &ND2_IID_QUEUE_PAIR, p->file, 4, 0, 0, &other) == E_NOINTERFACE);
    release(unknown);
    release(again);
    if (program.at_rest) CHECK(count_of(cq) == 1 && count_of(p->adapter) == 1);
    CHECK(program.can_unload_now() == S_FALSE);
    finish(p);
}

/* the methods that only return information */
static void queries(void)
{
    pair *p = connected(0);
    ND2_ADAPTER_INFO info;
    ULONG length = 0, inbound = 0, outbound = 0;
    struct sockaddr_in a;
    USHORT group;
    KAFFINITY mask;
    IND2Connector *b = p->b.connector;
    CHECK(p->adapter->v->Query(p->adapter, 0, &length) == ND_BUFFER_OVERFLOW && length == sizeof info);
    CHECK(p->adapter->v->Query(p->adapter, &info, &length) == ND_SUCCESS && info.MaxCompletionQueueDepth >= DEPTH);
    length = 0;
    CHECK(p->adapter->v->QueryAddressList(p->adapter, 0, &length) == ND_BUFFER_OVERFLOW && length > 0);
    CHECK(p->a.cq->v->GetNotifyAffinity(p->a.cq, &group, &mask) == ND_SUCCESS && mask == 1);
    CHECK(p->a.cq->v->Resize(p->a.cq, 8) == ND_NOT_SUPPORTED);
    CHECK(b->v->GetReadLimits(b, &inbound, &outbound) == ND_SUCCESS && inbound == 4);
    length = sizeof a;
    CHECK(b->v->GetLocalAddress(b, (struct sockaddr *)(void *)&a, &length) == ND_SUCCESS && ntohs(a.sin_port) == 1000 + program.port);
    CHECK(b->v->GetPeerAddress(b, (struct sockaddr *)(void *)&a, &length) == ND_SUCCESS && ntohs(a.sin_port) > 49151);
    CHECK(p->listener->v->GetLocalAddress(p->listener, (struct sockaddr *)(void *)&a, &length) == ND_SUCCESS);
    finish(p);
}

/* No listener exists, and then the listener rejects the connection. */
static void refused(void)
{
    pair *p = open_pair(0);
    OVERLAPPED *of = new_overlapped(), *connecting;
    IND2Connector *a = p->a.connector;
    CHECK(ended(a, of, a->v->Connect(a, (IUnknown *)p->a.qp, address(9), ADDRESS, 1, 1, 0, 0, of)) == ND_CONNECTION_REFUSED);
    connecting = begin_connection(p);
    CHECK(p->b.connector->v->Reject(p->b.connector, 0, 0) == ND_SUCCESS);
    CHECK(ended(a, connecting, ND_PENDING) == ND_CONNECTION_REFUSED);
    rest();
    close_pair(p);
}

/* A queue pair is released while it has requests: they come cancelled, with its contexts. So do requests that pend on what is released. */
static void released(void)
{
    pair *p = connected(0);
    OVERLAPPED *of = new_overlapped(), *disconnecting = new_overlapped();
    HRESULT status;
    int i;
    OVERLAPPED *notification = arm(&p->a, ND_CQ_NOTIFY_SOLICITED, &status);
    CHECK(status == ND_PENDING);
    CHECK(p->b.connector->v->NotifyDisconnect(p->b.connector, disconnecting) == ND_PENDING);
    CHECK(p->listener->v->GetConnectionRequest(p->listener, (IUnknown *)p->a.connector, of) == ND_PENDING);
    for (i = 0; i < 5; i++) post_receive(p, &p->b);
    release(p->b.connector);
    release(p->b.qp);
    program.example_rest();
    rest();
    CHECK(poll(&p->b, ND_CANCELED) == 5);
    CHECK(poll(&p->b, ND_CANCELED) == 0);
    p->b.connector = 0;
    p->b.qp = 0;
    disconnect(&p->a);
    close_pair(p);
    program.example_rest();
    free_overlapped(of);
    free_overlapped(disconnecting);
    free_overlapped(notification);
}

enum { FLOOD = 50000 };

/* more calls at once than a ring has room for */
static void flood(void)
{
    pair *p = connected(0);
    int i;
    for (i = 0; i < FLOOD; i++) CHECK(p->a.mr->v->GetLocalToken(p->a.mr) == p->a.token);
    finish(p);
}

/* A program that does not want to know what became of its requests. */
static void unpolled(void)
{
    pair *p = connected(0);
    post_receive(p, &p->b);
    CHECK(post_send(&p->a, 5, 0) == ND_SUCCESS);
    rest();
    disconnect(&p->a);
    disconnect(&p->b);
    close_pair(p);
}

/* What others stand on is released first, as a program may that counts references: it lives as long as they do. */
static void backwards(void)
{
    pair *p = connected(0);
    IND2Adapter *adapter = p->adapter;
    post_receive(p, &p->b);
    CHECK(post_send(&p->a, 5, 0) == ND_SUCCESS);
    rest();
    CHECK(poll(&p->a, ND_SUCCESS) == 1 && poll(&p->b, ND_SUCCESS) == 1);
    disconnect(&p->a);
    disconnect(&p->b);
    release(adapter);
    release(p->a.cq);
    release(p->a.sends);
    release(p->b.cq);
    release(p->a.qp);
    release(p->b.qp);
    release(p->listener);
    CHECK(program.example_rest() > 0 && program.can_unload_now() == S_FALSE);
    p->adapter = 0;
    p->listener = 0;
    p->a.cq = p->a.sends = p->b.cq = p->b.sends = 0;
    p->a.qp = p->b.qp = 0;
    close_pair(p);
}

/* Objects come and go: none is left, and no number is used again. */
static void churn(void)
{
    int i;
    for (i = 0; i < 20; i++) {
        pair *p = connected(0);
        post_receive(p, &p->b);
        CHECK(post_send(&p->a, 5, 0) == ND_SUCCESS);
        program.example_rest();
        CHECK(poll(&p->a, ND_SUCCESS) == 1 && poll(&p->b, ND_SUCCESS) == 1);
        finish(p);
    }
}

/* a program that polls all the time, and finds nothing: its polls are one call in the trace, and the provider is at rest all the same */
static void polling(void)
{
    pair *p = connected(0);
    ULONGLONG until = GetTickCount64() + FAR_FUTURE_MS;
    while (GetTickCount64() < until) CHECK(poll(&p->b, ND_SUCCESS) == 0);
    post_receive(p, &p->b);
    CHECK(post_send(&p->a, 5, 0) == ND_SUCCESS);
    program.example_rest();
    CHECK(poll(&p->b, ND_SUCCESS) == 1 && poll(&p->a, ND_SUCCESS) == 1);
    finish(p);
}

enum { ROUNDS = 300 };

/* one thread waits for notifications and polls, while another posts */
static DWORD WINAPI waits(void *of)
{
    pair *p = of;
    int got = 0, n;
    while (got < ROUNDS) {
        HRESULT status;
        OVERLAPPED *o = arm(&p->b, ND_CQ_NOTIFY_ANY, &status);
        CHECK(ended(p->b.cq, o, status) == ND_SUCCESS);
        for (n = poll(&p->b, ND_SUCCESS); n; n--)
            if (++got + DEPTH <= ROUNDS) post_receive(p, &p->b);
    }
    return 0;
}

static void threads(void)
{
    pair *p = connected(0);
    HANDLE thread;
    ULONGLONG until = GetTickCount64() + PATIENCE_MS;
    int sent = 0, done = 0, i;
    for (i = 0; i < DEPTH; i++) post_receive(p, &p->b);
    thread = CreateThread(0, 0, waits, p, 0, 0);
    CHECK(thread);
    for (; done < ROUNDS; done += poll(&p->a, ND_SUCCESS)) {
        CHECK(GetTickCount64() < until);
        while (sent < ROUNDS && sent - done < 8) {
            CHECK(post_send(&p->a, 4, 0) == ND_SUCCESS);
            sent++;
        }
    }
    CHECK(WaitForSingleObject(thread, PATIENCE_MS) == WAIT_OBJECT_0);
    CloseHandle(thread);
    rest();
    poll(&p->b, ND_SUCCESS);
    finish(p);
}

/* The program waits for the event of an OVERLAPPED, and does not ask the provider how the request has ended. Then it frees the OVERLAPPED, or uses it again. */
static void unasked(void)
{
    pair *p = connected(0);
    OVERLAPPED *of = new_overlapped();
    int i;
    for (i = 0; i < 3; i++) {
        HRESULT status = p->b.cq->v->Notify(p->b.cq, ND_CQ_NOTIFY_ANY, of);
        CHECK(status == ND_PENDING);
        post_receive(p, &p->b);
        CHECK(post_send(&p->a, 5, 0) == ND_SUCCESS);
        CHECK(WaitForSingleObject(of->hEvent, PATIENCE_MS) == WAIT_OBJECT_0);
        program.example_rest();
        if (program.at_rest) CHECK(!program.at_rest()); /* it has ended, and the trace has no end of it */
        CHECK(poll(&p->b, ND_SUCCESS) == 1);
        rest();
        poll(&p->a, ND_SUCCESS);
    }
    free_overlapped(of);
    finish(p);
}

/* A request that is cancelled: no notification of later completions is owed, and the trace can't say so. */
static void cancelled(void)
{
    pair *p = connected(0);
    HRESULT status;
    OVERLAPPED *of = arm(&p->b, ND_CQ_NOTIFY_ANY, &status);
    CHECK(status == ND_PENDING);
    CHECK(p->b.cq->v->CancelOverlappedRequests(p->b.cq) == ND_SUCCESS);
    CHECK(ended(p->b.cq, of, ND_PENDING) == ND_CANCELED);
    post_receive(p, &p->b);
    CHECK(post_send(&p->a, 5, 0) == ND_SUCCESS);
    program.example_rest();
    if (program.at_rest) CHECK(!program.at_rest());
    CHECK(poll(&p->a, ND_SUCCESS) == 1 && poll(&p->b, ND_SUCCESS) == 1);
    disconnect(&p->a);
    disconnect(&p->b);
    close_pair(p);
}

/* The program is ended from outside while it is at work. */
static void killed(void)
{
    pair *p = connected(0);
    post_receive(p, &p->b);
    CHECK(post_send(&p->a, 5, 0) == ND_SUCCESS);
    program.example_rest();
    CHECK(poll(&p->b, ND_SUCCESS) == 1);
    Sleep(200);
    TerminateProcess(GetCurrentProcess(), 0);
}

/* The program does not know when the provider is at rest: silence has to do. It waits for a notification, and looks after some time, as careful programs do. */
static void silence(void)
{
    pair *p = connected(0);
    HRESULT status;
    OVERLAPPED *of = arm(&p->b, ND_CQ_NOTIFY_ANY, &status);
    post_receive(p, &p->b);
    CHECK(post_send(&p->a, 5, 0) == ND_SUCCESS);
    if (WaitForSingleObject(of->hEvent, FAR_FUTURE_MS) == WAIT_OBJECT_0) {
        CHECK(p->b.cq->v->GetOverlappedResult((void *)p->b.cq, of, FALSE) == ND_SUCCESS);
        Sleep(FAR_FUTURE_MS);
    }
    CHECK(poll(&p->b, ND_SUCCESS) == 1);
    ExitProcess(0);
}
#endif
