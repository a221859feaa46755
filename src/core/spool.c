#include "core/spool.h"
#include "core/try.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SPOOL_MEMORY = 1 << 20 }; /* bytes */

/* The file has its name only for a moment, in which signals are blocked. */
static int spool_make(char *name)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const int descriptor = mkstemp(name);
    if (descriptor >= 0)
        unlink(name);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return descriptor;
}

/* Appends the folder of a file, with links followed: "" or ending with a slash.
 * NULL, or not a regular file: the folder for temporary files. */
static void spool_add_folder(const char *place, struct nb_text *name)
{
    char real[PATH_MAX];
    struct stat about;
    const char *temporary = getenv("TMPDIR");
    if (place != NULL && stat(place, &about) == 0)
        place = S_ISREG(about.st_mode) ? realpath(place, real) : NULL;
    const char *slash = place != NULL ? strrchr(place, '/') : NULL;
    if (slash != NULL)
        nb_text_add(name, place, (size_t)(slash - place) + 1);
    else if (place == NULL)
        nb_text_print(name, "%s/",
                      temporary != NULL && *temporary != '\0' ? temporary
                                                              : "/tmp");
}

enum nb_status nb_spool_open(const char *place, FILE **out,
                             struct nb_error *err)
{
    struct nb_text name = { 0 };
    enum nb_status status;
    spool_add_folder(place, &name);
    const size_t folder = name.length;
    nb_text_print(&name, "netbound.XXXXXX");
    NB_TRY(nb_text_check(&name, err));
    const int descriptor = spool_make(name.bytes);
    *out = descriptor >= 0 ? fdopen(descriptor, "w+b") : NULL;
    if (*out == NULL && descriptor >= 0)
        close(descriptor);
    if (*out == NULL && place != NULL) {
        status = nb_spool_open(NULL, out, err);
    } else if (*out == NULL) {
        name.bytes[folder] = '\0';
        status = nb_fail(
            err, NB_IO,
            "cannot write a temporary file in \"%.200s\": %s (permitted: "
            "TMPDIR=DIR, a folder for temporary files)",
            name.bytes, strerror(errno));
    }
done:
    nb_text_release(&name);
    return status;
}

enum nb_status nb_spool_add(struct nb_spool *spool, const char *bytes,
                            size_t length, struct nb_error *err)
{
    enum nb_status status;
    nb_text_add(&spool->text, bytes, length);
    NB_TRY(nb_text_check(&spool->text, err));
    if (spool->text.length < SPOOL_MEMORY)
        return NB_OK;
    if (spool->file == NULL)
        NB_TRY(nb_spool_open(spool->place, &spool->file, err));
    if (fwrite(spool->text.bytes, 1, spool->text.length, spool->file) !=
        spool->text.length)
        NB_TRY(nb_fail(err, NB_IO,
                       "cannot write a temporary file for \"%.200s\": %s",
                       spool->place != NULL ? spool->place : "standard output",
                       strerror(errno)));
    spool->text.length = 0;
done:
    return status;
}

void nb_spool_release(struct nb_spool *spool)
{
    if (spool->file != NULL)
        fclose(spool->file);
    nb_text_release(&spool->text);
    *spool = (struct nb_spool){ 0 };
}

bool nb_spool_copy(FILE *from, FILE *to)
{
    char block[65536];
    size_t count;
    bool is_copied = fflush(from) == 0 && fseeko(from, 0, SEEK_SET) == 0;
    while (is_copied && (count = fread(block, 1, sizeof block, from)) > 0)
        is_copied = fwrite(block, 1, count, to) == count;
    return is_copied && !ferror(from);
}
