/* real.c - finds the functions of libibverbs, and has dlsym and dlvsym give the library's own in their place. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "library.h"
#include "real.h"

typedef void *dlsym_t(void *, const char *);
typedef void *dlvsym_t(void *, const char *, const char *);

static dlsym_t *real_dlsym;
static dlvsym_t *real_dlvsym;
static struct real functions;
static pthread_once_t once = PTHREAD_ONCE_INIT;

__attribute__((constructor)) static void find_dlsym(void)
{
    if (!real_dlsym) real_dlsym = (dlsym_t *)elf_find("dlsym");
    if (!real_dlvsym) real_dlvsym = (dlvsym_t *)elf_find("dlvsym");
    if (!real_dlsym || !real_dlvsym) {
        complain("the C library has no dlsym that can be found: the program can't be recorded");
        abort();
    }
}

static void find(void)
{
    void *library;
    if (!real_dlsym) find_dlsym();
    library = dlopen("libibverbs.so.1", RTLD_LAZY);
    if (!library) return;
#define X(name, version) functions.name = (__typeof__(functions.name))real_dlvsym(library, #name, version);
    REAL_FUNCTIONS(X)
#undef X
    functions.ibv_qp_to_qp_ex = (__typeof__(functions.ibv_qp_to_qp_ex))real_dlvsym(library, "ibv_qp_to_qp_ex", "IBVERBS_1.6");
    functions.ibv_query_gid = (__typeof__(functions.ibv_query_gid))real_dlvsym(library, "ibv_query_gid", "IBVERBS_1.1");
}

const struct real *real(void)
{
    pthread_once(&once, find);
    return &functions;
}

/* The library's own function in place of libibverbs'. It is found everywhere, and is none where there is no libibverbs behind it */
static void *instead(const char *name, void *found)
{
    const struct real *r;
    if (!found || strncmp(name, "ibv_", 4)) return found;
    r = real();
#define X(f, version) if ((found == (void *)r->f || found == (void *)f) && !strcmp(name, #f)) return r->f ? (void *)f : 0;
    REAL_FUNCTIONS(X)
#undef X
    return found;
}

/* RTLD_NEXT depends on who calls: it is left to the real one, as a jump, so that the caller stays the program */
EXPORT void *dlsym(void *handle, const char *name)
{
    if (!real_dlsym) find_dlsym();
    if (handle == RTLD_NEXT || strncmp(name, "ibv_", 4)) return real_dlsym(handle, name);
    return instead(name, real_dlsym(handle, name));
}

EXPORT void *dlvsym(void *handle, const char *name, const char *version)
{
    if (!real_dlsym) find_dlsym();
    if (handle == RTLD_NEXT || strncmp(name, "ibv_", 4)) return real_dlvsym(handle, name, version);
    return instead(name, real_dlvsym(handle, name, version));
}
