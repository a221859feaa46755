/* Explanations for people (declared in explain.h). */
#include "explain/explain.h"

#include "core/try.h"
#include "report/printed.h"
#include "report/shown.h"

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

static void print_explanation(const struct nb_quantity *quantity,
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

void nb_explained_sources_add(const struct nb_quantity *quantity,
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
            nb_explained_sources_add(&report->points[p].quantities[q], out);
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
    nb_text_print(text, "\nHow each number is had");
    nb_place_print(point, text);
    nb_text_print(text, "\n");
    for (size_t i = 0; i < names->count; i++) {
        struct nb_explanation how;
        const struct nb_quantity *quantity =
            nb_point_quantity(point, names->name[i]);
        if (quantity == NULL)
            continue;
        NB_TRY(nb_explain(&subject, quantity, &how, err));
        print_explanation(quantity, &how, text);
        nb_explained_sources_add(quantity, sources);
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
