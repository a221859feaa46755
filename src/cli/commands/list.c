/* netbound list: what there is to choose from. */
#include "cli/command.h"

#include "routing/routing.h"
#include "topology/topology.h"
#include "traffic/traffic.h"

#include <stdio.h>
#include <string.h>

static const struct nb_kind *list_command_at(size_t index)
{
    (void)index;
    return NULL;
}

/* The registries by the word that lists them. */
static const struct list_registry {
    const char *word;
    nb_kind_at *kinds;
    const struct nb_parameter *common;
} list_registries[] = {
    { "topologies", nb_topology_kind_at, nb_topology_parameters },
    { "routings", nb_routing_kind_at, NULL },
    { "traffics", nb_traffic_kind_at, NULL },
    { "commands", list_command_at, NULL },
};

static void list_print_parameters(const struct nb_parameter *rows,
                                  struct nb_text *text)
{
    for (; rows != NULL && rows->name != NULL; rows++) {
        nb_text_print(text, "    %-20s %s", rows->name, rows->help);
        if (rows->choices != NULL)
            nb_text_print(text, " (%s)", rows->choices);
        if (rows->initial != NULL && *rows->initial != '\0')
            nb_text_print(text, "; default %s", rows->initial);
        nb_text_print(text, "\n");
    }
}

static void list_print(const struct list_registry *registry,
                       struct nb_text *text)
{
    const struct nb_kind *kind;
    for (size_t i = 0; (kind = registry->kinds(i)) != NULL; i++) {
        char form[64];
        const struct nb_parameter *first = kind->parameters;
        if (first != NULL && first->is_leading && first->initial == NULL)
            snprintf(form, sizeof form, "%s:%s", kind->name, first->name);
        else
            snprintf(form, sizeof form, "%s", kind->name);
        nb_text_print(text, "%-22s %s", form, kind->summary);
        if (kind->aliases != NULL)
            nb_text_print(text, " (also: %s)", kind->aliases);
        nb_text_print(text, "\n");
        list_print_parameters(kind->parameters, text);
    }
    if (registry->common != NULL) {
        nb_text_print(text, "all of them\n");
        list_print_parameters(registry->common, text);
    }
    for (size_t i = 0;
         strcmp(registry->word, "commands") == 0 && nb_commands[i] != NULL; i++)
        nb_text_print(text, "%-22s %s\n", nb_commands[i]->name,
                      nb_commands[i]->summary);
}

static enum nb_status list_run(struct nb_invocation *invocation,
                               struct nb_error *err)
{
    struct nb_text text = { 0 };
    enum nb_status status = NB_OK;
    bool is_known = false;
    if (invocation->word_count != 1)
        return nb_fail(err, NB_USAGE,
                       "list needs one word, got %zu (permitted: topologies, "
                       "routings, traffics, commands)",
                       invocation->word_count);
    const char *word = invocation->words[0];
    for (size_t i = 0; i < 4; i++) {
        if (strcmp(list_registries[i].word, word) != 0)
            continue;
        list_print(&list_registries[i], &text);
        is_known = true;
    }
    if (!is_known)
        NB_TRY(nb_fail(err, NB_USAGE,
                       "list \"%.60s\" is not permitted (permitted: "
                       "topologies, routings, traffics, commands)",
                       word));
    NB_TRY(nb_text_check(&text, err));
    NB_TRY(nb_output_write(invocation->output, &text, err));
done:
    nb_text_release(&text);
    return status;
}

const struct nb_command nb_command_list = {
    .name = "list",
    .summary = "the topologies, routings, traffics or commands there are",
    .words = "topologies|routings|traffics|commands",
    .example = "netbound list topologies",
    .common = "output",
    .run = list_run,
};
