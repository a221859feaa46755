/* The two halves of a sampled case (used by sampled_*.c alone). */
#ifndef NB_BOUNDS_SAMPLED_WORK_H
#define NB_BOUNDS_SAMPLED_WORK_H

#include "bounds/worst_case/sampled_case.h"
#include "load/focus.h"
#include "load/pair_estimates.h"

/*
 * From paths of all pairs: sets out's permutation, channel, load and
 * share.upper.
 *
 * out  sides set, permutation and load reserved
 *
 * Errors: as nb_pair_estimates_find.
 */
enum nb_status nb_sampled_search(struct nb_pair_sample *sample,
                                 const struct nb_focus *focus,
                                 const struct nb_run *run,
                                 struct nb_sampled_case *out,
                                 struct nb_error *err);

/* From check_paths others, of the permutation's pairs: sets out's share.value
 * and share.lower. Errors: as nb_path_tally_draw. */
enum nb_status nb_sampled_check(const struct nb_pair_sample *sample,
                                const struct nb_run *run,
                                struct nb_sampled_case *out,
                                struct nb_error *err);

#endif
