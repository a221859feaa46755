/* Checkpoint: a file of a question's finished tasks, from which an interrupted
 * run is resumed. */
#ifndef NB_CORE_CHECKPOINT_H
#define NB_CORE_CHECKPOINT_H

#include "core/text.h"

struct nb_checkpoint;

/*
 * Opens or creates a file. An incomplete or changed record, or one of another
 * question, and all after it, are cut off. Only one run may have a file open.
 * A file that cannot be read or written is no error: see nb_checkpoint_failure.
 *
 * program   the version of the program
 * question  the whole question
 *
 * Errors: NB_INVALID naming the file if it belongs to another program or
 * question, is no checkpoint, or is no regular file; NB_IO if another run has
 * it open; NB_NO_MEMORY.
 */
enum nb_status nb_checkpoint_open(const char *path, const char *program,
                                  const struct nb_text *question,
                                  struct nb_checkpoint **out,
                                  struct nb_error *err);

/* Appends a line that describes what the file held when it was opened; nothing
 * for a new file. */
void nb_checkpoint_tell(const struct nb_checkpoint *checkpoint,
                        struct nb_text *out);

/*
 * The result of a task from an earlier run; false if there is none.
 *
 * loop, index  the task
 * out          the bytes are appended
 */
bool nb_checkpoint_find(const struct nb_checkpoint *checkpoint, uint64_t loop,
                        uint64_t index, struct nb_text *out);

/* Keeps the result of a task; it is on the disk within a second or so. Does
 * nothing after a failure. Errors: NB_NO_MEMORY. */
enum nb_status nb_checkpoint_add(struct nb_checkpoint *checkpoint,
                                 uint64_t loop, uint64_t index,
                                 const struct nb_text *result,
                                 struct nb_error *err);

/* Why results are no longer kept, from the first failure to read or write the
 * file; NULL: they are kept. */
const char *nb_checkpoint_failure(const struct nb_checkpoint *checkpoint);

/* Waits until all that was kept is on the disk; for the end of a run. */
void nb_checkpoint_sync(struct nb_checkpoint *checkpoint);

/* Removes the file if it holds no result. NULL is permitted. */
void nb_checkpoint_close(struct nb_checkpoint *checkpoint);

#endif
