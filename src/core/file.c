/* Reading and writing whole files (declared in core/text.h). */
#include "core/text.h"

#include "core/memory.h"
#include "core/ranks.h"
#include "core/source.h"
#include "core/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_LINKS = 40 }; /* longer chains of links are taken for a cycle */

/* The file that an output path leads to, after following links. */
struct file_place {
    char path[PATH_MAX];
    char folder[PATH_MAX + 1]; /* the folder it is in */
    const char *name;          /* in path, after the folder */
    bool is_process;           /* the path is a link in some /proc/N/fd */
    int descriptor;            /* ... in this process's; else -1 */
    bool exists;
    struct stat state; /* if it exists */
};

static enum nb_status file_fail(const char *verb, const char *path,
                                struct nb_error *err)
{
    return nb_fail(err, NB_IO, "cannot %s \"%s\": %s", verb, path,
                   strerror(errno));
}

enum nb_status nb_text_check_limit(const char *path, const struct nb_text *text,
                                   size_t limit, struct nb_error *err)
{
    if (text->length <= limit)
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "\"%s\" is larger than %zu bytes, the largest that is read",
                   nb_file_name(path), limit);
}

static bool file_is_stdin(const char *path)
{
    return strcmp(path, NB_FILE_STDIN) == 0;
}

const char *nb_file_name(const char *path)
{
    return file_is_stdin(path) ? "standard input" : path;
}

/* Duplicates the descriptor: /dev/stdin may be missing, does not open sockets,
 * and reads a file from its beginning again. */
FILE *nb_file_open(const char *path)
{
    if (!file_is_stdin(path))
        return fopen(path, "rb");
    const int copy = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    FILE *file = copy >= 0 ? fdopen(copy, "rb") : NULL;
    if (file == NULL && copy >= 0) {
        const int cause = errno;
        close(copy);
        errno = cause;
    }
    return file;
}

enum nb_status nb_text_read_file(const char *path, size_t limit,
                                 struct nb_text *text, struct nb_error *err)
{
    struct stat state;
    const char *name = nb_file_name(path);
    FILE *file = nb_file_open(path);
    if (file == NULL)
        return file_fail("read", name, err);
    enum nb_status status = NB_OK;
    if (fstat(fileno(file), &state) == 0 && S_ISDIR(state.st_mode))
        status =
            nb_fail(err, NB_IO, "cannot read \"%s\": is a directory", name);
    char block[65536];
    size_t count;
    while (status == NB_OK &&
           (count = fread(block, 1, sizeof block, file)) > 0) {
        nb_text_add(text, block, count);
        status = nb_text_check_limit(path, text, limit, err);
        if (status == NB_OK)
            status = nb_text_check(text, err);
    }
    if (status == NB_OK && ferror(file))
        status = file_fail("read", name, err);
    fclose(file);
    if (status == NB_OK) {
        nb_text_add(text, "", 0); /* an empty file gives "", not NULL */
        status = nb_text_check(text, err);
    }
    return status;
}

/* Splits a path into folder and file name. */
static void place_split(struct file_place *place)
{
    const char *slash = strrchr(place->path, '/');
    const size_t length = slash != NULL ? (size_t)(slash - place->path) + 1 : 0;
    place->name = place->path + length;
    memcpy(place->folder, place->path, length);
    memcpy(place->folder + length, ".", 2); /* "a/b/." or "." */
}

/* A name in /proc/self/fd means an open descriptor of this process, one in
 * /proc/N/fd of another. The text of such a link cannot be followed
 * ("pipe:[7]", "f (deleted)"), and the link cannot be replaced. */
static void place_find_process(struct file_place *place)
{
    char folder[PATH_MAX], own[PATH_MAX];
    const size_t length = strspn(place->name, "0123456789");
    if (length == 0 || length > 9 || place->name[length] != '\0' ||
        realpath(place->folder, folder) == NULL)
        return;
    const char *last = strrchr(folder, '/');
    place->is_process =
        strncmp(folder, "/proc/", 6) == 0 && strcmp(last, "/fd") == 0;
    if (place->is_process && realpath("/proc/self/fd", own) != NULL &&
        strcmp(folder, own) == 0)
        place->descriptor = (int)strtol(place->name, NULL, 10);
}

/* Replaces a link by its target. */
static int place_follow(struct file_place *place)
{
    char link[PATH_MAX], path[2 * PATH_MAX];
    const ssize_t length = readlink(place->path, link, sizeof link - 1);
    if (length < 0)
        return errno;
    link[length] = '\0';
    const int printed = link[0] == '/' ? snprintf(path, sizeof path, "%s", link)
                                       : snprintf(path, sizeof path, "%s/%s",
                                                  place->folder, link);
    if ((size_t)printed >= sizeof place->path)
        return ENAMETOOLONG;
    memcpy(place->path, path, (size_t)printed + 1);
    return 0;
}

/* The descriptor that a special path means; -1: an ordinary path. */
static int place_standard(const char *path)
{
    if (path == NULL)
        return STDOUT_FILENO;
    return file_is_stdin(path) ? STDIN_FILENO : -1;
}

/* Follows links up to something else, or to a missing file in an existing
 * folder. path NULL: standard output; "-": standard input. Returns 0 or an
 * errno value. */
static int place_find(const char *path, struct file_place *out)
{
    struct stat folder;
    *out = (struct file_place){ .descriptor = place_standard(path),
                                .exists = true };
    if (path != NULL && strlen(path) >= sizeof out->path)
        return ENAMETOOLONG;
    memcpy(out->path, path != NULL ? path : "", path ? strlen(path) + 1 : 1);
    for (int i = 0; i < FILE_LINKS; i++) {
        place_split(out);
        place_find_process(out);
        if (out->descriptor >= 0)
            return fstat(out->descriptor, &out->state) == 0 ? 0 : errno;
        if (out->is_process)
            return stat(out->path, &out->state) == 0 ? 0 : errno;
        out->exists = lstat(out->path, &out->state) == 0;
        if (!out->exists)
            return errno == ENOENT && *out->name != '\0' &&
                           stat(out->folder, &folder) == 0
                       ? 0
                       : errno;
        if (!S_ISLNK(out->state.st_mode))
            return 0;
        const int cause = place_follow(out);
        if (cause != 0)
            return cause;
    }
    return ELOOP;
}

/* Whether it can be written, as far as that shows without trying. */
static int place_probe(const struct file_place *place)
{
    if (place->descriptor >= 0) {
        const int flags = fcntl(place->descriptor, F_GETFL);
        return flags < 0 ? errno : (flags & O_ACCMODE) == O_RDONLY ? EBADF : 0;
    }
    if (place->exists && S_ISDIR(place->state.st_mode))
        return EISDIR;
    if (place->exists && S_ISSOCK(place->state.st_mode))
        return ENXIO;
    const char *path = place->exists ? place->path : place->folder;
    const int mode = place->exists ? W_OK : W_OK | X_OK;
    return faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0 ? 0 : errno;
}

static int file_add_bytes(int descriptor, const char *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(descriptor, bytes, length);
        if (written < 0 && errno != EINTR)
            return errno;
        bytes += written < 0 ? 0 : written;
        length -= written < 0 ? 0 : (size_t)written;
    }
    return 0;
}

static int file_add(int descriptor, const struct nb_spool *content)
{
    char block[65536];
    size_t count;
    int cause = 0;
    if (content->file != NULL &&
        (fflush(content->file) != 0 || fseeko(content->file, 0, SEEK_SET) != 0))
        return errno;
    while (content->file != NULL && cause == 0 &&
           (count = fread(block, 1, sizeof block, content->file)) > 0)
        cause = file_add_bytes(descriptor, block, count);
    if (cause == 0 && content->file != NULL && ferror(content->file))
        cause = EIO;
    return cause != 0 ? cause
                      : file_add_bytes(descriptor, content->text.bytes,
                                       content->text.length);
}

static int file_length(const struct nb_spool *content, off_t *length)
{
    struct stat state = { 0 };
    if (content->file != NULL && (fflush(content->file) != 0 ||
                                  fstat(fileno(content->file), &state) != 0))
        return errno;
    *length = state.st_size + (off_t)content->text.length;
    return 0;
}

static int file_close(int descriptor, int cause)
{
    return close(descriptor) != 0 && cause == 0 ? errno : cause;
}

/* A new file in the same folder, accessible only to its owner if it will
 * replace another. Not by mkstemp: the permissions of a plain open depend on
 * the process's umask, which can only be read by changing it for all
 * threads. */
static int file_open_beside(const struct file_place *place,
                            char name[PATH_MAX + 64])
{
    enum { TRIES = 10000 };
    int descriptor = -1;
    for (int i = 0; i < TRIES && descriptor < 0; i++) {
        snprintf(name, PATH_MAX + 64, "%s/.netbound-%ld-%d", place->folder,
                 (long)getpid(), i);
        descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                          place->exists ? 0600 : 0666);
        if (descriptor < 0 && errno != EEXIST)
            break;
    }
    return descriptor;
}

/* Gives a file the owner and the permissions of the one that it replaces. */
static int file_dress(int descriptor, const struct file_place *place)
{
    const struct stat *old = &place->state;
    struct stat new;
    if (!place->exists)
        return 0;
    if (fstat(descriptor, &new) != 0)
        return errno;
    if ((new.st_uid != old->st_uid || new.st_gid != old->st_gid) &&
        fchown(descriptor, old->st_uid, old->st_gid) != 0)
        return errno;
    return fchmod(descriptor, old->st_mode & 07777) == 0 ? 0 : errno;
}

/* Writes under a temporary name in the same folder; the length of that name
 * does not depend on the file's. */
static int file_replace(const struct file_place *place,
                        const struct nb_spool *content)
{
    char name[PATH_MAX + 64];
    const int descriptor = file_open_beside(place, name);
    if (descriptor < 0)
        return errno;
    int cause = file_add(descriptor, content);
    if (cause == 0)
        cause = file_dress(descriptor, place); /* writing may clear setuid */
    cause = file_close(descriptor, cause);
    if (cause == 0 && rename(name, place->path) != 0)
        cause = errno;
    if (cause != 0)
        unlink(name);
    return cause;
}

/*
 * Writes over the old bytes, where a new file cannot replace the old one. The
 * space is reserved first, so that a full disk or a limit leaves the file as it
 * was. The price: others see old and new bytes mixed during the writing, and
 * permanently if the machine or the disk fails in the middle.
 */
static int file_rewrite(const struct file_place *place,
                        const struct nb_spool *content)
{
    off_t length = 0;
    int cause = file_length(content, &length);
    if (cause != 0)
        return cause;
    const int descriptor = open(place->path, O_WRONLY | O_NOCTTY);
    if (descriptor < 0)
        return errno;
    cause = length > 0 ? posix_fallocate(descriptor, 0, length) : 0;
    if (cause == EINVAL || cause == EOPNOTSUPP) /* not supported here */
        cause = 0;
    const bool has_room = cause == 0;
    if (has_room)
        cause = file_add(descriptor, content);
    const off_t end = has_room ? length : place->state.st_size;
    if (ftruncate(descriptor, end) != 0 && cause == 0)
        cause = errno;
    fchmod(descriptor, place->state.st_mode & 07777); /* as in file_replace */
    return file_close(descriptor, cause);
}

/* Rewrites files with several names (hard links), files whose owner cannot be
 * given to a new file, and files in folders that take no new file: closed,
 * sticky and owned by somebody else, or on another file system. */
static int file_write_regular(const struct file_place *place,
                              const struct nb_spool *content)
{
    const bool is_alone = !place->exists || place->state.st_nlink == 1;
    if (!is_alone || place->is_process)
        return file_rewrite(place, content);
    const int cause = file_replace(place, content);
    const bool is_barred = cause == EACCES || cause == EPERM ||
                           cause == EROFS || cause == EBUSY || cause == EXDEV;
    return is_barred && place->exists ? file_rewrite(place, content) : cause;
}

static int file_write_through(const struct file_place *place,
                              const struct nb_spool *content)
{
    if (place->descriptor >= 0)
        return file_add(place->descriptor, content);
    const int descriptor = open(place->path, O_WRONLY | O_NOCTTY);
    if (descriptor < 0)
        return errno;
    return file_close(descriptor, file_add(descriptor, content));
}

static int file_write(const char *path, const struct nb_spool *content)
{
    struct file_place place;
    int cause = place_find(path, &place);
    if (cause == 0)
        cause = place_probe(&place);
    if (cause != 0)
        return cause;
    if (place.descriptor >= 0 ||
        (place.exists && !S_ISREG(place.state.st_mode)))
        return file_write_through(&place, content);
    /* Blocks signals that end the program while a file is incomplete or has a
     * temporary name. (Not for a pipe or device: writing may block forever.) */
    sigset_t held, before;
    sigemptyset(&held);
    sigaddset(&held, SIGHUP);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGQUIT);
    sigaddset(&held, SIGXCPU);
    pthread_sigmask(SIG_BLOCK, &held, &before);
    cause = file_write_regular(&place, content);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return cause;
}

enum nb_status nb_file_write(const char *path, const char *bytes, size_t length,
                             struct nb_error *err)
{
    /* Read only: the bytes are the caller's. */
    const struct nb_spool content = {
        .text = { .bytes = (char *)(uintptr_t)bytes, .length = length }
    };
    return nb_file_write_spool(path, &content, err);
}

enum nb_status nb_file_write_spool(const char *path,
                                   const struct nb_spool *content,
                                   struct nb_error *err)
{
    if (!nb_ranks_is_first())
        return NB_OK;
    errno = file_write(path, content);
    return errno == 0 ? NB_OK : file_fail("write", path, err);
}

enum nb_status nb_file_probe(const char *path, struct nb_error *err)
{
    struct file_place place;
    errno = place_find(path, &place);
    if (errno == 0)
        errno = place_probe(&place);
    return errno == 0 ? NB_OK : file_fail("write", path, err);
}

bool nb_file_is_same(const char *a, const char *b)
{
    struct file_place x, y;
    struct stat *const one = &x.state, *const other = &y.state;
    if (place_find(a, &x) != 0 || place_find(b, &y) != 0 ||
        x.exists != y.exists)
        return false;
    if (x.exists && !S_ISREG(one->st_mode))
        return false;
    if (!x.exists && (strcmp(x.name, y.name) != 0 || stat(x.folder, one) != 0 ||
                      stat(y.folder, other) != 0))
        return false;
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}
