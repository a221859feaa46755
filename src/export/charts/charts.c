#include "export/charts/chart.h"

#include "core/try.h"
#include "report/shown.h"

#include <string.h>

void nb_chart_add_place(const struct nb_report *report,
                        const struct nb_point *point, xmlNodePtr chart)
{
    if (report->point_count < 2)
        return;
    for (size_t i = 0; i < point->setting_count; i++) {
        xmlNodePtr at = nb_view_add(chart, "at");
        nb_view_set(at, "name", point->settings[i].name);
        nb_view_set(at, "value", point->settings[i].value);
    }
}

/* Takes away the charts after an element (NULL: all) if none of them is about
 * what the model shows; else returns false. */
static bool charts_withdraw(xmlNodePtr parent, xmlNodePtr last,
                            const struct nb_names *shown)
{
    xmlNodePtr first = last != NULL ? last->next : parent->children;
    for (xmlNodePtr chart = first; chart != NULL; chart = chart->next) {
        xmlChar *data = xmlGetNoNsProp(chart, BAD_CAST "data");
        bool is_shown = xmlStrEqual(data, BAD_CAST "quantities");
        for (size_t i = 0; i < shown->count; i++)
            is_shown = is_shown || xmlStrEqual(data, BAD_CAST shown->name[i]);
        xmlFree(data);
        if (is_shown)
            return false;
    }
    while (first != NULL) {
        xmlNodePtr next = first->next;
        xmlUnlinkNode(first);
        xmlFreeNode(first);
        first = next;
    }
    return true;
}

static enum nb_status charts_add_both(const struct nb_report *report,
                                      const char *prefix, xmlNodePtr parent,
                                      struct nb_error *err)
{
    int number = 0;
    enum nb_status status;
    NB_TRY(nb_charts_add_lines(report, prefix, &number, parent, err));
    NB_TRY(nb_charts_add_drawings(report, prefix, &number, parent, err));
done:
    return status;
}

enum nb_status nb_charts_add(const struct nb_report *report, const char *prefix,
                             xmlNodePtr parent, struct nb_error *err)
{
    struct nb_names shown = { 0 };
    enum nb_status status;
    if (parent == NULL)
        return nb_fail(err, NB_NO_MEMORY, "no memory for charts");
    xmlNodePtr last = xmlGetLastChild(parent);
    NB_TRY(charts_add_both(report, prefix, parent, err));
    if (report->model.show_count == 0)
        goto done;
    NB_TRY(nb_shown_tables(report, &shown, err));
    if (charts_withdraw(parent, last, &shown)) {
        struct nb_report whole = *report; /* borrows all, but shows all */
        whole.model.show_count = 0;
        NB_TRY(charts_add_both(&whole, prefix, parent, err));
    }
done:
    nb_names_release(&shown);
    return status;
}
