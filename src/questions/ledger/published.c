#include "questions/ledger/published.h"

#include "questions/ledger/published_line.h"
#include "core/memory.h"
#include "core/store.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PUBLISHED_BYTES = 1 << 24 };

enum nb_status nb_published_fail(const struct nb_published_row *row,
                                 enum nb_status status, const char *message,
                                 struct nb_error *err)
{
    return nb_fail(err, status == NB_NO_MEMORY ? NB_NO_MEMORY : NB_INVALID,
                   "\"%s\", line %zu: row %.60s: %s", row->file, row->line,
                   row->id, message);
}

/* Ids are unique, and cells within their table. */
static enum nb_status published_check_pair(const struct nb_line *line,
                                           const struct nb_published_row *first,
                                           const struct nb_published_row *row,
                                           struct nb_error *err)
{
    if (strcmp(first->id, row->id) == 0)
        return nb_lines_fail(&line->lines, NB_INVALID, err,
                             "id \"%.60s\" comes again (permitted: once)",
                             row->id);
    if (strcmp(first->cell, row->cell) == 0 &&
        strcmp(first->table, row->table) == 0 &&
        strcmp(first->source, row->source) == 0)
        return nb_lines_fail(&line->lines, NB_INVALID, err,
                             "cell \"%.60s\" of \"%.60s\" comes again "
                             "(permitted: once)",
                             row->cell, row->table);
    return NB_OK;
}

static enum nb_status published_add(const struct nb_line *line,
                                    struct nb_published *out,
                                    struct nb_error *err)
{
    struct nb_published_row row;
    enum nb_status status;
    NB_TRY(nb_line_read_row(line, &row, err));
    for (size_t i = 0; i < out->count; i++)
        NB_TRY(published_check_pair(line, &out->rows[i], &row, err));
    NB_TRY(nb_grow(&out->rows, out->count + 1, sizeof row, "rows", err));
    out->rows[out->count++] = row;
done:
    return status;
}

static enum nb_status published_read_file(const char *folder, const char *name,
                                          struct nb_published *out,
                                          struct nb_error *err)
{
    struct nb_text path = { 0 };
    struct nb_line line = { 0 };
    bool is_there;
    enum nb_status status;
    nb_text_print(&path, "%s/%s", folder, name);
    NB_TRY(nb_text_check(&path, err));
    NB_TRY(nb_grow(&out->files, out->file_count + 1, sizeof *out->files,
                   "files", err));
    struct nb_published_file *file = &out->files[out->file_count++];
    *file = (struct nb_published_file){ .path = path.bytes };
    path = (struct nb_text){ 0 };
    NB_TRY(nb_store_read(file->path, PUBLISHED_BYTES, &file->text, err));
    NB_TRY(nb_line_start(&line, file->path, &file->text, err));
    NB_TRY(nb_line_next(&line, &is_there, err));
    while (is_there) {
        NB_TRY(published_add(&line, out, err));
        NB_TRY(nb_line_next(&line, &is_there, err));
    }
done:
    nb_text_release(&path);
    return status;
}

static int published_is_csv(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && length > 4 &&
           strcmp(entry->d_name + length - 4, ".csv") == 0;
}

static int published_by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

enum nb_status nb_published_find(const char *folder, struct nb_text *out,
                                 struct nb_error *err)
{
    char program[4096];
    ssize_t length = -1;
    if (strcmp(folder, NB_PUBLISHED) == 0 && access(folder, F_OK) != 0)
        length = readlink("/proc/self/exe", program, sizeof program);
    for (int i = 0; i < 2 && length > 0; i++) /* two folders above */
        while (length > 0 && program[--length] != '/')
            ;
    if (length > 0) {
        nb_text_print(out, "%.*s/share/netbound/%s", (int)length, program,
                      folder);
        if (nb_text_check(out, NULL) == NB_OK && access(out->bytes, F_OK) != 0)
            nb_text_release(out);
    }
    if (out->bytes == NULL)
        nb_text_print(out, "%s", folder);
    return nb_text_check(out, err);
}

enum nb_status nb_published_read(const char *folder, struct nb_published *out,
                                 struct nb_error *err)
{
    struct dirent **entries = NULL;
    enum nb_status status = NB_OK;
    *out = (struct nb_published){ 0 };
    const int count =
        scandir(folder, &entries, published_is_csv, published_by_name);
    if (count < 0)
        return nb_fail(err, NB_IO,
                       "cannot read the published numbers in \"%.200s\": %s "
                       "(give their folder with --data DIR)",
                       folder, strerror(errno));
    if (count == 0)
        status = nb_fail(err, NB_INVALID,
                         "\"%.200s\" has no file *.csv (give the folder of "
                         "the published numbers with --data DIR)",
                         folder);
    for (int i = 0; i < count; i++) {
        if (status == NB_OK)
            status = published_read_file(folder, entries[i]->d_name, out, err);
        free(entries[i]);
    }
    free(entries);
    if (status != NB_OK)
        nb_published_release(out);
    return status;
}

void nb_published_release(struct nb_published *published)
{
    for (size_t i = 0; i < published->file_count; i++) {
        nb_delete(published->files[i].path);
        nb_text_release(&published->files[i].text);
    }
    nb_delete(published->files);
    nb_delete(published->rows);
    *published = (struct nb_published){ 0 };
}
