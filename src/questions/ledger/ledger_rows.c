/* Turns rows into questions of other commands, and into quotients of two other
 * rows, such as "62.3 % of DOR's throughput" (declared in ledger.h). */
#include "questions/ledger/ledger.h"

#include "core/enclosure.h"
#include "core/locale.h"
#include "core/memory.h"
#include "model/input.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    QUESTION_POINTS = 1000, /* maximum number of questions in a span */
    QUESTION_SPAN = 20,     /* a span has fewer characters */
};

/* Quantities of rows whose column traffic holds a traffic; other rows name
 * their command there. */
static const struct {
    const char *quantity;
    const char *command;
} question_quantities[] = {
    { "throughput", "load" },
    { "throughput_absolute", "load" },
    { "max_channel_load", "load" },
    { "mean_hops", "load" },
    { "capacity", "load" },
    { "worst_case_throughput", "worst-case" },
    { "worst_case_throughput_absolute", "worst-case" },
    { "worst_case_channel_load", "worst-case" },
};

/* Words in column traffic for commands without an option of that name, perhaps
 * with options: "worst:sample-paths=1000,seed=1". */
static const struct {
    const char *command;
    const char *word;
    const char *option; /* set to yes by the word; NULL: none */
} question_traffics[] = {
    { "worst-case", "worst", NULL },
    { "worst-case", "unbalanced", "unbalanced" },
};
enum {
    QUESTION_TRAFFICS = sizeof question_traffics / sizeof *question_traffics
};

/* The command named by the traffic's first word; NULL: none. The ledger does
 * not count, since it would ask itself. */
static const struct nb_question_kind *question_named(const char *traffic)
{
    const size_t length = strcspn(traffic, ":");
    for (const struct nb_question_kind *const *at = nb_questions; *at != NULL;
         at++)
        if (strlen((*at)->form.name) == length &&
            strncmp((*at)->form.name, traffic, length) == 0 &&
            strcmp((*at)->form.name, "ledger") != 0)
            return *at;
    return NULL;
}

const struct nb_question_kind *
nb_entry_command(const struct nb_published_row *row)
{
    const size_t count =
        sizeof question_quantities / sizeof *question_quantities;
    const struct nb_question_kind *named = question_named(row->traffic);
    for (size_t i = 0; i < count && named == NULL; i++)
        if (strcmp(question_quantities[i].quantity, row->quantity) == 0)
            return nb_question_find(question_quantities[i].command);
    return named;
}

/* An option that is a number; unknown if it is not set. */
static struct nb_ratio question_number(const struct nb_model *model,
                                       const char *option)
{
    struct nb_ratio number = { 0, 0 };
    const char *value = nb_model_get(model, option);
    if (value == NULL || nb_ratio_read(value, &number, NULL) != NB_OK)
        return (struct nb_ratio){ 0, 0 };
    return number;
}

struct nb_ratio nb_entry_offered(const struct nb_published_row *row,
                                 const struct nb_model *model,
                                 const struct nb_point *point)
{
    static const char accepted[] = "accepted_throughput";
    static const char absolute[] = "_absolute";
    const size_t length = strlen(row->quantity), end = strlen(absolute);
    const struct nb_quantity *capacity = nb_point_quantity(point, "capacity");
    const struct nb_ratio unknown = { 0, 0 };
    if (strncmp(row->quantity, accepted, strlen(accepted)) != 0 ||
        capacity == NULL)
        return unknown;
    const bool is_absolute =
        length > end && strcmp(row->quantity + length - end, absolute) == 0;
    const struct nb_ratio load = question_number(model, "load");
    const struct nb_ratio rate = question_number(model, "rate");
    if (is_absolute)
        return nb_ratio_is_known(rate)
                   ? rate
                   : nb_ratio_multiply(load, capacity->exact);
    return nb_ratio_is_known(load) ? load
                                   : nb_ratio_divide(rate, capacity->exact);
}

/* Finds "A..B" in a traffic; NULL if it has none. length: out */
static const char *question_find_span(const char *traffic, size_t *length)
{
    static const char digits[] = "0123456789";
    for (const char *dots = strstr(traffic, ".."); dots != NULL;
         dots = strstr(dots + 1, "..")) {
        const size_t after = strspn(dots + 2, digits);
        const char *first = dots;
        while (first > traffic && nb_is_digit(first[-1]))
            first--;
        *length = (size_t)(dots - first) + 2 + after;
        if (first < dots && after > 0)
            return first;
    }
    return NULL;
}

enum nb_status nb_entry_span(const struct nb_published_row *row,
                             struct nb_entry_span *out, struct nb_error *err)
{
    size_t length;
    char message[160];
    const char *span = question_find_span(row->traffic, &length);
    *out = (struct nb_entry_span){ 1, 1 };
    if (span == NULL)
        return NB_OK;
    const bool is_read =
        length < QUESTION_SPAN &&
        sscanf(span, "%" SCNd64 "..%" SCNd64, &out->first, &out->last) == 2;
    if (is_read && out->first <= out->last &&
        out->last - out->first < QUESTION_POINTS)
        return NB_OK;
    snprintf(message, sizeof message,
             "\"%.*s\" is not permitted (permitted: A..B, 1 to %d numbers of "
             "up to %d digits in total)",
             (int)(length < 60 ? length : 60), span, QUESTION_POINTS,
             QUESTION_SPAN - 3);
    return nb_published_fail(row, NB_INVALID, message, err);
}

/* Copies the row's traffic with the number in place of its span. */
static enum nb_status question_place(const char *traffic, int64_t number,
                                     struct nb_text *out, struct nb_error *err)
{
    size_t length = 0, after;
    const char *span = question_find_span(traffic, &length), *from = traffic;
    for (const char *next = span; next != NULL;
         next = question_find_span(from, &after)) {
        if (next != span &&
            (after != length || strncmp(next, span, length) != 0))
            break;
        nb_text_add(out, from, (size_t)(next - from));
        nb_text_print(out, "%" PRId64, number);
        from = next + length;
    }
    nb_text_print(out, "%s", from);
    return nb_text_check(out, err);
}

/* Sets the options in "key=value,key=value". */
static enum nb_status
question_set_options(const struct nb_question_kind *command,
                     const char *options, struct nb_model *model,
                     struct nb_error *err)
{
    struct nb_text name = { 0 }, value = { 0 };
    enum nb_status status = NB_OK;
    while (*options != '\0') {
        const size_t length = nb_setting_length(command->form.options, options);
        const char *equals = memchr(options, '=', length);
        if (equals == NULL)
            NB_TRY(nb_fail(err, NB_INVALID,
                           "\"%.60s\" is not permitted (permitted: "
                           "OPTION=VALUE,...)",
                           options));
        nb_text_release(&name);
        nb_text_release(&value);
        nb_text_add(&name, options, (size_t)(equals - options));
        nb_text_add(&value, equals + 1,
                    (size_t)(options + length - equals - 1));
        NB_TRY(nb_text_check(&name, err));
        NB_TRY(nb_text_check(&value, err));
        if (nb_model_get(model, name.bytes) != NULL)
            NB_TRY(nb_fail(err, NB_INVALID,
                           "option %s is given twice (permitted: in its "
                           "column, or once)",
                           name.bytes));
        NB_TRY(nb_model_set(model, name.bytes, value.bytes, err));
        options += length + (options[length] == ',');
    }
done:
    nb_text_release(&name);
    nb_text_release(&value);
    return status;
}

static enum nb_status
question_set_traffic(const struct nb_question_kind *command,
                     const char *traffic, struct nb_model *model,
                     struct nb_error *err)
{
    const size_t length = strcspn(traffic, ":");
    const char *options = traffic + length + (traffic[length] == ':');
    char words[100] = "";
    size_t used = 0;
    if (question_named(traffic) != NULL)
        return question_set_options(command, options, model, err);
    for (size_t i = 0; i < QUESTION_TRAFFICS; i++) {
        const char *word = question_traffics[i].word;
        const char *option = question_traffics[i].option;
        enum nb_status status = NB_OK;
        if (strcmp(question_traffics[i].command, command->form.name) != 0)
            continue;
        used += (size_t)snprintf(words + used, sizeof words - used, "%s%s",
                                 used > 0 ? ", " : "", word);
        if (strlen(word) != length || strncmp(word, traffic, length) != 0)
            continue;
        if (option != NULL)
            status = nb_model_set(model, option, "yes", err);
        if (status == NB_OK)
            status = question_set_options(command, options, model, err);
        return status;
    }
    if (used > 0)
        return nb_fail(err, NB_INVALID,
                       "traffic \"%.60s\" is not permitted (permitted: %s)",
                       traffic, words);
    return *traffic != '\0' ? nb_model_set(model, "traffic", traffic, err)
                            : NB_OK;
}

enum nb_status nb_entry_model(const struct nb_published_row *row,
                              int64_t number, const char *root,
                              struct nb_model *out, struct nb_error *err)
{
    const struct nb_question_kind *command = nb_entry_command(row);
    struct nb_text traffic = { 0 };
    struct nb_error inner = { 0 };
    enum nb_status status = NB_OK;
    *out = (struct nb_model){ 0 };
    if (command == NULL)
        NB_TRY(nb_fail(&inner, NB_INVALID,
                       "no command answers quantity \"%.60s\" of traffic "
                       "\"%.60s\"",
                       row->quantity, row->traffic));
    out->command = nb_new_string(command->form.name);
    if (out->command == NULL)
        NB_TRY(nb_fail(&inner, NB_NO_MEMORY, "no memory for a question"));
    if (*row->topology != '\0')
        NB_TRY(nb_model_set(out, "topology", row->topology, &inner));
    if (*row->routing != '\0')
        NB_TRY(nb_model_set(out, "routing", row->routing, &inner));
    NB_TRY(question_place(row->traffic, number, &traffic, &inner));
    NB_TRY(question_set_traffic(command, traffic.bytes, out, &inner));
    if (root != NULL) {
        NB_TRY(nb_model_complete(&command->form, out, &inner));
        NB_TRY(nb_question_try(command, out, &inner));
        NB_TRY(nb_model_resolve_inputs(out, root, &inner));
        NB_TRY(nb_model_resolve_paths(&command->form, out, root, &inner));
        NB_TRY(nb_model_pin_files(&command->form, out, &inner));
    }
done:
    nb_text_release(&traffic);
    if (status != NB_OK) {
        nb_model_release(out);
        status = nb_published_fail(row, status, inner.message, err);
    }
    return status;
}

static const char ratio_first[] = "ratio:of=", ratio_second[] = ",to=";

/* Forms of a quotient x: scale x + shift. */
static const struct ratio_form {
    const char *quantity;
    int scale, shift;
    const char *unit;
} ratio_forms[] = {
    { "ratio", 1, 0, "1" },
    { "percent", 100, 0, "%" },
    { "percent_above", 100, -100, "%" },
    { "percent_below", -100, 100, "%" },
};
enum { RATIO_FORMS = sizeof ratio_forms / sizeof *ratio_forms };

bool nb_entry_is_ratio(const struct nb_published_row *row)
{
    return strncmp(row->traffic, ratio_first, sizeof ratio_first - 1) == 0;
}

enum nb_status nb_entry_other_row(const struct nb_published_row *row,
                                  const struct nb_published *published,
                                  const char *id, size_t length,
                                  const struct nb_published_row **out,
                                  struct nb_error *err)
{
    char message[160];
    for (size_t i = 0; i < published->count; i++) {
        *out = &published->rows[i];
        if (strlen((*out)->id) == length &&
            strncmp((*out)->id, id, length) == 0)
            return NB_OK;
    }
    snprintf(message, sizeof message,
             "row \"%.*s\" does not exist (permitted: id of another row)",
             length < 60 ? (int)length : 60, id);
    return nb_published_fail(row, NB_INVALID, message, err);
}

struct nb_quantity nb_entry_printed(const struct nb_published_row *row,
                                    bool is_range)
{
    const struct nb_printed *printed = &row->rounded;
    const double scale = pow(10, printed->tens);
    double unused;
    struct nb_quantity out = { .value =
                                   nb_ratio_value(printed->value) * scale };
    nb_ratio_bracket(printed->lower, &out.lower, &unused);
    nb_ratio_bracket(printed->upper, &unused, &out.upper);
    out.lower *= scale;
    out.upper *= scale;
    if (is_range)
        return out;
    out.lower = out.upper = out.value;
    if (printed->tens == 0)
        out.exact = printed->value;
    return out;
}

enum nb_status nb_entry_ratio_rows(const struct nb_published_row *row,
                                   const struct nb_published *published,
                                   const struct nb_published_row *parts[2],
                                   struct nb_error *err)
{
    char message[200];
    const char *id = row->traffic + sizeof ratio_first - 1;
    const char *second = strstr(id, ratio_second);
    enum nb_status status = NB_OK;
    if (second == NULL || *row->topology != '\0' || *row->routing != '\0')
        return nb_published_fail(row, NB_INVALID,
                                 "a quotient is written ratio:of=ID,to=ID, "
                                 "without topology and routing",
                                 err);
    NB_TRY(nb_entry_other_row(row, published, id, (size_t)(second - id),
                              &parts[0], err));
    id = second + sizeof ratio_second - 1;
    NB_TRY(nb_entry_other_row(row, published, id, strlen(id), &parts[1], err));
    if (strcmp(parts[0]->unit, parts[1]->unit) == 0)
        return NB_OK;
    snprintf(message, sizeof message,
             "units \"%.60s\" and \"%.60s\" are not permitted (permitted: "
             "equal ones)",
             parts[0]->unit, parts[1]->unit);
    status = nb_published_fail(row, NB_INVALID, message, err);
done:
    return status;
}

static struct nb_enclosure ratio_enclose(const struct nb_quantity *quantity)
{
    return nb_ratio_is_known(quantity->exact)
               ? nb_enclosure_of_ratio(quantity->exact)
               : (struct nb_enclosure){ { 0, 0 },
                                        fmax(quantity->lower, 0),
                                        quantity->upper };
}

/* A bound of scale x + shift in a direction; one step for each rounding. */
static double ratio_bound(const struct ratio_form *form, double x,
                          double direction)
{
    const double scaled =
        form->scale == 1 ? x : nextafter(form->scale * x, direction);
    return form->shift == 0 ? scaled
                            : nextafter(scaled + form->shift, direction);
}

enum nb_status nb_entry_ratio(const struct nb_published_row *row,
                              const struct nb_quantity *of,
                              const struct nb_quantity *to,
                              struct nb_quantity *out, struct nb_error *err)
{
    const struct ratio_form *form = ratio_forms;
    const struct ratio_form *end = ratio_forms + RATIO_FORMS;
    while (form < end && strcmp(form->quantity, row->quantity) != 0)
        form++;
    if (form == end || strcmp(form->unit, row->unit) != 0)
        return nb_published_fail(row, NB_INVALID,
                                 "a quotient is given as ratio [1], percent, "
                                 "percent_above or percent_below [%]",
                                 err);
    if (!(to->lower > 0))
        return nb_published_fail(row, NB_INVALID,
                                 "the divisor may be 0 (permitted: a quantity "
                                 "that is certainly above 0)",
                                 err);
    const struct nb_enclosure x =
        nb_enclosure_divide(ratio_enclose(of), ratio_enclose(to));
    const double one =
        ratio_bound(form, x.lower, (double)form->scale * -INFINITY);
    const double other =
        ratio_bound(form, x.upper, (double)form->scale * INFINITY);
    *out = (struct nb_quantity){
        .value = form->scale * (of->value / to->value) + form->shift,
        .lower = fmin(one, other),
        .upper = fmax(one, other),
        .exact = nb_ratio_add(
            nb_ratio_multiply(x.exact, nb_ratio_make(form->scale, 1)),
            nb_ratio_make(form->shift, 1)),
    };
    if (nb_ratio_is_known(out->exact)) {
        out->value = nb_ratio_value(out->exact);
        out->lower = nextafter(out->value, -INFINITY);
        out->upper = nextafter(out->value, INFINITY);
    }
    return NB_OK;
}
