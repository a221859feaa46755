#include "core/source.h"

#include "core/spool.h"
#include "core/text.h"
#include "core/try.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static enum nb_status source_fail(const struct nb_source *source,
                                  struct nb_error *err)
{
    return nb_fail(err, NB_IO, "cannot read \"%s\": %s", source->path,
                   strerror(errno));
}

enum nb_status nb_source_open(const char *path, bool is_read_again,
                              struct nb_source *out, struct nb_error *err)
{
    struct stat state;
    enum nb_status status = NB_OK;
    *out = (struct nb_source){ .path = nb_file_name(path),
                               .file = nb_file_open(path) };
    if (out->file == NULL || fstat(fileno(out->file), &state) != 0)
        NB_TRY(source_fail(out, err));
    if (S_ISDIR(state.st_mode))
        NB_TRY(nb_fail(err, NB_IO, "cannot read \"%s\": is a directory",
                       out->path));
    out->is_regular = S_ISREG(state.st_mode);
    if (out->is_regular && (out->start = ftello(out->file)) < 0)
        NB_TRY(source_fail(out, err));
    if (is_read_again && !out->is_regular)
        NB_TRY(nb_spool_open(NULL, &out->copy, err));
done:
    if (status != NB_OK)
        nb_source_close(out);
    return status;
}

size_t nb_source_size(const struct nb_source *source)
{
    struct stat state;
    return source->is_regular && fstat(fileno(source->file), &state) == 0 &&
                   state.st_size > source->start
               ? (size_t)(state.st_size - source->start)
               : 0;
}

enum nb_status nb_source_read(struct nb_source *source,
                              char bytes[NB_SOURCE_PIECE], size_t *count,
                              struct nb_error *err)
{
    *count = fread(bytes, 1, NB_SOURCE_PIECE, source->file);
    if (ferror(source->file))
        return source_fail(source, err);
    if (source->copy != NULL &&
        fwrite(bytes, 1, *count, source->copy) != *count)
        return nb_fail(err, NB_IO, "cannot keep a copy of \"%s\": %s",
                       source->path, strerror(errno));
    return NB_OK;
}

enum nb_status nb_source_rewind(struct nb_source *source, struct nb_error *err)
{
    if (source->copy != NULL) {
        fclose(source->file);
        source->file = source->copy;
        source->copy = NULL;
        source->start = 0;
    }
    return fseeko(source->file, source->start, SEEK_SET) == 0
               ? NB_OK
               : source_fail(source, err);
}

void nb_source_drain(struct nb_source *source)
{
    char bytes[NB_SOURCE_PIECE];
    while (!source->is_regular &&
           fread(bytes, 1, sizeof bytes, source->file) == sizeof bytes)
        continue;
}

void nb_source_close(struct nb_source *source)
{
    if (source->file != NULL)
        fclose(source->file);
    if (source->copy != NULL)
        fclose(source->copy);
    *source = (struct nb_source){ 0 };
}
