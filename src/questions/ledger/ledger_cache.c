#include "questions/ledger/ledger_cache.h"

#include "core/version.h"
#include "core/digest.h"
#include "core/memory.h"
#include "questions/ledger/published.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Whether a command's answers take long: commands that draw at random. */
static bool cache_takes(const char *command)
{
    return strcmp(command, "simulate") == 0 ||
           strcmp(command, "permutations") == 0;
}

static int cache_remove(const char *path, const struct stat *about, int type,
                        struct FTW *place)
{
    (void)about;
    (void)type;
    (void)place;
    remove(path);
    return 0;
}

/* Removes answers of other programs: entries named by another digest. */
static void cache_clear(const char *folder, const char *program)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        struct nb_text path = { 0 };
        const size_t digits = strspn(entry->d_name, "0123456789abcdef");
        const char *end = entry->d_name + digits;
        if (digits != NB_DIGEST_DIGITS || strcmp(entry->d_name, program) == 0 ||
            (*end != '\0' && strcmp(end, ".xml") != 0))
            continue;
        nb_text_print(&path, "%s/%s", folder, entry->d_name);
        if (nb_text_check(&path, NULL) == NB_OK)
            nftw(path.bytes, cache_remove, 8, FTW_DEPTH | FTW_PHYS);
        nb_text_release(&path);
    }
    if (entries != NULL)
        closedir(entries);
}

enum nb_status nb_cache_open(bool is_fresh, struct nb_cache *out,
                             struct nb_error *err)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char program[NB_DIGEST_TEXT];
    struct nb_text folder = { 0 };
    enum nb_status status = NB_OK;
    *out = (struct nb_cache){ .is_fresh = is_fresh };
    if (base != NULL && *base == '/') /* section 3: ignore others */
        nb_text_print(&folder, "%s", base);
    else if (home != NULL && *home == '/')
        nb_text_print(&folder, "%s/.cache", home);
    else
        return NB_OK;
    NB_TRY(nb_text_check(&folder, err));
    if (nb_digest_file(nb_program_path(), program, NULL) != NB_OK ||
        *program == '\0')
        goto done;
    mkdir(folder.bytes, 0700);
    nb_text_print(&folder, "/netbound");
    NB_TRY(nb_text_check(&folder, err));
    mkdir(folder.bytes, 0700);
    cache_clear(folder.bytes, program);
    nb_text_print(&folder, "/%s", program);
    NB_TRY(nb_text_check(&folder, err));
    mkdir(folder.bytes, 0700);
    out->folder = folder;
    return NB_OK;
done:
    nb_text_release(&folder);
    return status;
}

void nb_cache_close(struct nb_cache *cache)
{
    nb_text_release(&cache->folder);
}

/* Appends the path of the question's answer. */
static enum nb_status cache_path(const struct nb_cache *cache,
                                 const struct nb_text *question,
                                 struct nb_text *path)
{
    char digest[NB_DIGEST_TEXT];
    nb_digest_bytes(question->bytes, question->length, digest);
    nb_text_print(path, "%s/%s.xml", cache->folder.bytes, digest);
    return nb_text_check(path, NULL);
}

/* Whether a report answers the question. */
static bool cache_answers(const struct nb_report *report,
                          const struct nb_text *question)
{
    struct nb_text text = { 0 };
    nb_model_write(&report->model, false, 0, &text);
    const bool is_it = report->point_count == 1 && !text.has_failed &&
                       strcmp(text.bytes, question->bytes) == 0;
    nb_text_release(&text);
    return is_it;
}

bool nb_cache_find(const struct nb_cache *cache, const struct nb_text *question,
                   const char *command, struct nb_point *out)
{
    struct nb_text path = { 0 };
    struct nb_report report = { 0 };
    bool is_right = false;
    if (cache->folder.bytes == NULL || cache->is_fresh || !cache_takes(command))
        return false;
    const bool is_found =
        cache_path(cache, question, &path) == NB_OK &&
        nb_report_read_file(path.bytes, &report, &is_right, NULL) == NB_OK &&
        is_right && cache_answers(&report, question);
    if (is_found) {
        *out = report.points[0];
        report.points[0] = (struct nb_point){ 0 };
    }
    nb_report_release(&report);
    nb_text_release(&path);
    return is_found;
}

void nb_cache_keep(const struct nb_cache *cache, const struct nb_text *question,
                   struct nb_model *model, struct nb_point *point)
{
    char program[] = NB_PROGRAM;
    const struct nb_report report = {
        .model = *model, .program = program, .point_count = 1, .points = point
    };
    struct nb_text path = { 0 }, text = { 0 };
    enum nb_status status;
    if (cache->folder.bytes == NULL || !cache_takes(model->command))
        return;
    NB_TRY(cache_path(cache, question, &path));
    NB_TRY(nb_report_write(&report, NB_FORMAT_XML, NULL, &text, NULL));
    NB_TRY(nb_file_write(path.bytes, text.bytes, text.length, NULL));
done:
    nb_text_release(&path);
    nb_text_release(&text);
}
