/* What the files of the adversary share (adversary.h). */
#ifndef NB_BOUNDS_ADVERSARY_WORK_H
#define NB_BOUNDS_ADVERSARY_WORK_H

#include "bounds/optimum/adversary.h"
#include "core/random.h"

/* Where a descent ended. Owns its arrays; zero-initialised is none. */
struct nb_adversary_end {
    size_t start; /* which descent */
    uint32_t *permutation;
    struct nb_best_flow flow;
};

/* What one thread works with. Owns its arrays, best included. */
struct nb_adversary_work {
    const struct nb_adversary_question *question;
    const struct nb_sides *sides; /* borrowed */
    struct nb_run run;            /* of one thread: descents share out the
                                   * threads */
    struct nb_adversary_end best; /* of the descents made */
    size_t evaluated;             /* linear programs solved */
    bool was_stopped;

    /* Of the descent under way. */
    struct nb_random random;
    double deadline; /* [s] on the monotonic clock; +inf: none */
    bool is_late;

    struct nb_path_search search;
    int64_t *length; /* [channel_count] for the next matching */
    int64_t *weight; /* [sides * sides] distances by the lengths last matched */
    int64_t *row, *column; /* [sides] its duals */
};

/* Errors: NB_NO_MEMORY. */
enum nb_status nb_adversary_work_init(struct nb_adversary_work *work,
                                      struct nb_error *err);
void nb_adversary_work_release(struct nb_adversary_work *work);

void nb_adversary_end_release(struct nb_adversary_end *end);

/* Exchanges the two if end is lower than best, or as low and begun before. */
void nb_adversary_keep(struct nb_adversary_end *best,
                       struct nb_adversary_end *end);

/* Descends from the start-th permutation until nothing falls or time is up,
 * and keeps the end in work->best. Errors: as nb_adversary_find. */
enum nb_status nb_adversary_descend(struct nb_adversary_work *work,
                                    size_t start, struct nb_error *err);

/*
 * The permutation of greatest total distance by given lengths; weight keeps
 * the distances, scaled down where their sum would not fit.
 *
 * length  [channel_count] each 0 .. 2^40
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_adversary_match(struct nb_adversary_work *work,
                                  const int64_t *length, uint32_t *permutation,
                                  struct nb_error *err);

/* The permutation that a descent, counted from 0, begins with. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_adversary_start(struct nb_adversary_work *work, size_t start,
                                  uint32_t *permutation, struct nb_error *err);

#endif
