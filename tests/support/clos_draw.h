/* Shapes of folded Clos networks, drawn at random. */
#ifndef NB_TESTS_SUPPORT_CLOS_DRAW_H
#define NB_TESTS_SUPPORT_CLOS_DRAW_H

#include "core/random.h"

/* A shape and its specification: struct nb_clos, but of few levels. */
struct clos_draw {
    uint32_t levels, down[4], up[4];
    char name[80];
};

/* With at most some hundred switches. */
struct clos_draw clos_draw_next(struct nb_random *random);

#endif
