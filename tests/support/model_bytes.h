/* Model files from bytes in a test. */
#ifndef NB_TESTS_SUPPORT_MODEL_BYTES_H
#define NB_TESTS_SUPPORT_MODEL_BYTES_H

#include "model/model.h"

#include <stddef.h>

#define MODEL_HEAD                                                             \
    "<?xml version=\"1.0\"?>\n<model xmlns=\"urn:netbound:1\" version=\"1\" "  \
    "command=\"load\">\n"

/* Reads bytes as the file model.xml of the scratch folder of the group. */
enum nb_status model_read_bytes(const char *bytes, size_t length,
                                struct nb_model *out, struct nb_error *err);

#endif
