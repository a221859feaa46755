/* Suggest: the name that an unknown name was probably meant to be. */
#ifndef NB_CORE_SUGGEST_H
#define NB_CORE_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

/* What was typed and the nearest of the names offered so far; initialise only
 * typed and length. The strings belong to the caller. */
struct nb_suggestion {
    const char *typed;
    size_t length;
    const char *name; /* NULL: none is near */
    size_t name_length;
    size_t distance;
    const char *longer; /* the only name that begins with typed */
    size_t longer_length;
    bool has_longer, has_several; /* such names */
    const char *ending; /* a name that ends in "_" and what was typed */
    size_t ending_length;
    bool is_known; /* typed is one of the names */
};

/*
 * Offers a name. It is near if it takes at most two slips (a character added,
 * left out or replaced, two neighbours exchanged) and at most one per three
 * characters, ignoring case, or if it is another word for what was typed (xy:
 * dor). Of equally near names the first wins. A name may be offered again.
 */
void nb_suggest(struct nb_suggestion *suggestion, const char *name,
                size_t length);

/* Offers every word of a list, split at the separator; NULL: none. */
void nb_suggest_words(struct nb_suggestion *suggestion, const char *list,
                      char separator);

enum { NB_SUGGESTED = 96 };
/* ": did you mean "NAME"?", with a mark such as "--" before the name. "" if
 * nothing near was offered, or the very name was: something else is wrong then.
 * If no name is near, the only name that begins with what was typed counts,
 * else one that ends in "_" and what was typed, "mean_" first. */
const char *nb_suggestion_print(const struct nb_suggestion *suggestion,
                                const char *mark, char out[NB_SUGGESTED]);

#endif
