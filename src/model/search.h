/* Search: a model that asks for the value of an option at which a quantity of
 * its answer meets a condition. */
#ifndef NB_MODEL_SEARCH_H
#define NB_MODEL_SEARCH_H

#include "model/model.h"

enum {
    NB_FIND_WORD = 64, /* the longest name, with its NUL */
    NB_FIND_FOUND = NB_FIND_WORD + 8
};

/* The options that make a model a search, and the table of its trials. */
#define NB_FIND_NAME   "find"
#define NB_FIND_WHERE  "where"
#define NB_FIND_WITHIN "within"
#define NB_FIND_TRIALS "trials"

/* Whether an option is one of the three. */
bool nb_find_is_part(const char *option);

/* Whether the model is a search rather than giving all values. */
bool nb_model_is_search(const struct nb_model *model);

/* Whether the search is for the value of this option or parameter. */
bool nb_find_is_of(const struct nb_model *model, const char *name,
                   size_t length);

/* Whether a quantity of the answer is the value found. */
bool nb_find_is_found(const struct nb_model *model, const char *quantity);

/* The name of that quantity: parts_like_this, with the prefix found_ if the
 * question has a quantity of that name. name: may be followed by a range */
void nb_find_name(const char *name, bool is_taken, char out[NB_FIND_FOUND]);

/* Sets the option to the value found. Errors: those of nb_model_put. */
enum nb_status nb_find_put(struct nb_model *model, double value,
                           struct nb_error *err);

#endif
