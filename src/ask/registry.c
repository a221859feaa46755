#include "ask/registry.h"
#include "ask/question.h"

#include "queueing/arrivals.h"
#include "routing/routing.h"
#include "topology/topology.h"
#include "traffic/traffic.h"

#include <string.h>

const struct nb_registry nb_registries[] = {
    { "topology", nb_topology_kind_at, nb_topology_parameters },
    { "routing", nb_routing_kind_at, NULL },
    { "traffic", nb_traffic_kind_at, nb_traffic_parameters },
    { "arrivals", nb_arrival_kind_at, NULL },
    { 0 },
};

const struct nb_parameter *nb_kind_next(const struct nb_registry *registry,
                                        const struct nb_kind *kind,
                                        const struct nb_parameter *row)
{
    const struct nb_parameter *next = row != NULL ? row + 1 : kind->parameters;
    const struct nb_parameter *common = registry->common;
    if (next != NULL && next->name != NULL)
        return next;
    for (; common != NULL && row != NULL && common->name != NULL; common++)
        if (common == row)
            return NULL; /* that was the last parameter */
    return registry->common;
}

const struct nb_question_kind *nb_question_find(const char *name)
{
    for (size_t i = 0; nb_questions[i] != NULL; i++)
        if (strcmp(nb_questions[i]->form.name, name) == 0)
            return nb_questions[i];
    return NULL;
}
