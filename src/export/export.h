/* Export: reports turned into pages, tables, pictures and notebooks by the
 * style sheets of notebooks-export/, which the program carries within. */
#ifndef NB_EXPORT_EXPORT_H
#define NB_EXPORT_EXPORT_H

#include "core/embedded.h"
#include "report/report.h"

NB_PUBLIC_BEGIN

/* One report to be exported, borrowed, and what is known of it. */
struct nb_exhibit {
    const struct nb_report *report;
    const char *file; /* it was read from; NULL: it is new */
    bool is_digest_right;
    const char *verified; /* NULL: nobody asked */
    const char *table;    /* shown instead of the usual ones; NULL: those */
    enum nb_numbers numbers;
};

/* The style sheets, html.xsl and so on, and the parts that several take in;
 * made from the files' names. */
extern const struct nb_embedded nb_styles[];
extern const struct nb_embedded nb_style_parts[];
/* Between bars: what a report can be exported to, and all formats. */
extern const char nb_export_choices[];
extern const char nb_format_choices[];

/*
 * Appends what a style sheet makes of the reports.
 *
 * style  name of a file of notebooks-export, without .xsl
 *
 * Errors: NB_INVALID if there is no such style sheet, if it refuses the
 * reports (its own words), or as nb_view_build; NB_NO_MEMORY, also where the
 * process that libxslt runs in cannot be made or does not survive
 * (core/apart.h).
 */
enum nb_status nb_export_write(const char *style,
                               const struct nb_exhibit *exhibits, size_t count,
                               struct nb_text *text, struct nb_error *err);

NB_PUBLIC_END

#endif
