/* locks.h - the library's locks. None is held while a function of libibverbs runs, and a fork takes them all. Locked in this order. */
#ifndef NDKRECORD_LOCKS_H
#define NDKRECORD_LOCKS_H
#include <pthread.h>

struct locks { pthread_mutex_t session, objects, requests; };
extern struct locks locks;

static inline void locks_lock(void)
{
    pthread_mutex_lock(&locks.session);
    pthread_mutex_lock(&locks.objects);
    pthread_mutex_lock(&locks.requests);
}
static inline void locks_unlock(void)
{
    pthread_mutex_unlock(&locks.requests);
    pthread_mutex_unlock(&locks.objects);
    pthread_mutex_unlock(&locks.session);
}
#endif
