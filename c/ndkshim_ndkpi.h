/* ndkshim_ndkpi.h - what ndkshim.h needs of NDKPI, declared anew from the documents, for builds without the WDK.
 *
 * A driver defines NDKS_WDK and has the WDK's own ndkpi.h. Elsewhere these declarations stand for it: names, orders and types are those of the
 * pages "NDK_ADAPTER structure (ndkpi.h)", "NDK_ADAPTER_DISPATCH structure (ndkpi.h)" and so on for each object, "NDK_FN_SEND callback function
 * (ndkpi.h)" and so on for each function, "NDK_RESULT_EX structure (ndkpi.h)", and "NDK_ADAPTER_INFO structure (ndkinfo.h)", all of the Windows
 * driver documentation. What is not documented there is not here.
 */
#ifndef NDKSHIM_NDKPI_H
#define NDKSHIM_NDKPI_H

#ifdef NDKS_WDK
# include <ndkpi.h>
#else
# include <stddef.h>
# include <stdint.h>

/* on Windows the types that its own headers give these names */
# ifdef _WIN32
typedef unsigned long ULONG;
typedef long NTSTATUS;
# else
typedef uint32_t ULONG;
typedef int32_t NTSTATUS;
# endif
typedef void VOID, *PVOID;
typedef unsigned char BOOLEAN;
typedef uint16_t USHORT;
typedef uint32_t UINT32;
typedef uint64_t UINT64;
typedef size_t SIZE_T;
typedef uintptr_t ULONG_PTR;

/* given by their pages by name alone: the shim passes pointers to them on */
typedef struct _MDL MDL;
typedef struct _GROUP_AFFINITY GROUP_AFFINITY;
typedef struct _GUID GUID;
typedef union _LARGE_INTEGER { int64_t QuadPart; } LARGE_INTEGER;

/* an address of AF_INET (2) begins with the family, the port and 4 bytes, one of AF_INET6 (23) with the family, the port, 4 bytes and 16 */
typedef struct _SOCKADDR { USHORT sa_family; unsigned char sa_data[26]; } *PSOCKADDR;

typedef struct _NDK_VERSION { USHORT Major, Minor; } NDK_VERSION;

typedef struct _NDK_ADAPTER_INFO {
    NDK_VERSION Version;
    UINT32 VendorId, DeviceId;
    SIZE_T MaxRegistrationSize, MaxWindowSize;
    ULONG FRMRPageCount, MaxInitiatorRequestSge, MaxReceiveRequestSge, MaxReadRequestSge, MaxTransferLength, MaxInlineDataSize;
    ULONG MaxInboundReadLimit, MaxOutboundReadLimit, MaxReceiveQueueDepth, MaxInitiatorQueueDepth, MaxSrqDepth, MaxCqDepth;
    ULONG LargeRequestThreshold, MaxCallerData, MaxCalleeData, AdapterFlags;
} NDK_ADAPTER_INFO;

typedef enum _NDK_OBJECT_TYPE {
    NdkObjectTypeUndefined, NdkObjectTypeAdapter, NdkObjectTypeQp, NdkObjectTypeCq, NdkObjectTypeMr, NdkObjectTypeMw, NdkObjectTypePd,
    NdkObjectTypeSharedEndpoint, NdkObjectTypeConnector, NdkObjectTypeListener, NdkObjectTypeSrq, NdkObjectTypeMax
} NDK_OBJECT_TYPE;

typedef struct _NDK_OBJECT_HEADER_RESERVED_BLOCK { PVOID rf[4]; } NDK_OBJECT_HEADER_RESERVED_BLOCK;

typedef struct _NDK_OBJECT_HEADER {
    NDK_VERSION Version;
    NDK_OBJECT_TYPE ObjectType;
    NDK_OBJECT_HEADER_RESERVED_BLOCK NdkReserved;
} NDK_OBJECT_HEADER;

# define NDKS_DECLARE(name) \
    typedef struct _NDK_##name##_DISPATCH NDK_##name##_DISPATCH; \
    typedef struct _NDK_##name { NDK_OBJECT_HEADER Header; const NDK_##name##_DISPATCH *Dispatch; } NDK_##name
NDKS_DECLARE(ADAPTER);
NDKS_DECLARE(CQ);
NDKS_DECLARE(PD);
NDKS_DECLARE(QP);
NDKS_DECLARE(SRQ);
NDKS_DECLARE(MR);
NDKS_DECLARE(MW);
NDKS_DECLARE(CONNECTOR);
NDKS_DECLARE(LISTENER);
NDKS_DECLARE(SHARED_ENDPOINT);
typedef struct _NDK_EXTENSION_INTERFACE { const void *Dispatch; } NDK_EXTENSION_INTERFACE;

enum { NDK_CQ_NOTIFY_ERRORS = 0, NDK_CQ_NOTIFY_ANY = 1, NDK_CQ_NOTIFY_SOLICITED = 2 };
enum {
    NDK_OP_FLAG_SILENT_SUCCESS = 0x001, NDK_OP_FLAG_READ_FENCE = 0x002, NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT = 0x004,
    NDK_OP_FLAG_ALLOW_REMOTE_READ = 0x008, NDK_OP_FLAG_ALLOW_LOCAL_WRITE = 0x010, NDK_OP_FLAG_ALLOW_REMOTE_WRITE = 0x030,
    NDK_OP_FLAG_INLINE = 0x040, NDK_OP_FLAG_RDMA_READ_SINK = 0x080, NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE = 0x100, NDK_OP_FLAG_DEFER = 0x200
};

typedef enum _NDK_OPERATION_TYPE {
    NdkOperationTypeReceive = 1, NdkOperationTypeReceiveAndInvalidate = 0x8001, NdkOperationTypeSend = 2, NdkOperationTypeFastRegister = 4,
    NdkOperationTypeBind = 8, NdkOperationTypeInvalidate = 0x10, NdkOperationTypeRead = 0x20, NdkOperationTypeWrite = 0x40
} NDK_OPERATION_TYPE;

typedef struct _NDK_RESULT {
    NTSTATUS Status;
    ULONG BytesTransferred;
    PVOID QPContext, RequestContext;
} NDK_RESULT;

typedef struct _NDK_RESULT_EX {
    NTSTATUS Status;
    ULONG BytesTransferred;
    PVOID QPContext, RequestContext;
    NDK_OPERATION_TYPE Type;
    ULONG ProviderErrorCode;
    ULONG_PTR TypeSpecificCompletionOutput;
} NDK_RESULT_EX;

typedef LARGE_INTEGER NDK_LOGICAL_ADDRESS;

typedef struct _NDK_LOGICAL_ADDRESS_MAPPING {
    PVOID AdapterContext;
    ULONG AdapterPageCount;
    NDK_LOGICAL_ADDRESS AdapterPageArray[1];
} NDK_LOGICAL_ADDRESS_MAPPING;

/* the page has VirtualAddress and LogicalAddress in a union without a name, which C99 lacks: the shim reads neither */
typedef struct _NDK_SGE {
    union { PVOID VirtualAddress; NDK_LOGICAL_ADDRESS LogicalAddress; } Address;
    ULONG Length;
    UINT32 MemoryRegionToken;
} NDK_SGE;

# include "ndkshim_functions.h"
#endif
#endif
