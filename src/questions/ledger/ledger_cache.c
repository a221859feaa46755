/*
 * An entry: four lines (the format, the digests of the program and of the
 * question, and the digest of question, first three lines and answer), then the
 * answer. The program's digest names its folder, the question's the file.
 *
 * Others may write to the folders, too. So links are not followed, only regular
 * files are read, and only entries are replaced or removed.
 */
#include "questions/ledger/ledger_cache.h"

#include "core/memory.h"
#include "core/ranks.h"
#include "questions/ledger/published.h"
#include "report/point_pack.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CACHE_FORMAT "netbound ledger cache 1\n"

enum { CACHE_BYTES = 1 << 24 }; /* larger files are no entries */

bool nb_cache_is_for(const char *command)
{
    return strcmp(command, "simulate") == 0 ||
           strcmp(command, "permutations") == 0;
}

static bool cache_takes(const struct nb_cache *cache, const char *command)
{
    return cache->is_open && nb_cache_is_for(command);
}

/* The first three lines of an entry. */
static enum nb_status
cache_print_head(const char *program, const char *question, struct nb_text *out)
{
    nb_text_print(out, CACHE_FORMAT "%s\n%s\n", program, question);
    return nb_text_check(out, NULL);
}

/* Appends a file's bytes; false if it is no regular file of this user, or too
 * large. */
static bool cache_read(int folder, const char *name, struct nb_text *out)
{
    char block[65536];
    ssize_t got = 0;
    struct stat about;
    const int file =
        openat(folder, name,
               O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    bool is_read = file >= 0 && fstat(file, &about) == 0 &&
                   S_ISREG(about.st_mode) && about.st_uid == geteuid();
    while (is_read && (got = read(file, block, sizeof block)) > 0) {
        nb_text_add(out, block, (size_t)got);
        is_read = !out->has_failed && out->length <= CACHE_BYTES;
    }
    if (file >= 0)
        close(file);
    return is_read && got == 0;
}

/* The folder of that name, made if is_new; -1: not possible. */
static int cache_enter(int folder, const char *name, bool is_new)
{
    if (is_new)
        mkdirat(folder, name, 0700);
    return openat(folder, name,
                  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Whether a file's name begins with a digest, which is then copied. */
static bool cache_names(const char *name, char digest[NB_DIGEST_TEXT])
{
    snprintf(digest, NB_DIGEST_TEXT, "%.*s", NB_DIGEST_DIGITS, name);
    return strspn(digest, "0123456789abcdef") == NB_DIGEST_DIGITS;
}

/* Whether a file was written by a ledger, as its name and its first lines
 * show. */
static bool cache_is_entry(int folder, const char *program, const char *name)
{
    char question[NB_DIGEST_TEXT];
    struct nb_text head = { 0 }, text = { 0 };
    const bool is_entry =
        cache_names(name, question) && name[NB_DIGEST_DIGITS] == '.' &&
        cache_print_head(program, question, &head) == NB_OK &&
        cache_read(folder, name, &text) && text.length >= head.length &&
        memcmp(text.bytes, head.bytes, head.length) == 0;
    nb_text_release(&head);
    nb_text_release(&text);
    return is_entry;
}

/* Removes the entries of a program, and its folder if it is empty then. */
static void cache_clear_program(int folder, const char *program)
{
    const int inside = cache_enter(folder, program, false);
    DIR *entries = inside >= 0 ? fdopendir(inside) : NULL;
    const struct dirent *entry;
    while (entries != NULL && (entry = readdir(entries)) != NULL)
        if (cache_is_entry(inside, program, entry->d_name))
            unlinkat(inside, entry->d_name, 0);
    if (entries != NULL)
        closedir(entries);
    else if (inside >= 0)
        close(inside);
    if (inside >= 0)
        unlinkat(folder, program, AT_REMOVEDIR);
}

/* Removes the answers of other programs. */
static void cache_clear(int folder, const char *program)
{
    char other[NB_DIGEST_TEXT];
    const int copy = cache_enter(folder, ".", false);
    DIR *entries = copy >= 0 ? fdopendir(copy) : NULL;
    const struct dirent *entry;
    while (entries != NULL && (entry = readdir(entries)) != NULL)
        if (cache_names(entry->d_name, other) &&
            entry->d_name[NB_DIGEST_DIGITS] == '\0' &&
            strcmp(other, program) != 0)
            cache_clear_program(folder, other);
    if (entries != NULL)
        closedir(entries);
    else if (copy >= 0)
        close(copy);
}

/* The user's folder for caches, made if it is missing; -1: there is none. */
static enum nb_status cache_open_base(int *out, struct nb_error *err)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    struct nb_text path = { 0 };
    enum nb_status status;
    *out = -1;
    if (base != NULL && *base == '/') /* section 3: ignore others */
        nb_text_print(&path, "%s", base);
    else if (home != NULL && *home == '/')
        nb_text_print(&path, "%s/.cache", home);
    else
        return NB_OK;
    NB_TRY(nb_text_check(&path, err));
    mkdir(path.bytes, 0700);
    *out = open(path.bytes, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
done:
    nb_text_release(&path);
    return status;
}

enum nb_status nb_cache_open(bool is_fresh, struct nb_cache *out,
                             struct nb_error *err)
{
    int base, folder = -1;
    *out = (struct nb_cache){ .is_fresh = is_fresh };
    const enum nb_status status = cache_open_base(&base, err);
    if (base >= 0) {
        folder = cache_enter(base, "netbound", true);
        close(base);
    }
    if (folder < 0)
        return status;
    if (nb_digest_file(nb_program_path(), out->program, NULL) == NB_OK &&
        *out->program != '\0') {
        cache_clear(folder, out->program);
        out->folder = cache_enter(folder, out->program, true);
        out->is_open = out->folder >= 0;
    }
    close(folder);
    return status;
}

void nb_cache_close(struct nb_cache *cache)
{
    if (cache->is_open)
        close(cache->folder);
    *cache = (struct nb_cache){ 0 };
}

/* The name of a question's entry, its first three lines, and their digest with
 * the answer; the question itself is in the digest, not in the entry. */
struct cache_entry {
    char question[NB_DIGEST_TEXT], name[NB_DIGEST_TEXT + 8];
    char digest[NB_DIGEST_TEXT + 1]; /* with a line end */
    struct nb_text head;
};

static enum nb_status cache_name(const struct nb_cache *cache,
                                 const struct nb_text *question,
                                 struct cache_entry *out)
{
    nb_digest_bytes(question->bytes, question->length, out->question);
    snprintf(out->name, sizeof out->name, "%s.kept", out->question);
    return cache_print_head(cache->program, out->question, &out->head);
}

static void cache_seal(struct cache_entry *entry,
                       const struct nb_text *question, const char *answer,
                       size_t length)
{
    struct nb_digest sum;
    nb_digest_begin(&sum);
    nb_digest_add(&sum, question->bytes, question->length);
    nb_digest_add(&sum, entry->head.bytes, entry->head.length);
    nb_digest_add(&sum, answer, length);
    nb_digest_end(&sum, entry->digest);
    memcpy(entry->digest + NB_DIGEST_DIGITS, "\n", 2);
}

bool nb_cache_find(const struct nb_cache *cache, const struct nb_text *question,
                   const char *command, struct nb_point *out)
{
    struct cache_entry entry = { 0 };
    struct nb_text text = { 0 };
    enum nb_status status;
    if (!cache_takes(cache, command) || cache->is_fresh)
        return false;
    NB_TRY(cache_name(cache, question, &entry));
    const size_t head = entry.head.length, start = head + NB_DIGEST_TEXT;
    status = NB_INVALID;
    if (!cache_read(cache->folder, entry.name, &text) || text.length < start ||
        memcmp(text.bytes, entry.head.bytes, head) != 0)
        goto done;
    cache_seal(&entry, question, text.bytes + start, text.length - start);
    if (memcmp(text.bytes + head, entry.digest, NB_DIGEST_TEXT) != 0)
        goto done;
    struct nb_packed in = nb_packed_of(text.bytes + start, text.length - start);
    NB_TRY(nb_point_unpack(&in, out, NULL));
    status = nb_packed_check(&in, NULL);
done:
    if (status != NB_OK)
        nb_point_release(out);
    nb_text_release(&entry.head);
    nb_text_release(&text);
    return status == NB_OK;
}

/* Whether all bytes are in a new file of that name; otherwise there is none. */
static bool cache_write(int folder, const char *name,
                        const struct nb_text *text)
{
    const int file =
        openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    size_t done = 0;
    ssize_t wrote = 0;
    if (file < 0)
        return false;
    while (wrote >= 0 && done < text->length) {
        wrote = write(file, text->bytes + done, text->length - done);
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    const bool is_written = close(file) == 0 && done == text->length;
    if (!is_written)
        unlinkat(folder, name, 0);
    return is_written;
}

/* Gives a file its final name, unless something other than an entry has it. */
static void cache_publish(const struct nb_cache *cache, const char *draft,
                          const char *name)
{
    const int folder = cache->folder;
    if (cache_is_entry(folder, cache->program, name) &&
        renameat(folder, draft, folder, name) == 0)
        return;
    linkat(folder, draft, folder, name, 0); /* replaces nothing */
    unlinkat(folder, draft, 0);
}

void nb_cache_keep(const struct nb_cache *cache, const struct nb_text *question,
                   const char *command, const struct nb_point *point)
{
    struct cache_entry entry = { 0 };
    struct nb_text answer = { 0 }, text = { 0 };
    char draft[NB_DIGEST_TEXT + 24] = "";
    enum nb_status status;
    if (!cache_takes(cache, command) || !nb_ranks_is_first())
        return;
    NB_TRY(cache_name(cache, question, &entry));
    nb_point_pack(point, &answer);
    NB_TRY(nb_text_check(&answer, NULL));
    cache_seal(&entry, question, answer.bytes, answer.length);
    nb_text_add(&text, entry.head.bytes, entry.head.length);
    nb_text_add(&text, entry.digest, NB_DIGEST_TEXT);
    nb_text_add(&text, answer.bytes, answer.length);
    NB_TRY(nb_text_check(&text, NULL));
    snprintf(draft, sizeof draft, "%s.%ld", entry.question, (long)getpid());
    if (cache_write(cache->folder, draft, &text))
        cache_publish(cache, draft, entry.name);
done:
    nb_text_release(&entry.head);
    nb_text_release(&answer);
    nb_text_release(&text);
}
