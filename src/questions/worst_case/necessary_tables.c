/* Bounds for every minimal routing as tables (declared in
 * worst_case_tables.h). */
#include "questions/worst_case/worst_case_tables.h"

#include "questions/table_read.h"
#include "core/memory.h"

#define NECESSARY_BOUNDS "channel,source,target,orbit_size,size"
enum {
    BOUNDS_CHANNEL,
    BOUNDS_SOURCE,
    BOUNDS_TARGET,
    BOUNDS_ORBIT,
    BOUNDS_SIZE,
    BOUNDS_WIDTH,
};

#define NECESSARY_COVERS "channel,is_destination,side"
enum { COVERS_CHANNEL, COVERS_IS_DESTINATION, COVERS_SIDE, COVERS_WIDTH };

/* Of permutation and matching. Terminals are numbered router by router, so
 * those of side s are s p .. s p + p-1. */
#define NECESSARY_PAIRS "source,destination"
enum { PAIRS_SOURCE, PAIRS_DESTINATION, PAIRS_WIDTH };

/* The pairs of terminals of a pair of sides: the r-th sends to the r-th. */
static void necessary_add_pairs(const struct nb_sides *sides, size_t source,
                                size_t destination, size_t table,
                                struct nb_point *out)
{
    for (uint32_t t = 0; t < sides->multiplicity; t++) {
        nb_table_add_whole(out, table,
                           (int64_t)source * sides->multiplicity + t);
        nb_table_add_whole(out, table,
                           (int64_t)destination * sides->multiplicity + t);
    }
}

/* The matching, and the other sides paired in their order. */
static void necessary_add_permutation(const struct nb_necessary_case *found,
                                      struct nb_point *out)
{
    const struct nb_sides *sides = &found->sides;
    bool *is_taken = NULL;
    size_t next = 0;
    const enum nb_status status =
        nb_new(&is_taken, sides->count, sizeof *is_taken, "permutation", NULL);
    const size_t table =
        nb_point_add_table(out, "permutation", true, NECESSARY_PAIRS);
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

static void necessary_add_bounds(const struct nb_topology *topology,
                                 const struct nb_necessary_case *found,
                                 struct nb_point *out)
{
    const size_t n = found->sides.count;
    const size_t bounds =
        nb_point_add_table(out, "bounds", true, NECESSARY_BOUNDS);
    for (size_t b = 0; b < found->bound_count; b++) {
        const struct nb_necessary_bound *bound = &found->bounds[b];
        const struct nb_channel *channel = &topology->channels[bound->channel];
        nb_table_add_whole(out, bounds, bound->channel);
        nb_table_add_whole(out, bounds, channel->source);
        nb_table_add_whole(out, bounds, channel->target);
        nb_table_add_whole(out, bounds, bound->orbit_size);
        nb_table_add_whole(out, bounds, (int64_t)bound->size);
    }
    const size_t covers =
        nb_point_add_table(out, "covers", true, NECESSARY_COVERS);
    for (size_t b = 0; b < found->bound_count; b++) {
        const struct nb_necessary_bound *bound = &found->bounds[b];
        for (size_t k = 0; k < bound->cover_count; k++) {
            const bool is_destination = bound->cover[k] >= n;
            nb_table_add_whole(out, covers, bound->channel);
            nb_table_add_whole(out, covers, is_destination);
            nb_table_add_whole(
                out, covers,
                (int64_t)(bound->cover[k] - (is_destination ? n : 0)));
        }
    }
}

void nb_necessary_add_tables(const struct nb_topology *topology,
                             const struct nb_necessary_case *found,
                             struct nb_point *out)
{
    nb_table_add_worst(out, NB_WORST_HEADER "load:ratio [packets/cycle]",
                       topology, found->bounds[found->worst].channel,
                       nb_ratio_make(found->load, 1));
    const size_t matching =
        nb_point_add_table(out, "matching", true, NECESSARY_PAIRS);
    for (size_t s = 0; s < found->sides.count; s++)
        if (found->match[s] != NB_NONE)
            necessary_add_pairs(&found->sides, s, found->match[s], matching,
                                out);
    necessary_add_bounds(topology, found, out);
    necessary_add_permutation(found, out);
}

static enum nb_status necessary_read_bounds(const struct nb_topology *topology,
                                            const struct nb_table *table,
                                            struct nb_necessary_case *out,
                                            struct nb_error *err)
{
    const int64_t channels = (int64_t)topology->channel_count;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&out->bounds, table->row_count, sizeof *out->bounds, "bounds",
                  err));
    out->bound_count = table->row_count;
    for (size_t b = 0; b < table->row_count; b++) {
        const int64_t channel =
            nb_table_whole(table, b, BOUNDS_CHANNEL, channels - 1);
        const int64_t orbit = nb_table_whole(table, b, BOUNDS_ORBIT, channels);
        const int64_t size =
            nb_table_whole(table, b, BOUNDS_SIZE, (int64_t)out->sides.count);
        if (channel < 0 || orbit < 0 || size < 0)
            return nb_table_bad_row(table->name, b, err);
        out->bounds[b] = (struct nb_necessary_bound){
            .channel = (uint32_t)channel,
            .orbit_size = (uint32_t)orbit,
            .size = (size_t)size,
        };
        NB_TRY(nb_new(&out->bounds[b].cover, (size_t)size, sizeof(uint32_t),
                      "cover", err));
    }
done:
    return status;
}

static enum nb_status necessary_read_covers(const struct nb_point *given,
                                            const struct nb_table *bounds,
                                            struct nb_necessary_case *out,
                                            struct nb_error *err)
{
    const struct nb_table *table =
        nb_table_find(given, "covers", COVERS_WIDTH, err);
    const size_t n = out->sides.count;
    size_t b = 0;
    if (table == NULL)
        return NB_REFUTED;
    for (size_t r = 0; r < table->row_count; r++) {
        b = nb_table_find_row(
            bounds, BOUNDS_CHANNEL,
            nb_table_whole(table, r, COVERS_CHANNEL, UINT32_MAX), b);
        const int64_t is_destination =
            nb_table_whole(table, r, COVERS_IS_DESTINATION, 1);
        const int64_t side =
            nb_table_whole(table, r, COVERS_SIDE, (int64_t)n - 1);
        if (b == SIZE_MAX || is_destination < 0 || side < 0 ||
            out->bounds[b].cover_count == out->bounds[b].size)
            return nb_table_bad_row(table->name, r, err);
        out->bounds[b].cover[out->bounds[b].cover_count++] =
            (uint32_t)((is_destination == 1 ? n : 0) + (size_t)side);
    }
    return NB_OK;
}

/* The sides' matching from the terminals': the first terminal of a side tells
 * of all of them; the other rows are compared when they are built anew. */
static enum nb_status necessary_read_matching(const struct nb_point *given,
                                              struct nb_necessary_case *out,
                                              struct nb_error *err)
{
    const struct nb_table *table =
        nb_table_find(given, "matching", PAIRS_WIDTH, err);
    const int64_t p = out->sides.multiplicity;
    const int64_t last = (int64_t)out->sides.count * p - 1;
    enum nb_status status = table != NULL ? NB_OK : NB_REFUTED;
    NB_TRY(status);
    NB_TRY(nb_new(&out->match, out->sides.count, sizeof *out->match, "matching",
                  err));
    for (size_t s = 0; s < out->sides.count; s++)
        out->match[s] = NB_NONE;
    for (size_t r = 0; r < table->row_count; r++) {
        const int64_t from = nb_table_whole(table, r, PAIRS_SOURCE, last);
        const int64_t to = nb_table_whole(table, r, PAIRS_DESTINATION, last);
        if (from < 0 || to < 0 ||
            (from % p == 0 && out->match[from / p] != NB_NONE))
            NB_TRY(nb_table_bad_row(table->name, r, err));
        if (from % p == 0)
            out->match[from / p] = (uint32_t)(to / p);
    }
done:
    return status;
}

enum nb_status nb_necessary_read_tables(const struct nb_topology *topology,
                                        const struct nb_point *given,
                                        struct nb_necessary_case *out,
                                        struct nb_error *err)
{
    const struct nb_table *bounds =
        nb_table_find(given, "bounds", BOUNDS_WIDTH, err);
    enum nb_status status = bounds != NULL ? NB_OK : NB_REFUTED;
    NB_TRY(status);
    NB_TRY(nb_sides_find(topology, &out->sides, err));
    NB_TRY(necessary_read_bounds(topology, bounds, out, err));
    NB_TRY(necessary_read_covers(given, bounds, out, err));
    NB_TRY(necessary_read_matching(given, out, err));
    NB_TRY(nb_table_read_worst(given, bounds, &out->worst, NULL, err));
done:
    return status;
}
