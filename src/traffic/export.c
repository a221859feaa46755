#include "traffic/export.h"

#include "core/try.h"
#include "traffic/matrix.h"

#include <inttypes.h>

static void export_pairs(struct nb_text *text, const char *header, size_t count,
                         const uint32_t *destination, char separator)
{
    nb_text_print(text, "%s", header);
    for (size_t i = 0; i < count; i++)
        if (destination[i] != NB_NONE)
            nb_text_print(text, "%zu%c%" PRIu32 "\n", i, separator,
                          destination[i]);
}

static void export_matrix(struct nb_text *text, size_t count,
                          const uint32_t *destination)
{
    nb_text_print(text, "{\"size\": %zu,\n\"matrix\": [\n", count);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            nb_text_add(text, j > 0 ? "," : "[", 1);
            nb_text_add(text, destination[i] == j ? "1" : "0", 1);
        }
        nb_text_print(text, "]%s\n", i + 1 < count ? "," : "");
    }
    nb_text_print(text, "]}\n");
}

enum nb_status nb_export_format(const char *path, const char *what,
                                enum nb_matrix_format *out,
                                struct nb_error *err)
{
    *out = nb_matrix_format_find(path);
    if (*out == NB_MATRIX_UNKNOWN)
        return nb_fail(err, NB_INVALID,
                       "the ending of \"%s\" names no format for %s "
                       "(permitted: %s)",
                       path, what, nb_matrix_endings);
    return NB_OK;
}

enum nb_status nb_permutation_accepts(const char *path, struct nb_error *err)
{
    enum nb_matrix_format format;
    return nb_export_format(path, "permutations", &format, err);
}

enum nb_status nb_traffic_accepts(const char *path, struct nb_error *err)
{
    enum nb_matrix_format format;
    return nb_export_format(path, "traffic matrices", &format, err);
}

static enum nb_status export_check(enum nb_matrix_format format, size_t count,
                                   const uint32_t *destination,
                                   struct nb_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (destination[i] != NB_NONE && destination[i] >= count)
            return nb_fail(err, NB_INVALID,
                           "terminal %zu sends to terminal %" PRIu32
                           " (permitted: 0 to %zu)",
                           i, destination[i], count - 1);
    if (format == NB_MATRIX_JSON &&
        2 * (double)count * ((double)count + 2) > NB_MATRIX_BYTES)
        return nb_fail(err, NB_INVALID,
                       "a JSON matrix of %zu terminals has more than %d bytes; "
                       "other formats do not (permitted: %s)",
                       count, NB_MATRIX_BYTES, nb_matrix_endings);
    return NB_OK;
}

enum nb_status nb_permutation_write(const char *path, size_t count,
                                    const uint32_t *destination,
                                    struct nb_error *err)
{
    struct nb_text text = { 0 };
    enum nb_matrix_format format;
    enum nb_status status;
    NB_TRY(nb_export_format(path, "permutations", &format, err));
    NB_TRY(export_check(format, count, destination, err));
    switch (format) {
    case NB_MATRIX_JSON:
        export_matrix(&text, count, destination);
        break;
    case NB_MATRIX_NOXIM:
        export_pairs(&text, "% source destination\n", count, destination, ' ');
        break;
    case NB_MATRIX_CSV:
    case NB_MATRIX_UNKNOWN: /* refused above */
        export_pairs(&text, "source,destination\n", count, destination, ',');
        break;
    }
    NB_TRY(nb_text_check(&text, err));
    NB_TRY(nb_file_write(path, text.bytes, text.length, err));
done:
    nb_text_release(&text);
    return status;
}
