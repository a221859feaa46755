/* The worst traffic of the routing found (declared in oblivious_work.h). */
#include "bounds/optimum/oblivious_work.h"

#include "bounds/matching/transport.h"
#include "core/memory.h"
#include "load/sides.h"

void nb_oblivious_channel_loads(const struct nb_oblivious_case *here,
                                const int64_t *flow, uint32_t channel,
                                int64_t *load)
{
    const size_t e = here->orbits.e, m = here->topology->channel_count;
    for (size_t p = 0; p < e * e; p++) {
        load[p] = 0;
        if (p / e == p % e)
            continue;
        const uint32_t name = nb_oblivious_crossing(&here->orbits, p, channel);
        const size_t at = here->index[name / m] * m + name % m;
        const int64_t alike = here->alike[at];
        load[p] = flow[at] / alike + (flow[at] % alike > 0);
    }
}

/* Room for one channel's matrix over sides, and its transportation problem. */
struct duals_work {
    const struct nb_oblivious_case *here;
    struct nb_sides sides;
    size_t *row_start; /* [sides + 1] */
    uint32_t *column;  /* [sides^2] */
    int64_t *weight;   /* [sides^2] */
    int64_t *load;     /* [e * e] */
};

static enum nb_status duals_reserve(struct duals_work *work,
                                    struct nb_error *err)
{
    const size_t e = work->here->orbits.e;
    const char *what = "worst traffic of a channel";
    enum nb_status status = NB_OK;
    NB_TRY(nb_sides_find(work->here->topology, &work->sides, err));
    const size_t n = work->sides.count;
    NB_TRY(nb_new(&work->row_start, n + 1, sizeof(size_t), what, err));
    NB_TRY(nb_new(&work->column, n * n, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&work->weight, n * n, sizeof(int64_t), what, err));
    NB_TRY(nb_new(&work->load, e * e, sizeof(int64_t), what, err));
done:
    return status;
}

static void duals_release(struct duals_work *work)
{
    nb_sides_release(&work->sides);
    nb_delete(work->row_start);
    nb_delete(work->column);
    nb_delete(work->weight);
    nb_delete(work->load);
}

/* The matrix over sides; loads of 0 are left out. */
static void duals_fill(struct duals_work *work)
{
    const struct nb_oblivious_orbits *orbits = &work->here->orbits;
    size_t count = 0;
    for (size_t i = 0; i < work->sides.count; i++) {
        const size_t row = orbits->place[work->sides.router[i]] * orbits->e;
        work->row_start[i] = count;
        for (size_t j = 0; j < work->sides.count; j++) {
            const int64_t load =
                work->load[row + orbits->place[work->sides.router[j]]];
            if (load == 0)
                continue;
            work->column[count] = (uint32_t)j;
            work->weight[count++] = load;
        }
    }
    work->row_start[work->sides.count] = count;
}

/* Of terminals at one router the least dual does for all of them: each alone
 * satisfies what the router has to. */
static void duals_take(const struct duals_work *work,
                       const struct nb_transport *transport,
                       struct nb_oblivious_dual *dual)
{
    const size_t n = work->here->topology->router_count;
    for (size_t r = 0; r < n; r++)
        dual->row[r] = dual->column[r] = -1;
    for (size_t s = 0; s < work->sides.count; s++) {
        int64_t *row = &dual->row[work->sides.router[s]];
        int64_t *column = &dual->column[work->sides.router[s]];
        if (*row < 0 || transport->row_dual[s] < *row)
            *row = transport->row_dual[s];
        if (*column < 0 || transport->column_dual[s] < *column)
            *column = transport->column_dual[s];
    }
    for (size_t r = 0; r < n; r++)
        if (dual->row[r] < 0)
            dual->row[r] = dual->column[r] = 0;
}

static enum nb_status duals_solve(struct duals_work *work,
                                  struct nb_oblivious_dual *dual,
                                  struct nb_error *err)
{
    const size_t n = work->here->topology->router_count;
    const struct nb_ratio rate = work->here->question->rate;
    struct nb_transport transport = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&dual->row, n, sizeof(int64_t), "duals", err));
    NB_TRY(nb_new(&dual->column, n, sizeof(int64_t), "duals", err));
    NB_TRY(nb_transport_init(&transport, work->sides.count, work->row_start,
                             work->column, work->weight, err));
    nb_transport_solve(&transport, rate.numerator, rate.denominator);
    duals_take(work, &transport, dual);
done:
    nb_transport_release(&transport);
    return status;
}

enum nb_status nb_oblivious_find_duals(const struct nb_oblivious_case *here,
                                       struct nb_best_oblivious *claimed,
                                       struct nb_error *err)
{
    const size_t m = here->topology->channel_count;
    struct duals_work work = { .here = here };
    int64_t *flow = NULL, denominator;
    enum nb_status status = NB_OK;
    NB_TRY(duals_reserve(&work, err));
    NB_TRY(nb_new(&flow, here->pair_count * m, sizeof *flow, "flows", err));
    NB_TRY(nb_new(&claimed->duals, m, sizeof *claimed->duals, "duals", err));
    NB_TRY(nb_oblivious_check_paths(here, &claimed->paths, flow, &denominator,
                                    err));
    for (uint32_t c = 0; c < m; c++) {
        if (here->orbits.channel[c] != c)
            continue;
        struct nb_oblivious_dual *dual = &claimed->duals[claimed->dual_count++];
        dual->channel = c;
        nb_oblivious_channel_loads(here, flow, c, work.load);
        duals_fill(&work);
        NB_TRY(duals_solve(&work, dual, err));
    }
done:
    nb_delete(flow);
    duals_release(&work);
    return status;
}
