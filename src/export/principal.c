#include "export/principal.h"

#include "core/try.h"
#include "report/printed.h"
#include "report/shown.h"

#include <stdio.h>
#include <string.h>

/* Where networks saturate, the most telling first. */
static const char *const principal_limits[] = {
    "saturation",
    "worst_case_throughput",
    "throughput",
    "accepted_throughput",
};

/* The number of networks that fit says less than their best sizes. */
static size_t principal_first(const struct nb_names *names)
{
    return names->count > 1 && strcmp(names->name[0], "networks") == 0;
}

/* Whether a name is that of the first one with an ending, "_absolute". */
static bool principal_is_same(const struct nb_names *names, size_t first,
                              size_t n)
{
    const size_t length = strlen(names->name[first]);
    return strncmp(names->name[n], names->name[first], length) == 0 &&
           names->name[n][length] == '_';
}

/* The place of the quantity that follows the first one. */
static size_t principal_second(const struct nb_names *names, size_t first)
{
    for (size_t i = 0; i < sizeof principal_limits / sizeof *principal_limits;
         i++)
        for (size_t n = first + 1; n < names->count; n++)
            if (strcmp(names->name[n], principal_limits[i]) == 0)
                return n;
    size_t second = first + 1;
    while (second < names->count && principal_is_same(names, first, second))
        second++;
    return second;
}

/* The value and how sure it is, or the least and the greatest of a sweep, each
 * with its interval. */
static void principal_add(const struct nb_report *report, const char *name,
                          xmlNodePtr parent)
{
    const struct nb_quantity *least = NULL, *most = NULL;
    size_t count = 0;
    for (size_t p = 0; p < report->point_count; p++) {
        const struct nb_quantity *found =
            nb_point_quantity(&report->points[p], name);
        if (found == NULL)
            continue;
        count++;
        least = least == NULL || found->value < least->value ? found : least;
        most = most == NULL || found->value > most->value ? found : most;
    }
    if (count == 0)
        return;
    xmlNodePtr node = nb_view_add(parent, "principal");
    char low[NB_PRINTED + NB_NUMBER_TEXT], high[NB_PRINTED + NB_NUMBER_TEXT];
    nb_view_set(node, "name", name);
    nb_view_set(node, "unit", nb_view_has_unit(least->unit) ? least->unit : "");
    if (count == 1) {
        nb_print_value(least, low);
        nb_print_certainty(least, high);
        nb_view_set(node, "sure", high);
        nb_view_text(node, low);
        return;
    }
    char text[2 * sizeof low + 8];
    nb_print_swept(least, low);
    nb_print_swept(most, high);
    snprintf(text, sizeof text, strcmp(low, high) == 0 ? "%s" : "%s to %s", low,
             high);
    nb_view_print(node, "sure", "%zu points", count);
    nb_view_text(node, text);
}

enum nb_status nb_principal_add(const struct nb_report *report,
                                xmlNodePtr parent, struct nb_error *err)
{
    struct nb_names names = { 0 };
    enum nb_status status;
    NB_TRY(nb_shown_quantities(report, &names, err));
    if (names.count == 0)
        NB_TRY(nb_names_find(report, NB_NAME_QUANTITY, &names, err));
    const size_t first = principal_first(&names);
    const size_t second = principal_second(&names, first);
    if (names.count > 0)
        principal_add(report, names.name[first], parent);
    if (names.count > second)
        principal_add(report, names.name[second], parent);
done:
    nb_names_release(&names);
    return status;
}
