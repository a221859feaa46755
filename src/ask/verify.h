/* Verify: re-checks a report without the solver that made it. */
#ifndef NB_ASK_VERIFY_H
#define NB_ASK_VERIFY_H

#include "core/public.h"
#include "ask/question.h"

NB_PUBLIC_BEGIN

/*
 * Checks a report's certificates against its model and rebuilds it from both;
 * it must be the same to the byte.
 *
 * run      how its numbers are computed; NULL: on all cores
 * inputs   only regular files below the report's folder and this one are read;
 *          files that are not where the report says are looked up there; NULL:
 *          none
 * written  files that must not be read, as in struct nb_question; may be NULL
 * said     what was checked, appended
 *
 * Errors: NB_IO and NB_INVALID as in nb_reader_open; NB_REFUTED, or a failure
 * to build the model's parts, with the file's name; NB_STOPPED.
 */
enum nb_status nb_verify_file(const char *path, const char *inputs,
                              const struct nb_run *run,
                              const struct nb_written *written,
                              struct nb_text *said, struct nb_error *err);
struct nb_report_reader;

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/* The same for a report that is not read yet; afterwards it is read to its
 * end. */
enum nb_status nb_verify_report(const char *path,
                                struct nb_report_reader *reader,
                                const char *inputs, const struct nb_run *run,
                                const struct nb_written *written,
                                struct nb_text *said, struct nb_error *err);

NB_INTERNAL_END

#endif
