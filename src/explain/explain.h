/* Explain: how a number in an answer was computed (its formula, the formula
 * with numbers, intermediate results), for every format. */
#ifndef NB_EXPLAIN_EXPLAIN_H
#define NB_EXPLAIN_EXPLAIN_H

#include "core/delete.h"
#include "explain/citation.h"
#include "explain/formula.h"

/* "rho = load = 0.9": a symbol that the formula or its words use and that the
 * answer does not list. */
struct nb_explained_symbol {
    const char *name; /* or its definition in words, "W(r) = 1 / (2 (1 - r))" */
    const char *formula; /* NULL: the answer contains it directly */
    const char *numbers; /* NULL: only the value */
    const char *value;   /* "": it has no single value */
    const char *meaning;
};

/* A check that the number is right, such as P(n) < overflow <= P(n-1). */
struct nb_explained_check {
    const char *formula;
    const char *numbers;
};

/* The pool owns everything; zero-initialised is valid. NULL members are
 * unknown, or would only repeat another member. */
struct nb_explanation {
    const char *words;   /* the formula in the field's notation */
    const char *formula; /* arithmetic over names in the answer */
    const char *numbers; /* the same with numbers */
    const char *value;   /* with its unit, exact or with its bracket */
    const char *meaning;
    size_t check_count;
    struct nb_explained_check *checks;
    size_t symbol_count;
    struct nb_explained_symbol *symbols;
    struct nb_pool pool;
};

/*
 * Explains a quantity of the subject's point. If data/formulas.txt has no row
 * for it, the explanation has only its value.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_explain(const struct nb_subject *subject,
                          const struct nb_quantity *quantity,
                          struct nb_explanation *out, struct nb_error *err);
void nb_explanation_release(struct nb_explanation *explanation);

/* The keys named by sources, each once, in order of appearance. They point into
 * the report. */
enum { NB_SOURCES = 64 };
struct nb_explained_sources {
    size_t count;
    struct nb_citation_key keys[NB_SOURCES];
};

/* The keys of all quantities of a report. */
void nb_explained_sources_find(const struct nb_report *report,
                               struct nb_explained_sources *out);

/* Appends, for people, how each quantity shown was computed at each point, and
 * the sources in full. Errors: NB_NO_MEMORY. */
enum nb_status nb_explain_print(const struct nb_report *report,
                                struct nb_text *text, struct nb_error *err);

#endif
