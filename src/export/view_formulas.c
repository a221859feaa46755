/* How numbers are had and what they rest on, in the view. */
#include "export/view_parts.h"

#include "core/try.h"
#include "explain/explain.h"
#include "report/printed.h"

static void formulas_add_step(xmlNodePtr parent, const char *name,
                              const char *content)
{
    xmlNodePtr step;
    if (content == NULL)
        return;
    step = nb_view_add(parent, "step");
    nb_view_set(step, "name", name);
    nb_view_text(step, content);
}

/* "formula = numbers = value: meaning" */
static void formulas_add_symbol(xmlNodePtr parent,
                                const struct nb_explained_symbol *symbol)
{
    xmlNodePtr step = nb_view_add(parent, "step");
    nb_view_set(step, "name", symbol->name);
    if (symbol->meaning != NULL)
        nb_view_set(step, "meaning", symbol->meaning);
    const char *const parts[] = { symbol->formula, symbol->numbers };
    for (size_t i = 0; i < 2; i++)
        if (parts[i] != NULL) {
            nb_view_text(step, parts[i]);
            nb_view_text(step, " = ");
        }
    nb_view_text(step, symbol->value);
}

static enum nb_status formulas_add(const struct nb_subject *subject,
                                   const struct nb_quantity *quantity,
                                   const char *place, xmlNodePtr parent,
                                   struct nb_error *err)
{
    struct nb_explanation how;
    const enum nb_status status = nb_explain(subject, quantity, &how, err);
    if (status != NB_OK)
        return status;
    xmlNodePtr node = nb_view_add(parent, "formula");
    const char *words = how.words != NULL ? how.words : how.formula;
    nb_view_set(node, "quantity", quantity->name);
    nb_view_set(node, "place", place);
    nb_view_set(node, "value", how.value != NULL ? how.value : "");
    nb_view_set(node, "method", quantity->method);
    nb_view_set(node, "source", quantity->source);
    nb_view_set(node, "meaning", how.meaning != NULL ? how.meaning : "");
    nb_view_text(node, words != NULL ? words : "");
    if (how.words != NULL)
        formulas_add_step(node, "", how.formula);
    formulas_add_step(node, "", how.numbers);
    for (size_t i = 0; i < how.symbol_count; i++)
        formulas_add_symbol(node, &how.symbols[i]);
    for (size_t i = 0; i < how.check_count; i++)
        formulas_add_step(node, how.checks[i].formula, how.checks[i].numbers);
    nb_explanation_release(&how);
    return NB_OK;
}

static enum nb_status formulas_add_citations(const struct nb_report *report,
                                             xmlNodePtr parent,
                                             struct nb_error *err)
{
    struct nb_explained_sources sources;
    nb_explained_sources_find(report, &sources);
    for (size_t i = 0; i < sources.count; i++) {
        const struct nb_citation_key key = sources.keys[i];
        struct nb_text text = { 0 };
        const enum nb_status status = nb_citation_find(key, &text, NULL);
        if (status == NB_OK) {
            xmlNodePtr citation = nb_view_add(parent, "citation");
            nb_view_print(citation, "key", "%.*s", (int)key.length, key.at);
            nb_view_text(citation, text.bytes);
        }
        nb_text_release(&text);
        if (status == NB_NO_MEMORY)
            return nb_fail(err, status, "no memory for a view");
    }
    return NB_OK;
}

/* Of a sweep, the first point: the others are had alike. */
enum nb_status nb_view_add_formulas(const struct nb_report *report,
                                    xmlNodePtr parent, struct nb_error *err)
{
    struct nb_text place = { 0 };
    struct nb_subject subject = { 0 };
    enum nb_status status = NB_OK;
    if (report->point_count > 0) {
        const struct nb_point *point = &report->points[0];
        NB_TRY(nb_subject_open(&report->model, point, &subject, err));
        nb_place_print(point, &place);
        NB_TRY(nb_text_check(&place, err));
        for (size_t i = 0; i < point->quantity_count; i++)
            NB_TRY(formulas_add(&subject, &point->quantities[i],
                                place.bytes != NULL ? place.bytes : "", parent,
                                err));
    }
    NB_TRY(formulas_add_citations(report, parent, err));
done:
    nb_subject_release(&subject);
    nb_text_release(&place);
    return status;
}
