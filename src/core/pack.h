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

/* Where values go or, if that is NULL, come from: one function then describes
 * what is packed, for both ways. */
struct nb_packing {
    struct nb_text *out;
    struct nb_packed *in;
};

void nb_pass(const struct nb_packing *packing, void *values, size_t bytes);
/* Returns the value that is packed or was unpacked. */
uint64_t nb_pass_whole(const struct nb_packing *packing, uint64_t value);
/* The same for the number of elements that follow, as nb_unpack_count. */
size_t nb_pass_count(const struct nb_packing *packing, size_t count,
                     size_t bytes);
void nb_pass_string(const struct nb_packing *packing, char **text);

/* NB_INVALID: the bytes cannot be a result of this question. */
enum nb_status nb_packed_refuse(struct nb_error *err);
/* Errors: NB_NO_MEMORY; NB_INVALID if something was missing, or bytes are
 * left. */
enum nb_status nb_packed_check(const struct nb_packed *in,
                               struct nb_error *err);

#endif
