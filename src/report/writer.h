/* Writer: writes a report as CSV, XML or JSON, point by point, in memory that
 * does not grow with the number of points. */
#ifndef NB_REPORT_WRITER_H
#define NB_REPORT_WRITER_H

#include "core/digest.h"
#include "core/spool.h"
#include "report/report.h"

/*
 * The outline of a report: one point with every setting, every quantity and
 * every kind of table that any point has, once, without values and rows. It
 * shows which names exist (nb_shown_check, nb_report_check_table).
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_outline_add(struct nb_report *outline,
                              const struct nb_point *point,
                              struct nb_error *err);
/* Releases what nb_outline_add made; the model is borrowed. */
void nb_outline_release(struct nb_report *outline);

/* Set the first three before nb_writer_begin. The outline may be set, too; it
 * must then cover all points. Released by nb_writer_release. */
struct nb_report_writer {
    enum nb_format format;    /* not text */
    const char *table;        /* as in nb_report_write */
    struct nb_spool *out;     /* NULL: what is written stays in text */
    struct nb_report outline; /* of the points so far; its model is borrowed */
    bool is_outlined;         /* it was set before the first point */
    bool has_head;
    size_t point_count;
    struct nb_digest digest;
    struct nb_text text;
    size_t flushed; /* bytes of it that are digested and passed on */
};

/* Errors: NB_NO_MEMORY, NB_IO. */
enum nb_status nb_writer_begin(struct nb_report_writer *writer,
                               const struct nb_model *model,
                               const char *program, struct nb_error *err);
/* Errors: those of nb_report_write; NB_IO. */
enum nb_status nb_writer_add(struct nb_report_writer *writer,
                             const struct nb_point *point,
                             struct nb_error *err);
/* Errors: NB_INVALID if no point had the table, or what the model shows; XML
 * and JSON are completed first. */
enum nb_status nb_writer_end(struct nb_report_writer *writer,
                             const struct nb_made *made, struct nb_error *err);
void nb_writer_release(struct nb_report_writer *writer);

#endif
