/* Reading a model from an element of a file. For src/model and src/report. */
#ifndef NB_MODEL_READ_NODE_H
#define NB_MODEL_READ_NODE_H

#include "model/model.h"

#include <libxml/tree.h>

/* Reads a model as nb_model_read_file does, from an element <model>; folder may
 * be NULL (working folder). */
enum nb_status nb_model_read_node(xmlNodePtr element, const char *name,
                                  const char *folder, struct nb_model *out,
                                  struct nb_error *err);

#endif
