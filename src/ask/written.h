/* Written: the files that an answer is written to; none may be read. */
#ifndef NB_ASK_WRITTEN_H
#define NB_ASK_WRITTEN_H

#include "core/public.h"
#include "core/status.h"
#include "model/model.h"

enum { NB_MOST_WRITTEN = 7 };

struct nb_written {
    size_t count;
    struct nb_written_file {
        const char *option; /* without dashes; NULL: not from an option */
        const char *path;   /* NULL: standard output */
    } files[NB_MOST_WRITTEN];
};

NB_INTERNAL_BEGIN

/* Refuses a file that is read if it is one of these. Errors: NB_USAGE. */
enum nb_status nb_written_check(const struct nb_written *written,
                                const char *input, struct nb_error *err);

/* The same for the pinned inputs of a model. Errors: NB_USAGE. */
enum nb_status nb_written_check_model(const struct nb_written *written,
                                      const struct nb_model *model,
                                      struct nb_error *err);

/* Refuses two outputs of the same name, since the last would overwrite the
 * first. Errors: NB_USAGE. */
enum nb_status nb_written_check_apart(const struct nb_written *written,
                                      struct nb_error *err);

NB_INTERNAL_END

#endif
