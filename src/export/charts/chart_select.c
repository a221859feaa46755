/* Which charts over axes a report has (declared in export/charts/chart.h). */
#include "export/charts/chart.h"

#include "core/try.h"
#include "export/charts/chart_parts.h"

#include <string.h>

enum nb_status nb_charts_add_lines(const struct nb_report *report,
                                   const char *prefix, int *number,
                                   xmlNodePtr parent, struct nb_error *err)
{
    const struct nb_chart_place out = { prefix, number, parent };
    struct nb_sweep sweep = { 0 };
    enum nb_status status;
    NB_TRY(nb_sweep_find(report, &sweep, err));
    if (strcmp(report->model.command, "validate") == 0)
        NB_TRY(nb_chart_validation(&sweep, &out, err));
    else
        NB_TRY(nb_chart_quantities(&sweep, &out, err));
    NB_TRY(nb_chart_tables(report, &out, err));
    NB_TRY(nb_chart_laws(report, &out, err));
    NB_TRY(nb_chart_names(report, &out, err));
    NB_TRY(nb_chart_ledger(report, &out, err));
done:
    nb_sweep_release(&sweep);
    return status;
}
