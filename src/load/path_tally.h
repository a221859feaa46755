/* Path tally: how often sampled paths of one pair cross each channel. */
#ifndef NB_LOAD_PATH_TALLY_H
#define NB_LOAD_PATH_TALLY_H

#include "routing/follow.h"

enum { NB_MOST_CROSSINGS = 2 };

/* count[m]: paths that cross the channel more than m times. */
struct nb_path_cell {
    uint32_t count[NB_MOST_CROSSINGS];
    uint32_t crossings; /* of the path last seen here */
    uint64_t path;      /* its number */
};

/* Owns its arrays; zero-initialised is valid and empty. One thread's. */
struct nb_path_tally {
    struct nb_follow follow;
    unsigned most_crossings;
    uint64_t path;             /* drawn so far, of all pairs */
    struct nb_path_cell *cell; /* [channel] */
    size_t touched_count;
    uint32_t *touched; /* channels whose cell is not 0 */
    /* Of the lengths of the pair's paths. */
    double hops;
    double hops_squared;
};

/* What one takes at most, for nb_memory_require. */
double nb_path_tally_bytes(const struct nb_routing *routing);

/* Errors: NB_NO_MEMORY. */
enum nb_status nb_path_tally_init(const struct nb_routing *routing,
                                  struct nb_path_tally *out,
                                  struct nb_error *err);
void nb_path_tally_release(struct nb_path_tally *tally);

/*
 * Replaces the tally by that of so many paths from source to destination,
 * drawn from the stream (seed, task).
 *
 * Errors: as nb_follow_draw; NB_INVALID if a path crosses a channel more often
 * than the scheme can.
 */
enum nb_status nb_path_tally_draw(struct nb_path_tally *tally, uint32_t source,
                                  uint32_t destination, uint32_t paths,
                                  uint64_t seed, uint64_t task,
                                  struct nb_error *err);

/* Crossings of a channel by all paths, and the sum of squares of each path's.
 */
uint64_t nb_path_cell_sum(const struct nb_path_cell *cell);
uint64_t nb_path_cell_squares(const struct nb_path_cell *cell);

/* The unbiased variance of numbers with this sum and sum of squares, of which
 * there are count >= 2. */
double nb_sample_variance(double sum, double squares, double count);

#endif
