/* The steps of a round of an equilibrium, each against plain code: ties, flows,
 * inputs, joining rates and draws. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/simulation.h"

#include "queueing/mean_delay.h"
#include "equilibrium/parts.h"

#include <math.h>
#include <string.h>

struct asked {
    struct nb_topology topology;
    struct nb_routing routing;
    struct nb_traffic traffic;
    struct nb_equilibrium_net *net;
    struct nb_random random;
};

static void ask(const char *network, const char *scheme, const char *pattern,
                enum nb_compared compared, uint32_t flits, struct asked *out)
{
    struct nb_error err = { 0 };
    const struct nb_equilibrium_question question = {
        .routing = &out->routing,
        .traffic = &out->traffic,
        .compared = compared,
        .delay = nb_delay_singh,
        .flits = flits,
        .seed = 1,
    };
    *out = (struct asked){ 0 };
    const bool is_built =
        nb_topology_build(network, &out->topology, &err) == NB_OK &&
        nb_routing_build(scheme, &out->topology, &out->routing, &err) ==
            NB_OK &&
        nb_traffic_build(pattern, &out->topology, false, &out->traffic, &err) ==
            NB_OK &&
        nb_equilibrium_open(&question, &out->net, &err) == NB_OK;
    SIMULATION_CHECK(is_built, "%s %s: %s", network, scheme, err.message);
    out->net->depth = 5;
    nb_random_init(&out->net->random, 1, 0);
    nb_random_init(&out->random, 2, 0);
}

static void answered(struct asked *asked)
{
    nb_equilibrium_close(asked->net);
    nb_traffic_release(&asked->traffic);
    nb_routing_release(&asked->routing);
    nb_topology_release(&asked->topology);
}

static void fill_law(struct asked *asked, double *law, double *above)
{
    const size_t depth = asked->net->depth;
    double sum = 0;
    for (size_t n = 0; n < depth; n++)
        sum += law[n] = nb_random_unit(&asked->random);
    for (size_t n = 0; n < depth; n++)
        law[n] /= sum;
    for (size_t n = 0; n < depth; n++) {
        above[n] = 0;
        for (size_t m = n + 1; m < depth; m++)
            above[n] += law[m];
    }
}

/* Any distributions; or queues that are always empty. */
static void fill_laws(struct asked *asked, bool are_empty)
{
    for (size_t k = 0; k < asked->net->orbit_count; k++) {
        struct nb_net_orbit *orbit = &asked->net->orbit[k];
        orbit->reach = asked->net->depth;
        fill_law(asked, orbit->law.injected, orbit->above_injected);
        fill_law(asked, orbit->law.transit, orbit->above_transit);
        if (!are_empty)
            continue;
        memset(orbit->law.injected, 0, NB_NET_DEPTH * sizeof(double));
        orbit->law.injected[0] = 1;
    }
}

static bool is_close(double a, double b)
{
    return fabs(a - b) <= 1e-12 * (1 + fabs(b));
}

/* --- Ties ------------------------------------------------------------------
 */

/* P(channel m is taken), and with each of its lengths, over all lengths of all
 * channels: each of the shortest is equally likely. */
static double plain_split(const struct nb_equilibrium_net *net,
                          const struct nb_net_choice *choice, bool is_injected,
                          size_t m, double *at)
{
    size_t length[8] = { 0 }, i = 0;
    double whole = 0;
    memset(at, 0, net->depth * sizeof *at);
    assert_true(choice->count <= 8);
    do {
        double chance = 1;
        size_t shorter = 0, equal = 0;
        for (size_t j = 0; j < choice->count; j++) {
            const struct nb_joining_law *law =
                &net->orbit[net->orbit_of[choice->hop[j].channel]].law;
            chance *= (is_injected ? law->injected : law->transit)[length[j]];
            shorter += length[j] < length[m];
            equal += length[j] == length[m];
        }
        if (shorter == 0) {
            at[length[m]] += chance / (double)equal;
            whole += chance / (double)equal;
        }
        for (i = 0; i < choice->count && ++length[i] == net->depth; i++)
            length[i] = 0;
    } while (i < choice->count);
    return whole;
}

static void test_ties_are_even(void **state)
{
    (void)state;
    struct asked asked;
    ask("hypercube:3", "min-adaptive", "random-permutation",
        NB_COMPARED_POISSON, 1, &asked);
    struct nb_equilibrium_net *net = asked.net;
    double joins[2][64][8] = { 0 }, flow[2][64] = { 0 };
    size_t largest = 0;
    assert_true(net->choice_count <= 64 && net->orbit_count <= 64);
    fill_laws(&asked, false);
    for (size_t i = 0; i < net->choice_count; i++) {
        struct nb_net_choice *choice = &net->choice[i];
        choice->transit = nb_random_unit(&asked.random);
        choice->injected = nb_random_unit(&asked.random);
        flow[0][choice->like - net->choice] += choice->transit;
        flow[1][choice->like - net->choice] += choice->injected;
    }
    nb_net_split(net, 1);
    for (size_t i = 0; i < net->choice_count; i++) {
        const struct nb_net_choice *choice = &net->choice[i];
        largest = choice->count > largest ? choice->count : largest;
        for (size_t m = 0; m < choice->count; m++)
            for (int is_injected = 0; is_injected < 2; is_injected++) {
                const uint32_t k = net->orbit_of[choice->hop[m].channel];
                const struct nb_joining_law *law = &net->orbit[k].law;
                double at[8];
                const double share =
                    plain_split(net, choice, is_injected, m, at);
                const double found =
                    (is_injected ? choice->split_injected : choice->split)[m];
                SIMULATION_CHECK(is_close(found, share),
                                 "choice %zu, %zu: %.17g, not %.17g", i, m,
                                 found, share);
                for (size_t n = 0; n < net->depth && choice->like == choice;
                     n++)
                    joins[is_injected][k][n] +=
                        flow[is_injected][i] * at[n] /
                        (is_injected ? law->injected : law->transit)[n] /
                        net->orbit[k].size;
            }
    }
    assert_int_equal(largest, 3);
    for (size_t k = 0; k < net->orbit_count; k++)
        for (size_t n = 0; n < net->depth; n++) {
            const struct nb_net_orbit *orbit = &net->orbit[k];
            SIMULATION_CHECK(
                is_close(orbit->next_transit[n], joins[0][k][n]) &&
                    is_close(orbit->next_injected[n], joins[1][k][n]),
                "orbit %zu, length %zu: %.17g, %.17g, not %.17g, "
                "%.17g",
                k, n, orbit->next_transit[n], orbit->next_injected[n],
                joins[0][k][n], joins[1][k][n]);
        }
    answered(&asked);
}

/* By means the least one is taken: 64 times in a round, each a new network, and
 * with a 64th of the round's weight; then its share lacks what is left of the
 * others' after 64 such steps. */
static void test_least_means(void **state)
{
    (void)state;
    struct asked asked;
    ask("hypercube:3", "min-adaptive", "random-permutation", NB_COMPARED_MEANS,
        1, &asked);
    struct nb_equilibrium_net *net = asked.net;
    const double step = 0.5, left = pow(1 - step / 64, 64);
    const uint64_t cycle = net->cycle;
    /* Means 1 / (2 (1 - load)): 5 % apart, and drawn within 1 %. */
    for (size_t k = 0; k < net->orbit_count; k++)
        net->orbit[k].load =
            1 - pow(1.05, (double)k - (double)net->orbit_count);
    for (size_t i = 0; i < net->choice_count; i++)
        for (size_t m = 0; m < net->choice[i].count; m++)
            net->choice[i].split[m] = 1 / (double)net->choice[i].count;
    nb_net_split(net, step);
    assert_int_equal(net->cycle, cycle + 64);
    for (size_t i = 0; i < net->choice_count; i++) {
        const struct nb_net_choice *choice = &net->choice[i];
        uint32_t last = 0; /* the orbit of the least load */
        size_t equal = 0;
        for (size_t m = 0; m < choice->count; m++) {
            const uint32_t k = net->orbit_of[choice->hop[m].channel];
            equal = k > last || m == 0 ? 1 : equal + (k == last);
            last = k > last ? k : last;
        }
        for (size_t m = 0; m < choice->count && equal == 1; m++) {
            const bool is_least = net->orbit_of[choice->hop[m].channel] == last;
            const double share =
                is_least + left * (1 / (double)choice->count - is_least);
            SIMULATION_CHECK(is_close(choice->split[m], share) &&
                                 choice->split[m] == choice->split_injected[m],
                             "choice %zu, %zu: %.17g, not %.17g", i, m,
                             choice->split[m], share);
        }
    }
    answered(&asked);
}

/* --- Flows -----------------------------------------------------------------
 */

enum { ROUTERS = 32, CHANNELS = 128, INPUTS = 8 };

/* Distances over channels, by relaxation. */
struct distances {
    uint32_t of[ROUTERS][ROUTERS];
};

static void find_distances(const struct nb_topology *topology,
                           struct distances *out)
{
    assert_true(topology->router_count <= ROUTERS &&
                topology->channel_count <= CHANNELS);
    for (size_t a = 0; a < ROUTERS; a++)
        for (size_t b = 0; b < ROUTERS; b++)
            out->of[a][b] = a == b ? 0 : 1000;
    for (size_t round = 0; round < topology->router_count; round++)
        for (size_t c = 0; c < topology->channel_count; c++)
            for (size_t t = 0; t < topology->router_count; t++) {
                const struct nb_channel *at = &topology->channels[c];
                const uint32_t over = out->of[at->target][t] + 1;
                if (over < out->of[at->source][t])
                    out->of[at->source][t] = over;
            }
}

struct carried {
    const struct asked *asked;
    struct distances distances;
    double load[CHANNELS], turn[CHANNELS][INPUTS];
    double one_way[2][CHANNELS]; /* without a choice: transit, injected */
};

static uint32_t input_of(const struct nb_topology *topology, uint32_t channel)
{
    const uint32_t router = topology->channels[channel].target;
    uint32_t i = 0;
    while (topology->in_channel[topology->in_start[router] + i] != channel)
        i++;
    return i;
}

/* Follows a flow to its target; from: its channel, or NB_NONE at the source. */
static void walk(struct carried *out, uint32_t router, uint32_t target,
                 uint32_t from, double flow)
{
    const struct nb_topology *topology = &out->asked->topology;
    const struct nb_equilibrium_net *net = out->asked->net;
    uint32_t channel[INPUTS];
    size_t count = 0;
    for (uint32_t c = 0; c < topology->channel_count; c++)
        if (topology->channels[c].source == router &&
            out->distances.of[topology->channels[c].target][target] <
                out->distances.of[router][target])
            channel[count++] = c;
    for (size_t m = 0; m < count; m++) {
        double share = 1;
        for (size_t i = 0; i < net->choice_count && count > 1; i++) {
            const struct nb_net_choice *choice = &net->choice[i];
            bool is_it = choice->count == count;
            for (size_t j = 0; j < count && is_it; j++)
                is_it = choice->hop[j].channel == channel[j];
            if (is_it)
                share = (from == NB_NONE ? choice->split_injected
                                         : choice->split)[m];
        }
        if (count == 1)
            out->one_way[from == NB_NONE][channel[m]] += flow;
        out->load[channel[m]] += flow * share;
        if (from != NB_NONE)
            out->turn[channel[m]][input_of(topology, from)] += flow * share;
        walk(out, topology->channels[channel[m]].target, target, channel[m],
             flow * share);
    }
}

/* Any division of every choice: loads, turns and what has no choice. */
static void test_flows_follow_splits(void **state)
{
    (void)state;
    static const char *const networks[] = { "hypercube:3", "mesh:3x3",
                                            "torus:4x3" };
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct asked asked;
        static struct carried carried;
        ask(networks[i], "min-adaptive",
            i == 1 ? "random-permutation:seed=3" : "uniform",
            NB_COMPARED_POISSON, 1, &asked);
        struct nb_equilibrium_net *net = asked.net;
        const double rate = 0.7;
        double sent = 0;
        carried = (struct carried){ .asked = &asked };
        find_distances(&asked.topology, &carried.distances);
        for (size_t c = 0; c < net->choice_count; c++) {
            struct nb_net_choice *choice = &net->choice[c];
            double sum[2] = { 0 };
            for (size_t m = 0; m < choice->count; m++) {
                sum[0] += choice->split[m] = nb_random_unit(&asked.random);
                sum[1] += choice->split_injected[m] =
                    nb_random_unit(&asked.random);
            }
            for (size_t m = 0; m < choice->count; m++) {
                choice->split[m] /= sum[0];
                choice->split_injected[m] /= sum[1];
            }
        }
        nb_net_inject(net, rate);
        nb_net_carry(net);
        for (size_t p = 0; p < net->pair_count; p++) {
            const struct nb_net_pair *pair = &net->pair[p];
            walk(&carried, pair->source, pair->target, NB_NONE,
                 pair->rate * rate);
            sent += pair->rate * rate;
            SIMULATION_CHECK(
                pair->least == carried.distances.of[pair->source][pair->target],
                "%s: %u to %u", networks[i], pair->source, pair->target);
        }
        assert_true(is_close(net->minimal, sent));
        for (uint32_t c = 0; c < asked.topology.channel_count; c++) {
            SIMULATION_CHECK(is_close(net->load[c], carried.load[c]),
                             "%s, channel %u: %.17g, not %.17g", networks[i], c,
                             net->load[c], carried.load[c]);
            for (size_t t = net->turn_start[c]; t < net->turn_start[c + 1]; t++)
                SIMULATION_CHECK(
                    is_close(net->turn[t],
                             carried.turn[c][t - net->turn_start[c]]),
                    "%s, channel %u, input %zu", networks[i], c,
                    t - net->turn_start[c]);
        }
        for (size_t k = 0; k < net->orbit_count; k++) {
            double sum[2] = { 0 };
            for (uint32_t c = 0; c < asked.topology.channel_count; c++)
                for (int j = 0; j < 2 && net->orbit_of[c] == k; j++)
                    sum[j] += carried.one_way[j][c] / net->orbit[k].size;
            SIMULATION_CHECK(is_close(net->orbit[k].transit_only, sum[0]) &&
                                 is_close(net->orbit[k].injected_only, sum[1]),
                             "%s, orbit %zu", networks[i], k);
        }
        answered(&asked);
    }
}

/* Goal takes the shorter direction of a ring of 8 with 5/8, over 3 hops. */
static void test_starts_by_weight(void **state)
{
    (void)state;
    struct asked asked;
    double sum = 0;
    ask("ring:8", "goal", "tornado", NB_COMPARED_POISSON, 1, &asked);
    nb_net_inject(asked.net, 0.5);
    nb_net_carry(asked.net);
    for (uint32_t c = 0; c < asked.topology.channel_count; c++)
        sum += asked.net->load[c];
    assert_true(is_close(asked.net->minimal, 8 * 0.5 * 5 / 8));
    assert_true(is_close(sum, 8 * 0.5 * (5 * 3 + 3 * 5) / 8));
    answered(&asked);
}

/* --- Queues ----------------------------------------------------------------
 */

/* Loads and the shares of inputs, largest first: means over the channels of an
 * orbit, the shares over its first eight. Beyond 12 inputs the ninth and all
 * after it count as four equal ones. */
static void test_inputs_are_gathered(void **state)
{
    (void)state;
    static const char *const networks[] = { "complete:14", "torus:4x3" };
    for (size_t i = 0; i < 2; i++) {
        struct asked asked;
        ask(networks[i], "min-adaptive", "uniform", NB_COMPARED_INPUTS, 1,
            &asked);
        struct nb_equilibrium_net *net = asked.net;
        const size_t channels = asked.topology.channel_count;
        const size_t turns = net->turn_start[channels];
        double kept[14 * 13 * 13];
        assert_true(turns <= sizeof kept / sizeof *kept);
        for (uint32_t c = 0; c < channels; c++)
            net->load[c] = nb_random_unit(&asked.random);
        for (size_t t = 0; t < turns; t++)
            kept[t] = net->turn[t] = nb_random_unit(&asked.random);
        nb_net_gather(net);
        for (size_t k = 0; k < net->orbit_count; k++) {
            const struct nb_net_orbit *orbit = &net->orbit[k];
            const size_t inputs = orbit->inputs;
            double load = 0, sum = 0, share[13] = { 0 };
            size_t seen = 0;
            for (uint32_t c = 0; c < channels; c++) {
                const double *turn = kept + net->turn_start[c];
                if (net->orbit_of[c] != k)
                    continue;
                assert_int_equal(inputs,
                                 net->turn_start[c + 1] - net->turn_start[c]);
                load += net->load[c] / orbit->size;
                if (seen++ >= 8)
                    continue;
                /* The one with r larger ones has place r. */
                for (size_t a = 0; a < inputs; a++) {
                    size_t rank = 0;
                    for (size_t b = 0; b < inputs; b++)
                        rank += turn[b] > turn[a];
                    share[rank] += turn[a];
                    sum += turn[a];
                }
            }
            if (inputs > 12) {
                double rest = 0;
                for (size_t a = 8; a < inputs; a++)
                    rest += share[a];
                for (size_t a = 8; a < 12; a++)
                    share[a] = rest / 4;
            }
            assert_int_equal(orbit->told, inputs > 12 ? 12 : inputs);
            assert_true(is_close(orbit->load, load));
            for (size_t a = 0; a < orbit->told; a++)
                SIMULATION_CHECK(is_close(orbit->share[a], share[a] / sum),
                                 "%s, orbit %zu, input %zu: %.17g, not %.17g",
                                 networks[i], k, a, orbit->share[a],
                                 share[a] / sum);
        }
        answered(&asked);
    }
}

/* The decreasing function that is nearest to the rates drawn: at each n the
 * least, over blocks that begin up to n, of the largest mean of such a block
 * that ends from n on. */
static double plain_fall(const struct nb_net_orbit *orbit, size_t n)
{
    double least = INFINITY;
    for (size_t a = 0; a <= n; a++) {
        double most = -INFINITY;
        for (size_t b = n; b < orbit->reach; b++) {
            double visits = 0, joins = 0;
            for (size_t i = a; i <= b; i++) {
                visits += orbit->visits[i];
                joins += orbit->joins[i];
            }
            most = fmax(most, joins / visits);
        }
        least = fmin(least, most);
    }
    return least;
}

static void test_joining_rates_fall(void **state)
{
    (void)state;
    struct asked asked;
    ask("ring:6", "ugal", "uniform", NB_COMPARED_POISSON, 1, &asked);
    struct nb_equilibrium_net *net = asked.net;
    struct nb_net_orbit *orbit = &net->orbit[0];
    for (int trial = 0; trial < 50; trial++) {
        const double step = trial % 2 == 0 ? 1 : 0.5;
        double before[2][16], next[2][16];
        net->depth = 16;
        orbit->reach = 6 + nb_random_below(&asked.random, 10);
        orbit->injected_only = nb_random_unit(&asked.random);
        orbit->transit_only = nb_random_unit(&asked.random);
        for (size_t n = 0; n < 16; n++) {
            orbit->visits[n] = nb_random_unit(&asked.random);
            orbit->joins[n] = nb_random_unit(&asked.random) / (double)(n + 1);
            next[0][n] = orbit->next_injected[n] =
                nb_random_unit(&asked.random);
            next[1][n] = orbit->next_transit[n] = nb_random_unit(&asked.random);
            before[0][n] = orbit->injected[n];
            before[1][n] = orbit->transit[n];
        }
        nb_net_join(net, step);
        for (size_t n = 0; n < 16; n++) {
            const double falls =
                plain_fall(orbit, n < orbit->reach ? n : orbit->reach - 1);
            const double injected = orbit->injected_only + next[0][n] + falls;
            const double transit = orbit->transit_only + next[1][n];
            SIMULATION_CHECK(
                is_close(orbit->injected[n],
                         before[0][n] + step * (injected - before[0][n])) &&
                    is_close(orbit->transit[n],
                             before[1][n] + step * (transit - before[1][n])),
                "trial %d, length %zu: %.17g, %.17g", trial, n,
                orbit->injected[n], orbit->transit[n]);
            assert_true(orbit->next_injected[n] == 0 &&
                        orbit->next_transit[n] == 0);
        }
    }
    answered(&asked);
}

/* What is above each length; and lengths are drawn up to one that is exceeded
 * once in 10,000 times, but at least 6. */
static void test_lengths_that_are_drawn(void **state)
{
    (void)state;
    static const double rates[] = { 0.05, 0.5, 0.9 };
    for (size_t i = 0; i < 3; i++) {
        struct asked asked;
        ask("ring:6", "ugal", "uniform", NB_COMPARED_POISSON, 1, &asked);
        struct nb_equilibrium_net *net = asked.net;
        net->depth = 64;
        for (size_t k = 0; k < net->orbit_count; k++)
            for (size_t n = 0; n < net->depth; n++)
                net->orbit[k].injected[n] = rates[i];
        nb_net_solve(net);
        for (size_t k = 0; k < net->orbit_count; k++) {
            const struct nb_net_orbit *orbit = &net->orbit[k];
            double above[2] = { 0 };
            size_t reach = net->depth;
            for (size_t n = net->depth; n-- > 0;) {
                assert_true(is_close(orbit->above_injected[n], above[0]));
                assert_true(is_close(orbit->above_transit[n], above[1]));
                if (above[0] < 1e-4)
                    reach = n + 1;
                above[0] += orbit->law.injected[n];
                above[1] += orbit->law.transit[n];
            }
            SIMULATION_CHECK(orbit->reach == (reach > 6 ? reach : 6),
                             "rate %g: %zu, not %zu", rates[i], orbit->reach,
                             reach);
        }
        assert_true((i == 0) == (net->orbit[0].reach == 6));
        answered(&asked);
    }
}

/* Beyond a utilisation of 0.999 the mean delay rises by 1e6 per unit. */
static void test_means_beyond_capacity(void **state)
{
    (void)state;
    struct asked asked;
    ask("ring:6", "cqr", "tornado", NB_COMPARED_MEANS, 1, &asked);
    const double last = nb_mean_delay_at(nb_delay_singh, 0.999);
    assert_true(nb_net_mean_delay(asked.net, 0.3) ==
                nb_mean_delay_at(nb_delay_singh, 0.3));
    assert_true(fabs(nb_net_mean_delay(asked.net, 1.099) / (last + 1e5) - 1) <
                1e-9);
    answered(&asked);
}

/* --- Draws -----------------------------------------------------------------
 */

/* A queue's length is drawn once per network, by its distribution, in flits. */
static void test_lengths_by_their_distribution(void **state)
{
    (void)state;
    enum { DRAWS = 20000, FLITS = 3 };
    struct asked asked;
    ask("ring:6", "ugal", "uniform", NB_COMPARED_POISSON, FLITS, &asked);
    struct nb_equilibrium_net *net = asked.net;
    size_t count[8] = { 0 };
    fill_laws(&asked, false);
    for (int draw = 0; draw < DRAWS; draw++) {
        net->cycle++;
        const uint32_t length = nb_net_length(net, 3);
        assert_true(length % FLITS == 0 && length / FLITS < net->depth);
        assert_int_equal(nb_net_length(net, 3), length);
        count[length / FLITS]++;
    }
    for (size_t n = 0; n < net->depth; n++) {
        const double p = net->orbit[net->orbit_of[3]].law.injected[n];
        SIMULATION_CHECK(
            fabs((double)count[n] / DRAWS - p) < 5 * sqrt(p * (1 - p) / DRAWS),
            "length %zu: %zu of %d, not %g", n, count[n], DRAWS, p);
    }
    answered(&asked);
}

/* Means are drawn within 1 %, in 1024ths of a packet. */
static void test_means_are_spread(void **state)
{
    (void)state;
    struct asked asked;
    ask("ring:6", "cqr", "tornado", NB_COMPARED_MEANS, 1, &asked);
    struct nb_equilibrium_net *net = asked.net;
    double least = INFINITY, most = 0, sum = 0;
    net->orbit[net->orbit_of[2]].load = 0.5;
    const double mean = 1024 * nb_mean_delay_at(nb_delay_singh, 0.5);
    for (int draw = 0; draw < 4000; draw++) {
        net->cycle++;
        const double length = nb_net_length(net, 2);
        least = fmin(least, length);
        most = fmax(most, length);
        sum += length / 4000;
    }
    assert_true(least >= 0.99 * mean - 1 && least < 0.992 * mean);
    assert_true(most <= 1.01 * mean && most > 1.008 * mean);
    assert_true(fabs(sum / mean - 1) < 1e-3);
    answered(&asked);
}

/* Of equally short queues each is taken as often: with empty queues all packets
 * go straight, by each first channel of their shortest paths. */
static void test_draws_are_even(void **state)
{
    (void)state;
    struct asked asked;
    static struct distances distances;
    double mean[CHANNELS] = { 0 }, variance[CHANNELS] = { 0 }, sent = 0;
    ask("torus:4x4", "ugal", "uniform", NB_COMPARED_POISSON, 1, &asked);
    struct nb_equilibrium_net *net = asked.net;
    const struct nb_topology *topology = &asked.topology;
    find_distances(topology, &distances);
    fill_laws(&asked, true);
    net->decisions = 1 << 14;
    const double networks = (double)(net->decisions / net->pair_count + 1);
    nb_net_ask(net, 0.5, 1, -1);
    for (size_t p = 0; p < net->pair_count; p++) {
        const struct nb_net_pair *pair = &net->pair[p];
        uint32_t first[8];
        size_t count = 0;
        for (uint32_t c = 0; c < topology->channel_count; c++)
            if (topology->channels[c].source == pair->source &&
                distances.of[topology->channels[c].target][pair->target] <
                    distances.of[pair->source][pair->target])
                first[count++] = c;
        const double rate = 0.5 * pair->rate, share = 1 / (double)count;
        for (size_t i = 0; i < count; i++) {
            mean[first[i]] += rate * share;
            variance[first[i]] += rate * rate * share * (1 - share) / networks;
        }
        sent += rate;
    }
    for (uint32_t c = 0; c < topology->channel_count; c++)
        SIMULATION_CHECK(
            fabs(net->injected[c] - mean[c]) <= 5 * sqrt(variance[c]),
            "channel %u: %g, not %g", c, net->injected[c], mean[c]);
    assert_true(is_close(net->minimal, sent));
    answered(&asked);
}

/* What every router receives and its terminals send leaves it again or is for
 * its terminals, whatever was drawn, also behind intermediate routers. */
static void test_flows_are_conserved(void **state)
{
    (void)state;
    static const struct {
        const char *network, *scheme, *pattern;
    } cases[] = {
        { "ring:6", "ugal", "uniform" },
        { "torus:3x3", "ugal", "random-permutation" },
        { "dragonfly:h=1", "ugal", "uniform" },
        { "ring:8", "gal", "tornado" },
        { "torus:4x3", "cqr", "uniform" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct asked asked;
        ask(cases[i].network, cases[i].scheme, cases[i].pattern,
            NB_COMPARED_POISSON, 1, &asked);
        struct nb_equilibrium_net *net = asked.net;
        const struct nb_topology *topology = &asked.topology;
        double over[ROUTERS] = { 0 }, starts = 0, firsts = 0, sent = 0;
        fill_laws(&asked, false);
        net->decisions = 512;
        for (size_t c = 0; c < net->choice_count; c++)
            for (size_t m = 0; m < net->choice[c].count; m++)
                net->choice[c].split[m] = net->choice[c].split_injected[m] =
                    1 / (double)net->choice[c].count;
        nb_net_ask(net, 0.5, 1, -1);
        nb_net_ask(net, 0.5, 0.25, -1);
        nb_net_carry(net);
        for (size_t p = 0; p < net->pair_count; p++) {
            over[net->pair[p].source] += 0.5 * net->pair[p].rate;
            over[net->pair[p].target] -= 0.5 * net->pair[p].rate;
            if (net->pair[p].least > 0)
                sent += 0.5 * net->pair[p].rate;
        }
        for (uint32_t c = 0; c < topology->channel_count; c++) {
            over[topology->channels[c].target] += net->load[c];
            over[topology->channels[c].source] -= net->load[c];
            firsts += net->injected[c];
        }
        for (size_t r = 0; r < topology->router_count; r++)
            SIMULATION_CHECK(fabs(over[r]) < 1e-9, "%s, router %zu: %g over",
                             cases[i].network, r, over[r]);
        for (size_t s = 0; s < net->pair_count * asked.routing.most_starts; s++)
            starts += net->sent[s];
        assert_true(fabs(firsts - sent) < 1e-9 && fabs(starts - sent) < 1e-9);
        /* Turns of a channel: its load without what begins there. */
        for (uint32_t c = 0; c < topology->channel_count; c++) {
            double turns = net->injected[c];
            for (size_t t = net->turn_start[c]; t < net->turn_start[c + 1]; t++)
                turns += net->turn[t];
            SIMULATION_CHECK(fabs(turns - net->load[c]) < 1e-9,
                             "%s, channel %u: %g of %g", cases[i].network, c,
                             turns, net->load[c]);
        }
        answered(&asked);
    }
}

/* The first rounds: every packet begins with the first start of its pair, with
 * the last, or with any. */
static void test_outsets(void **state)
{
    (void)state;
    struct asked asked;
    ask("ring:8", "cqr", "tornado", NB_COMPARED_POISSON, 1, &asked);
    struct nb_equilibrium_net *net = asked.net;
    const size_t starts = asked.routing.most_starts;
    assert_int_equal(starts, 2);
    net->decisions = 1 << 12;
    const double networks = (double)(net->decisions / net->pair_count + 1);
    for (int outset = NB_OUTSET_FIRST; outset <= NB_OUTSET_EVEN; outset++) {
        fill_laws(&asked, true);
        nb_net_ask(net, 0.25, 1, outset);
        for (size_t p = 0; p < net->pair_count; p++) {
            const double last = net->sent[p * starts + 1] / 0.25;
            const double expected = outset == NB_OUTSET_FIRST  ? 0
                                    : outset == NB_OUTSET_LAST ? 1
                                                               : 0.5;
            const double within =
                outset == NB_OUTSET_EVEN ? 5 * 0.5 / sqrt(networks) : 1e-12;
            SIMULATION_CHECK(fabs(last - expected) < within,
                             "outset %d, pair %zu: %g", outset, p, last);
        }
        assert_true(outset != NB_OUTSET_FIRST || is_close(net->minimal, 2));
        assert_true(outset != NB_OUTSET_LAST || is_close(net->minimal, 0));
    }
    answered(&asked);
}

/* All packets go straight, by the one shortest path of each pair: a channel is
 * joined at the same rate, 2/5 of the terminals', at any length. Every other
 * network probes one channel of each router. */
static void test_probes(void **state)
{
    (void)state;
    struct asked asked;
    ask("ring:5", "ugal:threshold=65535", "uniform", NB_COMPARED_POISSON, 1,
        &asked);
    struct nb_equilibrium_net *net = asked.net;
    double visits = 0;
    fill_laws(&asked, true);
    net->decisions = 4000;
    nb_net_ask(net, 0.5, 1, -1);
    for (size_t k = 0; k < net->orbit_count; k++)
        for (size_t n = 0; n < net->depth; n++) {
            const struct nb_net_orbit *orbit = &net->orbit[k];
            assert_true(orbit->visits[n] > 0);
            SIMULATION_CHECK(is_close(orbit->joins[n], 0.2 * orbit->visits[n]),
                             "length %zu: %g of %g", n, orbit->joins[n],
                             orbit->visits[n]);
            visits += orbit->visits[n];
        }
    assert_true(is_close(visits, 10 + 5));
    answered(&asked);
}

/* Packets that wait in an injection queue: their part of those that wait for
 * each first channel beyond two places, and any fraction. */
static void test_waiting(void **state)
{
    (void)state;
    struct asked asked;
    ask("torus:4x4", "gal", "tornado", NB_COMPARED_POISSON, 2, &asked);
    struct nb_equilibrium_net *net = asked.net;
    const struct nb_net_pair *pair = &net->pair[5];
    const struct nb_routes_hop *list;
    const size_t starts = asked.routing.most_starts;
    net->asking = 5;
    net->cycle = 1;
    for (uint32_t c = 0; c < asked.topology.channel_count; c++) {
        net->length[c] = 2 * (3 + c % 5);
        net->drawn_at[c] = 1;
        net->injected[c] = 0.25 + 0.01 * c;
    }
    const size_t count = nb_route_starts(&asked.routing, pair->source,
                                         pair->target, net->starts);
    for (size_t start = 0; start < count; start++) {
        double expected = 0, found = 0;
        net->sent[5 * starts + start] = 0.2 * (double)(start + 1);
        nb_route_starts(&asked.routing, pair->source, pair->target,
                        net->starts);
        const size_t hops =
            nb_routes_list(&net->routes, net->starts[start].state, pair->source,
                           pair->target, &list);
        assert_true(hops > 0);
        for (size_t h = 0; h < hops; h++) {
            const uint32_t c = list[h].channel;
            expected +=
                (1 + c % 5) * fmin(0.2 * (double)(start + 1) /
                                       ((double)hops * net->injected[c]),
                                   1);
        }
        for (int draw = 0; draw < 4000; draw++)
            found += net->view.waiting(net, pair->source, pair->target, start) /
                     4000.0;
        SIMULATION_CHECK(fabs(found - expected) < 5 * 0.5 / sqrt(4000),
                         "start %zu: %g, not %g", start, found, expected);
    }
    answered(&asked);
}

/* --- The digest ------------------------------------------------------------
 */

static void test_digest(void **state)
{
    (void)state;
    static const struct {
        const char *network, *scheme, *pattern;
        enum nb_compared compared;
        uint32_t flits;
    } cases[] = {
        { "ring:6", "ugal", "uniform", NB_COMPARED_POISSON, 1 },
        { "ring:7", "ugal", "uniform", NB_COMPARED_POISSON, 1 },
        { "complete:6", "ugal", "uniform", NB_COMPARED_POISSON, 1 },
        { "ring:6", "ugal:threshold=1", "uniform", NB_COMPARED_POISSON, 1 },
        { "ring:6", "ugal", "tornado", NB_COMPARED_POISSON, 1 },
        { "ring:6", "ugal", "uniform", NB_COMPARED_INPUTS, 1 },
        { "ring:6", "ugal", "uniform", NB_COMPARED_POISSON, 2 },
    };
    enum { CASES = sizeof cases / sizeof *cases };
    char text[CASES + 1][NB_EQUILIBRIUM_DIGEST];
    for (size_t i = 0; i <= CASES; i++) {
        struct asked asked;
        const size_t of = i % CASES;
        ask(cases[of].network, cases[of].scheme, cases[of].pattern,
            cases[of].compared, cases[of].flits, &asked);
        assert_int_equal(nb_equilibrium_digest(asked.net, text[i], NULL),
                         NB_OK);
        answered(&asked);
    }
    for (size_t i = 0; i <= CASES; i++)
        for (size_t j = 0; j < i; j++)
            assert_true((strcmp(text[i], text[j]) == 0) ==
                        (i % CASES == j % CASES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ties_are_even),
        cmocka_unit_test(test_least_means),
        cmocka_unit_test(test_flows_follow_splits),
        cmocka_unit_test(test_starts_by_weight),
        cmocka_unit_test(test_inputs_are_gathered),
        cmocka_unit_test(test_joining_rates_fall),
        cmocka_unit_test(test_lengths_that_are_drawn),
        cmocka_unit_test(test_means_beyond_capacity),
        cmocka_unit_test(test_lengths_by_their_distribution),
        cmocka_unit_test(test_means_are_spread),
        cmocka_unit_test(test_draws_are_even),
        cmocka_unit_test(test_flows_are_conserved),
        cmocka_unit_test(test_outsets),
        cmocka_unit_test(test_probes),
        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_digest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
