/* Formula: what a number of an answer is computed from, as data/formulas.txt
 * says it. */
#ifndef NB_EXPLAIN_FORMULA_H
#define NB_EXPLAIN_FORMULA_H

#include "report/report.h"

/* A part of a text; not ended by NUL. at = NULL: there is none. */
struct nb_stretch {
    const char *at;
    size_t length;
};

/* An answer that is explained. Owns the model; zero-initialised is valid. */
struct nb_subject {
    struct nb_model model; /* as it is at the point */
    const struct nb_point *point;
};

/* A row, or what a file's text is cut into. */
struct nb_formula {
    struct nb_stretch commands; /* between blanks */
    struct nb_stretch name;     /* of a quantity, may hold "*"; or a symbol */
    struct nb_stretch body;     /* fields, one a line or more */
};

/* One of the points of a model's sweeps. Errors: NB_NO_MEMORY. */
enum nb_status nb_subject_open(const struct nb_model *model,
                               const struct nb_point *point,
                               struct nb_subject *out, struct nb_error *err);
void nb_subject_release(struct nb_subject *subject);

/* The text of data/formulas.txt, which says what its fields mean. */
const char *nb_formula_text(void);

/* The row at *at, which is then behind it; false at the text's end. */
bool nb_formula_next(const char **at, struct nb_formula *out);

/* Whether a row is for the command. */
bool nb_formula_is_of(const struct nb_formula *formula, const char *command);

/* The n-th field of that key; at = NULL if there are fewer. */
struct nb_stretch nb_formula_field(const struct nb_formula *formula,
                                   const char *key, size_t n);

/* The first row of this name whose conditions the subject meets; false if
 * there is none. */
bool nb_formula_find(const struct nb_subject *subject, struct nb_stretch name,
                     struct nb_formula *out);

/*
 * What stands under a name such as "option.load", "note.worst_channel",
 * "method" or "unit" (of a quantity), NULL if nothing does; "yes" for a
 * "table.NAME", "quantity.NAME", or for "exact" or "finite" of a quantity that
 * is.
 *
 * quantity  may be NULL
 */
const char *nb_subject_text(const struct nb_subject *subject,
                            const struct nb_quantity *quantity,
                            struct nb_stretch name);

/* Whether a stretch is this text, or fits a pattern with "*" for
 * anything. */
bool nb_stretch_is(struct nb_stretch stretch, const char *text);
bool nb_stretch_fits(struct nb_stretch pattern, struct nb_stretch text);
struct nb_stretch nb_stretch_of(const char *text);

/* The table or quantity of that name; NULL if there is none. */
const struct nb_table *nb_stretch_table(struct nb_stretch name,
                                        const struct nb_point *point);
const struct nb_quantity *nb_stretch_quantity(struct nb_stretch name,
                                              const struct nb_point *point);

/* Appends a stretch, line breaks and what indents lines as one blank. */
void nb_stretch_print(struct nb_stretch stretch, struct nb_text *text);

#endif
