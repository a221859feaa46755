#include "core/pack.h"

#include "core/memory.h"

#include <string.h>

void nb_pack(struct nb_text *out, const void *values, size_t bytes)
{
    nb_text_add(out, values, bytes);
}

void nb_pack_whole(struct nb_text *out, uint64_t value)
{
    nb_pack(out, &value, sizeof value);
}

void nb_pack_string(struct nb_text *out, const char *text)
{
    const size_t size = text != NULL ? strlen(text) + 1 : 0;
    nb_pack_whole(out, size);
    nb_pack(out, text, size);
}

struct nb_packed nb_packed_of(const char *bytes, size_t length)
{
    return (struct nb_packed){ .at = bytes, .end = bytes + length };
}

void nb_unpack(struct nb_packed *in, void *values, size_t bytes)
{
    if (in->has_failed || (size_t)(in->end - in->at) < bytes) {
        in->has_failed = true;
        memset(values, 0, bytes);
    } else if (bytes > 0) {
        memcpy(values, in->at, bytes);
        in->at += bytes;
    }
}

uint64_t nb_unpack_whole(struct nb_packed *in)
{
    uint64_t value;
    nb_unpack(in, &value, sizeof value);
    return value;
}

size_t nb_unpack_count(struct nb_packed *in, size_t bytes)
{
    const uint64_t count = nb_unpack_whole(in);
    if (count <= (size_t)(in->end - in->at) / bytes)
        return (size_t)count;
    in->has_failed = true;
    return 0;
}

char *nb_unpack_string(struct nb_packed *in)
{
    const size_t size = nb_unpack_count(in, 1);
    if (size == 0)
        return NULL;
    char *text = nb_new_array(size, 1);
    if (text == NULL) {
        in->has_failed = in->lacks_memory = true;
        return NULL;
    }
    nb_unpack(in, text, size);
    text[size - 1] = '\0';
    return text;
}

void nb_pass(const struct nb_packing *packing, void *values, size_t bytes)
{
    if (packing->out != NULL)
        nb_pack(packing->out, values, bytes);
    else
        nb_unpack(packing->in, values, bytes);
}

uint64_t nb_pass_whole(const struct nb_packing *packing, uint64_t value)
{
    nb_pass(packing, &value, sizeof value);
    return value;
}

size_t nb_pass_count(const struct nb_packing *packing, size_t count,
                     size_t bytes)
{
    return packing->out != NULL ? nb_pass_whole(packing, count)
                                : nb_unpack_count(packing->in, bytes);
}

void nb_pass_string(const struct nb_packing *packing, char **text)
{
    if (packing->out != NULL)
        nb_pack_string(packing->out, *text);
    else
        *text = nb_unpack_string(packing->in);
}

enum nb_status nb_packed_refuse(struct nb_error *err)
{
    return nb_fail(err, NB_INVALID,
                   "a task's result does not belong to this "
                   "question");
}

enum nb_status nb_packed_check(const struct nb_packed *in, struct nb_error *err)
{
    if (in->lacks_memory)
        return nb_fail(err, NB_NO_MEMORY, "no memory for a task's result");
    return !in->has_failed && in->at == in->end ? NB_OK : nb_packed_refuse(err);
}
