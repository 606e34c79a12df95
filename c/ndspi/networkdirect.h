/* networkdirect.h - the Network Direct SPI, version 2, for programs in C: what its documents say of each interface, structure and number. The headers of
 * Windows need not be there but for windows.h and winsock2.h. A table has the methods in the order in which they are documented, which is the order in
 * memory; those of IUnknown come first.
 */
#ifndef NDSPI_NETWORKDIRECT_H
#define NDSPI_NETWORKDIRECT_H
#include <winsock2.h>
#include <windows.h>
#include <unknwn.h>

/* ---- statuses: each is the NTSTATUS of its number ---- */
#define ND_STATUS(n) ((HRESULT)(n))
#define ND_SUCCESS                ND_STATUS(0x00000000u)
#define ND_PENDING                ND_STATUS(0x00000103u)
#define ND_BUFFER_OVERFLOW        ND_STATUS(0x80000005u)
#define ND_DEVICE_BUSY            ND_STATUS(0x80000011u)
#define ND_NO_MORE_ENTRIES        ND_STATUS(0x8000001Au)
#define ND_UNSUCCESSFUL           ND_STATUS(0xC0000001u)
#define ND_ACCESS_VIOLATION       ND_STATUS(0xC0000005u)
#define ND_INVALID_PARAMETER      ND_STATUS(0xC000000Du)
#define ND_INVALID_DEVICE_REQUEST ND_STATUS(0xC0000010u)
#define ND_NO_MEMORY              ND_STATUS(0xC0000017u)
#define ND_SHARING_VIOLATION      ND_STATUS(0xC0000043u)
#define ND_INSUFFICIENT_RESOURCES ND_STATUS(0xC000009Au)
#define ND_DEVICE_NOT_READY       ND_STATUS(0xC00000A3u)
#define ND_NOT_SUPPORTED          ND_STATUS(0xC00000BBu)
#define ND_INTERNAL_ERROR         ND_STATUS(0xC00000E5u)
#define ND_CANCELED               ND_STATUS(0xC0000120u)
#define ND_REMOTE_ERROR           ND_STATUS(0xC000013Du)
#define ND_INVALID_ADDRESS        ND_STATUS(0xC0000141u)
#define ND_CONNECTION_REFUSED     ND_STATUS(0xC0000236u)
#define ND_CONNECTION_INVALID     ND_STATUS(0xC000023Au)
#define ND_CONNECTION_ACTIVE      ND_STATUS(0xC000023Bu)
#define ND_CONNECTION_ABORTED     ND_STATUS(0xC0000241u)

/* ---- numbers ---- */
enum { ND_CQ_NOTIFY_ERRORS = 0, ND_CQ_NOTIFY_ANY = 1, ND_CQ_NOTIFY_SOLICITED = 2 };
enum { ND_MR_FLAG_ALLOW_LOCAL_WRITE = 1, ND_MR_FLAG_ALLOW_REMOTE_READ = 2, ND_MR_FLAG_ALLOW_REMOTE_WRITE = 5, ND_MR_FLAG_RDMA_READ_SINK = 8 };
enum { ND_OP_FLAG_SILENT_SUCCESS = 1, ND_OP_FLAG_READ_FENCE = 2, ND_OP_FLAG_SEND_AND_SOLICIT_EVENT = 4, ND_OP_FLAG_ALLOW_READ = 8,
    ND_OP_FLAG_ALLOW_WRITE = 0x10, ND_OP_FLAG_INLINE = 0x20 };
enum { ND_ADAPTER_FLAG_CQ_RESIZE_SUPPORTED = 0x100, ND_ADAPTER_FLAG_LOOPBACK_CONNECTIONS_SUPPORTED = 0x10000 };
typedef enum ND2_REQUEST_TYPE { Nd2RequestTypeReceive, Nd2RequestTypeSend, Nd2RequestTypeBind, Nd2RequestTypeInvalidate, Nd2RequestTypeRead,
    Nd2RequestTypeWrite } ND2_REQUEST_TYPE;

/* ---- structures ---- */
typedef struct ND2_SGE { VOID *Buffer; ULONG BufferLength; UINT32 MemoryRegionToken; } ND2_SGE;
typedef struct ND2_RESULT { HRESULT Status; ULONG BytesTransferred; VOID *QueuePairContext, *RequestContext; ND2_REQUEST_TYPE RequestType; } ND2_RESULT;
typedef struct ND2_ADAPTER_INFO {
    ULONG InfoVersion;
    UINT16 VendorId, DeviceId;
    UINT64 AdapterId;
    SIZE_T MaxRegistrationSize, MaxWindowSize;
    ULONG MaxInitiatorSge, MaxReceiveSge, MaxReadSge, MaxTransferLength, MaxInlineDataSize, MaxInboundReadLimit, MaxOutboundReadLimit,
        MaxReceiveQueueDepth, MaxInitiatorQueueDepth, MaxSharedReceiveQueueDepth, MaxCompletionQueueDepth, InlineRequestThreshold,
        LargeRequestThreshold, MaxCallerData, MaxCalleeData, AdapterFlags;
} ND2_ADAPTER_INFO;

/* ---- interfaces ---- */
#define ND2_INTERFACE(T) typedef struct T T; typedef struct T##Vtbl T##Vtbl; struct T { const T##Vtbl *v; }; struct T##Vtbl
#define ND2_METHOD(name) (STDMETHODCALLTYPE *name)
#define ND2_UNKNOWN(T) \
    HRESULT ND2_METHOD(QueryInterface)(T *, REFIID, void **); \
    ULONG ND2_METHOD(AddRef)(T *); \
    ULONG ND2_METHOD(Release)(T *);
#define ND2_OVERLAPPED(T) \
    ND2_UNKNOWN(T) \
    HRESULT ND2_METHOD(CancelOverlappedRequests)(T *); \
    HRESULT ND2_METHOD(GetOverlappedResult)(T *, OVERLAPPED *, BOOL wait);

ND2_INTERFACE(IND2Overlapped) { ND2_OVERLAPPED(IND2Overlapped) };

ND2_INTERFACE(IND2CompletionQueue) {
    ND2_OVERLAPPED(IND2CompletionQueue)
    HRESULT ND2_METHOD(GetNotifyAffinity)(IND2CompletionQueue *, USHORT *group, KAFFINITY *);
    HRESULT ND2_METHOD(Resize)(IND2CompletionQueue *, ULONG depth);
    HRESULT ND2_METHOD(Notify)(IND2CompletionQueue *, ULONG type, OVERLAPPED *);
    ULONG ND2_METHOD(GetResults)(IND2CompletionQueue *, ND2_RESULT[], ULONG n);
};

ND2_INTERFACE(IND2SharedReceiveQueue) {
    ND2_OVERLAPPED(IND2SharedReceiveQueue)
    HRESULT ND2_METHOD(GetNotifyAffinity)(IND2SharedReceiveQueue *, USHORT *group, KAFFINITY *);
    HRESULT ND2_METHOD(Modify)(IND2SharedReceiveQueue *, ULONG depth, ULONG threshold);
    HRESULT ND2_METHOD(Notify)(IND2SharedReceiveQueue *, OVERLAPPED *);
    HRESULT ND2_METHOD(Receive)(IND2SharedReceiveQueue *, VOID *context, const ND2_SGE[], ULONG n);
};

ND2_INTERFACE(IND2MemoryWindow) {
    ND2_UNKNOWN(IND2MemoryWindow)
    UINT32 ND2_METHOD(GetRemoteToken)(IND2MemoryWindow *);
};

ND2_INTERFACE(IND2MemoryRegion) {
    ND2_OVERLAPPED(IND2MemoryRegion)
    HRESULT ND2_METHOD(Register)(IND2MemoryRegion *, const VOID *buffer, SIZE_T length, ULONG flags, OVERLAPPED *);
    HRESULT ND2_METHOD(Deregister)(IND2MemoryRegion *, OVERLAPPED *);
    UINT32 ND2_METHOD(GetLocalToken)(IND2MemoryRegion *);
    UINT32 ND2_METHOD(GetRemoteToken)(IND2MemoryRegion *);
};

ND2_INTERFACE(IND2QueuePair) {
    ND2_UNKNOWN(IND2QueuePair)
    HRESULT ND2_METHOD(Flush)(IND2QueuePair *);
    HRESULT ND2_METHOD(Send)(IND2QueuePair *, VOID *context, const ND2_SGE[], ULONG n, ULONG flags);
    HRESULT ND2_METHOD(Receive)(IND2QueuePair *, VOID *context, const ND2_SGE[], ULONG n);
    HRESULT ND2_METHOD(Bind)(IND2QueuePair *, VOID *context, IUnknown *region, IUnknown *window, const VOID *buffer, SIZE_T length, ULONG flags);
    HRESULT ND2_METHOD(Invalidate)(IND2QueuePair *, VOID *context, IUnknown *window, ULONG flags);
    HRESULT ND2_METHOD(Read)(IND2QueuePair *, VOID *context, const ND2_SGE[], ULONG n, UINT64 address, UINT32 token, ULONG flags);
    HRESULT ND2_METHOD(Write)(IND2QueuePair *, VOID *context, const ND2_SGE[], ULONG n, UINT64 address, UINT32 token, ULONG flags);
};

ND2_INTERFACE(IND2Connector) {
    ND2_OVERLAPPED(IND2Connector)
    HRESULT ND2_METHOD(Bind)(IND2Connector *, const struct sockaddr *, ULONG length);
    HRESULT ND2_METHOD(Connect)(IND2Connector *, IUnknown *qp, const struct sockaddr *, ULONG length, ULONG inbound, ULONG outbound, const VOID *data,
        ULONG data_length, OVERLAPPED *);
    HRESULT ND2_METHOD(CompleteConnect)(IND2Connector *, OVERLAPPED *);
    HRESULT ND2_METHOD(Accept)(IND2Connector *, IUnknown *qp, ULONG inbound, ULONG outbound, const VOID *data, ULONG data_length, OVERLAPPED *);
    HRESULT ND2_METHOD(Reject)(IND2Connector *, const VOID *data, ULONG data_length);
    HRESULT ND2_METHOD(GetReadLimits)(IND2Connector *, ULONG *inbound, ULONG *outbound);
    HRESULT ND2_METHOD(GetPrivateData)(IND2Connector *, VOID *data, ULONG *length);
    HRESULT ND2_METHOD(GetLocalAddress)(IND2Connector *, struct sockaddr *, ULONG *length);
    HRESULT ND2_METHOD(GetPeerAddress)(IND2Connector *, struct sockaddr *, ULONG *length);
    HRESULT ND2_METHOD(NotifyDisconnect)(IND2Connector *, OVERLAPPED *);
    HRESULT ND2_METHOD(Disconnect)(IND2Connector *, OVERLAPPED *);
};

ND2_INTERFACE(IND2Listener) {
    ND2_OVERLAPPED(IND2Listener)
    HRESULT ND2_METHOD(Bind)(IND2Listener *, const struct sockaddr *, ULONG length);
    HRESULT ND2_METHOD(Listen)(IND2Listener *, ULONG backlog);
    HRESULT ND2_METHOD(GetLocalAddress)(IND2Listener *, struct sockaddr *, ULONG *length);
    HRESULT ND2_METHOD(GetConnectionRequest)(IND2Listener *, IUnknown *connector, OVERLAPPED *);
};

ND2_INTERFACE(IND2Adapter) {
    ND2_UNKNOWN(IND2Adapter)
    HRESULT ND2_METHOD(CreateOverlappedFile)(IND2Adapter *, HANDLE *);
    HRESULT ND2_METHOD(Query)(IND2Adapter *, ND2_ADAPTER_INFO *, ULONG *length);
    HRESULT ND2_METHOD(QueryAddressList)(IND2Adapter *, SOCKET_ADDRESS_LIST *, ULONG *length);
    HRESULT ND2_METHOD(CreateCompletionQueue)(IND2Adapter *, REFIID, HANDLE, ULONG depth, USHORT group, KAFFINITY, VOID **);
    HRESULT ND2_METHOD(CreateMemoryRegion)(IND2Adapter *, REFIID, HANDLE, VOID **);
    HRESULT ND2_METHOD(CreateMemoryWindow)(IND2Adapter *, REFIID, VOID **);
    HRESULT ND2_METHOD(CreateSharedReceiveQueue)(IND2Adapter *, REFIID, HANDLE, ULONG depth, ULONG sges, ULONG threshold, USHORT group, KAFFINITY, VOID **);
    HRESULT ND2_METHOD(CreateQueuePair)(IND2Adapter *, REFIID, IUnknown *receive_cq, IUnknown *initiator_cq, VOID *context, ULONG receive_depth,
        ULONG initiator_depth, ULONG receive_sges, ULONG initiator_sges, ULONG inline_size, VOID **);
    HRESULT ND2_METHOD(CreateQueuePairWithSrq)(IND2Adapter *, REFIID, IUnknown *receive_cq, IUnknown *initiator_cq, IUnknown *srq, VOID *context,
        ULONG initiator_depth, ULONG initiator_sges, ULONG inline_size, VOID **);
    HRESULT ND2_METHOD(CreateConnector)(IND2Adapter *, REFIID, HANDLE, VOID **);
    HRESULT ND2_METHOD(CreateListener)(IND2Adapter *, REFIID, HANDLE, VOID **);
};

ND2_INTERFACE(IND2Provider) {
    ND2_UNKNOWN(IND2Provider)
    HRESULT ND2_METHOD(QueryAddressList)(IND2Provider *, SOCKET_ADDRESS_LIST *, ULONG *length);
    HRESULT ND2_METHOD(ResolveAddress)(IND2Provider *, const struct sockaddr *, ULONG length, UINT64 *id);
    HRESULT ND2_METHOD(OpenAdapter)(IND2Provider *, REFIID, UINT64 id, VOID **);
};

/* ---- ids of interfaces ---- */
#if defined(__GNUC__)
# define ND2_IID static const IID __attribute__((unused))
#else
# define ND2_IID static const IID
#endif
ND2_IID ND2_IID_UNKNOWN = {0x00000000, 0x0000, 0x0000, {0xC0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x46}};
ND2_IID ND2_IID_OVERLAPPED = {0xABF72719, 0xB016, 0x4A40, {0xA6, 0xF7, 0x62, 0x27, 0x91, 0xA7, 0x04, 0x4C}};
ND2_IID ND2_IID_COMPLETION_QUEUE = {0x20CC445E, 0x64A0, 0x4CBB, {0xAA, 0x75, 0xF6, 0xA7, 0x25, 0x1F, 0xDA, 0x9E}};
ND2_IID ND2_IID_SHARED_RECEIVE_QUEUE = {0xAABD67DC, 0x459A, 0x4DB1, {0x82, 0x6B, 0x56, 0xCF, 0xCC, 0x27, 0x88, 0x83}};
ND2_IID ND2_IID_MEMORY_WINDOW = {0x070FE1F5, 0x0AB5, 0x4361, {0x88, 0xDB, 0x97, 0x4B, 0xA7, 0x04, 0xD4, 0xB9}};
ND2_IID ND2_IID_MEMORY_REGION = {0x55DFEA2F, 0xBC56, 0x4982, {0x8A, 0x45, 0x03, 0x01, 0xBE, 0x46, 0xC4, 0x13}};
ND2_IID ND2_IID_QUEUE_PAIR = {0xEEF2F332, 0xB75D, 0x4063, {0xBC, 0xE3, 0x3A, 0x0B, 0xAD, 0x2D, 0x02, 0xCE}};
ND2_IID ND2_IID_CONNECTOR = {0x7DD615C4, 0x6B4C, 0x4866, {0x95, 0x0C, 0xF3, 0xB1, 0xD2, 0x5A, 0x53, 0x02}};
ND2_IID ND2_IID_LISTENER = {0x65D23D83, 0x3A57, 0x4E02, {0x86, 0xA4, 0x35, 0x01, 0x65, 0xC2, 0xD1, 0x30}};
ND2_IID ND2_IID_ADAPTER = {0xD89C798C, 0x4823, 0x4D69, {0x84, 0x6C, 0xDF, 0xDC, 0xCF, 0xF9, 0xE5, 0xF3}};
ND2_IID ND2_IID_PROVIDER = {0x49EAE6C1, 0x76C4, 0x46D0, {0x80, 0x03, 0x5C, 0x2E, 0xAA, 0x2C, 0x9A, 0x8E}};

/* what the DLL of a provider exports, beside DllCanUnloadNow */
typedef HRESULT(STDAPICALLTYPE *nd2_get_class_object)(REFCLSID, REFIID, void **);
#endif
