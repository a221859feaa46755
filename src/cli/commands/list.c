/* netbound list: the topologies, routings, traffics, arrivals, units or
 * commands to choose from. */
#include "cli/reference.h"

#include "core/try.h"
#include "queueing/arrivals.h"
#include "routing/routing.h"
#include "topology/topology.h"
#include "traffic/traffic.h"

#include <stdio.h>
#include <string.h>

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

/* mark: what is said before the summary */
static void list_print_marked(const struct nb_kind *kind, const char *mark,
                              struct nb_text *text)
{
    char form[64];
    const struct nb_parameter *first = kind->parameters;
    if (first != NULL && first->is_leading && first->initial == NULL)
        snprintf(form, sizeof form, "%s:%s", kind->name, first->name);
    else
        snprintf(form, sizeof form, "%s", kind->name);
    nb_text_print(text, "%-22s %s%s", form, mark, kind->summary);
    if (kind->aliases != NULL)
        nb_text_print(text, " (also: %s)", kind->aliases);
    nb_text_print(text, "\n");
    list_print_parameters(kind->parameters, text);
}

void nb_list_print_kind(const struct nb_kind *kind, struct nb_text *text)
{
    list_print_marked(kind, "", text);
}

/* The kinds of a registry, then what all of them take. */
static void list_print_kinds(nb_kind_at *kinds,
                             const struct nb_parameter *common,
                             struct nb_text *text)
{
    const struct nb_kind *kind;
    for (size_t i = 0; (kind = kinds(i)) != NULL; i++)
        nb_list_print_kind(kind, text);
    if (common != NULL) {
        nb_text_print(text, "all of them\n");
        list_print_parameters(common, text);
    }
}

static void list_print_topologies(struct nb_text *text)
{
    list_print_kinds(nb_topology_kind_at, nb_topology_parameters, text);
}

static void list_print_routings(struct nb_text *text)
{
    for (size_t i = 0; nb_routing_kinds[i] != NULL; i++) {
        const struct nb_routing_kind *kind = nb_routing_kinds[i];
        const bool is_marked = kind->is_adaptive && !kind->stands_for_any;
        list_print_marked(&kind->kind, is_marked ? "adaptive: " : "", text);
    }
}

static void list_print_traffics(struct nb_text *text)
{
    list_print_kinds(nb_traffic_kind_at, nb_traffic_parameters, text);
}

static void list_print_arrivals(struct nb_text *text)
{
    list_print_kinds(nb_arrival_kind_at, NULL, text);
}

static void list_print_units(struct nb_text *text)
{
    nb_unit_print_list(text);
}

static void list_print_commands(struct nb_text *text)
{
    for (size_t i = 0; nb_commands[i] != NULL; i++)
        nb_text_print(text, "%-22s %s\n", nb_commands[i]->form->name,
                      nb_commands[i]->form->summary);
}

static const struct list_entry {
    const char *word;
    const char *also; /* what else people call it */
    const char *summary;
    void (*print)(struct nb_text *text);
} list_entries[] = {
    { "topologies", "topology networks network",
      "networks, of --topology, and what each takes", list_print_topologies },
    { "routings", "routing schemes scheme",
      "schemes, of --routing, and what each takes", list_print_routings },
    { "traffics", "traffic patterns pattern",
      "patterns, of --traffic, and what each takes", list_print_traffics },
    { "arrivals", "arrival", "of packets at a queue, of --arrivals",
      list_print_arrivals },
    { "units", "unit", "that numbers may have", list_print_units },
    { "commands", "command questions question", "and what each is for",
      list_print_commands },
};
enum { LIST_COUNT = sizeof list_entries / sizeof *list_entries };

static const char *list_word_at(size_t index)
{
    return index < LIST_COUNT ? list_entries[index].word : NULL;
}

bool nb_list_print(const char *word, struct nb_text *text)
{
    for (size_t i = 0; i < LIST_COUNT; i++) {
        const struct list_entry *entry = &list_entries[i];
        if (strcmp(word, entry->word) != 0 &&
            !nb_word_is_in(entry->also, ' ', word, strlen(word)))
            continue;
        entry->print(text);
        return true;
    }
    return false;
}

static enum nb_status list_run(struct nb_invocation *invocation,
                               struct nb_error *err)
{
    struct nb_text text = { 0 };
    size_t index;
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < LIST_COUNT && invocation->word_count == 0; i++)
        nb_text_print(&text, "%-22s %s\n", list_entries[i].word,
                      list_entries[i].summary);
    if (invocation->word_count > 1 ||
        (invocation->word_count == 1 &&
         !nb_list_print(invocation->words[0], &text)))
        NB_TRY(nb_word_find(invocation, &index, err));
    NB_TRY(nb_reference_write(invocation, &text, err));
done:
    nb_text_release(&text);
    return status;
}

static const struct nb_form list_form = {
    .name = "list",
    .summary = "the names there are to choose from",
    .details = "Without a word, what can be listed. Names and parameters are "
               "those of specifications, KIND:VALUE,KEY=VALUE,...; netbound "
               "help KIND shows one.",
    .example = "netbound list topologies",
    .common = "output",
};

const struct nb_command nb_command_list = {
    .form = &list_form,
    .words = "[WORD]",
    .word_at = list_word_at,
    .run = list_run,
};
