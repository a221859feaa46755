/*
 * Fat tree: the k-ary n-tree. k^n terminals, k at each leaf switch, and n
 * levels of k^(n-1) switches. A switch of level l is joined with the k switches
 * of the level above whose words differ from its own at most in digit l (struct
 * nb_tree). The terminals' own channels have bandwidth 1. The groups are the
 * subtrees below the top level, unless these are leaves.
 * Source: [PetriniVanneschi1997]; [Singh2005, section 7.3].
 */
#include "topology/fit.h"

#include <inttypes.h>
#include <stdio.h>

/* k^exponent, which fits for all sizes that nb_topology_reserve permits. */
static uint32_t fattree_power(uint32_t k, uint32_t exponent)
{
    uint32_t power = 1;
    for (uint32_t i = 0; i < exponent; i++)
        power *= k;
    return power;
}

/* The word with digit d set, of place value place = k^d. */
static uint32_t fattree_set(uint32_t k, uint32_t word, uint32_t place,
                            uint32_t digit)
{
    return word - word / place % k * place + digit * place;
}

/* Makes the k channels from a switch to those of another level. */
static struct nb_channel *fattree_join(const struct nb_tree *tree,
                                       uint32_t router, uint32_t level,
                                       uint32_t place,
                                       struct nb_channel *channel)
{
    const uint32_t word = router % tree->words;
    for (uint32_t digit = 0; digit < tree->arity; digit++, channel++) {
        channel->source = router;
        channel->target =
            level * tree->words + fattree_set(tree->arity, word, place, digit);
    }
    return channel;
}

/* The subtrees of height 2 .. n - 1, nested, the highest of them as groups:
 * leaves that differ only in their lowest digits, with the switches up to the
 * level that changes the last of these digits. */
static enum nb_status fattree_divide(struct nb_topology *out,
                                     struct nb_error *err)
{
    const struct nb_tree *tree = &out->tree;
    if (tree->levels < 3)
        return NB_OK;
    out->nest.levels = tree->levels - 2;
    for (uint32_t i = 0; i < tree->levels - 2; i++)
        out->nest.size[i] = fattree_power(tree->arity, i + 1);
    const enum nb_status status = nb_groups_reserve(out, tree->arity, err);
    if (status != NB_OK)
        return status;
    const uint32_t roots = (tree->levels - 1) * tree->words;
    for (uint32_t r = 0; r < out->router_count; r++)
        out->groups.of[r] =
            r < roots ? r % tree->words / (tree->words / tree->arity) : NB_NONE;
    return NB_OK;
}

static enum nb_status
fattree_build(const struct nb_specification *specification,
              struct nb_topology *out, struct nb_error *err)
{
    const uint32_t k = (uint32_t)nb_specification_whole(specification, "k");
    const uint32_t n = (uint32_t)nb_specification_whole(specification, "n");
    double words = 1;
    for (uint32_t i = 1; i < n; i++)
        words *= k;
    const enum nb_status status =
        nb_topology_reserve(out, n * words, 2.0 * (n - 1) * k * words, err);
    if (status != NB_OK)
        return status;
    out->tree = (struct nb_tree){ n, k, (uint32_t)words };
    struct nb_channel *channel = out->channels;
    for (uint32_t r = 0; r < out->router_count; r++) {
        const uint32_t level = r / out->tree.words;
        out->terminals[r] = level == 0 ? k : 0;
        if (level > 0)
            channel = fattree_join(&out->tree, r, level - 1,
                                   fattree_power(k, level - 1), channel);
        if (level < n - 1)
            channel = fattree_join(&out->tree, r, level + 1,
                                   fattree_power(k, level), channel);
    }
    return fattree_divide(out, err);
}

static struct nb_closed_form
fattree_diameter(const struct nb_topology *topology)
{
    return (struct nb_closed_form){ { 2 * (topology->tree.levels - 1), 1 },
                                    "counting" };
}

/* Two hops for every level below the nearest common ancestor: level n-1-j is
 * below it for a share 1 - k^-j of all pairs, j = 1 .. n-1: 2 (n-1) - 2 (1 -
 * 1/words) / (k-1). */
static struct nb_closed_form
fattree_mean_distance(const struct nb_topology *topology)
{
    const struct nb_tree *tree = &topology->tree;
    const nb_int128 words = tree->words;
    const nb_int128 bottom = words * (tree->arity - 1);
    const nb_int128 top = (tree->levels - 1) * bottom - (words - 1);
    return (struct nb_closed_form){ nb_ratio_make(2 * top, bottom),
                                    "counting" };
}

/* A permutation between two halves is carried at rate 1 and crosses any cut
 * between them k^n times; half of the leaves, chosen by the highest digit, cut
 * half of the k channels each way below every root. Odd k: halves would divide
 * a leaf. */
static struct nb_closed_form
fattree_bisection(const struct nb_topology *topology)
{
    const struct nb_tree *tree = &topology->tree;
    if (tree->arity % 2 != 0)
        return (struct nb_closed_form){ { 0, 0 }, "" };
    return (struct nb_closed_form){ { (int64_t)tree->words * tree->arity, 1 },
                                    "PetriniVanneschi1997" };
}

/* The k terminals of a leaf send all except 1/words of their packets over its k
 * channels; split evenly, no channel further up carries more. */
static struct nb_closed_form
fattree_capacity(const struct nb_topology *topology)
{
    const int64_t words = topology->tree.words;
    return (struct nb_closed_form){ nb_ratio_make(words, words - 1),
                                    "counting" };
}

/* The least k for every n; n is the family. */
static enum nb_status fattree_search(struct nb_fit_search *search,
                                     struct nb_error *err)
{
    (void)err;
    for (uint32_t n = 2; n < NB_FIT_FAMILIES; n++) {
        uint64_t k = 2, words;
        for (;; k++) {
            words = 1;
            for (uint32_t i = 1; i < n && words < NB_NONE; i++)
                words *= k;
            if (words * k >= search->demand.terminals || words >= NB_NONE)
                break;
        }
        const uint64_t below_top = n > 2 ? words * k : 0;
        struct nb_fit fit = {
            .terminals = words * k,
            .routers = n * words,
            .switches = words,
            .group_switches = n > 2 ? words / k : 0,
            .local_links = (n - 1) * words * k - below_top,
            .global_links = below_top,
            .radix = (uint32_t)(2 * k),
            .diameter = 2 * (n - 1),
            .capacity = nb_ratio_one,
            .worst_case = nb_ratio_one,
        };
        snprintf(fit.specification, NB_FIT_TEXT,
                 "fattree:k=%" PRIu64 ",n=%" PRIu32, k, n);
        if (2 * (n - 1) * words * k < NB_NONE)
            nb_fit_offer(search, n, &fit);
    }
    return NB_OK;
}

/* One step in digit d of the words, at the levels up to d (even index) or above
 * d (odd): the channels between these two parts change that digit anyway. */
static unsigned fattree_symmetry(const struct nb_topology *topology,
                                 size_t index, uint32_t *router_map)
{
    const struct nb_tree *tree = &topology->tree;
    const uint32_t k = tree->arity, d = (uint32_t)(index / 2);
    if (index / 2 >= tree->levels - 1)
        return 0;
    const uint32_t place = fattree_power(k, d);
    for (uint32_t r = 0; r < topology->router_count; r++) {
        const uint32_t level = r / tree->words, word = r % tree->words;
        const bool moves = index % 2 == 0 ? level <= d : level > d;
        const uint32_t digit = (word / place + 1) % k;
        router_map[r] =
            moves ? r - word + fattree_set(k, word, place, digit) : r;
    }
    return NB_OTHER_SYMMETRY;
}

static const struct nb_parameter fattree_parameters[] = {
    NB_PARAMETER("k", WHOLE, NULL,
                 "terminals per leaf switch, and links up from each switch",
                 .least = 2, .most = 1e6),
    NB_PARAMETER("n", WHOLE, NULL, "levels of switches, at least 2", .least = 2,
                 .most = 31),
    { 0 },
};

const struct nb_topology_kind nb_topology_fattree = {
    .kind = { .name = "fattree",
              .summary = "k-ary n-tree: k^n terminals, n levels of switches",
              .detail = "Each level has k^(n-1) switches; terminals= is not "
                        "accepted.",
              .family = NB_FAMILY_TREES,
              .parameters = fattree_parameters },
    .examples = "fattree:k=2,n=2 fattree:k=2,n=3 fattree:k=3,n=2 "
                "fattree:k=4,n=2,bandwidth=2/3 fattree:k=2,n=3,bandwidth=1+2 "
                "fattree:k=3,n=3 "
                "fattree:k=2,n=4",
    .has_own_terminals = true,
    .has_levels = true,
    .build = fattree_build,
    .diameter = fattree_diameter,
    .mean_distance = fattree_mean_distance,
    .bisection = fattree_bisection,
    .capacity = fattree_capacity,
    .search = fattree_search,
    .symmetry = fattree_symmetry,
};
