#include "equilibrium/parts.h"

#include <stdlib.h>
#include <string.h>

/* NET_TOLD inputs are distinguished; all others count as NET_LUMPS equal
 * ones. */
enum { NET_TOLD = 8, NET_LUMPS = 4 };
enum { NET_GATHERED = 8 }; /* channels of an orbit whose inputs are sampled */
#define NET_RARE 1e-4      /* P(longer than what is drawn) */
enum { NET_REACH = 6 };    /* minimum number of lengths drawn */

static int net_compare(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return (one < other) - (one > other);
}

void nb_net_gather(struct nb_equilibrium_net *net)
{
    for (size_t k = 0; k < net->orbit_count; k++) {
        net->orbit[k].load = 0;
        net->orbit[k].gathered = 0;
        memset(net->orbit[k].share, 0, net->orbit[k].inputs * sizeof(double));
    }
    for (size_t c = 0; c < net->topology->channel_count; c++) {
        struct nb_net_orbit *orbit = &net->orbit[net->orbit_of[c]];
        double *turn = net->turn + net->turn_start[c];
        orbit->load += net->load[c] / orbit->size;
        if (orbit->gathered++ >= NET_GATHERED)
            continue;
        qsort(turn, orbit->inputs, sizeof *turn, net_compare);
        for (size_t i = 0; i < orbit->inputs; i++)
            orbit->share[i] += turn[i];
    }
    for (size_t k = 0; k < net->orbit_count; k++) {
        struct nb_net_orbit *orbit = &net->orbit[k];
        double sum = 0;
        for (size_t i = 0; i < orbit->inputs; i++)
            sum += orbit->share[i];
        for (size_t i = 0; i < orbit->inputs; i++)
            orbit->share[i] =
                sum > 0 ? orbit->share[i] / sum : (double)(i == 0);
        orbit->told = orbit->inputs;
        if (orbit->inputs <= NET_TOLD + NET_LUMPS)
            continue;
        double rest = 0; /* none of them large */
        for (size_t i = NET_TOLD; i < orbit->inputs; i++)
            rest += orbit->share[i];
        for (size_t i = NET_TOLD; i < NET_TOLD + NET_LUMPS; i++)
            orbit->share[i] = rest / NET_LUMPS;
        orbit->told = NET_TOLD + NET_LUMPS;
    }
}

static void law_above(const double *law, size_t depth, double *above)
{
    double sum = 0;
    for (size_t n = depth; n-- > 0;) {
        above[n] = sum;
        sum += law[n];
    }
}

void nb_net_solve(struct nb_equilibrium_net *net)
{
    for (size_t k = 0; k < net->orbit_count; k++) {
        struct nb_net_orbit *orbit = &net->orbit[k];
        const struct nb_joining queue = {
            .depth = net->depth,
            .transit = orbit->transit,
            .injected = orbit->injected,
            .share =
                net->asked.compared == NB_COMPARED_INPUTS ? orbit->share : NULL,
            .input_count = orbit->told,
            .source_count = orbit->sources,
            .source_rate = orbit->source_rate,
        };
        nb_joining_find(&queue, &orbit->law);
        law_above(orbit->law.transit, net->depth, orbit->above_transit);
        law_above(orbit->law.injected, net->depth, orbit->above_injected);
        for (orbit->reach = NET_REACH; orbit->reach < net->depth;
             orbit->reach++)
            if (orbit->above_injected[orbit->reach - 1] < NET_RARE)
                break;
    }
}

/* The joining rate at each length as drawn, made to decrease: comparing queues
 * never makes a longer one more attractive, and neighbours that say otherwise
 * get their mean. Source: pooling of adjacent violators,
 * [AyerBrunkEwingReidSilverman1955]. */
static void join_fall(const struct nb_net_orbit *orbit, double *rate)
{
    double visits[NB_NET_DEPTH], joins[NB_NET_DEPTH];
    size_t end[NB_NET_DEPTH]; /* of a block */
    size_t blocks = 0, n = 0;
    for (size_t i = 0; i < orbit->reach; i++) {
        visits[blocks] = orbit->visits[i];
        joins[blocks] = orbit->joins[i];
        end[blocks++] = i + 1;
        while (blocks > 1 && joins[blocks - 1] * visits[blocks - 2] >=
                                 joins[blocks - 2] * visits[blocks - 1]) {
            blocks--;
            visits[blocks - 1] += visits[blocks];
            joins[blocks - 1] += joins[blocks];
            end[blocks - 1] = end[blocks];
        }
    }
    for (size_t b = 0; b < blocks; b++)
        for (; n < end[b]; n++)
            rate[n] = visits[b] > 0 ? joins[b] / visits[b] : 0;
}

void nb_net_join(struct nb_equilibrium_net *net, double step)
{
    for (size_t k = 0; k < net->orbit_count; k++) {
        struct nb_net_orbit *orbit = &net->orbit[k];
        double rate[NB_NET_DEPTH];
        join_fall(orbit, rate);
        for (size_t n = 0; n < net->depth; n++) {
            const double injected =
                orbit->injected_only + orbit->next_injected[n] +
                rate[n < orbit->reach ? n : orbit->reach - 1];
            const double transit = orbit->transit_only + orbit->next_transit[n];
            orbit->injected[n] += step * (injected - orbit->injected[n]);
            orbit->transit[n] += step * (transit - orbit->transit[n]);
            orbit->next_injected[n] = orbit->next_transit[n] = 0;
        }
    }
}
