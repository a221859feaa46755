/*
 * The file: three lines (what it is, the program, the digest of the question),
 * then a record per task: loop, index and length of the result as 64-bit
 * numbers, the result, and the digest of all these.
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

#define CHECKPOINT_KIND "netbound checkpoint 1\n"

enum { CHECKPOINT_HEAD = 3 * sizeof(uint64_t) };

/* Where a result is in the file. */
struct checkpoint_record {
    uint64_t loop, index, length;
    off_t at;
};

struct nb_checkpoint {
    int file;
    char *path;
    size_t count; /* records present when it was opened, sorted */
    struct checkpoint_record *records;
    off_t cut;     /* [byte] removed when it was opened, being incomplete */
    bool is_empty; /* belongs to this question and holds no result */
    double synced; /* [s] time of the last sync to the disk */
};

static enum nb_status checkpoint_fail(const struct nb_checkpoint *checkpoint,
                                      const char *what, struct nb_error *err)
{
    return nb_fail(err, NB_IO, "cannot %s checkpoint \"%.200s\": %s", what,
                   checkpoint->path, strerror(errno));
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

/* If the disk fills up, the next run cuts off the partial record. */
static enum nb_status checkpoint_append(struct nb_checkpoint *checkpoint,
                                        const struct nb_text *text,
                                        struct nb_error *err)
{
    for (size_t done = 0; done < text->length;) {
        const ssize_t wrote =
            write(checkpoint->file, text->bytes + done, text->length - done);
        if (wrote < 0 && errno != EINTR)
            return checkpoint_fail(checkpoint, "write", err);
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    return NB_OK;
}

static int checkpoint_compare(const void *left, const void *right)
{
    const struct checkpoint_record *a = left, *b = right;
    return a->loop != b->loop ? (a->loop > b->loop) - (a->loop < b->loop)
                              : (a->index > b->index) - (a->index < b->index);
}

/* The record at a place, ending at or before the file's end; false if it is
 * incomplete. */
static bool checkpoint_read_record(const struct nb_checkpoint *checkpoint,
                                   off_t at, off_t end,
                                   struct checkpoint_record *out)
{
    char digest[NB_DIGEST_TEXT], written[NB_DIGEST_TEXT] = "", block[65536];
    uint64_t head[3];
    struct nb_digest sum;
    if (end - at < CHECKPOINT_HEAD + NB_DIGEST_DIGITS ||
        !checkpoint_read(checkpoint, at, head, sizeof head) ||
        head[2] > (uint64_t)(end - at) - CHECKPOINT_HEAD - NB_DIGEST_DIGITS)
        return false;
    at += CHECKPOINT_HEAD;
    *out = (struct checkpoint_record){ head[0], head[1], head[2], at };
    nb_digest_begin(&sum);
    nb_digest_add(&sum, (const char *)head, sizeof head);
    for (uint64_t left = head[2]; left > 0;) {
        const size_t part = left < sizeof block ? (size_t)left : sizeof block;
        if (!checkpoint_read(checkpoint, at, block, part))
            return false;
        nb_digest_add(&sum, block, part);
        at += (off_t)part;
        left -= part;
    }
    nb_digest_end(&sum, digest);
    return checkpoint_read(checkpoint, at, written, NB_DIGEST_DIGITS) &&
           memcmp(digest, written, NB_DIGEST_DIGITS) == 0;
}

/* Finds all complete records and cuts off what follows them. */
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
    if (checkpoint->count > 0)
        qsort(checkpoint->records, checkpoint->count, sizeof record,
              checkpoint_compare);
    checkpoint->cut = end - at;
    if (at < end && ftruncate(checkpoint->file, at) != 0)
        NB_TRY(checkpoint_fail(checkpoint, "write", err));
done:
    return status;
}

/* Says why the file's first lines differ from those of this run. */
static enum nb_status checkpoint_refuse(const struct nb_checkpoint *checkpoint,
                                        const char *program, const char *lines,
                                        struct nb_error *err)
{
    static const char kind[] = CHECKPOINT_KIND;
    const size_t length = strlen(kind);
    if (strncmp(lines, kind, length) != 0)
        return nb_fail(err, NB_INVALID,
                       "\"%.200s\" is not a checkpoint (permitted: a new file, "
                       "or the checkpoint of this question)",
                       checkpoint->path);
    lines += length;
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

/* A file that ends within its first lines was only just created. */
static enum nb_status checkpoint_begin(struct nb_checkpoint *checkpoint,
                                       const char *program,
                                       const struct nb_text *lines,
                                       struct nb_error *err)
{
    char *there = NULL;
    struct stat about;
    enum nb_status status = NB_OK;
    if (fstat(checkpoint->file, &about) != 0)
        NB_TRY(checkpoint_fail(checkpoint, "read", err));
    const size_t size = about.st_size < (off_t)lines->length
                            ? (size_t)about.st_size
                            : lines->length;
    NB_TRY(nb_new(&there, size + 1, 1, "a checkpoint", err));
    if (!checkpoint_read(checkpoint, 0, there, size))
        NB_TRY(checkpoint_fail(checkpoint, "read", err));
    if (memcmp(there, lines->bytes, size) != 0)
        NB_TRY(checkpoint_refuse(checkpoint, program, there, err));
    if (size == lines->length) {
        NB_TRY(checkpoint_load(checkpoint, (off_t)size, about.st_size, err));
        checkpoint->is_empty = checkpoint->count == 0;
        goto done;
    }
    checkpoint->is_empty = true;
    if (ftruncate(checkpoint->file, 0) != 0)
        NB_TRY(checkpoint_fail(checkpoint, "write", err));
    NB_TRY(checkpoint_append(checkpoint, lines, err));
done:
    nb_delete(there);
    return status;
}

static enum nb_status checkpoint_lock(const struct nb_checkpoint *checkpoint,
                                      struct nb_error *err)
{
    struct stat about;
    if (checkpoint->file < 0 || fstat(checkpoint->file, &about) != 0)
        return checkpoint_fail(checkpoint, "open", err);
    if (!S_ISREG(about.st_mode))
        return nb_fail(err, NB_INVALID,
                       "checkpoint \"%.200s\" is not a file (permitted: a "
                       "regular file)",
                       checkpoint->path);
    const bool is_locked = flock(checkpoint->file, LOCK_EX | LOCK_NB) == 0;
    if (!is_locked && errno != EWOULDBLOCK)
        return checkpoint_fail(checkpoint, "lock", err);
    /* Another run may have removed it meanwhile. */
    if (!is_locked || fstat(checkpoint->file, &about) != 0 ||
        about.st_nlink == 0)
        return nb_fail(err, NB_IO,
                       "checkpoint \"%.200s\" is in use by another run",
                       checkpoint->path);
    return NB_OK;
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
    nb_text_print(&lines, CHECKPOINT_KIND "%s\n%s\n", program, digest);
    NB_TRY(nb_text_check(&lines, err));
    NB_TRY(nb_new(&checkpoint, 1, sizeof *checkpoint, "a checkpoint", err));
    checkpoint->file = -1;
    NB_TRY(nb_new_copy(&checkpoint->path, path, "a checkpoint", err));
    checkpoint->file =
        open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
    NB_TRY(checkpoint_lock(checkpoint, err));
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
        nb_text_print(out, "; %jd incomplete bytes after them were cut off",
                      (intmax_t)checkpoint->cut);
    if (out->bytes != NULL)
        nb_utf8_make_plain(out->bytes);
    nb_text_print(out, "\n");
}

bool nb_checkpoint_find(const struct nb_checkpoint *checkpoint, uint64_t loop,
                        uint64_t index, struct nb_text *out)
{
    const struct checkpoint_record wanted = { .loop = loop, .index = index };
    const struct checkpoint_record *found =
        checkpoint->count > 0
            ? bsearch(&wanted, checkpoint->records, checkpoint->count,
                      sizeof wanted, checkpoint_compare)
            : NULL;
    char *bytes = found != NULL ? nb_new_array((size_t)found->length, 1) : NULL;
    const bool is_read = bytes != NULL && checkpoint_read(checkpoint, found->at,
                                                          bytes, found->length);
    if (is_read)
        nb_text_add(out, bytes, (size_t)found->length);
    nb_delete(bytes);
    return is_read;
}

enum nb_status nb_checkpoint_add(struct nb_checkpoint *checkpoint,
                                 uint64_t loop, uint64_t index,
                                 const struct nb_text *result,
                                 struct nb_error *err)
{
    char digest[NB_DIGEST_TEXT];
    struct nb_text record = { 0 };
    enum nb_status status;
    nb_pack_whole(&record, loop);
    nb_pack_whole(&record, index);
    nb_pack_whole(&record, result->length);
    nb_pack(&record, result->bytes, result->length);
    NB_TRY(nb_text_check(&record, err));
    nb_digest_bytes(record.bytes, record.length, digest);
    nb_pack(&record, digest, NB_DIGEST_DIGITS);
    NB_TRY(nb_text_check(&record, err));
    NB_TRY(checkpoint_append(checkpoint, &record, err));
    checkpoint->is_empty = false;
    if (nb_clock_now() - checkpoint->synced >= 1) {
        if (fdatasync(checkpoint->file) != 0)
            NB_TRY(checkpoint_fail(checkpoint, "write", err));
        checkpoint->synced = nb_clock_now();
    }
done:
    nb_text_release(&record);
    return status;
}

void nb_checkpoint_close(struct nb_checkpoint *checkpoint)
{
    if (checkpoint == NULL)
        return;
    if (checkpoint->file >= 0) {
        if (checkpoint->is_empty)
            unlink(checkpoint->path);
        else
            fdatasync(checkpoint->file);
        close(checkpoint->file);
    }
    nb_delete(checkpoint->path);
    nb_delete(checkpoint->records);
    nb_delete(checkpoint);
}
