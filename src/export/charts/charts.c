#include "export/charts/chart.h"

enum nb_status nb_charts_add(const struct nb_report *report, const char *prefix,
                             xmlNodePtr parent, struct nb_error *err)
{
    int number = 0;
    enum nb_status status;
    NB_TRY(nb_charts_add_lines(report, prefix, &number, parent, err));
    NB_TRY(nb_charts_add_drawings(report, prefix, &number, parent, err));
done:
    return status;
}
