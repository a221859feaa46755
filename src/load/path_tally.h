/* Path tally: counts how often sampled paths of one pair cross channels. */
#ifndef NB_LOAD_PATH_TALLY_H
#define NB_LOAD_PATH_TALLY_H

#include "core/memory.h"
#include "routing/follow.h"

enum { NB_MOST_CROSSINGS = 2 };

/* How often the last path seen crossed something. */
struct nb_path_mark {
    uint64_t path; /* its number */
    uint32_t crossings;
};

/* Crossings of an orbit, summed over its channels. */
struct nb_path_cell {
    struct nb_path_mark mark;
    uint64_t sum;
    uint64_t squares; /* of each path's crossings */
    uint64_t cubes;
    uint32_t most; /* of one path */
};

/* Owns its arrays; zero-initialised is valid and empty. For one thread. */
struct nb_path_tally {
    struct nb_follow follow;
    struct nb_pool pool;
    unsigned most_crossings;
    uint64_t path;             /* drawn so far, for all pairs */
    struct nb_path_mark *mark; /* [channel] */
    const uint32_t *orbit;     /* [channel] a channel of its orbit; borrowed */
    struct nb_path_cell *cell; /* [channel] of the orbit that it represents */
    size_t touched_count;
    uint32_t *touched; /* channels whose cell is not 0 */
    /* Of the lengths of the pair's paths. */
    double hops;
    double hops_squared, hops_cubed;
    double longest;
};

/* Maximum bytes of one, for nb_memory_require. */
double nb_path_tally_bytes(const struct nb_routing *routing);

/*
 * orbit  [channel] the channel under which each is counted; NULL: itself
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_path_tally_init(const struct nb_routing *routing,
                                  const uint32_t *orbit,
                                  struct nb_path_tally *out,
                                  struct nb_error *err);
void nb_path_tally_release(struct nb_path_tally *tally);

/*
 * Replaces the tally by that of `paths` paths from source to destination, drawn
 * from the stream (seed, task).
 *
 * Errors: those of nb_follow_draw; NB_INVALID if a path crosses a channel more
 * often than the scheme can.
 */
enum nb_status nb_path_tally_draw(struct nb_path_tally *tally, uint32_t source,
                                  uint32_t destination, uint32_t paths,
                                  uint64_t seed, uint64_t task,
                                  struct nb_error *err);

/* The unbiased variance of count >= 2 numbers with this sum and sum of
 * squares. */
double nb_sample_variance(double sum, double squares, double count);

/* Their third central moment, unbiased; count >= 3. */
double nb_sample_third(double sum, double squares, double cubes, double count);

#endif
