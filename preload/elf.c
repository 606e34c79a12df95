/* elf.c - finds dlsym and dlvsym themselves, which the library stands before, in the C library that is loaded. */
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <string.h>
#include "real.h"

struct wanted { const char *name; void *at; };

static const void *absolute(const struct dl_phdr_info *o, ElfW(Addr) at) { return (const void *)(at < o->dlpi_addr ? at + o->dlpi_addr : at); }

static uint32_t hash_of(const char *name)
{
    uint32_t h = 5381;
    for (; *name; name++) h = h * 33 + (unsigned char)*name;
    return h;
}

/* the symbol of an object that has the name, in the version that programs are linked with */
static void *symbol(const struct dl_phdr_info *o, const ElfW(Dyn) *d, const char *name)
{
    const uint32_t *table = 0, *buckets, *chain;
    const ElfW(Sym) *symbols = 0;
    const ElfW(Half) *versions = 0;
    const char *strings = 0;
    uint32_t hash = hash_of(name), i;
    for (; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_GNU_HASH) table = absolute(o, d->d_un.d_ptr);
        if (d->d_tag == DT_SYMTAB) symbols = absolute(o, d->d_un.d_ptr);
        if (d->d_tag == DT_STRTAB) strings = absolute(o, d->d_un.d_ptr);
        if (d->d_tag == DT_VERSYM) versions = absolute(o, d->d_un.d_ptr);
    }
    if (!table || !symbols || !strings || !table[0]) return 0;
    /* buckets, number of the first symbol in the chains, words of the filter, shift; the filter, the buckets, the chains */
    buckets = table + 4 + table[2] * (sizeof(ElfW(Addr)) / 4);
    chain = buckets + table[0];
    i = buckets[hash % table[0]];
    if (i < table[1]) return 0;
    for (;; i++) {
        uint32_t h = chain[i - table[1]];
        if ((h | 1) == (hash | 1) && symbols[i].st_shndx != SHN_UNDEF && !(versions && versions[i] & 0x8000) && !strcmp(strings + symbols[i].st_name, name))
            return (void *)(o->dlpi_addr + symbols[i].st_value);
        if (h & 1) return 0;
    }
}

static int look(struct dl_phdr_info *o, size_t size, void *with)
{
    struct wanted *w = with;
    const char *file = strrchr(o->dlpi_name, '/');
    int i;
    (void)size;
    file = file ? file + 1 : o->dlpi_name;
    if (strncmp(file, "libc.so", 7) && strncmp(file, "libdl.so", 8)) return 0;
    for (i = 0; i < o->dlpi_phnum; i++)
        if (o->dlpi_phdr[i].p_type == PT_DYNAMIC && (w->at = symbol(o, (const ElfW(Dyn) *)(o->dlpi_addr + o->dlpi_phdr[i].p_vaddr), w->name)) != 0) return 1;
    return 0;
}

void *elf_find(const char *name)
{
    struct wanted w = {name, 0};
    dl_iterate_phdr(look, &w);
    return w.at;
}
