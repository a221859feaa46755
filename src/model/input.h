/* Input: the files that a model's options and sweeps name as "file:PATH". */
#ifndef NB_MODEL_INPUT_H
#define NB_MODEL_INPUT_H

#include "model/model.h"

#include <libxml/tree.h>

/*
 * Records a file of the model. A path already recorded keeps its place.
 *
 * sha256  its digest; "" if unknown
 *
 * Errors: NB_NO_MEMORY; NB_INVALID if the path is recorded with another digest.
 */
enum nb_status nb_model_add_input(struct nb_model *model, const char *path,
                                  const char *sha256, struct nb_error *err);

/*
 * Passes to take, one after another, the files that options and sweeps name;
 * ends with the first failure.
 *
 * Errors: those of take; NB_INVALID for a path with a comma; NB_NO_MEMORY.
 */
enum nb_status nb_model_each_input(const struct nb_model *model,
                                   nb_model_take *take, void *context,
                                   struct nb_error *err);

/* An nb_model_take: records the file with its digest in a struct nb_model.
 * Errors: those of nb_digest_file and nb_model_add_input. */
enum nb_status nb_model_pin_input(void *model, const char *path,
                                  struct nb_error *err);

/*
 * Puts folder before every relative path of options, sweeps and inputs that
 * names an existing file there. A folder whose name has a comma is not used,
 * because specifications end a path at the comma.
 *
 * folder  without the slash at its end; NULL: nothing is done
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_model_resolve_inputs(struct nb_model *model,
                                       const char *folder,
                                       struct nb_error *err);

/* The same for settings of a point of a sweep; whole is the model that they
 * belong to. */
enum nb_status nb_model_resolve_settings(const struct nb_model *whole,
                                         struct nb_model_option *settings,
                                         size_t count, const char *folder,
                                         struct nb_error *err);

/* The same for an option whose value is a path; does nothing if it is not set.
 * Errors: NB_NO_MEMORY. */
enum nb_status nb_model_resolve_option(struct nb_model *model, const char *name,
                                       const char *folder,
                                       struct nb_error *err);

/* The same for comma-separated paths. Errors: NB_NO_MEMORY. */
enum nb_status nb_model_resolve_list(struct nb_model_option *option,
                                     const char *folder, struct nb_error *err);

/* Drops the files no longer named by any option or sweep. */
void nb_model_drop_inputs(struct nb_model *model);

/*
 * The folder part of a path, owned by the caller; NULL if it has none.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_model_find_folder(const char *path, char **folder,
                                    struct nb_error *err);

/* Reads a model from an element <model>, like nb_model_read_file; folder may be
 * NULL (working folder). */
enum nb_status nb_model_read_node(xmlNodePtr element, const char *name,
                                  const char *folder, struct nb_model *out,
                                  struct nb_error *err);

#endif
