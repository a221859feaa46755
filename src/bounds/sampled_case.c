#include "bounds/sampled_case.h"

#include "bounds/sampled_work.h"
#include "core/memory.h"

void nb_sampled_case_release(struct nb_sampled_case *worst)
{
    nb_delete(worst->permutation);
    nb_sides_release(&worst->sides);
    *worst = (struct nb_sampled_case){ 0 };
}

enum nb_status nb_sampled_case_find(const struct nb_routing *routing,
                                    const struct nb_path_sample *sample,
                                    const struct nb_run *run,
                                    struct nb_sampled_case *out,
                                    struct nb_error *err)
{
    struct nb_focus focus = { 0 };
    struct nb_pair_sample pairs = { 0 };
    enum nb_status status = NB_OK;
    *out = (struct nb_sampled_case){ 0 };
    NB_TRY(nb_pair_sample_init(routing, sample, &pairs, err));
    NB_TRY(nb_sides_find(routing->topology, &out->sides, err));
    NB_TRY(nb_new(&out->permutation, out->sides.count, sizeof(uint32_t),
                  "permutation", err));
    NB_TRY(nb_focus_find(routing, &focus, err));
    NB_TRY(nb_sampled_search(&pairs, &focus, run, out, err));
    NB_TRY(nb_sampled_check(&pairs, run, out, err));
    /* The interval holds its estimate, even where chance put it outside. */
    if (out->share.upper < out->share.value)
        out->share.upper = out->share.value;
done:
    nb_focus_release(&focus);
    nb_pair_sample_release(&pairs);
    if (status != NB_OK)
        nb_sampled_case_release(out);
    return status;
}
