/* Verify inputs: the files that a report names are those that it was made
 * from. */
#ifndef NB_ASK_VERIFY_INPUTS_H
#define NB_ASK_VERIFY_INPUTS_H

#include "ask/question.h"

/*
 * Checks that the model records exactly the files that answering it reads, each
 * with the digest of its present contents. A stranger's report must not make
 * the program read anything else: only regular files below the two folders are
 * read, whatever path or link leads elsewhere.
 *
 * folder  the report's; NULL: the working folder
 * inputs  NULL: none
 *
 * Errors: NB_REFUTED if a file is missing in the record, has no digest or is
 * not read; NB_INVALID if it must not be read or has changed; NB_IO.
 */
enum nb_status nb_verify_inputs(const struct nb_form *form,
                                struct nb_model *model, const char *folder,
                                const char *inputs, struct nb_error *err);

#endif
