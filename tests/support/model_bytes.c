#include "model_bytes.h"

#include "scratch.h"

enum nb_status model_read_bytes(const char *bytes, size_t length,
                                struct nb_model *out, struct nb_error *err)
{
    char path[NB_SCRATCH_PATH];
    nb_scratch_name("model.xml", path);
    nb_scratch_write(path, bytes, length);
    return nb_model_read_file(path, out, err);
}
