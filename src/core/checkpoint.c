/*
 * The file: three lines (the format, the program, the digest of the question),
 * then a record per task: loop, index and length of the result as 64-bit
 * numbers, the result, and the digest of the three lines and all these. So a
 * record is valid only in a checkpoint of its own question.
 */
#include "core/checkpoint.h"

#include "core/clock.h"
#include "core/digest.h"
#include "core/memory.h"
#include "core/pack.h"
#include "core/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHECKPOINT_KIND   "netbound checkpoint "
#define CHECKPOINT_FORMAT CHECKPOINT_KIND "2"

enum { CHECKPOINT_HEAD = 3 * sizeof(uint64_t) };

/* Where a result is in the file. */
struct checkpoint_record {
    uint64_t loop, index, length;
    off_t at;
};

struct nb_checkpoint {
    int file; /* -1: none */
    char *path;
    struct nb_digest key; /* of the three lines; a record's continues it */
    size_t count;         /* records present when it was opened, sorted */
    struct checkpoint_record *records;
    off_t end;              /* [byte] of the last complete record */
    off_t cut;              /* [byte] what followed it when it was opened */
    bool is_empty;          /* belongs to this question and holds no result */
    double synced;          /* [s] time of the last sync to the disk */
    struct nb_error failed; /* why nothing more is written; else NB_OK */
};

/* Nothing more is written; only the first reason counts. */
static void checkpoint_lose(struct nb_checkpoint *checkpoint, const char *what,
                            int cause)
{
    nb_fail(&checkpoint->failed, NB_IO, "cannot %s checkpoint \"%.200s\": %s",
            what, checkpoint->path, strerror(cause));
}

static bool checkpoint_read(const struct nb_checkpoint *checkpoint, off_t at,
                            void *bytes, size_t length)
{
    char *to = bytes;
    while (length > 0) {
        const ssize_t got = pread(checkpoint->file, to, length, at);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        to += got > 0 ? got : 0;
        at += got > 0 ? got : 0;
        length -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

static int checkpoint_write(int file, const char *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t wrote = write(file, bytes, length);
        if (wrote < 0 && errno != EINTR)
            return errno;
        bytes += wrote > 0 ? wrote : 0;
        length -= wrote > 0 ? (size_t)wrote : 0;
    }
    return 0;
}

/* Appends the text, or nothing. */
static void checkpoint_append(struct nb_checkpoint *checkpoint,
                              const struct nb_text *text)
{
    const int cause =
        checkpoint_write(checkpoint->file, text->bytes, text->length);
    if (cause == 0) {
        checkpoint->end += (off_t)text->length;
        return;
    }
    checkpoint_lose(checkpoint, "write", cause);
    if (ftruncate(checkpoint->file, checkpoint->end) != 0)
        return; /* the next run cuts off the incomplete record */
}

static int checkpoint_compare(const void *left, const void *right)
{
    const struct checkpoint_record *a = left, *b = right;
    return a->loop != b->loop ? (a->loop > b->loop) - (a->loop < b->loop)
                              : (a->index > b->index) - (a->index < b->index);
}

static struct nb_digest checkpoint_sum(const struct nb_checkpoint *checkpoint,
                                       const uint64_t head[3])
{
    struct nb_digest sum = checkpoint->key;
    nb_digest_add(&sum, (const char *)head, CHECKPOINT_HEAD);
    return sum;
}

/* Whether the file has the digest at that place. */
static bool checkpoint_confirms(const struct nb_checkpoint *checkpoint,
                                off_t at, struct nb_digest *sum)
{
    char digest[NB_DIGEST_TEXT], written[NB_DIGEST_TEXT] = "";
    nb_digest_end(sum, digest);
    return checkpoint_read(checkpoint, at, written, NB_DIGEST_DIGITS) &&
           memcmp(digest, written, NB_DIGEST_DIGITS) == 0;
}

/* The record at a place, ending at or before the file's end; false if it is
 * incomplete, was changed, or is another question's. */
static bool checkpoint_read_record(const struct nb_checkpoint *checkpoint,
                                   off_t at, off_t end,
                                   struct checkpoint_record *out)
{
    char block[65536];
    uint64_t head[3];
    if (end - at < CHECKPOINT_HEAD + NB_DIGEST_DIGITS ||
        !checkpoint_read(checkpoint, at, head, sizeof head) ||
        head[2] > (uint64_t)(end - at) - CHECKPOINT_HEAD - NB_DIGEST_DIGITS)
        return false;
    at += CHECKPOINT_HEAD;
    *out = (struct checkpoint_record){ head[0], head[1], head[2], at };
    struct nb_digest sum = checkpoint_sum(checkpoint, head);
    for (uint64_t left = head[2]; left > 0;) {
        const size_t part = left < sizeof block ? (size_t)left : sizeof block;
        if (!checkpoint_read(checkpoint, at, block, part))
            return false;
        nb_digest_add(&sum, block, part);
        at += (off_t)part;
        left -= part;
    }
    return checkpoint_confirms(checkpoint, at, &sum);
}

/* Sorts the records and removes copies. */
static void checkpoint_sort(struct nb_checkpoint *checkpoint)
{
    struct checkpoint_record *records = checkpoint->records;
    size_t kept = 0;
    if (checkpoint->count > 0)
        qsort(records, checkpoint->count, sizeof *records, checkpoint_compare);
    for (size_t i = 0; i < checkpoint->count; i++)
        if (kept == 0 ||
            checkpoint_compare(&records[kept - 1], &records[i]) != 0)
            records[kept++] = records[i];
    checkpoint->count = kept;
}

/* Finds all valid records and cuts off what follows them. */
static enum nb_status checkpoint_load(struct nb_checkpoint *checkpoint,
                                      off_t at, off_t end, struct nb_error *err)
{
    struct checkpoint_record record;
    enum nb_status status = NB_OK;
    while (checkpoint_read_record(checkpoint, at, end, &record)) {
        NB_TRY(nb_grow_one(&checkpoint->records, checkpoint->count,
                           sizeof record, "a checkpoint", err));
        checkpoint->records[checkpoint->count++] = record;
        at = record.at + (off_t)record.length + NB_DIGEST_DIGITS;
    }
    checkpoint_sort(checkpoint);
    checkpoint->end = at;
    checkpoint->cut = end - at;
    if (at < end && checkpoint->failed.status == NB_OK &&
        ftruncate(checkpoint->file, at) != 0)
        checkpoint_lose(checkpoint, "write", errno);
done:
    return status;
}

/* Says why the file's first lines differ from those of this run. */
static enum nb_status checkpoint_refuse(const struct nb_checkpoint *checkpoint,
                                        const char *program, const char *lines,
                                        struct nb_error *err)
{
    const size_t format = strcspn(lines, "\n");
    if (strncmp(lines, CHECKPOINT_KIND, strlen(CHECKPOINT_KIND)) != 0)
        return nb_fail(err, NB_INVALID,
                       "\"%.200s\" is not a checkpoint (permitted: a new file, "
                       "or the checkpoint of this question)",
                       checkpoint->path);
    if (format != strlen(CHECKPOINT_FORMAT) ||
        strncmp(lines, CHECKPOINT_FORMAT, format) != 0)
        return nb_fail(err, NB_INVALID,
                       "checkpoint \"%.200s\" has the format of another "
                       "version, %.*s (permitted: " CHECKPOINT_FORMAT ")",
                       checkpoint->path, (int)(format < 60 ? format : 60),
                       lines);
    lines += format + 1;
    const size_t name = strcspn(lines, "\n");
    if (name != strlen(program) || strncmp(lines, program, name) != 0)
        return nb_fail(err, NB_INVALID,
                       "checkpoint \"%.200s\" is by %.*s (permitted: by %s)",
                       checkpoint->path, (int)(name < 60 ? name : 60), lines,
                       program);
    return nb_fail(err, NB_INVALID,
                   "checkpoint \"%.200s\" belongs to another question "
                   "(permitted: one of this question)",
                   checkpoint->path);
}

/* Reads the first lines and the records. A file that ends within its first
 * lines was only just created. */
static enum nb_status checkpoint_begin(struct nb_checkpoint *checkpoint,
                                       const char *program,
                                       const struct nb_text *lines,
                                       struct nb_error *err)
{
    char *there = NULL;
    struct stat about;
    enum nb_status status = NB_OK;
    if (fstat(checkpoint->file, &about) != 0) {
        checkpoint_lose(checkpoint, "read", errno);
        return NB_OK;
    }
    const size_t size = about.st_size < (off_t)lines->length
                            ? (size_t)about.st_size
                            : lines->length;
    NB_TRY(nb_new(&there, size + 1, 1, "a checkpoint", err));
    if (!checkpoint_read(checkpoint, 0, there, size)) {
        checkpoint_lose(checkpoint, "read", errno);
        goto done;
    }
    if (memcmp(there, lines->bytes, size) != 0)
        NB_TRY(checkpoint_refuse(checkpoint, program, there, err));
    checkpoint->is_empty = checkpoint->failed.status == NB_OK;
    if (size == lines->length) {
        NB_TRY(checkpoint_load(checkpoint, (off_t)size, about.st_size, err));
        checkpoint->is_empty &= checkpoint->count == 0;
    } else if (checkpoint->is_empty) {
        if (ftruncate(checkpoint->file, 0) != 0)
            checkpoint_lose(checkpoint, "write", errno);
        else
            checkpoint_append(checkpoint, lines);
    }
done:
    nb_delete(there);
    return status;
}

static enum nb_status checkpoint_check_kind(const char *path,
                                            const struct stat *about,
                                            struct nb_error *err)
{
    return S_ISREG(about->st_mode)
               ? NB_OK
               : nb_fail(err, NB_INVALID,
                         "checkpoint \"%.200s\" is not a file (permitted: a "
                         "regular file)",
                         path);
}

/* Opens and locks the file. If it cannot be written, its results can be used;
 * if not even that, it stays closed. */
static enum nb_status checkpoint_open(struct nb_checkpoint *checkpoint,
                                      struct nb_error *err)
{
    enum { FLAGS = O_CLOEXEC | O_NOCTTY | O_NONBLOCK };
    const char *path = checkpoint->path;
    struct stat about;
    enum nb_status status = NB_OK;
    if (stat(path, &about) == 0) /* opening a device may do something */
        NB_TRY(checkpoint_check_kind(path, &about, err));
    int way = LOCK_EX;
    checkpoint->file = open(path, O_RDWR | O_CREAT | O_APPEND | FLAGS, 0666);
    if (checkpoint->file < 0) {
        checkpoint_lose(checkpoint, "write", errno);
        way = LOCK_SH;
        checkpoint->file = open(path, O_RDONLY | FLAGS);
    }
    if (checkpoint->file < 0)
        return NB_OK;
    const bool is_locked = flock(checkpoint->file, way | LOCK_NB) == 0;
    if (!is_locked && errno != EWOULDBLOCK) {
        checkpoint_lose(checkpoint, "lock", errno);
        close(checkpoint->file);
        checkpoint->file = -1;
        return NB_OK;
    }
    /* Another run may have removed it meanwhile. */
    if (!is_locked || fstat(checkpoint->file, &about) != 0 ||
        about.st_nlink == 0)
        NB_TRY(nb_fail(err, NB_IO,
                       "checkpoint \"%.200s\" is in use by another run", path));
    NB_TRY(checkpoint_check_kind(path, &about, err));
done:
    return status;
}

enum nb_status nb_checkpoint_open(const char *path, const char *program,
                                  const struct nb_text *question,
                                  struct nb_checkpoint **out,
                                  struct nb_error *err)
{
    char digest[NB_DIGEST_TEXT];
    struct nb_text lines = { 0 };
    struct nb_checkpoint *checkpoint = NULL;
    enum nb_status status;
    nb_digest_bytes(question->bytes, question->length, digest);
    nb_text_print(&lines, CHECKPOINT_FORMAT "\n%s\n%s\n", program, digest);
    NB_TRY(nb_text_check(&lines, err));
    NB_TRY(nb_new(&checkpoint, 1, sizeof *checkpoint, "a checkpoint", err));
    checkpoint->file = -1;
    nb_digest_begin(&checkpoint->key);
    nb_digest_add(&checkpoint->key, lines.bytes, lines.length);
    NB_TRY(nb_new_copy(&checkpoint->path, path, "a checkpoint", err));
    NB_TRY(checkpoint_open(checkpoint, err));
    if (checkpoint->file >= 0)
        NB_TRY(checkpoint_begin(checkpoint, program, &lines, err));
    checkpoint->synced = nb_clock_now();
done:
    nb_text_release(&lines);
    if (status != NB_OK) {
        nb_checkpoint_close(checkpoint);
        checkpoint = NULL;
    }
    *out = checkpoint;
    return status;
}

void nb_checkpoint_tell(const struct nb_checkpoint *checkpoint,
                        struct nb_text *out)
{
    if (checkpoint->count == 0 && checkpoint->cut == 0)
        return;
    nb_text_print(out, "\"%.200s\" holds %zu finished part%s", checkpoint->path,
                  checkpoint->count, checkpoint->count == 1 ? "" : "s");
    if (checkpoint->cut > 0)
        nb_text_print(out,
                      "; the %jd bytes after them are incomplete or belong to "
                      "another question, and were discarded",
                      (intmax_t)checkpoint->cut);
    if (out->bytes != NULL)
        nb_utf8_make_plain(out->bytes);
    nb_text_print(out, "\n");
}

const char *nb_checkpoint_failure(const struct nb_checkpoint *checkpoint)
{
    return checkpoint->failed.status != NB_OK ? checkpoint->failed.message
                                              : NULL;
}

/* The digest is checked once more: the file may have changed meanwhile. */
bool nb_checkpoint_find(const struct nb_checkpoint *checkpoint, uint64_t loop,
                        uint64_t index, struct nb_text *out)
{
    const struct checkpoint_record wanted = { .loop = loop, .index = index };
    const struct checkpoint_record *found =
        checkpoint->count > 0
            ? bsearch(&wanted, checkpoint->records, checkpoint->count,
                      sizeof wanted, checkpoint_compare)
            : NULL;
    if (found == NULL)
        return false;
    const size_t length = (size_t)found->length;
    char *bytes = nb_new_array(length, 1);
    bool is_found =
        bytes != NULL && checkpoint_read(checkpoint, found->at, bytes, length);
    if (is_found) {
        struct nb_digest sum = checkpoint_sum(
            checkpoint, (const uint64_t[]){ loop, index, length });
        nb_digest_add(&sum, bytes, length);
        is_found =
            checkpoint_confirms(checkpoint, found->at + (off_t)length, &sum);
    }
    if (is_found)
        nb_text_add(out, bytes, length);
    nb_delete(bytes);
    return is_found && !out->has_failed;
}

void nb_checkpoint_sync(struct nb_checkpoint *checkpoint)
{
    struct stat about;
    if (checkpoint->failed.status != NB_OK || checkpoint->is_empty)
        return;
    checkpoint->synced = nb_clock_now();
    if (fdatasync(checkpoint->file) != 0 ||
        fstat(checkpoint->file, &about) != 0)
        checkpoint_lose(checkpoint, "write", errno);
    else if (about.st_nlink == 0 || about.st_size != checkpoint->end)
        nb_fail(&checkpoint->failed, NB_IO,
                "checkpoint \"%.200s\" was removed or changed during the run",
                checkpoint->path);
}

enum nb_status nb_checkpoint_add(struct nb_checkpoint *checkpoint,
                                 uint64_t loop, uint64_t index,
                                 const struct nb_text *result,
                                 struct nb_error *err)
{
    const uint64_t head[] = { loop, index, result->length };
    char digest[NB_DIGEST_TEXT];
    struct nb_text record = { 0 };
    enum nb_status status = NB_OK;
    if (checkpoint->failed.status != NB_OK)
        return NB_OK;
    struct nb_digest sum = checkpoint_sum(checkpoint, head);
    nb_digest_add(&sum, result->bytes, result->length);
    nb_digest_end(&sum, digest);
    nb_pack(&record, head, sizeof head);
    nb_pack(&record, result->bytes, result->length);
    nb_pack(&record, digest, NB_DIGEST_DIGITS);
    NB_TRY(nb_text_check(&record, err));
    checkpoint_append(checkpoint, &record);
    checkpoint->is_empty &= checkpoint->failed.status != NB_OK;
    if (nb_clock_now() - checkpoint->synced >= 1)
        nb_checkpoint_sync(checkpoint);
done:
    nb_text_release(&record);
    return status;
}

/* Removes a file without results; if the path is a link, empties it. */
static void checkpoint_remove(const struct nb_checkpoint *checkpoint)
{
    struct stat own, named;
    if (fstat(checkpoint->file, &own) == 0 &&
        lstat(checkpoint->path, &named) == 0 && own.st_dev == named.st_dev &&
        own.st_ino == named.st_ino && unlink(checkpoint->path) == 0)
        return;
    if (ftruncate(checkpoint->file, 0) != 0)
        return; /* its first lines stay, which do no harm */
}

void nb_checkpoint_close(struct nb_checkpoint *checkpoint)
{
    if (checkpoint == NULL)
        return;
    if (checkpoint->is_empty)
        checkpoint_remove(checkpoint);
    if (checkpoint->file >= 0)
        close(checkpoint->file);
    nb_delete(checkpoint->path);
    nb_delete(checkpoint->records);
    nb_delete(checkpoint);
}
