#include "equilibrium/parts.h"

#include <string.h>

enum { NET_DRAWS = 64 }; /* of means, per round */

static double choice_factor(const struct nb_equilibrium_net *net,
                            const struct nb_net_choice *choice,
                            bool is_injected, size_t n, size_t m, double t)
{
    const struct nb_net_orbit *orbit =
        &net->orbit[net->orbit_of[choice->hop[m].channel]];
    return is_injected ? orbit->above_injected[n] + t * orbit->law.injected[n]
                       : orbit->above_transit[n] + t * orbit->law.transit[n];
}

/* P(a channel of a choice is taken | its queue holds n) for each, if the others
 * follow their distributions, ties evenly: the integral over t on (0, 1) of the
 * product over the others of P(longer) + t P(equal). */
static void choice_chances(const struct nb_equilibrium_net *net,
                           const struct nb_net_choice *choice, bool is_injected,
                           size_t n, double *chance)
{
    /* Gauss-Legendre on (0, 1), exact for 16 channels. */
    static const double point[] = { 0.0198550717512319, 0.1016667612931866,
                                    0.2372337950418355, 0.4082826787521751 };
    static const double weight[] = { 0.0506142681451882, 0.1111905172266872,
                                     0.1568533229389437, 0.1813418916891810 };
    for (size_t m = 0; m < choice->count; m++)
        chance[m] = 0;
    for (size_t g = 0; g < 8; g++) {
        const double t = g < 4 ? point[g] : 1 - point[g - 4];
        double *before = net->before, all = weight[g % 4];
        for (size_t m = 0; m < choice->count; m++) {
            before[m] = all;
            all *= choice_factor(net, choice, is_injected, n, m, t);
        }
        all = 1;
        for (size_t m = choice->count; m-- > 0;) {
            chance[m] += before[m] * all;
            all *= choice_factor(net, choice, is_injected, n, m, t);
        }
    }
}

/* How transit, or what terminals send, divides over the channels of a choice,
 * and how much joins each at which length. */
static void choice_find(struct nb_equilibrium_net *net,
                        struct nb_net_choice *choice, bool is_injected)
{
    double *chance = net->chance, sum = 0;
    double *split = is_injected ? choice->split_injected : choice->split;
    const double flow = is_injected ? choice->injected : choice->transit;
    memset(split, 0, choice->count * sizeof *split);
    for (size_t n = 0; n < net->depth && sum < 1 - 1e-12; n++) {
        choice_chances(net, choice, is_injected, n, chance);
        for (size_t m = 0; m < choice->count; m++) {
            struct nb_net_orbit *orbit =
                &net->orbit[net->orbit_of[choice->hop[m].channel]];
            double *joins =
                is_injected ? orbit->next_injected : orbit->next_transit;
            const double *law =
                is_injected ? orbit->law.injected : orbit->law.transit;
            joins[n] += flow * chance[m] / orbit->size;
            split[m] += law[n] * chance[m];
            sum += law[n] * chance[m];
        }
    }
    for (size_t m = 0; m < choice->count; m++)
        split[m] /= sum;
}

/* By means: each channel's share is how often it was least in the rounds so
 * far. */
static void choice_draw(struct nb_equilibrium_net *net,
                        struct nb_net_choice *choice, double step)
{
    size_t best = 0;
    for (size_t m = 1; m < choice->count; m++)
        if (nb_net_length(net, choice->hop[m].channel) <
            nb_net_length(net, choice->hop[best].channel))
            best = m;
    for (size_t m = 0; m < choice->count; m++) {
        choice->split[m] += step * ((m == best) - choice->split[m]);
        choice->split_injected[m] = choice->split[m];
    }
}

void nb_net_split(struct nb_equilibrium_net *net, double step)
{
    const bool is_means = net->asked.compared == NB_COMPARED_MEANS;
    for (size_t i = 0; i < NET_DRAWS && is_means; i++) {
        net->cycle++;
        for (size_t k = 0; k < net->choice_count; k++)
            choice_draw(net, &net->choice[k], step / NET_DRAWS);
    }
    for (size_t i = 0; i < net->choice_count && !is_means; i++) {
        struct nb_net_choice *choice = &net->choice[i];
        if (choice->like == choice)
            continue;
        choice->like->transit += choice->transit;
        choice->like->injected += choice->injected;
    }
    for (size_t i = 0; i < net->choice_count && !is_means; i++) {
        struct nb_net_choice *choice = &net->choice[i];
        if (choice->like != choice) { /* which comes earlier */
            memcpy(choice->split, choice->like->split,
                   2 * choice->count * sizeof *choice->split);
            continue;
        }
        choice_find(net, choice, false);
        if (!net->draws)
            choice_find(net, choice, true);
        else
            memcpy(choice->split_injected, choice->split,
                   choice->count * sizeof *choice->split);
    }
}

/* A flow by one of a node's hops, from an input of the node's router. */
static void carry_hop(struct nb_equilibrium_net *net, double *work,
                      const struct nb_net_hop *hop, size_t input, double flow)
{
    work[hop->node * net->width + hop->input] += flow;
    net->load[hop->channel] += flow;
    if (input + 1 < net->width)
        net->turn[net->turn_start[hop->channel] + input] += flow;
}

static void carry_node(struct nb_equilibrium_net *net,
                       const struct nb_net_node *node, double *work,
                       const double *flow)
{
    const struct nb_net_hop *hop = net->hop + node->first;
    struct nb_net_choice *choice =
        node->choice != SIZE_MAX ? &net->choice[node->choice] : NULL;
    for (size_t i = 0; i < net->width; i++) {
        const bool is_injected = i + 1 == net->width;
        if (flow[i] == 0)
            continue;
        if (choice != NULL) {
            const double *split =
                is_injected ? choice->split_injected : choice->split;
            *(is_injected ? &choice->injected : &choice->transit) += flow[i];
            for (size_t m = 0; m < choice->count; m++)
                carry_hop(net, work, &hop[m], i, flow[i] * split[m]);
            continue;
        }
        struct nb_net_orbit *orbit = &net->orbit[net->orbit_of[hop->channel]];
        *(is_injected ? &orbit->injected_only : &orbit->transit_only) +=
            flow[i] / orbit->size;
        carry_hop(net, work, hop, i, flow[i]);
    }
}

/* Carries on what starts again at intermediate routers, by the inputs where it
 * arrived. */
static void carry_second(struct nb_equilibrium_net *net, uint32_t target)
{
    for (uint32_t r = 0; r < net->n; r++) {
        const double flow = net->second[r * net->n + target];
        const double *arrived = net->arrived + r * net->width;
        double sum = 0;
        for (size_t i = 0; i < net->width; i++)
            sum += arrived[i];
        if (flow == 0 || sum == 0)
            continue;
        double *work = net->work +
                       net->entry[nb_net_entry(net, target, r, 0)] * net->width;
        for (size_t i = 0; i < net->width; i++)
            work[i] += flow * arrived[i] / sum;
    }
}

static void carry_target(struct nb_equilibrium_net *net, uint32_t target,
                         size_t phase)
{
    const size_t first = net->target_node[target], width = net->width;
    const size_t count = net->target_node[target + 1] - first;
    const struct nb_topology *topology = net->topology;
    double *work = net->work;
    memcpy(work, net->flow[phase] + first * width,
           count * width * sizeof *work);
    for (size_t v = 0; v < count; v++) { /* the first hops */
        const uint32_t router = net->node[first + v].router;
        for (size_t i = 0; i + 1 < width; i++)
            if (work[v * width + i] > 0)
                net->load[topology
                              ->in_channel[topology->in_start[router] + i]] +=
                    work[v * width + i];
    }
    if (phase == 1)
        carry_second(net, target);
    for (size_t i = count; i-- > 0;) {
        const uint32_t v = net->order[first + i];
        const struct nb_net_node *node = &net->node[first + v];
        if (node[1].first > node->first) {
            carry_node(net, node, work, work + v * width);
            continue;
        }
        for (size_t j = 0; j < width && phase == 0; j++)
            net->arrived[target * width + j] += work[v * width + j];
    }
}

void nb_net_carry(struct nb_equilibrium_net *net)
{
    const size_t channels = net->topology->channel_count;
    memset(net->load, 0, channels * sizeof *net->load);
    memset(net->turn, 0, net->turn_start[channels] * sizeof *net->turn);
    memset(net->arrived, 0, net->n * net->width * sizeof *net->arrived);
    for (size_t i = 0; i < net->choice_count; i++)
        net->choice[i].transit = net->choice[i].injected = 0;
    for (size_t k = 0; k < net->orbit_count; k++)
        net->orbit[k].transit_only = net->orbit[k].injected_only = 0;
    for (size_t phase = net->routing->phase != NULL ? 0 : 1; phase < 2; phase++)
        for (uint32_t t = 0; t < net->n; t++)
            if (net->target_node[t + 1] > net->target_node[t])
                carry_target(net, t, phase);
}
