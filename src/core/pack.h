/* Pack: values as bytes, for another process of this program or a later run, on
 * machines of the same kind. */
#ifndef NB_CORE_PACK_H
#define NB_CORE_PACK_H

#include "core/text.h"

void nb_pack(struct nb_text *out, const void *values, size_t bytes);
void nb_pack_whole(struct nb_text *out, uint64_t value);
/* NULL and "" are kept distinct */
void nb_pack_string(struct nb_text *out, const char *text);

/* Reads what was packed, in the same order. Missing values read as zeros and
 * set has_failed. */
struct nb_packed {
    const char *at, *end;
    bool has_failed;
    bool lacks_memory; /* it failed because memory ran out */
};

struct nb_packed nb_packed_of(const char *bytes, size_t length);
void nb_unpack(struct nb_packed *in, void *values, size_t bytes);
uint64_t nb_unpack_whole(struct nb_packed *in);
/* Reads the number of elements that follow, each of at least that many bytes; 0
 * if the rest is too short for them. */
size_t nb_unpack_count(struct nb_packed *in, size_t bytes);
/* A new string, or NULL; free it by nb_delete. */
char *nb_unpack_string(struct nb_packed *in);

/* NB_INVALID: the bytes cannot be a result of this question. */
enum nb_status nb_packed_refuse(struct nb_error *err);
/* Errors: NB_NO_MEMORY; NB_INVALID if something was missing, or bytes are
 * left. */
enum nb_status nb_packed_check(const struct nb_packed *in,
                               struct nb_error *err);

#endif
