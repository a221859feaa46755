/* Export: converts reports to pages, tables, pictures and notebooks with the
 * style sheets of notebooks-export/, which are embedded in the program. */
#ifndef NB_EXPORT_EXPORT_H
#define NB_EXPORT_EXPORT_H

#include "core/embedded.h"
#include "report/report.h"

NB_PUBLIC_BEGIN

/* One report to export, borrowed, with its context. */
struct nb_exhibit {
    const struct nb_report *report;
    const char *file; /* file it was read from; NULL: it is new */
    bool is_digest_right;
    const char *verified; /* NULL: not checked */
    const char *table;    /* table shown instead of the usual ones; NULL:
                           * those */
    enum nb_numbers numbers;
};

/* The export formats of a report, separated by bars. */
extern const char nb_export_choices[];

/*
 * Appends the output of a style sheet for the reports.
 *
 * style  name of a file of notebooks-export, without .xsl
 *
 * Errors: NB_INVALID if there is no such style sheet, no report or an empty
 * one, or if it refuses the reports (with its message); those of nb_view_build;
 * NB_NO_MEMORY, also if the process for libxslt cannot be created or does not
 * survive (core/apart.h).
 */
enum nb_status nb_export_write(const char *style,
                               const struct nb_exhibit *exhibits, size_t count,
                               struct nb_text *text, struct nb_error *err);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/* The style sheets, html.xsl and so on, and the parts that several include;
 * made from the files' names. */
extern const struct nb_embedded nb_styles[];
extern const struct nb_embedded nb_style_parts[];
/* All formats, separated by bars. */
extern const char nb_format_choices[];

NB_INTERNAL_END

#endif
