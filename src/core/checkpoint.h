/* Checkpoint: a file of a question's finished tasks, from which an interrupted
 * run is resumed. */
#ifndef NB_CORE_CHECKPOINT_H
#define NB_CORE_CHECKPOINT_H

#include "core/text.h"

struct nb_checkpoint;

/*
 * Opens or creates a file. An incomplete or damaged record, and all after it,
 * are cut off. Only one run may have a file open.
 *
 * program   the version of the program
 * question  the whole question
 *
 * Errors: NB_INVALID naming the file if it belongs to another program or
 * question, or is no checkpoint; NB_IO if it cannot be read or written, or
 * another run has it open; NB_NO_MEMORY.
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

/* Keeps the result of a task; it is on the disk within a second or so. Errors:
 * NB_IO naming the file. */
enum nb_status nb_checkpoint_add(struct nb_checkpoint *checkpoint,
                                 uint64_t loop, uint64_t index,
                                 const struct nb_text *result,
                                 struct nb_error *err);

/* Removes the file if it holds no result. NULL is permitted. */
void nb_checkpoint_close(struct nb_checkpoint *checkpoint);

#endif
