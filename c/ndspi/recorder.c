/* recorder.c - a provider of the Network Direct SPI that records another one. It is a DLL: what it hands out are stand-ins for the objects of the provider
 * whose DLL NDKRECORD_PROVIDER names, and each method of a stand-in records its call and passes it on. docs/ndspi-recorder.md says how to use it.
 *
 *   x86_64-w64-mingw32-gcc -std=gnu99 -O2 -shared -static -o ndspi-recorder.dll c/ndspi/recorder.c c/ndspi/recorder.def
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include "networkdirect.h"
#include "session.h"
#include "objects.h"
#include "overlapped.h"
#include "cq.h"
#include "qp.h"
#include "memory.h"
#include "connector.h"
#include "adapter.h"

/* ---- what differs from kind to kind ---- */

static const void *table_of(kind k)
{
    switch (k) {
    case KIND_PROVIDER: return &provider_table;
    case KIND_ADAPTER: return &adapter_table;
    case KIND_CQ: return &cq_table;
    case KIND_SRQ: return &srq_table;
    case KIND_QP: return &qp_table;
    case KIND_MR: return &mr_table;
    case KIND_MW: return &mw_table;
    case KIND_CONNECTOR: return &connector_table;
    default: return &listener_table;
    }
}

static ndkt_op close_call(object *o)
{
    connector *c = (connector *)(void *)o;
    ndkt_ring *r = &session.ring;
    switch (o->kind) {
    case KIND_ADAPTER: return ndkt_NdkCloseAdapter_call(r, o->id);
    case KIND_CQ: return ndkt_NdkCloseCq_call(r, o->id);
    case KIND_SRQ: return ndkt_NdkCloseSrq_call(r, o->id);
    case KIND_QP: return ndkt_NdkCloseQp_call(r, o->id);
    case KIND_MR: return ndkt_NdkCloseMr_call(r, o->id);
    case KIND_MW: return ndkt_NdkCloseMw_call(r, o->id);
    case KIND_CONNECTOR: return ndkt_NdkCloseConnector_call(r, o->id, c->qp, c->conn);
    default: return ndkt_NdkCloseListener_call(r, o->id);
    }
}

static void close_ret(const object *o, ndkt_op op, uint32_t status)
{
    ndkt_ring *r = &session.ring;
    switch (o->kind) {
    case KIND_ADAPTER: ndkt_NdkCloseAdapter_ret(r, op); break;
    case KIND_CQ: ndkt_NdkCloseCq_ret(r, op, status); break;
    case KIND_SRQ: ndkt_NdkCloseSrq_ret(r, op, status); break;
    case KIND_QP: ndkt_NdkCloseQp_ret(r, op, status); break;
    case KIND_MR: ndkt_NdkCloseMr_ret(r, op, status); break;
    case KIND_MW: ndkt_NdkCloseMw_ret(r, op, status); break;
    case KIND_CONNECTOR: ndkt_NdkCloseConnector_ret(r, op, status); break;
    default: ndkt_NdkCloseListener_ret(r, op, status); break;
    }
}

/* before an object steps off what it stands on */
static void before_end(object *o)
{
    if (o->kind == KIND_QP) qp_bury((qp *)(void *)o);
    if (o->kind == KIND_CQ) cq_empty_graves((cq *)(void *)o, cq_take_graves((cq *)(void *)o), 1);
}

static void free_parts(object *o)
{
    qp *p = (qp *)(void *)o;
    cq *q = (cq *)(void *)o;
    if (o->kind == KIND_QP) {
        ndks_free_slots(&p->initiator);
        ndks_free_slots(&p->receive);
        if (p->srq) object_drop(&p->srq->o);
    }
    if (o->kind == KIND_SRQ) ndks_free_slots(&((srq *)(void *)o)->slots);
    if (o->kind == KIND_CQ && q->seen) NDKS_FREE((void *)(uintptr_t)q->seen);
}

/* ---- the DLL ---- */

static struct {
    INIT_ONCE once;
    HMODULE module;                        /* the provider's */
    HRESULT(STDAPICALLTYPE *get_class_object)(REFCLSID, REFIID, void **);
    HRESULT(STDAPICALLTYPE *can_unload_now)(void);
} provider = {INIT_ONCE_STATIC_INIT, 0, 0, 0};

static BOOL CALLBACK provider_load(INIT_ONCE *once, void *unused, void **context)
{
    WCHAR path[1024];
    DWORD n = GetEnvironmentVariableW(L"NDKRECORD_PROVIDER", path, sizeof path / sizeof *path);
    HMODULE self;
    (void)once; (void)unused; (void)context;
    if (!n || n >= sizeof path / sizeof *path) {
        session_say("%s: set it to the path of the DLL of the provider that is to be recorded", n ? "NDKRECORD_PROVIDER is too long" : "NDKRECORD_PROVIDER is not set");
        return TRUE;
    }
    provider.module = LoadLibraryExW(path, 0, 0);
    if (!provider.module) {
        session_say("the provider %ls of NDKRECORD_PROVIDER can't be loaded (error %lu)", path, GetLastError());
        return TRUE;
    }
    provider.get_class_object = (void *)GetProcAddress(provider.module, "DllGetClassObject");
    provider.can_unload_now = (void *)GetProcAddress(provider.module, "DllCanUnloadNow");
    if (!provider.get_class_object || provider.get_class_object == (void *)DllGetClassObject) {
        session_say(provider.get_class_object ? "%ls of NDKRECORD_PROVIDER is the recorder itself" :
            "%ls of NDKRECORD_PROVIDER is no provider: it has no DllGetClassObject", path);
        provider.get_class_object = 0;
        return TRUE;
    }
    /* the worker's code, and the trace, have to stay until the process ends */
    GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN, (LPCWSTR)(void *)&provider, &self);
    session_start();
    return TRUE;
}

HRESULT STDAPICALLTYPE DllGetClassObject(REFCLSID class_, REFIID iid, void **out)
{
    object *o;
    HRESULT status;
    if (!out) return E_POINTER;
    *out = 0;
    InitOnceExecuteOnce(&provider.once, provider_load, 0, 0);
    if (!provider.get_class_object) return ND_DEVICE_NOT_READY;
    if (!IsEqualIID(iid, &ND2_IID_PROVIDER)) { /* as IClassFactory, by which version 1 is asked for */
        if (!IsEqualIID(iid, &ND2_IID_UNKNOWN)) return E_NOINTERFACE;
    }
    o = object_new(KIND_PROVIDER, sizeof *o);
    if (!o) return ND_NO_MEMORY;
    status = provider.get_class_object(class_, &ND2_IID_PROVIDER, (void **)&o->inner);
    if (status == ND_SUCCESS) *out = o;
    else object_drop(o);
    return status;
}

HRESULT STDAPICALLTYPE DllCanUnloadNow(void)
{
    if (objects.count) return S_FALSE;
    return provider.can_unload_now ? provider.can_unload_now() : S_OK;
}

/* For a program that knows when its provider is at rest: nothing of it is under way, and all that must come has come. Says so in the trace, where there is
 * one, and returns TRUE, unless a call is under way, or an overlapped request has ended that the program has not asked for. */
BOOL WINAPI NdkrecordAtRest(void)
{
    BOOL is;
    if (!session.on) return TRUE;
    cq_close_polls();
    session_drain();
    AcquireSRWLockExclusive(&session.draining);
    is = session_rest(NDKT_LOAD(&session.ring.next));
    ReleaseSRWLockExclusive(&session.draining);
    return is;
}

BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, void *process_ends)
{
    (void)module;
    if (reason == DLL_THREAD_DETACH) session_thread_ends();
    if (reason == DLL_PROCESS_DETACH && process_ends) session_finish(objects.count != 0);
    return TRUE;
}
