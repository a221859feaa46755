#include "cli/reference.h"

#include "core/unit.h"

#include <string.h>

const char *const nb_exit_meanings[] = {
    "answered",
    "error in what the options name: a network, scheme, traffic, parameter or "
    "file; or a verdict failed",
    "error in the command or its options: one is unknown, missing or excluded, "
    "or a number or choice is not permitted",
    NULL
};

/* Ranges that end beyond this only keep mistakes out; brief help omits them. */
#define REFERENCE_TOLD 1e6

static void reference_print_default(const struct nb_parameter *row,
                                    struct nb_text *text)
{
    if (row->initial == NULL && row->type != NB_PATH)
        nb_text_print(text, "; required");
    else if (row->initial != NULL && *row->initial != '\0' &&
             (row->type != NB_FLAG || strcmp(row->initial, "no") != 0))
        nb_text_print(text, "; default %s", row->initial);
    if (row->beside != NULL) {
        const int length = (int)strcspn(row->beside, "=");
        nb_text_print(text, ", %s with --%.*s", row->beside + length + 1,
                      length, row->beside);
    }
}

static void reference_print(const struct nb_parameter *row, bool is_brief,
                            struct nb_text *text)
{
    const struct nb_unit_base *base =
        row->unit != NULL ? nb_unit_base_find(row->unit) : NULL;
    nb_text_print(text, "%s", row->help);
    if (row->choices != NULL)
        nb_text_print(text, " (%s)", row->choices);
    if ((row->type == NB_WHOLE || row->type == NB_NUMBER) &&
        (!is_brief || row->most < REFERENCE_TOLD)) {
        nb_text_print(text, " (%g to %g", row->least, row->most);
        if (base != NULL && *base->shown != '\0')
            nb_text_print(text, " %s", base->shown);
        nb_text_print(text, ")");
    }
    if (base != NULL && !is_brief)
        nb_text_print(text, ", or %s", base->example);
    if (row->also != NULL && !is_brief)
        nb_text_print(text, " (also: --%s)", row->also);
    reference_print_default(row, text);
}

void nb_option_print_brief(const struct nb_parameter *row, struct nb_text *text)
{
    reference_print(row, true, text);
}

void nb_option_print(const struct nb_parameter *row, struct nb_text *text)
{
    reference_print(row, false, text);
}

/* "  needs: --router credit, --router benito" */
static void reference_print_names(const char *label, bool is_choice,
                                  const char *names, struct nb_text *text)
{
    if (names == NULL)
        return;
    nb_text_print(text, "  %s%s:", label,
                  is_choice && strchr(names, ' ') != NULL ? " one of" : "");
    for (bool is_later = false; *names != '\0'; is_later = true) {
        const size_t length = strcspn(names, " ");
        const size_t name = strcspn(names, " =");
        nb_text_print(text, "%s --%.*s", is_later ? "," : "", (int)name, names);
        if (name < length)
            nb_text_print(text, " %.*s", (int)(length - name - 1),
                          names + name + 1);
        names += length;
        names += strspn(names, " ");
    }
    nb_text_print(text, "\n");
}

void nb_detail_print(const char *detail, struct nb_text *text)
{
    for (const char *line = detail; line != NULL && *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        nb_text_print(text, "  %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

void nb_option_print_page(const struct nb_parameter *row, struct nb_text *text)
{
    nb_text_print(text, "  ");
    nb_option_print(row, text);
    nb_text_print(text, "\n");
    const bool is_instead = row->either != NULL && row->apart != NULL &&
                            strcmp(row->either, row->apart) == 0;
    reference_print_names("needs", true, row->with, text);
    reference_print_names(is_instead ? "instead of" : "or give", false,
                          row->either, text);
    reference_print_names("not with", false, is_instead ? NULL : row->apart,
                          text);
    if (row->detail != NULL)
        nb_text_print(text, "\n");
    nb_detail_print(row->detail, text);
}

const char *nb_kind_name(const struct nb_kind *kind, size_t index, int *length)
{
    const char *name = index == 0 ? kind->name : kind->aliases;
    for (; index > 1 && name != NULL; index--) {
        name += strcspn(name, " ");
        name = *name != '\0' ? name + 1 : NULL;
    }
    *length = name != NULL ? (int)strcspn(name, " ") : 0;
    return name;
}
