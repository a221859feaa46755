/* Format: shared by the output formats; each writes a checked report. */
#ifndef NB_REPORT_FORMAT_H
#define NB_REPORT_FORMAT_H

#include "report/report.h"

enum nb_name_kind {
    NB_NAME_SETTING,
    NB_NAME_QUANTITY,
    NB_NAME_TABLE,
    NB_NAME_NOTE
};

/* Names in the points of a report, each once, in order of first appearance.
 * Owns the array, which remembers a failed addition; the names belong to the
 * report. */
struct nb_names {
    size_t count;
    const char **name;
    bool has_failed;
};

/* Errors: NB_NO_MEMORY. */
enum nb_status nb_names_find(const struct nb_report *report,
                             enum nb_name_kind kind, struct nb_names *out,
                             struct nb_error *err);
/* Adds a name unless it is there already. */
void nb_names_add(struct nb_names *names, const char *name);
/* Call after additions; releases the names after a failure. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_names_check(struct nb_names *names, struct nb_error *err);
bool nb_names_has(const struct nb_names *names, const char *name);
void nb_names_release(struct nb_names *names);

/* What makes the message WHAT "TYPED" AFTER, with the nearest name and the
 * permitted ones: names, then tables; if there are none, `none`. */
struct nb_names_refusal {
    const char *what, *typed, *after, *none;
    struct nb_names names, tables;
};
/* Errors: NB_INVALID with this message; NB_NO_MEMORY. */
enum nb_status nb_names_refuse(const struct nb_names_refusal *refusal,
                               struct nb_error *err);

/* Errors: NB_INVALID listing the existing tables, if no point has this one. */
enum nb_status nb_report_check_table(const struct nb_report *report,
                                     const char *table, struct nb_error *err);

/* The value of a swept option at a point; "" if it has none there. */
const char *nb_point_setting(const struct nb_point *point, const char *name);

/* The text of the point's note of that name; NULL if it has none. */
const char *nb_point_find_note(const struct nb_point *point, const char *name);

/* nb_table_number with the column given by name. */
double nb_table_value(const struct nb_table *table, size_t row,
                      const char *column);

enum { NB_CELL_CHARACTERS = 64 };
/* Prints a cell that is not text: numbers in the fewest digits that identify
 * them, ratios as p/q, unknown ratios as "?". */
void nb_cell_print(const union nb_cell *cell, enum nb_cell_type type,
                   char text[NB_CELL_CHARACTERS]);

/* Whether CSV and JSON write the column as two: NAME with decimal numbers, as
 * readers take p/q for a text, and NAME_exact with the ratios. A column "exact"
 * already stands next to the numbers that enclose it. */
bool nb_column_is_split(const struct nb_table *table, size_t column);

/* Text for people. The report is complete and has the table, unless that is
 * NULL. Errors: NB_INVALID if it lacks what the model shows; NB_NO_MEMORY. */
enum nb_status nb_report_write_text(const struct nb_report *report,
                                    const char *table,
                                    const struct nb_look *look,
                                    struct nb_text *text, struct nb_error *err);

/* The parts of the XML: up to the first point, a point, the rest after the last
 * point except the seal. */
void nb_xml_write_head(const struct nb_model *model, const char *program,
                       struct nb_text *text);
/* Errors: NB_NO_MEMORY. */
enum nb_status nb_point_write_xml(const struct nb_point *point,
                                  struct nb_text *text, struct nb_error *err);
/* The point as written up to version 0.2.0, with 17 digits. */
enum nb_status nb_point_write_long_xml(const struct nb_point *point,
                                       struct nb_text *text,
                                       struct nb_error *err);
void nb_xml_write_made(const struct nb_made *made, struct nb_text *text);

/* The parts of JSON; index: of the point. */
void nb_json_write_head(const struct nb_model *model, const char *program,
                        struct nb_text *text);
void nb_json_write_point(const struct nb_point *point, size_t index,
                         struct nb_text *text);
void nb_json_write_made(const struct nb_made *made, struct nb_text *text);

/* The parts of CSV, given the outline of the report (report/writer.h): the
 * header, and the rows of the point of that index. Errors: NB_INVALID if the
 * table has other columns than in the outline; NB_NO_MEMORY. */
enum nb_status nb_csv_write_head(const struct nb_report *outline,
                                 const char *table, struct nb_text *text,
                                 struct nb_error *err);
enum nb_status nb_csv_write_point(const struct nb_report *outline,
                                  const char *table,
                                  const struct nb_point *point, size_t index,
                                  struct nb_text *text, struct nb_error *err);

#endif
