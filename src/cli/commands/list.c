/* netbound list: the topologies, routings, traffics, arrivals, units or
 * commands to choose from. */
#include "cli/options.h"
#include "cli/reference.h"

#include "routing/routing.h"

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

static const char *list_mark(const char *option, const struct nb_kind *kind)
{
    /* Kinds of --routing are each the first member of a scheme. */
    const struct nb_routing_kind *scheme = (const void *)kind;
    return strcmp(option, "routing") == 0 && scheme->is_adaptive &&
                   !scheme->stands_for_any
               ? "adaptive: "
               : "";
}

/* A line: what to write, with a mark, and what it is. */
static void list_print_line(const struct nb_kind *kind, const char *indent,
                            const char *mark, struct nb_text *text)
{
    char form[64];
    const struct nb_parameter *first = kind->parameters;
    if (first != NULL && first->is_leading && first->initial == NULL)
        snprintf(form, sizeof form, "%s:%s", kind->name, first->name);
    else
        snprintf(form, sizeof form, "%s", kind->name);
    nb_text_print(text, "%s%-19s %s%s", indent, form, mark, kind->summary);
    if (kind->aliases != NULL)
        nb_text_print(text, " (also: %s)", kind->aliases);
    nb_text_print(text, "\n");
}

void nb_list_print_kind(const struct nb_kind *kind, struct nb_text *text)
{
    list_print_line(kind, "", "", text);
    nb_detail_print(kind->detail, text);
    list_print_parameters(kind->parameters, text);
}

/* The kinds of a family, one line each, under its heading; all kinds of a
 * registry without families are of NB_FAMILY_ANY. */
static void list_print_family(const struct nb_registry *at,
                              enum nb_family family, const char *heading,
                              struct nb_text *text)
{
    const struct nb_kind *kind;
    bool is_any = false;
    for (size_t i = 0; (kind = at->kinds(i)) != NULL; i++) {
        if (kind->family != family)
            continue;
        if (!is_any && heading != NULL)
            nb_text_print(text, "%s%s\n", text->length > 0 ? "\n" : "",
                          heading);
        list_print_line(kind, heading != NULL ? "  " : "",
                        list_mark(at->option, kind), text);
        is_any = true;
    }
}

void nb_list_print_common(const struct nb_registry *registry,
                          struct nb_text *text)
{
    for (const struct nb_parameter *row = registry->common;
         row != NULL && row->name != NULL; row++)
        nb_text_print(text, "%s%s%s",
                      row == registry->common ? "all take: " : ", ", row->name,
                      row[1].name == NULL ? " (netbound help PARAMETER)\n"
                                          : "");
}

/* The kinds of a registry, then the names of the parameters of every kind. */
static void list_print_kinds(const struct nb_registry *at, struct nb_text *text)
{
    static const char *const headings[] = {
        [NB_FAMILY_GRIDS] = "tori, meshes and hypercubes",
        [NB_FAMILY_TREES] = "fat trees and multistage networks",
        [NB_FAMILY_GROUPS] = "Dragonflies and other networks of groups",
        [NB_FAMILY_GRAPHS] = "other direct networks",
        [NB_FAMILY_ANY] = "any network",
    };
    const struct nb_kind *kind;
    bool has_families = false;
    for (size_t i = 0; (kind = at->kinds(i)) != NULL; i++)
        has_families |= kind->family != NB_FAMILY_ANY;
    for (size_t family = 1; family <= NB_FAMILY_COUNT; family++)
        list_print_family(
            at, (enum nb_family)(family % NB_FAMILY_COUNT),
            has_families ? headings[family % NB_FAMILY_COUNT] : NULL, text);
    nb_text_print(text, "\n");
    nb_list_print_common(at, text);
    nb_text_print(text, "parameters: netbound help KIND\n");
}

/* The formats that every command writes and export makes; the page of the
 * option says what each is for. */
static void list_print_formats(struct nb_text *text)
{
    nb_option_print_page(nb_option_find(nb_common_options, "format", 6), text);
}

static void list_print_commands(struct nb_text *text)
{
    for (size_t i = 0; nb_commands[i] != NULL; i++)
        nb_text_print(text, "%-17s %s\n", nb_commands[i]->form->name,
                      nb_commands[i]->form->summary);
}

static const struct list_entry {
    const char *word;
    const char *also; /* synonyms */
    const char *summary;
    const char *option; /* whose kinds are listed; else: */
    void (*print)(struct nb_text *text);
} list_entries[] = {
    { "topologies", "topology networks network",
      "networks for --topology, with their parameters", "topology", NULL },
    { "routings", "routing schemes scheme",
      "routing schemes for --routing, with their parameters", "routing", NULL },
    { "traffics", "traffic patterns pattern",
      "traffic patterns for --traffic, with their parameters", "traffic",
      NULL },
    { "arrivals", "arrival", "arrivals of packets at a queue, for --arrivals",
      "arrivals", NULL },
    { "formats", "format", "output formats, for --format and export --to", NULL,
      list_print_formats },
    { "units", "unit", "units that numbers may have", NULL,
      nb_unit_print_list },
    { "commands", "command questions question",
      "commands, and what each is for", NULL, list_print_commands },
};
enum { LIST_COUNT = sizeof list_entries / sizeof *list_entries };

const char *nb_list_word_at(size_t index)
{
    return index < LIST_COUNT ? list_entries[index].word : NULL;
}

void nb_list_print(const char *word, struct nb_text *text)
{
    const struct list_entry *entry = list_entries;
    const struct list_entry *end = entry + LIST_COUNT;
    while (entry < end && strcmp(word, entry->word) != 0 &&
           !nb_word_is_in(entry->also, ' ', word, strlen(word)))
        entry++;
    if (entry < end && entry->print != NULL)
        entry->print(text);
    for (const struct nb_registry *at = nb_registries;
         at->option != NULL && entry < end && entry->option != NULL; at++)
        if (strcmp(at->option, entry->option) == 0)
            list_print_kinds(at, text);
}

static enum nb_status list_print(const struct nb_invocation *invocation,
                                 struct nb_text *text, struct nb_error *err)
{
    const size_t count = invocation->word_count;
    size_t index;
    if (count == 1)
        nb_list_print(invocation->words[0], text);
    for (size_t i = 0; i < LIST_COUNT && count == 0; i++)
        nb_text_print(text, "%-17s %s\n", list_entries[i].word,
                      list_entries[i].summary);
    return text->length > 0 || text->has_failed
               ? NB_OK
               : nb_word_find(invocation, &index, err);
}

static const struct nb_form list_form = {
    .name = "list",
    .summary = "names to choose from",
    .details =
        "Without a word, prints the names of the lists. netbound help KIND "
        "explains a kind and its parameters, as used in KIND:VALUE,KEY=VALUE.",
    .example = "netbound list topologies",
    .common = "output",
};

const struct nb_command nb_command_list = {
    .form = &list_form,
    .words = "[WORD]",
    .word_at = nb_list_word_at,
    .print = list_print,
    .is_wrapped = true,
};
