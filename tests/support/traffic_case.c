#include "support/traffic_case.h"

#include <stdio.h>
#include <string.h>

enum nb_status traffic_case_build(const char *example, struct traffic_case *out,
                                  struct nb_error *err)
{
    char text[256];
    *out = (struct traffic_case){ 0 };
    snprintf(text, sizeof text, "%s", example);
    char *at = strrchr(text, '@');
    if (at == NULL)
        return nb_fail(err, NB_INVALID, "\"%s\" has no @", example);
    *at = '\0';
    enum nb_status status = nb_topology_build(at + 1, &out->topology, err);
    if (status == NB_OK)
        status =
            nb_traffic_build(text, &out->topology, false, &out->traffic, err);
    if (status != NB_OK)
        traffic_case_release(out);
    return status;
}

void traffic_case_release(struct traffic_case *testcase)
{
    nb_traffic_release(&testcase->traffic);
    nb_topology_release(&testcase->topology);
}

struct nb_ratio traffic_case_rate(const struct traffic_case *testcase,
                                  uint32_t source, uint32_t target)
{
    const struct nb_traffic *traffic = &testcase->traffic;
    const uint32_t *terminals = testcase->topology.terminals;
    nb_int128 sum =
        (nb_int128)traffic->background * terminals[source] * terminals[target];
    if (traffic->omits_self && source == target)
        sum -= (nb_int128)traffic->background * terminals[source];
    for (size_t d = 0; d < traffic->demand_count; d++)
        if (traffic->demands[d].source == source &&
            traffic->demands[d].target == target)
            sum += traffic->demands[d].weight;
    return nb_ratio_make(sum, (nb_int128)traffic->denominator);
}

/* The router of a terminal and its index there. */
static uint32_t router_of(const struct nb_topology *topology, uint32_t terminal,
                          uint32_t *index)
{
    uint32_t router = 0;
    while (terminal >= topology->terminals[router])
        terminal -= topology->terminals[router++];
    *index = terminal;
    return router;
}

struct nb_ratio traffic_case_single(const struct traffic_case *testcase,
                                    uint32_t source, uint32_t target)
{
    const struct nb_topology *topology = &testcase->topology;
    const struct nb_traffic *traffic = &testcase->traffic;
    uint32_t t, u;
    const uint32_t i = router_of(topology, source, &t);
    const uint32_t j = router_of(topology, target, &u);
    nb_int128 rest = 0, own = 0;
    for (size_t d = 0; d < traffic->demand_count; d++)
        if (traffic->demands[d].source == i && traffic->demands[d].target == j)
            rest += traffic->demands[d].weight;
    for (size_t d = 0; d < traffic->singles.count; d++) {
        const struct nb_demand *single = &traffic->singles.entry[d];
        uint32_t unused;
        if (single->source == source && single->target == target)
            own += single->weight;
        if (router_of(topology, single->source, &unused) == i &&
            router_of(topology, single->target, &unused) == j)
            rest -= single->weight;
    }
    if (u != t % topology->terminals[j])
        rest = 0;
    if (!(traffic->omits_self && source == target))
        own += traffic->background;
    return nb_ratio_make(own * topology->terminals[i] + rest,
                         (nb_int128)traffic->denominator *
                             topology->terminals[i]);
}

uint32_t traffic_case_destination(const struct traffic_case *testcase,
                                  uint32_t source)
{
    const struct nb_ratio all = { testcase->topology.terminals[source], 1 };
    for (uint32_t target = 0; target < testcase->topology.router_count;
         target++)
        if (nb_ratio_compare(traffic_case_rate(testcase, source, target),
                             all) == 0)
            return target;
    return NB_NONE;
}

void traffic_case_set_terminals(struct nb_topology *topology,
                                const uint32_t *terminals)
{
    topology->terminal_count = 0;
    for (size_t r = 0; r < topology->router_count; r++) {
        topology->terminals[r] = terminals[r];
        topology->terminal_count += terminals[r];
    }
}

void traffic_case_for_each(void (*visit)(const struct nb_traffic_kind *kind,
                                         const char *example))
{
    for (size_t k = 0; nb_traffic_kinds[k] != NULL; k++) {
        char examples[1024], *rest;
        snprintf(examples, sizeof examples, "%s",
                 nb_traffic_kinds[k]->examples);
        for (char *next = strtok_r(examples, " ", &rest); next != NULL;
             next = strtok_r(NULL, " ", &rest))
            visit(nb_traffic_kinds[k], next);
    }
}
