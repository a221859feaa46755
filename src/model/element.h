/* Element: the options that have elements of their own in a model file. */
#ifndef NB_MODEL_ELEMENT_H
#define NB_MODEL_ELEMENT_H

#include <stdbool.h>

/* Their names, in the order of the file; ends with NULL. */
extern const char *const nb_model_elements[];

bool nb_model_has_element(const char *option);

#endif
