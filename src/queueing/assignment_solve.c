/* The rounds of the assignment (declared in assignment_work.h). */
#include "queueing/assignment_work.h"

#include "core/memory.h"

#include <math.h>

/* The method ends when the bracket is this narrow, relative to its upper end;
 * when it is near that and has not become half as wide for some rounds, as
 * rounding can keep it from getting there; or after so many rounds. */
#define SOLVE_GAP  0x1p-32
#define SOLVE_NEAR 0x1p-20
enum { SOLVE_PATIENCE = 4, SOLVE_ROUNDS = 200 };

/* Of Newton's steps one kind pins ways at 0 that would fall below. Either gets
 * stuck sometimes where the other goes on: they take turns, and where that has
 * not done in so many rounds, every round has both. */
enum { SOLVE_PASSES = 8, SOLVE_TURNS = 24 };

/* Prices begin to be linear at 0, a quadratic problem, of which Newton's method
 * finds the symmetry; steep prices from the start drive flow onto long ways,
 * from which it comes back slowly. While a utilisation is above, that point
 * moves half way to 1 every few rounds, up to where doubles still tell
 * 1 - rho. */
#define SOLVE_LAST_KNEE 0x1p-21
enum { SOLVE_KNEE_ROUNDS = 4 };

/* The flows as they are after a round. */
struct solve_state {
    struct nb_queue *queue; /* [channel] with brackets of the loads */
    struct nb_bracket hops, wait;
    double error; /* of the loads, relative */
    double most;  /* that a channel is used */
    int waited;   /* rounds since the bracket was twice as wide */
};

/* Brackets loads, hops and wait. */
static void solve_measure(const struct nb_assignment_work *work,
                          struct solve_state *state)
{
    const double error = state->error;
    const size_t channels = work->topology->channel_count;
    struct nb_bracket sum = { 0, 0 };
    state->most = 0;
    for (size_t c = 0; c < channels; c++) {
        const double load = work->load[c];
        state->queue[c] = (struct nb_queue){
            .load_lower = load * (1 - error),
            .load_upper = load * (1 + error),
            .bandwidth = work->topology->channels[c].bandwidth,
            .delay_lower = work->delay,
            .delay_upper = work->delay,
        };
        sum.lower += state->queue[c].load_lower;
        sum.upper += state->queue[c].load_upper;
        state->most =
            fmax(state->most, work->rate.upper * load / work->band[c]);
    }
    const double sums = ((double)channels + 4) * 0x1p-53;
    state->hops.lower = sum.lower / work->total.upper * (1 - sums);
    state->hops.upper = sum.upper / work->total.lower * (1 + sums);
    state->wait = nb_latency_find_wait(state->queue, channels, work->rate,
                                       work->total, NULL);
}

static void solve_tell(const struct nb_run *run, size_t round)
{
    if (run != NULL && run->progress != NULL)
        run->progress(run->progress_context, "rounds of the assignment", round,
                      SOLVE_ROUNDS);
}

/* Hands the paths over, in place of those of an earlier round. */
static enum nb_status solve_list_paths(const struct nb_assignment_work *work,
                                       struct nb_assignment *out,
                                       struct nb_error *err)
{
    enum nb_status status = NB_OK;
    size_t paths = 0, channels = 0;
    for (size_t p = 0; p < work->pair_count; p++) {
        paths += work->pair[p].way_count;
        for (size_t w = 0; w < work->pair[p].way_count; w++)
            channels += work->pair[p].way[w].length;
    }
    nb_delete(out->path);
    nb_delete(out->channel);
    out->path = NULL;
    out->channel = NULL;
    out->path_count = 0;
    NB_TRY(nb_new(&out->path, paths, sizeof *out->path, "paths", err));
    NB_TRY(nb_new(&out->channel, channels, sizeof *out->channel, "paths", err));
    channels = 0;
    for (uint32_t t = 0; t < work->topology->router_count; t++)
        for (size_t p = work->pair_start[t]; p < work->pair_start[t + 1]; p++)
            for (size_t w = 0; w < work->pair[p].way_count; w++) {
                const struct nb_assignment_way *way = &work->pair[p].way[w];
                out->path[out->path_count++] = (struct nb_assignment_path){
                    .source = work->pair[p].source,
                    .target = t,
                    .share = way->flow / work->pair[p].demand,
                    .first = channels,
                    .length = way->length,
                };
                for (size_t i = 0; i < way->length; i++)
                    out->channel[channels++] = way->channel[i];
            }
done:
    return status;
}

/* Keeps the flows as they are, unless those of an earlier round are better. */
static enum nb_status solve_keep(const struct nb_assignment_work *work,
                                 const struct solve_state *state,
                                 struct nb_assignment *out,
                                 struct nb_error *err)
{
    const double upper =
        (state->hops.upper + state->wait.upper) * (1 + 0x1p-52);
    if (upper > out->latency.upper)
        return NB_OK;
    for (size_t c = 0; c < out->channel_count; c++)
        out->load[c] = (struct nb_bracket){ state->queue[c].load_lower,
                                            state->queue[c].load_upper };
    out->hops = state->hops;
    out->wait = state->wait;
    out->latency.upper = upper;
    return solve_list_paths(work, out, err);
}

/* One round, after which the bracket and the routing kept are up to date. */
static enum nb_status solve_round(struct nb_assignment_work *work,
                                  struct solve_state *state,
                                  struct nb_assignment *out,
                                  struct nb_error *err)
{
    enum nb_status status = NB_OK;
    out->rounds++;
    NB_TRY(nb_assignment_extend(work, err));
    nb_assignment_balance(work);
    const bool is_slow = out->rounds > SOLVE_TURNS;
    if (is_slow || out->rounds % 2 != 0)
        NB_TRY(nb_assignment_newton(work, 1, err));
    if (is_slow || out->rounds % 2 == 0)
        NB_TRY(nb_assignment_newton(work, SOLVE_PASSES, err));
    nb_assignment_balance(work);
    state->error = nb_assignment_settle(work);
    solve_measure(work, state);
    NB_TRY(solve_keep(work, state, out, err));
    out->latency.lower = fmax(out->latency.lower, nb_assignment_bound(work));
    if (isinf(out->latency.upper) && nb_assignment_is_saturated(work))
        out->latency.lower = INFINITY;
done:
    return status;
}

/* Whether rounds no longer narrow the bracket. */
static bool solve_has_stalled(const struct solve_state *state, double gap)
{
    /* The bound follows the prices, and these the loads by so much. */
    const double room = 1 - state->most;
    const double rounding = room > 0 ? state->error / (room * room) : 0;
    return state->waited >= SOLVE_PATIENCE && gap <= fmax(SOLVE_NEAR, rounding);
}

/* Rounds until the bracket is narrow, or gets no narrower. */
enum nb_status nb_assignment_solve(struct nb_assignment_work *work,
                                   const struct nb_run *run,
                                   struct nb_assignment *out,
                                   struct nb_error *err)
{
    enum nb_status status = NB_OK;
    struct solve_state state = { 0 };
    double mark = INFINITY;
    NB_TRY(nb_new(&state.queue, out->channel_count, sizeof *state.queue,
                  "queues", err));
    out->latency = (struct nb_bracket){ out->zero_load.lower, INFINITY };
    while (out->rounds < SOLVE_ROUNDS) {
        solve_tell(run, out->rounds);
        NB_TRY(solve_round(work, &state, out, err));
        const double gap = isinf(out->latency.upper)
                               ? INFINITY
                               : 1 - out->latency.lower / out->latency.upper;
        const bool is_short =
            state.most > work->knee && 1 - work->knee > SOLVE_LAST_KNEE;
        state.waited++;
        if (gap <= mark / 2) {
            mark = gap;
            state.waited = 0;
        }
        if (isinf(out->latency.lower) || gap <= SOLVE_GAP ||
            (!is_short && solve_has_stalled(&state, gap)))
            break;
        if (is_short && out->rounds % SOLVE_KNEE_ROUNDS == 0) {
            work->knee = 1 - (1 - work->knee) / 2;
            state.waited = 0;
            for (uint32_t c = 0; c < out->channel_count; c++)
                nb_assignment_price(work, c);
        }
    }
    solve_tell(run, SOLVE_ROUNDS);
done:
    nb_delete(state.queue);
    return status;
}
