/* Formula: how a number of an answer is computed, from data/formulas.txt. */
#ifndef NB_EXPLAIN_FORMULA_H
#define NB_EXPLAIN_FORMULA_H

#include "report/report.h"

/* A part of a text; not NUL-terminated. at = NULL: none. */
struct nb_stretch {
    const char *at;
    size_t length;
};

/* An answer to explain. Owns the model; zero-initialised is valid. */
struct nb_subject {
    struct nb_model model; /* at the point */
    const struct nb_point *point;
};

/* A row of the file, as parts of its text. */
struct nb_formula {
    struct nb_stretch commands; /* separated by blanks */
    struct nb_stretch name;     /* of a quantity, may hold "*"; or a symbol */
    struct nb_stretch body;     /* fields, each of one or more lines */
};

/* A subject for one of the points of a model's sweeps. Errors: NB_NO_MEMORY. */
enum nb_status nb_subject_open(const struct nb_model *model,
                               const struct nb_point *point,
                               struct nb_subject *out, struct nb_error *err);
void nb_subject_release(struct nb_subject *subject);

/* The text of data/formulas.txt, which explains its fields. */
const char *nb_formula_text(void);

/* The row at *at, which is moved past it; false at the text's end. */
bool nb_formula_next(const char **at, struct nb_formula *out);

/* Whether a row applies to the command. */
bool nb_formula_is_of(const struct nb_formula *formula, const char *command);

/* The n-th field of that key; at = NULL if there are fewer. */
struct nb_stretch nb_formula_field(const struct nb_formula *formula,
                                   const char *key, size_t n);

/* The first row of this name whose conditions the subject meets; false if there
 * is none. */
bool nb_formula_find(const struct nb_subject *subject, struct nb_stretch name,
                     struct nb_formula *out);

/* The value of an option, in whose name "_" also stands for "-", and the text
 * of a note; NULL if there is none. */
const char *nb_subject_option(const struct nb_subject *subject,
                              struct nb_stretch name);
const char *nb_subject_note(const struct nb_subject *subject,
                            struct nb_stretch name);

/* Whether a stretch equals this text, or fits a pattern in which "*" matches
 * anything. */
bool nb_stretch_is(struct nb_stretch stretch, const char *text);
bool nb_stretch_fits(struct nb_stretch pattern, struct nb_stretch text);
struct nb_stretch nb_stretch_of(const char *text);
/* Cuts off the part before a character, or everything if the character is
 * missing; returns that part without the blanks around it. */
struct nb_stretch nb_stretch_cut(struct nb_stretch *rest, char at);

/* The table or quantity of that name; NULL if there is none. */
const struct nb_table *nb_stretch_table(struct nb_stretch name,
                                        const struct nb_point *point);
const struct nb_quantity *nb_stretch_quantity(struct nb_stretch name,
                                              const struct nb_point *point);

/* Appends a stretch, with each line break and its indentation as one blank. */
void nb_stretch_print(struct nb_stretch stretch, struct nb_text *text);

#endif
