/* Reading and writing whole files (declared in core/text.h). */
#include "core/text.h"

#include "core/memory.h"
#include "core/spool.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static enum nb_status file_fail(const char *verb, const char *path,
                                struct nb_error *err)
{
    return nb_fail(err, NB_IO, "cannot %s \"%s\": %s", verb, path,
                   strerror(errno));
}

enum nb_status nb_text_read_file(const char *path, size_t limit,
                                 struct nb_text *text, struct nb_error *err)
{
    struct stat state;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return file_fail("read", path, err);
    enum nb_status status = NB_OK;
    if (fstat(fileno(file), &state) == 0 && S_ISDIR(state.st_mode))
        status =
            nb_fail(err, NB_IO, "cannot read \"%s\": is a directory", path);
    char block[65536];
    size_t count;
    while (status == NB_OK &&
           (count = fread(block, 1, sizeof block, file)) > 0) {
        nb_text_add(text, block, count);
        if (text->length > limit)
            status = nb_fail(err, NB_INVALID,
                             "\"%s\" is larger than %zu bytes, the most that "
                             "is read",
                             path, limit);
        else
            status = nb_text_check(text, err);
    }
    if (status == NB_OK && ferror(file))
        status = file_fail("read", path, err);
    fclose(file);
    if (status == NB_OK) {
        nb_text_add(text, "", 0); /* an empty file gives "", not NULL */
        status = nb_text_check(text, err);
    }
    return status;
}

static enum nb_status file_fill(FILE *file, const char *path, FILE *first,
                                const char *bytes, size_t length,
                                struct nb_error *err)
{
    const bool is_written = (first == NULL || nb_spool_copy(first, file)) &&
                            fwrite(bytes, 1, length, file) == length;
    const bool is_flushed = fflush(file) == 0;
    enum nb_status status = NB_OK;
    if (!is_written || !is_flushed)
        status = file_fail("write", path, err);
    if (fclose(file) != 0 && status == NB_OK)
        status = file_fail("write", path, err);
    return status;
}

/* Permissions a plain fopen would have given; mkstemp gives 0600. */
static mode_t file_mode(const char *path)
{
    struct stat state;
    if (stat(path, &state) == 0)
        return state.st_mode & 0777;
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Through a temporary name beside it. */
static enum nb_status file_replace(const char *path, FILE *first,
                                   const char *bytes, size_t length,
                                   struct nb_error *err)
{
    struct nb_text name = { 0 };
    nb_text_print(&name, "%s.XXXXXX", path);
    enum nb_status status = nb_text_check(&name, err);
    if (status != NB_OK)
        return status;
    const int descriptor = mkstemp(name.bytes);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    if (file == NULL) {
        status = file_fail("write", path, err);
        if (descriptor >= 0) {
            close(descriptor);
            unlink(name.bytes);
        }
    } else {
        fchmod(descriptor, file_mode(path));
        status = file_fill(file, path, first, bytes, length, err);
        if (status == NB_OK && rename(name.bytes, path) != 0)
            status = file_fail("write", path, err);
        if (status != NB_OK)
            unlink(name.bytes);
    }
    nb_text_release(&name);
    return status;
}

static enum nb_status file_write(const char *path, FILE *first,
                                 const char *bytes, size_t length,
                                 struct nb_error *err)
{
    struct stat state;
    if (stat(path, &state) == 0 && !S_ISREG(state.st_mode)) {
        FILE *file = fopen(path, "wb");
        if (file == NULL)
            return file_fail("write", path, err);
        return file_fill(file, path, first, bytes, length, err);
    }
    /* A signal that ends the program waits while there is a temporary name.
     * (Not before a pipe or device, which may take for ever.) */
    sigset_t held, before;
    sigemptyset(&held);
    sigaddset(&held, SIGHUP);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGQUIT);
    sigaddset(&held, SIGXCPU);
    pthread_sigmask(SIG_BLOCK, &held, &before);
    const enum nb_status status = file_replace(path, first, bytes, length, err);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

enum nb_status nb_file_write(const char *path, const char *bytes, size_t length,
                             struct nb_error *err)
{
    return file_write(path, NULL, bytes, length, err);
}

enum nb_status nb_file_write_spool(const char *path,
                                   const struct nb_spool *spool,
                                   struct nb_error *err)
{
    return file_write(path, spool->file, spool->text.bytes, spool->text.length,
                      err);
}
