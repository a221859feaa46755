/* Grammar of specifications: "kind:value,key=value", and lists of them. All
 * that read them, with a registry or without, take them apart here. */
#ifndef NB_CORE_GRAMMAR_H
#define NB_CORE_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A part of a text, which is not copied. */
struct nb_slice {
    const char *at;
    size_t length;
};

static inline struct nb_slice nb_slice_of(const char *text)
{
    return (struct nb_slice){ text, strlen(text) };
}

static inline bool nb_slice_is(struct nb_slice slice, const char *text)
{
    return strlen(text) == slice.length &&
           strncmp(text, slice.at, slice.length) == 0;
}

/* What precedes a character; the whole slice if it does not occur. */
static inline struct nb_slice nb_slice_before(struct nb_slice slice,
                                              char character)
{
    const char *end = memchr(slice.at, character, slice.length);
    if (end != NULL)
        slice.length = (size_t)(end - slice.at);
    return slice;
}

/* What follows the first characters and the one after them, which
 * separates them from the rest; at NULL: nothing does. */
static inline struct nb_slice nb_slice_after(struct nb_slice slice,
                                             size_t length)
{
    if (length == slice.length)
        return (struct nb_slice){ NULL, 0 };
    return (struct nb_slice){ slice.at + length + 1,
                              slice.length - length - 1 };
}

/* The first value of a list. A comma before KEY= belongs to a specification
 * that has begun: fattree:k=4,n=3 is one value. */
static inline struct nb_slice nb_list_first(const char *list)
{
    static const char key[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
    size_t length = strcspn(list, ",");
    const bool has_begun = memchr(list, ':', length) != NULL;
    while (has_begun && list[length] == ',') {
        const char *next = list + length + 1;
        const size_t name = strspn(next, key);
        if (name == 0 || next[name] != '=')
            break;
        length += 1 + strcspn(next, ",");
    }
    return (struct nb_slice){ list, length };
}

/* The kind that a specification names. */
static inline struct nb_slice nb_specification_kind(struct nb_slice text)
{
    return nb_slice_before(text, ':');
}

/* One of its parameters. */
struct nb_part {
    struct nb_slice all;
    struct nb_slice key; /* empty: none is written */
    struct nb_slice value;
};

/* The next part of what follows the kind; false past the last. rest: in and
 * out; at first nb_slice_after the kind. */
static inline bool nb_part_next(struct nb_slice *rest, struct nb_part *out)
{
    if (rest->at == NULL)
        return false;
    out->all = nb_slice_before(*rest, ',');
    out->key = nb_slice_before(out->all, '=');
    out->value = nb_slice_after(out->all, out->key.length);
    if (out->key.length == out->all.length) {
        out->value = out->all;
        out->key.length = 0;
    }
    *rest = nb_slice_after(*rest, out->all.length);
    return true;
}

#endif
