/* Checks that the results of a search and of its check agree. */
#ifndef NB_TESTS_ENCLOSURE_CHECKS_H
#define NB_TESTS_ENCLOSURE_CHECKS_H

#include "optimum/path_class.h"
#include "core/enclosure.h"

/* a was found, b checked: equal, and neither negative nor reversed; name and
 * paths are for the message. */
void nb_must_be_same(const char *name, enum nb_paths paths,
                     struct nb_enclosure a, struct nb_enclosure b);

#endif
