#include "explain/explain.h"

#include "core/memory.h"
#include "explain/expression.h"
#include "model/search.h"
#include "report/printed.h"
#include "report/shown.h"

#include <math.h>
#include <string.h>

/* Prints each part that is there, after `before`, which is that of the first
 * part. */
static void print_parts(const char *first, const char *before,
                        const char *const *parts, size_t count,
                        struct nb_text *text)
{
    for (size_t i = 0; i < count; i++)
        if (parts[i] != NULL && *parts[i] != '\0')
            nb_text_print(text, "%s%s", i == 0 ? first : before, parts[i]);
}

/* "with rho = load = 0.9, the utilisation" */
static void print_symbol(const struct nb_explained_symbol *symbol,
                         struct nb_text *text)
{
    const char *const parts[] = { symbol->name, symbol->formula,
                                  symbol->numbers, symbol->value };
    print_parts("\n      with ", " = ", parts, sizeof parts / sizeof *parts,
                text);
    print_parts(": ", "", &symbol->meaning, 1, text);
}

/* How a search found its value, which has no formula. */
static void print_search(const struct nb_point *point, struct nb_text *text)
{
    static const char *const names[] = { "find", "monotone", "undecided",
                                         "refused_values", "confidence" };
    nb_text_print(text,
                  "\n      the question is answered for one value after "
                  "another, finally for the two nearest values with "
                  "different outcomes (--table " NB_FIND_TRIALS " lists them)");
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        const char *note = nb_point_find_note(point, names[n]);
        print_parts("\n      ", "", &note, 1, text);
    }
}

/* search: the point, if the quantity is the value found by a search; else
 * NULL */
static void print_explanation(const struct nb_point *search,
                              const struct nb_quantity *quantity,
                              const struct nb_explanation *how,
                              struct nb_text *text)
{
    const char *const lines[] = { how->words, how->formula, how->numbers,
                                  how->value };
    static const char equals[] = "\n      = ";
    nb_text_print(text, "\n  %s", quantity->name);
    print_parts(equals, equals, lines, sizeof lines / sizeof *lines, text);
    print_parts("\n      ", "", &how->meaning, 1, text);
    for (size_t i = 0; i < how->symbol_count; i++)
        print_symbol(&how->symbols[i], text);
    for (size_t i = 0; i < how->check_count; i++)
        nb_text_print(text, "\n      as %s: %s", how->checks[i].formula,
                      how->checks[i].numbers);
    if (search != NULL)
        print_search(search, text);
    nb_text_print(text, "\n      method: %s", quantity->method);
    if (*quantity->source != '\0')
        nb_text_print(text, " [%s]", quantity->source);
    nb_text_print(text, "\n");
}

/* Adds the sources of a quantity. */
static void sources_add(const struct nb_quantity *quantity,
                        struct nb_explained_sources *sources)
{
    struct nb_citation_key key;
    const char *at = quantity->source;
    while (nb_citation_next(&at, &key)) {
        size_t i = 0;
        while (i < sources->count &&
               (sources->keys[i].length != key.length ||
                memcmp(sources->keys[i].at, key.at, key.length) != 0))
            i++;
        if (i == sources->count && i < NB_SOURCES)
            sources->keys[sources->count++] = key;
    }
}

void nb_explained_sources_find(const struct nb_report *report,
                               struct nb_explained_sources *out)
{
    out->count = 0;
    for (size_t p = 0; p < report->point_count; p++)
        for (size_t q = 0; q < report->points[p].quantity_count; q++)
            sources_add(&report->points[p].quantities[q], out);
}

static enum nb_status print_point(const struct nb_report *report,
                                  const struct nb_point *point,
                                  const struct nb_names *names,
                                  struct nb_explained_sources *sources,
                                  struct nb_text *text, struct nb_error *err)
{
    struct nb_subject subject;
    enum nb_status status =
        nb_subject_open(&report->model, point, &subject, err);
    if (status != NB_OK)
        return status;
    nb_text_print(text, "\nHow each number was found");
    nb_place_print(point, text);
    nb_text_print(text, "\n");
    for (size_t i = 0; i < names->count; i++) {
        struct nb_explanation how;
        const struct nb_quantity *quantity =
            nb_point_quantity(point, names->name[i]);
        if (quantity == NULL)
            continue;
        NB_TRY(nb_explain(&subject, quantity, &how, err));
        print_explanation(
            nb_find_is_found(&report->model, quantity->name) ? point : NULL,
            quantity, &how, text);
        sources_add(quantity, sources);
        nb_explanation_release(&how);
    }
done:
    nb_subject_release(&subject);
    return status;
}

static enum nb_status print_sources(const struct nb_explained_sources *sources,
                                    struct nb_text *text, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < sources->count; i++) {
        const struct nb_citation_key key = sources->keys[i];
        nb_text_print(text, "%s  [%.*s] ", i == 0 ? "\nSources\n" : "",
                      (int)key.length, key.at);
        NB_TRY(nb_citation_find(key, text, err));
        nb_text_print(text, "\n");
    }
done:
    return status;
}

enum nb_status nb_explain_print(const struct nb_report *report,
                                struct nb_text *text, struct nb_error *err)
{
    struct nb_names names;
    struct nb_explained_sources sources = { 0 };
    enum nb_status status = nb_shown_quantities(report, &names, err);
    for (size_t p = 0; p < report->point_count && status == NB_OK; p++)
        status = print_point(report, &report->points[p], &names, &sources, text,
                             err);
    nb_names_release(&names);
    if (status == NB_OK)
        status = print_sources(&sources, text, err);
    return status == NB_OK ? nb_text_check(text, err) : status;
}

void nb_explanation_release(struct nb_explanation *explanation)
{
    nb_pool_release(&explanation->pool);
    *explanation = (struct nb_explanation){ 0 };
}

/* Takes over the printed text; NULL if it is empty. */
static const char *explain_keep(struct nb_text *text, struct nb_pool *pool)
{
    char *kept = NULL;
    pool->is_short |= text->has_failed;
    if (text->length > 0)
        kept = nb_pool_array(pool, text->length + 1, 1);
    if (kept != NULL)
        memcpy(kept, text->bytes, text->length);
    nb_text_release(text);
    return kept;
}

static const char *explain_copy(struct nb_stretch stretch, struct nb_pool *pool)
{
    struct nb_text text = { 0 };
    if (stretch.at != NULL)
        nb_stretch_print(stretch, &text);
    return explain_keep(&text, pool);
}

/* "2/7 = 0.285714", "0.27 [0.26, 0.28]" */
static const char *explain_value(const struct nb_quantity *quantity,
                                 struct nb_pool *pool)
{
    enum { LONG = 24 };
    struct nb_text text = { 0 };
    char exact[NB_PRINTED] = "", number[NB_PRINTED + NB_NUMBER_TEXT];
    if (nb_ratio_is_known(quantity->exact))
        nb_print_certainty(quantity, exact);
    if (*exact != '\0' && strlen(exact) < LONG)
        nb_text_print(&text, "%s = ", exact);
    nb_print_swept(quantity, number);
    nb_text_print(&text, "%s", number);
    if (*quantity->unit != '\0' && strcmp(quantity->unit, "1") != 0)
        nb_text_print(&text, " %s", quantity->unit);
    return explain_keep(&text, pool);
}

/* Evaluates a row's expression; false if the answer lacks something it
 * names. */
static bool explain_find(const struct nb_subject *subject,
                         struct nb_stretch expression,
                         struct nb_symbols *symbols, struct nb_text *numbers,
                         struct nb_expression *found)
{
    return nb_expression_find(subject, expression, numbers, symbols, found) &&
           !isnan(found->figure.value);
}

/* The numbers of a formula; NULL if they would repeat the formula or the
 * value. */
static const char *explain_numbers(const struct nb_subject *subject,
                                   struct nb_stretch is, const char *formula,
                                   struct nb_symbols *symbols,
                                   struct nb_expression *found,
                                   struct nb_pool *pool)
{
    struct nb_text text = { 0 };
    const bool is_known = explain_find(subject, is, symbols, &text, found);
    if (!is_known || found->is_plain ||
        (formula != NULL && text.bytes != NULL &&
         strcmp(text.bytes, formula) == 0))
        text.length = 0;
    return explain_keep(&text, pool);
}

/* A symbol without a single value is shown by its words, "W(r) = ...", if it
 * has any. */
static struct nb_explained_symbol
explain_symbol(const struct nb_subject *subject, const struct nb_formula *row,
               struct nb_symbols *symbols, struct nb_pool *pool)
{
    const struct nb_stretch is = nb_formula_field(row, "is", 0);
    const struct nb_stretch words = nb_formula_field(row, "words", 0);
    const bool has_words = is.at == NULL && words.at != NULL;
    struct nb_explained_symbol out = {
        .name = explain_copy(has_words ? words : row->name, pool),
        .formula = explain_copy(is, pool),
        .value = "",
        .meaning = explain_copy(nb_formula_field(row, "means", 0), pool),
    };
    struct nb_expression found;
    if (has_words)
        nb_symbols_of_words(subject, words, symbols);
    if (is.at == NULL)
        return out;
    out.numbers =
        explain_numbers(subject, is, out.formula, symbols, &found, pool);
    if (found.is_plain) /* its name in the answer adds nothing */
        out.formula = NULL;
    const struct nb_quantity value = {
        .unit = (char[]){ "" },
        .value = found.figure.value,
        .lower = found.figure.value,
        .upper = found.figure.value,
        .exact = found.figure.exact,
    };
    out.value = explain_value(&value, pool);
    return out;
}

/* A check that the number is right, or a number that decided it; nothing if the
 * answer lacks it or a comparison is false. */
static void explain_check(const struct nb_subject *subject,
                          struct nb_stretch shows, struct nb_symbols *symbols,
                          struct nb_explanation *out)
{
    struct nb_expression found;
    struct nb_text text = { 0 };
    const size_t symbols_before = symbols->count;
    if (explain_find(subject, shows, symbols, &text, &found) && found.holds) {
        if (!found.is_comparison) {
            text.length = 0;
            nb_figure_print(found.figure, &text);
        }
        out->checks[out->check_count++] =
            (struct nb_explained_check){ explain_copy(shows, &out->pool),
                                         explain_keep(&text, &out->pool) };
    } else {
        symbols->count = symbols_before;
    }
    nb_text_release(&text);
}

/* Explains by a row: its parts, its checks; then the symbols of these, symbols
 * used by those, and so on. */
static void explain_by(const struct nb_subject *subject,
                       const struct nb_formula *row, struct nb_explanation *out)
{
    const struct nb_stretch is = nb_formula_field(row, "is", 0);
    const struct nb_stretch words = nb_formula_field(row, "words", 0);
    struct nb_pool *pool = &out->pool;
    struct nb_symbols symbols = { 0 };
    struct nb_expression unused;
    size_t shown = 0;
    out->words = explain_copy(words, pool);
    out->formula = explain_copy(is, pool);
    out->meaning = explain_copy(nb_formula_field(row, "means", 0), pool);
    if (words.at != NULL)
        nb_symbols_of_words(subject, words, &symbols);
    if (is.at != NULL)
        out->numbers =
            explain_numbers(subject, is, out->formula, &symbols, &unused, pool);
    while (nb_formula_field(row, "shows", shown).at != NULL)
        shown++;
    out->checks = nb_pool_array(pool, shown, sizeof *out->checks);
    for (size_t n = 0; n < shown && out->checks != NULL; n++)
        explain_check(subject, nb_formula_field(row, "shows", n), &symbols,
                      out);
    out->symbols = nb_pool_array(pool, NB_SYMBOLS, sizeof *out->symbols);
    for (size_t i = 0; i < symbols.count && out->symbols != NULL; i++)
        out->symbols[out->symbol_count++] =
            explain_symbol(subject, &symbols.rows[i], &symbols, pool);
}

enum nb_status nb_explain(const struct nb_subject *subject,
                          const struct nb_quantity *quantity,
                          struct nb_explanation *out, struct nb_error *err)
{
    struct nb_formula row;
    *out = (struct nb_explanation){ 0 };
    out->value = explain_value(quantity, &out->pool);
    const bool is_found =
        nb_model_is_search(&subject->model) &&
        nb_find_is_found(&subject->model, quantity->name) &&
        strcmp(quantity->name, subject->point->quantities[0].name) == 0;
    if (!is_found &&
        nb_formula_find(subject, nb_stretch_of(quantity->name), &row))
        explain_by(subject, &row, out);
    const enum nb_status status = nb_pool_check(&out->pool, "a formula", err);
    if (status != NB_OK)
        nb_explanation_release(out);
    return status;
}
