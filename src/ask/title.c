#include "ask/title.h"

#include "core/grammar.h"
#include "core/locale.h"
#include "core/memory.h"
#include "model/search.h"
#include "report/grid.h"
#include "topology/topology.h"

#include <string.h>

/* The value of an option or of its sweep; NULL: none. A flag that is not set
 * has none. */
static const char *title_value(const struct nb_model *model, const char *name)
{
    const char *value = nb_model_get(model, name);
    for (size_t i = 0; i < model->sweep_count && value == NULL; i++)
        if (strcmp(model->sweeps[i].name, name) == 0)
            value = model->sweeps[i].value;
    return value == NULL || *value == '\0' || strcmp(value, "no") == 0 ? NULL
                                                                       : value;
}

static const struct nb_parameter *title_row(const struct nb_form *form,
                                            const char *name)
{
    const struct nb_parameter *row = form->options;
    while (row != NULL && row->name != NULL && strcmp(row->name, name) != 0)
        row++;
    return row != NULL && row->name != NULL ? row : NULL;
}

static bool title_is_usual(const struct nb_form *form, const char *name,
                           const char *value)
{
    const struct nb_parameter *row = title_row(form, name);
    if (row == NULL || row->initial == NULL)
        return false;
    return strcmp(row->initial, value) == 0 ||
           (row->beside != NULL &&
            strcmp(strchr(row->beside, '=') + 1, value) == 0);
}

static bool title_begins_as_vowel(const char *text)
{
    return strchr("aeiouAEIOU8", *text) != NULL ||
           ((strncmp(text, "11", 2) == 0 || strncmp(text, "18", 2) == 0) &&
            !nb_is_digit(text[2]));
}

static void title_article(const char *text, struct nb_text *out)
{
    nb_text_print(out, title_begins_as_vowel(text) ? "an " : "a ");
}

/* A part of a specification, with a blank after each comma. */
static void title_add(const char *part, size_t length, struct nb_text *out)
{
    for (size_t i = 0; i < length; i++)
        nb_text_add(out, part[i] == ',' ? ", " : part + i,
                    part[i] == ',' ? 2 : 1);
}

/* Longer names of files are cut in titles. */
enum { TITLE_FILE = 40 };

/* The name of a file without its folders. */
static void title_file(const char *path, size_t length, struct nb_text *out)
{
    size_t start = length;
    while (start > 0 && path[start - 1] != '/')
        start--;
    path += start;
    length -= start;
    size_t cut = length > TITLE_FILE ? TITLE_FILE - 3 : length;
    while (cut > 0 && cut < length && ((unsigned char)path[cut] & 0xC0) == 0x80)
        cut--; /* within a character of UTF-8 */
    title_add(path, cut, out);
    nb_text_print(out, "%s", length > TITLE_FILE ? "..." : "");
}

static const char *title_noun_of(const char *kind, size_t length)
{
    static const struct {
        const char *name, *noun;
    } nouns[] = { { "complete", "complete graph" },
                  { "ccc", "network of cube-connected cycles" },
                  { "clos", "folded Clos network" },
                  { "dragonfly", "Dragonfly" },
                  { "fattree", "fat tree" },
                  { "hyperx", "HyperX" },
                  { "megafly", "Megafly" },
                  { "random", "random network" },
                  { "regular", "random regular network" },
                  { "preferential", "network of preferential attachment" },
                  { "kautz", "Kautz network" },
                  { "debruijn", "de Bruijn network" },
                  { "slimfly", "Slim Fly" },
                  { "file", "network" } };
    for (size_t i = 0; i < sizeof nouns / sizeof *nouns; i++)
        if (strlen(nouns[i].name) == length &&
            strncmp(kind, nouns[i].name, length) == 0)
            return nouns[i].noun;
    return NULL;
}

/* " with h = 4, p = 2"; leading: the name of the first if it has none. */
static void title_parameters(struct nb_slice rest, const char *leading,
                             struct nb_text *out)
{
    struct nb_part part;
    for (bool is_first = true; nb_part_next(&rest, &part); is_first = false) {
        const struct nb_slice *key = &part.key, *value = &part.value;
        nb_text_print(out, "%s", is_first ? " with " : ", ");
        if (key->length > 0 && strcspn(key->at, ":+") > key->length)
            nb_text_print(out, "%.*s = %.*s", (int)key->length, key->at,
                          (int)value->length, value->at);
        else if (is_first && strcmp(leading, "routers") == 0)
            nb_text_print(out, "%.*s routers", (int)part.all.length,
                          part.all.at);
        else
            nb_text_print(out, "%s%s%.*s", is_first ? leading : "",
                          is_first && *leading != '\0' ? " = " : "",
                          (int)part.all.length, part.all.at);
    }
}

/* "an 8x8 torus", "a Dragonfly with h = 4", "the network in name.txt". */
static void title_network(struct nb_slice value, struct nb_text *out)
{
    const struct nb_slice kind = nb_specification_kind(value);
    struct nb_slice rest = nb_slice_after(value, kind.length);
    const struct nb_slice first =
        nb_slice_before(rest.at != NULL ? rest : nb_slice_of(""), ',');
    const size_t sizes = strspn(first.at, "0123456789x");
    const bool is_shape =
        sizes >= first.length && memchr(first.at, 'x', first.length) != NULL;
    const char *noun = title_noun_of(kind.at, kind.length);
    size_t index;
    const struct nb_kind *known =
        nb_kind_find(nb_topology_kind_at, kind.at, kind.length, &index);
    const bool has_leading = known != NULL && known->parameters != NULL &&
                             known->parameters->is_leading;
    const bool is_file = first.length > 0 && nb_slice_is(kind, "file");
    if (is_file) {
        static const char key[] = "path=";
        const size_t before =
            strncmp(first.at, key, sizeof key - 1) == 0 ? sizeof key - 1 : 0;
        nb_text_print(out, "the network in ");
        title_file(first.at + before, first.length - before, out);
    } else {
        title_article(is_shape ? first.at : noun != NULL ? noun : kind.at, out);
        nb_text_print(out, "%.*s%s%.*s", is_shape ? (int)first.length : 0,
                      first.at, is_shape ? " " : "",
                      noun != NULL ? (int)strlen(noun) : (int)kind.length,
                      noun != NULL ? noun : kind.at);
    }
    const bool is_said = is_file || is_shape;
    if (is_said)
        rest = nb_slice_after(rest, first.length);
    title_parameters(
        rest, is_said || !has_leading ? "" : known->parameters->name, out);
}

/* The values of an option, "dor, val, romm" or "0.1 to 0.9". */
static void title_values(const char *name, const char *value,
                         struct nb_text *out)
{
    const bool is_network = strcmp(name, "topology") == 0;
    const size_t first = strspn(value, "0123456789.eE+-");
    const size_t second = first > 0 && value[first] == ':'
                              ? strspn(value + first + 1, "0123456789.eE+-")
                              : 0;
    if (second > 0 && value[first + 1 + second] == ':') {
        nb_text_print(out, "%.*s to %.*s", (int)first, value, (int)second,
                      value + first + 1);
        const char *step = value + first + second + 2;
        if (strcmp(step, "1") != 0)
            nb_text_print(out, " by %s", step);
        return;
    }
    while (*value != '\0') {
        const size_t length = nb_list_first(value).length;
        if (is_network)
            title_network((struct nb_slice){ value, length }, out);
        else
            title_add(value, length, out);
        value += length;
        if (*value == ',') {
            nb_text_print(out, ", ");
            value++;
        }
    }
}

/* Names, separated by blanks, of the options mentioned so far. */
struct title {
    const struct nb_form *form;
    const struct nb_model *model;
    struct nb_text said;
    struct nb_text *out;
};

static void title_say(struct title *title, const char *name)
{
    nb_text_print(&title->said, "%s ", name);
}

/* "absolute worst-case throughput" of worst_case_throughput_absolute. */
static void title_quantity(const char *name, struct nb_text *out)
{
    static const char ending[] = "_absolute", joined[] = "_case_";
    const size_t tail = sizeof ending - 1, all = strlen(name);
    const bool is_absolute =
        all > tail && strcmp(name + all - tail, ending) == 0;
    nb_text_print(out, "%s", is_absolute ? "absolute " : "");
    for (size_t i = 0; i < all - (is_absolute ? tail : 0); i++) {
        const bool is_joined =
            strncmp(name + i, joined, sizeof joined - 1) == 0;
        nb_text_add(out, is_joined ? "-" : name[i] == '_' ? " " : name + i, 1);
    }
}

/* The noun of the answer, or the quantity if only one is shown. */
static void title_noun(struct title *title, const char *noun, size_t length)
{
    const struct nb_model *model = title->model;
    const size_t start = title->out->length;
    if (model->show_count != 1 || strchr(model->show[0], '.') != NULL) {
        nb_text_add(title->out, noun, length);
        return;
    }
    title_quantity(model->show[0], title->out);
    if (title->out->has_failed)
        return;
    char *first = title->out->bytes + start;
    *first = nb_to_upper(*first);
}

/* Whether the text ends in the number 1 ("1 hops" would be wrong) that is not
 * the last of a list. */
static bool title_is_one(const struct title *title)
{
    const struct nb_text *out = title->out;
    return !out->has_failed && out->length > 2 &&
           out->bytes[out->length - 3] != ',' &&
           strcmp(out->bytes + out->length - 2, " 1") == 0;
}

/* "{routing}": the option's values. False if there are none. */
static bool title_option(struct title *title, const char *name, size_t length,
                         bool is_unusual)
{
    char option[32] = "";
    if (length < sizeof option)
        memcpy(option, name, length);
    const char *value = title_value(title->model, option);
    if (value == NULL ||
        (is_unusual && title_is_usual(title->form, option, value)))
        return false;
    title_values(option, value, title->out);
    title_say(title, option);
    return true;
}

/*
 * Fills in one alternative of a title: {option} its values, <noun> what is
 * found, [part] left out if an option in it has no value, [?part] also if it
 * has its default.
 */
static void title_fill(struct title *title, const char *at, const char *end)
{
    const char *part_end = NULL; /* end of the part that contains at */
    size_t start = 0;            /* its start in the output */
    bool is_unusual = false;
    for (; at < end; at++) {
        const char *close = at;
        switch (*at) {
        case '[':
            part_end = strchr(at, ']');
            start = title->out->length;
            is_unusual = at[1] == '?';
            at += is_unusual;
            break;
        case ']':
            part_end = NULL;
            is_unusual = false;
            break;
        case '<':
            close = strchr(at, '>');
            title_noun(title, at + 1, (size_t)(close - at - 1));
            at = close;
            break;
        case '{':
            close = strchr(at, '}');
            if (!title_option(title, at + 1, (size_t)(close - at - 1),
                              is_unusual) &&
                part_end != NULL && !title->out->has_failed) {
                title->out->length = start;
                title->out->bytes[start] = '\0';
                close = part_end - 1;
            }
            at = close;
            if (at[1] == ' ' && title_is_one(title)) {
                const size_t noun = strcspn(at + 2, " ,]|");
                const bool is_plural = at[1 + noun] == 's';
                nb_text_add(title->out, at + 1, noun + 1 - is_plural);
                at += noun + 1;
            }
            break;
        default:
            nb_text_add(title->out, at, 1);
        }
    }
}

/* The first alternative whose option ("NAME?") has a value, or that requires
 * none. */
static void title_choose(struct title *title)
{
    const char *way = title->form->title;
    for (;; way++) {
        const size_t length = strcspn(way, "|");
        const size_t name = strcspn(way, "?[<{|");
        char option[32] = "";
        if (way[name] != '?') {
            title_fill(title, way, way + length);
            return;
        }
        if (name < sizeof option)
            memcpy(option, way, name);
        if (title_value(title->model, option) != NULL) {
            const struct nb_parameter *row = title_row(title->form, option);
            if (row != NULL && row->type == NB_FLAG)
                title_say(title, option);
            title_fill(title, way + name + 1, way + length);
            return;
        }
        way += length;
    }
}

/* ", load 0.5", ", worst-case": options that the sentence does not mention. */
static void title_rest(struct title *title,
                       const struct nb_model_option *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct nb_model_option *option = &options[i];
        const char *value = option->value;
        if (*value == '\0' || strcmp(value, "no") == 0 ||
            title_is_usual(title->form, option->name, value) ||
            (title->said.bytes != NULL &&
             nb_word_is_in(title->said.bytes, ' ', option->name,
                           strlen(option->name))))
            continue;
        nb_text_print(title->out, ", %s", option->name);
        if (strcmp(value, "yes") == 0)
            continue;
        nb_text_print(title->out, " ");
        title_values("", value, title->out);
    }
}

/* "Find load where mean_latency <= 20: ", for a search. */
static void title_search(struct title *title)
{
    const char *name = nb_model_get(title->model, NB_FIND_NAME);
    if (!nb_model_is_search(title->model) || name == NULL)
        return;
    nb_text_print(title->out, "Find %.*s where %s: ", (int)strcspn(name, "="),
                  name, nb_model_get(title->model, NB_FIND_WHERE));
    title_say(title, NB_FIND_NAME);
    title_say(title, NB_FIND_WHERE);
}

enum nb_status nb_title_print(const struct nb_model *model,
                              struct nb_text *text, struct nb_error *err)
{
    const struct nb_question_kind *kind =
        model->command != NULL ? nb_question_find(model->command) : NULL;
    struct nb_text plain = { 0 };
    struct title title = { .model = model, .out = &plain };
    if (model->title != NULL) {
        nb_text_add_plain(text, model->title);
        return nb_text_check(text, err);
    }
    if (kind == NULL)
        return nb_text_check(text, err);
    title.form = &kind->form;
    nb_text_add(&plain, "", 0);
    title_search(&title);
    const size_t start = plain.length;
    if (kind->form.title != NULL)
        title_choose(&title);
    else
        nb_text_print(&plain, "%s", kind->form.name);
    if (start > 0 && !plain.has_failed) /* continues after the colon */
        plain.bytes[start] = nb_to_lower(plain.bytes[start]);
    title_rest(&title, model->options, model->option_count);
    title_rest(&title, model->sweeps, model->sweep_count);
    if (!plain.has_failed)
        nb_text_add_plain(text, plain.bytes);
    text->has_failed |= plain.has_failed || title.said.has_failed;
    nb_text_release(&title.said);
    nb_text_release(&plain);
    return nb_text_check(text, err);
}

enum nb_status nb_report_entitle(struct nb_report *report, struct nb_error *err)
{
    struct nb_text text = { 0 };
    enum nb_status status;
    nb_delete(report->title);
    report->title = NULL;
    NB_TRY(nb_title_print(&report->model, &text, err));
    if (text.length > 0)
        NB_TRY(nb_new_copy(&report->title, text.bytes, "a title", err));
done:
    nb_text_release(&text);
    return status;
}
