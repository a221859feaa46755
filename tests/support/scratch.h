/* Scratch: a folder for a test's files, and XML Schema validation. */
#ifndef NB_TESTS_SCRATCH_H
#define NB_TESTS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

enum { NB_SCRATCH_PATH = 400 };

/* A new empty folder below $TMPDIR or /tmp; its name in folder. */
bool nb_scratch_open(char folder[NB_SCRATCH_PATH]);
/* Removes the folder with its contents. */
void nb_scratch_close(const char *folder);

/* folder/name, in a buffer of the caller. */
const char *nb_scratch_path(const char *folder, const char *name,
                            char path[NB_SCRATCH_PATH]);
/* Replaces a file; ends the program if it cannot. */
void nb_scratch_write(const char *path, const char *bytes, size_t length);

/* Group fixtures: one such folder for a whole test program. */
int nb_scratch_setup(void **state);
int nb_scratch_teardown(void **state);
const char *nb_scratch_folder(void);
/* The path of a name in that folder, as in nb_scratch_path. */
const char *nb_scratch_name(const char *name, char path[NB_SCRATCH_PATH]);

/* Writes bytes to a new file below /tmp with this ending. */
enum { NB_SCRATCH_FILE = 64 };
void nb_scratch_file(char path[NB_SCRATCH_FILE], const char *ending,
                     const char *bytes);

enum { NB_SCRATCH_COMPLAINT = 400 };
/*
 * Whether bytes are valid against a schema, by libxml2.
 *
 * schema     a path as seen from the root of the repository
 * complaint  out: the first; may be NULL
 */
bool nb_schema_accepts(const char *schema, const char *bytes, size_t length,
                       char complaint[NB_SCRATCH_COMPLAINT]);

/* Copies the schemas in the program, which permit any option, to the folder of
 * the group; path: out, that of the schema of that name. */
void nb_schema_open(const char *name, char path[NB_SCRATCH_PATH]);

#endif
