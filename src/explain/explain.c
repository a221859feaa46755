#include "explain/explain.h"

#include "core/memory.h"
#include "explain/expression.h"
#include "model/search.h"
#include "report/printed.h"
#include "report/shown.h"

#include <math.h>
#include <string.h>

static void print_line(const char *before, const char *line,
                       struct nb_text *text)
{
    if (line != NULL)
        nb_text_print(text, "%s%s\n", before, line);
}

/* "with rho = load = 0.9, the utilisation" */
static void print_symbol(const struct nb_explained_symbol *symbol,
                         struct nb_text *text)
{
    nb_text_print(text, "      with %s", symbol->name);
    if (symbol->formula != NULL)
        nb_text_print(text, " = %s", symbol->formula);
    if (symbol->numbers != NULL)
        nb_text_print(text, " = %s", symbol->numbers);
    if (*symbol->value != '\0')
        nb_text_print(text, " = %s", symbol->value);
    if (symbol->meaning != NULL)
        nb_text_print(text, ": %s", symbol->meaning);
    nb_text_print(text, "\n");
}

/* How a search found its value, which has no formula. */
static void print_search(const struct nb_point *point, struct nb_text *text)
{
    static const char *const names[] = { "find", "monotone", "undecided",
                                         "refused_values", "confidence" };
    nb_text_print(text, "      the question is answered for one value after "
                        "another, finally for the two nearest values with "
                        "different outcomes (--table " NB_FIND_TRIALS
                        " lists them)\n");
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (size_t i = 0; i < point->note_count; i++)
            if (strcmp(point->notes[i].name, names[n]) == 0)
                print_line("      ", point->notes[i].text, text);
}

/* search: the point, if the quantity is the value found by a search; else
 * NULL */
static void print_explanation(const struct nb_point *search,
                              const struct nb_quantity *quantity,
                              const struct nb_explanation *how,
                              struct nb_text *text)
{
    nb_text_print(text, "\n  %s\n", quantity->name);
    print_line("      = ", how->words, text);
    print_line("      = ", how->formula, text);
    print_line("      = ", how->numbers, text);
    print_line("      = ", how->value, text);
    print_line("      ", how->meaning, text);
    for (size_t i = 0; i < how->symbol_count; i++)
        print_symbol(&how->symbols[i], text);
    for (size_t i = 0; i < how->check_count; i++) {
        nb_text_print(text, "      as %s: %s\n", how->checks[i].formula,
                      how->checks[i].numbers);
    }
    if (search != NULL)
        print_search(search, text);
    nb_text_print(text, "      method: %s", quantity->method);
    if (*quantity->source != '\0')
        nb_text_print(text, " [%s]", quantity->source);
    nb_text_print(text, "\n");
}

static void sources_add(struct nb_explained_sources *sources,
                        struct nb_citation_key key)
{
    for (size_t i = 0; i < sources->count; i++)
        if (sources->keys[i].length == key.length &&
            memcmp(sources->keys[i].at, key.at, key.length) == 0)
            return;
    if (sources->count < NB_SOURCES)
        sources->keys[sources->count++] = key;
}

/* Adds the sources of a quantity. */
static void explained_sources_add(const struct nb_quantity *quantity,
                                  struct nb_explained_sources *sources)
{
    struct nb_citation_key key;
    const char *at = quantity->source;
    while (nb_citation_next(&at, &key))
        sources_add(sources, key);
}

void nb_explained_sources_find(const struct nb_report *report,
                               struct nb_explained_sources *out)
{
    out->count = 0;
    for (size_t p = 0; p < report->point_count; p++)
        for (size_t q = 0; q < report->points[p].quantity_count; q++)
            explained_sources_add(&report->points[p].quantities[q], out);
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
        explained_sources_add(quantity, sources);
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
    nb_delete(explanation->words);
    nb_delete(explanation->formula);
    nb_delete(explanation->numbers);
    nb_delete(explanation->value);
    nb_delete(explanation->meaning);
    for (size_t i = 0; i < explanation->check_count; i++) {
        nb_delete(explanation->checks[i].formula);
        nb_delete(explanation->checks[i].numbers);
    }
    for (size_t i = 0; i < explanation->symbol_count; i++) {
        struct nb_explained_symbol *symbol = &explanation->symbols[i];
        nb_delete(symbol->name);
        nb_delete(symbol->formula);
        nb_delete(symbol->numbers);
        nb_delete(symbol->value);
        nb_delete(symbol->meaning);
    }
    nb_delete(explanation->checks);
    nb_delete(explanation->symbols);
    *explanation = (struct nb_explanation){ 0 };
}

/* Takes over the printed text; *out stays NULL if it is empty. */
static enum nb_status explain_keep(struct nb_text *text, char **out,
                                   struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (text->has_failed) {
        status = nb_text_check(text, err);
    } else if (text->length > 0) {
        status = nb_new_copy(out, text->bytes, "a formula", err);
    }
    nb_text_release(text);
    return status;
}

static enum nb_status explain_copy(struct nb_stretch stretch, char **out,
                                   struct nb_error *err)
{
    struct nb_text text = { 0 };
    if (stretch.at != NULL)
        nb_stretch_print(stretch, &text);
    return explain_keep(&text, out, err);
}

/* "2/7 = 0.285714", "0.27 [0.26, 0.28]" */
static void explain_print_value(const struct nb_quantity *quantity,
                                struct nb_text *text)
{
    enum { LONG = 24 };
    char exact[NB_PRINTED] = "", number[NB_PRINTED + NB_NUMBER_TEXT];
    if (nb_ratio_is_known(quantity->exact))
        nb_print_certainty(quantity, exact);
    if (*exact != '\0' && strlen(exact) < LONG)
        nb_text_print(text, "%s = ", exact);
    nb_print_swept(quantity, number);
    nb_text_print(text, "%s", number);
    if (*quantity->unit != '\0' && strcmp(quantity->unit, "1") != 0)
        nb_text_print(text, " %s", quantity->unit);
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

/* A formula and its numbers; no numbers if they would repeat the formula or the
 * value. */
static enum nb_status
explain_formula(const struct nb_subject *subject, struct nb_stretch is,
                struct nb_symbols *symbols, struct nb_expression *found,
                char **formula, char **numbers, struct nb_error *err)
{
    struct nb_text text = { 0 };
    const bool is_known = explain_find(subject, is, symbols, &text, found);
    enum nb_status status = explain_copy(is, formula, err);
    const bool is_new = is_known && !found->is_plain && status == NB_OK &&
                        (text.has_failed || strcmp(text.bytes, *formula) != 0);
    if (is_new)
        status = explain_keep(&text, numbers, err);
    nb_text_release(&text);
    return status;
}

/* The value of a symbol, and how it was computed. */
static enum nb_status explain_symbol_value(const struct nb_subject *subject,
                                           struct nb_stretch is,
                                           struct nb_symbols *symbols,
                                           struct nb_explained_symbol *out,
                                           struct nb_error *err)
{
    struct nb_expression found;
    struct nb_text text = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(explain_formula(subject, is, symbols, &found, &out->formula,
                           &out->numbers, err));
    if (found.is_plain) { /* its name in the answer adds nothing */
        nb_delete(out->formula);
        out->formula = NULL;
    }
    const struct nb_quantity value = {
        .unit = (char[]){ "" },
        .value = found.figure.value,
        .lower = found.figure.value,
        .upper = found.figure.value,
        .exact = found.figure.exact,
    };
    explain_print_value(&value, &text);
    NB_TRY(explain_keep(&text, &out->value, err));
done:
    return status;
}

/* A symbol without a single value is shown by its words, "W(r) = ...", if it
 * has any. */
static enum nb_status explain_symbol(const struct nb_subject *subject,
                                     const struct nb_formula *row,
                                     struct nb_symbols *symbols,
                                     struct nb_explained_symbol *out,
                                     struct nb_error *err)
{
    const struct nb_stretch is = nb_formula_field(row, "is", 0);
    const struct nb_stretch words = nb_formula_field(row, "words", 0);
    const bool has_words = is.at == NULL && words.at != NULL;
    enum nb_status status = NB_OK;
    NB_TRY(explain_copy(has_words ? words : row->name, &out->name, err));
    NB_TRY(explain_copy(nb_formula_field(row, "means", 0), &out->meaning, err));
    if (is.at != NULL) {
        NB_TRY(explain_symbol_value(subject, is, symbols, out, err));
        goto done;
    }
    if (has_words)
        nb_symbols_of_words(subject, words, symbols);
    NB_TRY(nb_new_copy(&out->value, "", "a formula", err));
done:
    return status;
}

/* Symbols of the formula, then symbols used by these, and so on. */
static enum nb_status explain_symbols(const struct nb_subject *subject,
                                      struct nb_symbols *symbols,
                                      struct nb_explanation *out,
                                      struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < symbols->count; i++) {
        const struct nb_formula row = symbols->rows[i];
        NB_TRY(nb_grow_one(&out->symbols, out->symbol_count,
                           sizeof *out->symbols, "symbols", err));
        struct nb_explained_symbol *symbol = &out->symbols[out->symbol_count++];
        *symbol = (struct nb_explained_symbol){ 0 };
        NB_TRY(explain_symbol(subject, &row, symbols, symbol, err));
    }
done:
    return status;
}

/* A check that the number is right, or a number that decided it; nothing if the
 * answer lacks it or a comparison is false. */
static enum nb_status explain_check(const struct nb_subject *subject,
                                    struct nb_stretch shows,
                                    struct nb_symbols *symbols,
                                    struct nb_explanation *out,
                                    struct nb_error *err)
{
    struct nb_expression found;
    struct nb_text text = { 0 };
    enum nb_status status = NB_OK;
    const size_t symbols_before = symbols->count;
    if (!explain_find(subject, shows, symbols, &text, &found) || !found.holds) {
        symbols->count = symbols_before;
        goto done;
    }
    NB_TRY(nb_grow_one(&out->checks, out->check_count, sizeof *out->checks,
                       "checks", err));
    struct nb_explained_check *check = &out->checks[out->check_count++];
    *check = (struct nb_explained_check){ 0 };
    NB_TRY(explain_copy(shows, &check->formula, err));
    if (!found.is_comparison) {
        nb_text_release(&text);
        nb_figure_print(found.figure, &text);
    }
    NB_TRY(explain_keep(&text, &check->numbers, err));
done:
    nb_text_release(&text);
    return status;
}

enum nb_status nb_explain(const struct nb_subject *subject,
                          const struct nb_quantity *quantity,
                          struct nb_explanation *out, struct nb_error *err)
{
    struct nb_formula row;
    struct nb_symbols symbols = { 0 };
    struct nb_expression unused;
    struct nb_text text = { 0 };
    enum nb_status status = NB_OK;
    *out = (struct nb_explanation){ 0 };
    explain_print_value(quantity, &text);
    NB_TRY(explain_keep(&text, &out->value, err));
    const bool is_found =
        nb_model_is_search(&subject->model) &&
        nb_find_is_found(&subject->model, quantity->name) &&
        strcmp(quantity->name, subject->point->quantities[0].name) == 0;
    if (is_found ||
        !nb_formula_find(subject, nb_stretch_of(quantity->name), &row))
        return NB_OK;
    const struct nb_stretch is = nb_formula_field(&row, "is", 0);
    const struct nb_stretch words = nb_formula_field(&row, "words", 0);
    NB_TRY(explain_copy(words, &out->words, err));
    if (words.at != NULL)
        nb_symbols_of_words(subject, words, &symbols);
    NB_TRY(
        explain_copy(nb_formula_field(&row, "means", 0), &out->meaning, err));
    if (is.at != NULL)
        NB_TRY(explain_formula(subject, is, &symbols, &unused, &out->formula,
                               &out->numbers, err));
    struct nb_stretch shows;
    for (size_t n = 0; (shows = nb_formula_field(&row, "shows", n)).at != NULL;
         n++)
        NB_TRY(explain_check(subject, shows, &symbols, out, err));
    NB_TRY(explain_symbols(subject, &symbols, out, err));
done:
    if (status != NB_OK)
        nb_explanation_release(out);
    return status;
}
