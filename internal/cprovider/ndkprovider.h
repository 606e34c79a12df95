/* ndkprovider.h - the reference provider of this repository behind the dispatch tables of NDKPI, for programs in C.
 *
 * It is a library that Go makes: go build -buildmode=c-archive. Memory is reached by virtual addresses, as there is no kernel: an MDL is an address,
 * and so is a logical address.
 */
#ifndef NDKPROVIDER_H
#define NDKPROVIDER_H
#include "ndkshim_ndkpi.h"

struct _MDL { void *address; };

#ifdef __cplusplus
extern "C" {
#endif
/* An adapter of its own. seed decides what the contract leaves to the provider; the environment's NDK_SEEDED_BUG switches one of the seeded bugs on,
 * in a build that has them (-tags=seededbugs) */
NDK_ADAPTER *ndkp_open(uint64_t seed);
/* waits until nothing more happens of itself; 0 where that takes longer */
int ndkp_quiesce(NDK_ADAPTER *adapter, unsigned milliseconds);
/* has the next request of an initiator be refused */
void ndkp_refuse_next(NDK_ADAPTER *adapter);
void ndkp_close(NDK_ADAPTER *adapter);
#ifdef __cplusplus
}
#endif
#endif
