#include "ask/claims.h"

#include "core/memory.h"
#include "report/grid.h"

#include <string.h>

#define CLAIMS_LINE "  claimed      "

/* What of every report is checked. */
static const struct {
    const char *name, *help;
} claims_checked[] = {
    { "inputs", "the files read are those recorded, with the same digests" },
    { "question", "its options, defaults and sweeps; one point per value" },
    { "quantities", "values, bounds, exact ratios, units, methods, sources" },
    { "notes", "which there are, and every word of them" },
    { "tables", "columns, rows, cells and their order" },
    { "digest", "fits the file; the file is spelled as this program writes" },
};

static void claims_print_program(const struct nb_report *head,
                                 struct nb_text *said)
{
    nb_text_print(said, CLAIMS_LINE "by ");
    nb_text_add_plain(said, head->program);
}

static void claims_print_made(const struct nb_report *head,
                              struct nb_text *said)
{
    if (head->made.threads > 0)
        nb_text_print(said, " with %d thread%s in %.3g s", head->made.threads,
                      head->made.threads > 1 ? "s" : "", head->made.seconds);
}

static void claims_print_title(const struct nb_report *head,
                               struct nb_text *said)
{
    if (head->model.title == NULL)
        return;
    nb_text_print(said, "\n" CLAIMS_LINE "title \"");
    nb_text_add_plain(said, head->model.title);
    nb_text_print(said, "\"");
}

/* What every report claims. */
static const struct {
    const char *name, *help;
    /* Continues the lines with what is claimed, if it is. */
    void (*print)(const struct nb_report *head, struct nb_text *said);
} claims_head[] = {
    { "program", "the version that wrote the report", claims_print_program },
    { "made", "the number of threads and the time", claims_print_made },
    { "title", "the model's own title", claims_print_title },
};

static bool claims_has(const char *names, const char *name)
{
    return names != NULL && nb_word_is_in(names, ' ', name, strlen(name));
}

bool nb_claims_note(const struct nb_question_kind *kind, const char *name)
{
    const struct nb_claim *claim = kind->claims;
    for (; claim != NULL && claim->what != NULL; claim++)
        if (claims_has(claim->notes, name))
            return true;
    return false;
}

static bool claims_quantity_is(const struct nb_claim *claim,
                               const struct nb_point *point,
                               const struct nb_quantity *quantity)
{
    const struct nb_quantity *settled =
        claim->unless == NULL ? quantity
                              : nb_point_quantity(point, claim->unless);
    return claims_has(claim->quantities, quantity->name) &&
           (claim->table == NULL ||
            nb_point_table(point, claim->table) != NULL) &&
           (settled == NULL || !nb_ratio_is_known(settled->exact));
}

bool nb_claims_quantity(const struct nb_question_kind *kind,
                        const struct nb_point *point,
                        const struct nb_quantity *quantity)
{
    const struct nb_claim *claim = kind->claims;
    for (; claim != NULL && claim->what != NULL; claim++)
        if (claims_quantity_is(claim, point, quantity))
            return true;
    return false;
}

enum nb_status nb_claims_strip(const struct nb_question_kind *kind,
                               const struct nb_point *given,
                               struct nb_point *out, struct nb_error *err)
{
    enum nb_status status;
    *out = (struct nb_point){ 0 };
    NB_TRY(nb_new(&out->tables, given->table_count, sizeof *out->tables,
                  "certificates", err));
    NB_TRY(nb_new(&out->notes, given->note_count, sizeof *out->notes,
                  "claimed notes", err));
    for (size_t i = 0; i < given->table_count; i++)
        if (given->tables[i].is_certificate)
            out->tables[out->table_count++] = given->tables[i];
    for (size_t i = 0; i < given->note_count; i++)
        if (nb_claims_note(kind, given->notes[i].name))
            out->notes[out->note_count++] = given->notes[i];
done:
    return status;
}

void nb_claims_say_head(const struct nb_report *head, struct nb_text *said)
{
    for (size_t i = 0; i < sizeof claims_head / sizeof *claims_head; i++)
        claims_head[i].print(head, said);
    nb_text_print(said, "\n");
}

void nb_claims_say(const struct nb_question_kind *kind,
                   const struct nb_point *given, struct nb_text *said)
{
    const struct nb_claim *claim = kind->claims;
    for (; claim != NULL && claim->what != NULL; claim++) {
        size_t count = 0;
        for (size_t i = 0; i < given->note_count; i++)
            if (claims_has(claim->notes, given->notes[i].name))
                nb_text_print(said, "%snote %s",
                              count++ > 0 ? ", " : CLAIMS_LINE,
                              given->notes[i].name);
        for (size_t i = 0; i < given->quantity_count; i++)
            if (claims_quantity_is(claim, given, &given->quantities[i]))
                nb_text_print(said, "%s%s", count++ > 0 ? ", " : CLAIMS_LINE,
                              given->quantities[i].name);
        if (count > 0)
            nb_text_print(said, ": %s\n", claim->what);
    }
}

/* Appends names with commas between them. */
static void claims_print_names(const char *before, const char *names,
                               struct nb_text *text)
{
    for (const char *at = names; at != NULL && *at != '\0';) {
        const size_t length = strcspn(at, " ");
        nb_text_print(text, "%s%s%.*s", at == names ? "" : ", ", before,
                      (int)length, at);
        at += length + (at[length] == ' ');
    }
}

static void claims_list_question(const struct nb_question_kind *kind,
                                 struct nb_text *text)
{
    const struct nb_claim *claim = kind->claims;
    for (; claim != NULL && claim->what != NULL; claim++) {
        nb_text_print(text, "  %-11s ", kind->form.name);
        claims_print_names("note ", claim->notes, text);
        claims_print_names("", claim->quantities, text);
        nb_text_print(text, ": %s", claim->what);
        if (claim->quantities != NULL && claim->unless == NULL)
            nb_text_print(text, ", unless exact");
        else if (claim->unless != NULL && *claim->unless != '\0')
            nb_text_print(text, ", unless %s is exact", claim->unless);
        nb_text_print(text, "\n");
    }
}

void nb_claims_list(struct nb_text *text)
{
    size_t proved = 0;
    nb_text_print(text, "checked\n");
    for (size_t i = 0; i < sizeof claims_checked / sizeof *claims_checked; i++)
        nb_text_print(text, "  %-11s %s\n", claims_checked[i].name,
                      claims_checked[i].help);
    nb_text_print(text, "  answers     from the certificates of ");
    for (size_t i = 0; nb_questions[i] != NULL; i++)
        if (nb_question_proves(nb_questions[i]))
            nb_text_print(text, "%s%s", proved++ > 0 ? ", " : "",
                          nb_questions[i]->form.name);
    nb_text_print(text, "; of all other questions, computed again\n"
                        "\nonly claimed; printed for each report\n");
    for (size_t i = 0; i < sizeof claims_head / sizeof *claims_head; i++)
        nb_text_print(text, "  %-11s %s\n", claims_head[i].name,
                      claims_head[i].help);
    for (size_t i = 0; nb_questions[i] != NULL; i++)
        claims_list_question(nb_questions[i], text);
}
