#include "explain/formula.h"

#include "core/embedded.h"

#include <math.h>
#include <string.h>

/* One row: data/formulas.txt. */
extern const struct nb_embedded nb_formula_files[];

const char *nb_formula_text(void)
{
    return nb_formula_files[0].bytes;
}

struct nb_stretch nb_stretch_of(const char *text)
{
    return (struct nb_stretch){ text, strlen(text) };
}

bool nb_stretch_is(struct nb_stretch stretch, const char *text)
{
    return stretch.length == strlen(text) &&
           memcmp(stretch.at, text, stretch.length) == 0;
}

static bool stretch_equals(struct nb_stretch a, struct nb_stretch b)
{
    return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

bool nb_stretch_fits(struct nb_stretch pattern, struct nb_stretch text)
{
    const char *star = memchr(pattern.at, '*', pattern.length);
    if (star == NULL)
        return stretch_equals(pattern, text);
    const size_t before = (size_t)(star - pattern.at);
    const struct nb_stretch rest = { star + 1, pattern.length - before - 1 };
    if (text.length < before || memcmp(text.at, pattern.at, before) != 0)
        return false;
    for (size_t i = before; i <= text.length; i++)
        if (nb_stretch_fits(
                rest, (struct nb_stretch){ text.at + i, text.length - i }))
            return true;
    return false;
}

static struct nb_stretch stretch_trim(struct nb_stretch text)
{
    while (text.length > 0 && strchr(" \n", text.at[0]) != NULL) {
        text.at++;
        text.length--;
    }
    while (text.length > 0 && strchr(" \n", text.at[text.length - 1]) != NULL)
        text.length--;
    return text;
}

struct nb_stretch nb_stretch_cut(struct nb_stretch *rest, char at)
{
    struct nb_stretch part = *rest;
    const char *found = memchr(rest->at, at, rest->length);
    if (found != NULL)
        part.length = (size_t)(found - rest->at);
    const size_t used = part.length + (found != NULL);
    rest->at += used;
    rest->length -= used;
    return stretch_trim(part);
}

void nb_stretch_print(struct nb_stretch stretch, struct nb_text *text)
{
    struct nb_stretch rest = stretch_trim(stretch);
    while (rest.length > 0) {
        const struct nb_stretch line = nb_stretch_cut(&rest, '\n');
        nb_text_add(text, line.at, line.length);
        if (rest.length > 0)
            nb_text_print(text, " ");
    }
}

/* Rows begin in the first column, "COMMAND...: NAME". */
bool nb_formula_next(const char **at, struct nb_formula *out)
{
    while (**at == '\n' || **at == '#')
        *at += **at == '\n' ? 1 : strcspn(*at, "\n");
    if (**at == '\0')
        return false;
    struct nb_stretch head = { *at, strcspn(*at, "\n") };
    out->commands = nb_stretch_cut(&head, ':');
    out->name = stretch_trim(head);
    const char *body = head.at + head.length;
    const char *end = body;
    while (*end == '\n' && end[1] == ' ')
        end += 1 + strcspn(end + 1, "\n");
    out->body = (struct nb_stretch){ body, (size_t)(end - body) };
    *at = end;
    return true;
}

/* A field begins with two blanks, its further lines with more. */
struct nb_stretch nb_formula_field(const struct nb_formula *formula,
                                   const char *key, size_t n)
{
    const char *end = formula->body.at + formula->body.length;
    for (const char *at = formula->body.at; at < end;) {
        const char *next = at + 3;
        while (next < end && !(next[0] == '\n' && next[3] != ' '))
            next++;
        struct nb_stretch field = { at, (size_t)(next - at) };
        field = stretch_trim(field);
        const struct nb_stretch own = nb_stretch_cut(&field, ' ');
        if (nb_stretch_is(own, key) && n-- == 0)
            return stretch_trim(field);
        at = next;
    }
    return (struct nb_stretch){ NULL, 0 };
}

enum nb_status nb_subject_open(const struct nb_model *model,
                               const struct nb_point *point,
                               struct nb_subject *out, struct nb_error *err)
{
    out->point = point;
    return nb_point_model(model, point, &out->model, err);
}

void nb_subject_release(struct nb_subject *subject)
{
    nb_model_release(&subject->model);
    subject->point = NULL;
}

const struct nb_table *nb_stretch_table(struct nb_stretch name,
                                        const struct nb_point *point)
{
    for (size_t i = 0; i < point->table_count; i++)
        if (nb_stretch_is(name, point->tables[i].name))
            return &point->tables[i];
    return NULL;
}

const struct nb_quantity *nb_stretch_quantity(struct nb_stretch name,
                                              const struct nb_point *point)
{
    for (size_t i = 0; i < point->quantity_count; i++)
        if (nb_stretch_is(name, point->quantities[i].name))
            return &point->quantities[i];
    return NULL;
}

const char *nb_subject_option(const struct nb_subject *subject,
                              struct nb_stretch name)
{
    for (size_t i = 0; i < subject->model.option_count; i++) {
        const char *own = subject->model.options[i].name;
        size_t same = 0;
        while (same < name.length &&
               (name.at[same] == own[same] ||
                (name.at[same] == '_' && own[same] == '-')))
            same++;
        if (same == name.length && own[same] == '\0')
            return subject->model.options[i].value;
    }
    return NULL;
}

const char *nb_subject_note(const struct nb_subject *subject,
                            struct nb_stretch name)
{
    for (size_t i = 0; i < subject->point->note_count; i++)
        if (nb_stretch_is(name, subject->point->notes[i].name))
            return subject->point->notes[i].text;
    return NULL;
}

/* The text of a condition's name (data/formulas.txt); NULL if there is none.
 * "yes" for what exists or is so; quantity may be NULL. */
static const char *formula_text(const struct nb_subject *subject,
                                const struct nb_quantity *quantity,
                                struct nb_stretch name)
{
    static const struct nb_quantity none = { 0 };
    const struct nb_quantity *own = quantity != NULL ? quantity : &none;
    struct nb_stretch rest = name;
    const struct nb_stretch kind = nb_stretch_cut(&rest, '.');
    if (nb_stretch_is(kind, "option"))
        return nb_subject_option(subject, rest);
    if (nb_stretch_is(kind, "note"))
        return nb_subject_note(subject, rest);
    if (nb_stretch_is(name, "method"))
        return own->method;
    if (nb_stretch_is(name, "source"))
        return own->source;
    if (nb_stretch_is(name, "unit"))
        return own->unit;
    const bool is_so = nb_stretch_is(kind, "table")
                           ? nb_stretch_table(rest, subject->point) != NULL
                       : nb_stretch_is(kind, "quantity")
                           ? nb_stretch_quantity(rest, subject->point) != NULL
                       : nb_stretch_is(name, "exact")
                           ? nb_ratio_is_known(own->exact)
                           : nb_stretch_is(name, "finite") &&
                                 quantity != NULL && isfinite(quantity->value);
    return is_so ? "yes" : NULL;
}

/* Whether a text fits a pattern, or is the same number. */
static bool formula_fits(struct nb_stretch pattern, const char *text)
{
    struct nb_ratio a, b;
    char copy[NB_RATIO_TEXT];
    if (nb_stretch_fits(pattern, nb_stretch_of(text)))
        return true;
    if (pattern.length >= sizeof copy)
        return false;
    memcpy(copy, pattern.at, pattern.length);
    copy[pattern.length] = '\0';
    return nb_ratio_read(copy, &a, NULL) == NB_OK &&
           nb_ratio_read(text, &b, NULL) == NB_OK &&
           nb_ratio_compare(a, b) == 0;
}

/* A condition: "NAME" exists, "!NAME" does not, "NAME = PATTERN" fits, "NAME !=
 * PATTERN" does not. */
static bool formula_meets(const struct nb_subject *subject,
                          const struct nb_quantity *quantity,
                          struct nb_stretch condition)
{
    struct nb_stretch pattern = condition;
    struct nb_stretch name = nb_stretch_cut(&pattern, '=');
    const bool has_value = memchr(condition.at, '=', condition.length) != NULL;
    const size_t mark = has_value && name.length > 0 ? name.length - 1 : 0;
    const bool is_not = name.length > 0 && name.at[mark] == '!';
    name.length -= is_not;
    name.at += is_not && !has_value;
    const char *found = formula_text(subject, quantity, stretch_trim(name));
    const bool fits =
        found != NULL &&
        (!has_value || formula_fits(stretch_trim(pattern), found));
    return fits != is_not;
}

static bool formula_applies(const struct nb_subject *subject,
                            const struct nb_formula *formula,
                            struct nb_stretch name)
{
    const struct nb_quantity *quantity =
        nb_stretch_quantity(name, subject->point);
    struct nb_stretch conditions = nb_formula_field(formula, "when", 0);
    bool is_met = true;
    while (is_met && conditions.length > 0) {
        const struct nb_stretch condition = nb_stretch_cut(&conditions, ';');
        is_met = formula_meets(subject, quantity, condition);
    }
    return is_met;
}

bool nb_formula_is_of(const struct nb_formula *formula, const char *command)
{
    struct nb_stretch commands = formula->commands;
    bool is_of = false;
    while (!is_of && commands.length > 0)
        is_of = nb_stretch_fits(nb_stretch_cut(&commands, ' '),
                                nb_stretch_of(command));
    return is_of;
}

bool nb_formula_find(const struct nb_subject *subject, struct nb_stretch name,
                     struct nb_formula *out)
{
    const char *at = nb_formula_text();
    while (nb_formula_next(&at, out))
        if (nb_formula_is_of(out, subject->model.command) &&
            nb_stretch_fits(out->name, name) &&
            formula_applies(subject, out, name))
            return true;
    return false;
}
