/* Bounds for every minimal routing as tables (declared in
 * worst_case_tables.h). */
#include "questions/worst_case/worst_case_tables.h"

#include "bounds/worst_case/necessary_case.h"
#include "ask/table_read.h"
#include "core/memory.h"

const struct nb_table_kind nb_necessary_bounds = {
    .name = "bounds",
    .columns =
        NB_COLUMNS(NB_FOCUS_COLUMNS(struct nb_necessary_bound),
                   NB_FIELD(struct nb_necessary_bound, size, NB_UP_TO(sides))),
    .is_certificate = true
};

struct necessary_cover {
    uint32_t channel;
    bool is_destination;
    uint32_t side;
};
const struct nb_table_kind nb_necessary_covers = {
    .name = "covers",
    .columns = NB_COLUMNS(
        NB_FIELD(struct necessary_cover, channel, NB_BELOW(channels)),
        NB_FIELD(struct necessary_cover, is_destination, NB_AMONG(0, 1)),
        NB_FIELD(struct necessary_cover, side, NB_BELOW(sides))),
    .is_certificate = true
};

/* Adds the pairs of terminals of a pair of sides: the r-th sends to the r-th.
 * Terminals are numbered router by router, so those of side s are s p .. s p +
 * p-1. */
static void necessary_add_pairs(const struct nb_sides *sides, size_t source,
                                size_t destination, size_t table,
                                struct nb_point *out)
{
    const uint32_t p = sides->multiplicity;
    for (uint32_t t = 0; t < p; t++)
        NB_ROW(out, table, source * p + t, destination * p + t);
}

/* Adds the matching, and the remaining sides paired in their order. */
static void necessary_add_permutation(const struct nb_necessary_case *found,
                                      struct nb_point *out)
{
    const struct nb_sides *sides = &found->sides;
    bool *is_taken = NULL;
    size_t next = 0;
    const enum nb_status status =
        nb_new(&is_taken, sides->count, sizeof *is_taken, "permutation", NULL);
    const size_t table = nb_table_start(out, &nb_pairs_permutation);
    out->has_failed |= status != NB_OK;
    for (size_t s = 0; s < sides->count && status == NB_OK; s++)
        if (found->match[s] != NB_NONE)
            is_taken[found->match[s]] = true;
    for (size_t s = 0; s < sides->count && status == NB_OK; s++) {
        size_t destination = found->match[s];
        if (destination == NB_NONE) {
            while (is_taken[next])
                next++;
            destination = next++;
        }
        necessary_add_pairs(sides, s, destination, table, out);
    }
    nb_delete(is_taken);
}

void nb_necessary_add_tables(const struct nb_topology *topology,
                             const struct nb_necessary_case *found,
                             struct nb_point *out)
{
    const size_t n = found->sides.count;
    nb_table_add_worst(&nb_worst_load, topology,
                       found->bounds[found->worst].channel,
                       nb_ratio_make(found->load, 1), out);
    const size_t matching = nb_table_start(out, &nb_pairs_matching);
    for (size_t s = 0; s < n; s++)
        if (found->match[s] != NB_NONE)
            necessary_add_pairs(&found->sides, s, found->match[s], matching,
                                out);
    NB_WRITE_ROWS(out, &nb_necessary_bounds, found->bounds, found->bound_count);
    const size_t covers = nb_table_start(out, &nb_necessary_covers);
    for (size_t b = 0; b < found->bound_count; b++)
        for (size_t k = 0; k < found->bounds[b].cover_count; k++)
            NB_ROW(out, covers, found->bounds[b].channel,
                   found->bounds[b].cover[k] >= n,
                   found->bounds[b].cover[k] % n);
    necessary_add_permutation(found, out);
}

static void necessary_read_covers(struct nb_table_reader *in,
                                  struct nb_necessary_case *out)
{
    const uint32_t n = (uint32_t)out->sides.count;
    struct necessary_cover row;
    size_t b = 0;
    for (size_t i = 0; i < out->bound_count; i++)
        nb_read_new(in, &out->bounds[i].cover, out->bounds[i].size,
                    sizeof(uint32_t));
    while (nb_read_row(in, &nb_necessary_covers, &row)) {
        b = nb_bound_find(NB_BOUNDS(out), row.channel, b);
        if (b == SIZE_MAX || out->bounds[b].cover_count == out->bounds[b].size)
            nb_read_refute(in, NULL);
        else
            out->bounds[b].cover[out->bounds[b].cover_count++] =
                row.side + (row.is_destination ? n : 0);
    }
}

/* The matching of sides, from that of terminals. Only the first terminal of
 * each side is used; the other rows are compared when they are generated
 * again. */
static void necessary_read_matching(struct nb_table_reader *in,
                                    struct nb_necessary_case *out)
{
    const uint32_t p = out->sides.multiplicity;
    struct nb_pair_row pair;
    nb_read_new(in, &out->match, out->sides.count, sizeof *out->match);
    for (size_t s = 0; s < out->sides.count && in->status == NB_OK; s++)
        out->match[s] = NB_NONE;
    while (nb_read_row(in, &nb_pairs_matching, &pair)) {
        if (pair.source % p != 0)
            continue;
        if (out->match[pair.source / p] != NB_NONE)
            nb_read_refute(in, NULL);
        out->match[pair.source / p] = pair.destination / p;
    }
}

enum nb_status nb_necessary_read_tables(const struct nb_topology *topology,
                                        const struct nb_point *given,
                                        struct nb_necessary_case *out,
                                        struct nb_error *err)
{
    struct nb_table_reader in = nb_table_reader_make(given, topology, err);
    nb_read_sides(&in, &out->sides);
    nb_read_bounds(&in, &nb_necessary_bounds, &out->bounds, &out->bound_count,
                   sizeof *out->bounds);
    necessary_read_covers(&in, out);
    necessary_read_matching(&in, out);
    out->worst = nb_read_worst(&in, &nb_worst_load, NB_BOUNDS(out), NULL);
    return in.status;
}
