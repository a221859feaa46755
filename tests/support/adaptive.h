/* Adaptive: a network shown to an adaptive scheme, with queues chosen by the
 * test. */
#ifndef NB_TESTS_SUPPORT_ADAPTIVE_H
#define NB_TESTS_SUPPORT_ADAPTIVE_H

#include "problem.h"

enum { ADAPTIVE_CHANNELS = 1024, ADAPTIVE_STARTS = 16 };

/* Must stay in place: the view points to it. */
struct adaptive {
    struct problem problem;
    uint32_t queue[ADAPTIVE_CHANNELS];
    uint32_t waiting[ADAPTIVE_STARTS]; /* by start, of every pair */
    struct nb_view view;
};

/* A scheme that has costs and memory, on a network at rest; or fails the
 * test. */
void adaptive_open(struct adaptive *adaptive, const char *topology,
                   const char *routing);
void adaptive_close(struct adaptive *adaptive);

/* The queue of the channel that leaves a router of a grid. */
uint32_t *adaptive_queue_to(struct adaptive *adaptive, uint32_t router,
                            size_t dimension, bool is_plus);

/* The start that the network chooses, the first of the cheapest. chosen: out,
 * its index. */
struct nb_start adaptive_choose(const struct adaptive *adaptive,
                                uint32_t source, uint32_t destination,
                                size_t *chosen);

/* Whether that is the first start. */
bool adaptive_is_first(const struct adaptive *adaptive, uint32_t source,
                       uint32_t destination);

#endif
