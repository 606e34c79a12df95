/* output.h - the file of a trace: whole packets, whatever happens. One that can't be written to ends where it was last whole. */
#ifndef NDKRECORD_OUTPUT_H
#define NDKRECORD_OUTPUT_H
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct output {
    int file, error;                       /* errno of what went wrong */
    char name[4200];
    unsigned long long whole;              /* bytes that are there */
};

static int output_open(struct output *o, const char *name, int only_new)
{
    snprintf(o->name, sizeof o->name, "%s", name);
    o->file = open(name, O_WRONLY | O_CREAT | O_CLOEXEC | (only_new ? O_EXCL : O_TRUNC), 0666);
    return o->file >= 0;
}

/* writes a packet; what is written of one that has no room is taken back */
static int output_write(void *to, const void *bytes, size_t size)
{
    struct output *o = (struct output *)to;
    size_t done = 0;
    while (!o->error && done < size) {
        ssize_t n = write(o->file, (const char *)bytes + done, size - done);
        if (n > 0) done += (size_t)n;
        else if (n < 0 && errno != EINTR) o->error = errno;
    }
    if (!o->error) o->whole += size;
    else if (ftruncate(o->file, (off_t)o->whole)) return 0;
    return !o->error;
}

static void output_close(struct output *o)
{
    if (close(o->file) && !o->error) o->error = errno;
}
#endif
