/* Command lines made from the option tables: questions of any kind, with any
 * options, networks, patterns and schemes, on small networks. Refusals say why.
 * Answers lie within their bounds and are verified, and their saved models give
 * the same answers. An input chooses which options are given, and each value.
 */
#include "../support/fuzz.h"

#include "cli/command.h"
#include "core/memory.h"
#include "queueing/arrivals.h"
#include "ask/ask.h"
#include "ask/verify.h"
#include "routing/routing.h"
#include "topology/topology.h"
#include "traffic/traffic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ASK_CHANNELS = 160, ASK_WORDS = 200 };

static const char *const ask_networks[] = {
    "ring:4",
    "mesh:2x3",
    "torus:3x3",
    "fattree:k=2,n=2",
    "dragonfly:h=1",
    "ring:4,terminals=2",
    "butterfly:k=2,n=2",
    "clos:down=2+2,up=1+2",
    "mesh:2x2,bandwidth=1/2",
    "ring:5,fail=0-1",
    "file:data/topologies/ring-of-stars.anynet",
    "file:data/topologies/petersen-networkx.graphml",
    "mesh:3x2,fail=router:1",
    "torus:2x4,terminal-bandwidth=1/2",
};
static const char *const ask_numbers[] = { "0",      "1/2", "0.3", "1",
                                           "2",      "1/3", "10",  "1e-3",
                                           "99/100", "-1",  "0.9", "0.05" };
static const char *const ask_words[] = { "8,8", "0.5", "0,1", "1+2",
                                         "0-1", "8",   "inf" };
static const char *const ask_quantities[] = {
    "throughput",
    "mean_latency",
    "mean_delay",
    "buffer_depth",
    "max_channel_load",
    "mean_wait",
    "worst_case_throughput",
    "reorder_depth",
    "zero_load_latency",
    "mean_hops",
};
static const char *const ask_files[] = {
    "data/topologies/ring-of-stars.anynet", "data/topologies/ring-directed.csv",
    "data/traffic/ring4-matrix.csv",        "data/traffic/ring4-demands.csv",
    "data/traffic/singh-pair-a-b.csv",
};
static const struct {
    const char *option;
    nb_kind_at *kinds;
    const struct nb_parameter *common;
} ask_registries[] = {
    { "topology", nb_topology_kind_at, nb_topology_parameters },
    { "traffic", nb_traffic_kind_at, nb_traffic_parameters },
    { "routing", nb_routing_kind_at, NULL },
    { "arrivals", nb_arrival_kind_at, NULL },
};
/* Options that would otherwise take long; NULL: not given. */
static const struct {
    const char *name, *value;
} ask_short[] = {
    { "cycles", "64" },  { "warm-up", "9" },     { "replications", "1" },
    { "reports", NULL }, { "time-limit", NULL }, { "precision", NULL },
};
#define ASK_COUNT(array)         (uint32_t)(sizeof(array) / sizeof *(array))
#define ASK_DRAW(choices, array) (array)[fuzz_choose(choices, ASK_COUNT(array))]

/* One of the words between bars. */
static void ask_choice(struct fuzz_choices *choices, const char *words,
                       struct nb_text *out)
{
    uint32_t count = 1;
    for (const char *c = words; *c != '\0'; c++)
        count += *c == '|';
    for (uint32_t n = fuzz_choose(choices, count); n > 0; n--)
        words = strchr(words, '|') + 1;
    nb_text_add(out, words, strcspn(words, "|"));
}

/* One to three small numbers, or words that the row permits instead. */
static void ask_wholes(struct fuzz_choices *choices,
                       const struct nb_parameter *row, char separator,
                       struct nb_text *out)
{
    const double least = row->least > -1e9 ? row->least : 0;
    const uint32_t count = separator != '\0' ? 1 + fuzz_choose(choices, 3) : 1;
    if (row->choices != NULL && fuzz_choose(choices, 2) == 1) {
        ask_choice(choices, row->choices, out);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        nb_text_print(out, "%.*s%.0f", i > 0, &separator,
                      least + fuzz_choose(choices, count > 1 ? 3 : 6));
}

/* Mostly in the row's range. */
static void ask_number(struct fuzz_choices *choices,
                       const struct nb_parameter *row, struct nb_text *out)
{
    uint32_t n = fuzz_choose(choices, ASK_COUNT(ask_numbers));
    for (uint32_t tries = fuzz_choose(choices, 16); tries > 0; tries--) {
        struct nb_ratio number = { 0 };
        nb_ratio_read(ask_numbers[n], &number, NULL);
        const double value = nb_ratio_value(number);
        if (value >= row->least && value <= row->most)
            break;
        n = (n + 1) % ASK_COUNT(ask_numbers);
    }
    nb_text_print(out, "%s", ask_numbers[n]);
}

static void ask_value(struct fuzz_choices *choices,
                      const struct nb_parameter *row, struct nb_text *out);

static void ask_parameters(struct fuzz_choices *choices,
                           const struct nb_parameter *row, char *before,
                           struct nb_text *out)
{
    for (; row != NULL && row->name != NULL; row++)
        if (row->initial == NULL || fuzz_choose(choices, 8) == 1) {
            nb_text_print(out, "%c%s=", *before, row->name);
            ask_value(choices, row, out);
            *before = ',';
        }
}

/* A kind with some of its parameters. Returns whether the row has kinds. */
static bool ask_specification(struct fuzz_choices *choices, const char *option,
                              struct nb_text *out)
{
    char before = ':';
    uint32_t r = 0, count = 0;
    while (r < ASK_COUNT(ask_registries) &&
           strcmp(ask_registries[r].option, option) != 0)
        r++;
    if (r == ASK_COUNT(ask_registries))
        return false;
    while (ask_registries[r].kinds(count) != NULL)
        count++;
    const struct nb_kind *kind =
        ask_registries[r].kinds(fuzz_choose(choices, count));
    nb_text_print(out, "%s", kind->name);
    ask_parameters(choices, kind->parameters, &before, out);
    ask_parameters(choices, ask_registries[r].common, &before, out);
    return true;
}

/* Whether a network is too large for answers in milliseconds. */
static bool ask_is_large(const char *specification)
{
    struct nb_topology topology;
    nb_topology_limit(ASK_CHANNELS);
    const enum nb_status status =
        nb_topology_build(specification, &topology, NULL);
    nb_topology_limit(0);
    nb_topology_release(&topology);
    return status == NB_OVERFLOW;
}

static void ask_network(struct fuzz_choices *choices, struct nb_text *out)
{
    struct nb_text drawn = { 0 };
    if (fuzz_choose(choices, 2) == 1)
        ask_specification(choices, "topology", &drawn);
    const bool is_fit = drawn.length > 0 && !ask_is_large(drawn.bytes);
    nb_text_print(out, "%s",
                  is_fit ? drawn.bytes : ASK_DRAW(choices, ask_networks));
    nb_text_release(&drawn);
}

static void ask_word(struct fuzz_choices *choices,
                     const struct nb_parameter *row, struct nb_text *out)
{
    if (strcmp(row->name, "topology") == 0)
        ask_network(choices, out);
    else if (ask_specification(choices, row->name, out))
        return;
    else if (row->choices != NULL)
        ask_choice(choices, row->choices, out);
    else
        nb_text_print(out, "%s", ASK_DRAW(choices, ask_words));
}

static void ask_value(struct fuzz_choices *choices,
                      const struct nb_parameter *row, struct nb_text *out)
{
    switch (row->type) {
    case NB_WHOLE:
        ask_wholes(choices, row, '\0', out);
        break;
    case NB_NUMBER:
    case NB_REAL:
        ask_number(choices, row, out);
        break;
    case NB_CHOICE:
        ask_choice(choices, row->choices, out);
        break;
    case NB_FLAG:
        ask_choice(choices, "yes|no", out);
        break;
    case NB_RADICES:
        ask_wholes(choices, row, 'x', out);
        break;
    case NB_LIST:
        ask_wholes(choices, row, '+', out);
        break;
    case NB_PATH:
        nb_text_print(out, "%s", ASK_DRAW(choices, ask_files));
        break;
    case NB_WORD:
        ask_word(choices, row, out);
        break;
    }
}

/* Whether one of the options in a row's list is on the line, given or swept.
 * Entries are NAME or NAME=VALUE. Wrong where one name contains another: then
 * the line is only refused more often. */
static bool ask_has(const struct nb_text *line, const char *list)
{
    char name[80];
    for (size_t length; list != NULL && *list != '\0';
         list += length + (list[length] == ' ')) {
        length = strcspn(list, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, list);
        if (strstr(line->bytes, name) != NULL)
            return true;
    }
    return false;
}

/* Mostly what the row permits: options that need another one only together with
 * it, one of several alternatives. Required rows are given, and so are counts
 * whose default would take long. */
static bool ask_gives(struct fuzz_choices *choices,
                      const struct nb_parameter *row,
                      const struct nb_text *line)
{
    if (row->initial == NULL)
        return true;
    if (ask_has(line, row->apart) || ask_has(line, row->either) ||
        (row->with != NULL && !ask_has(line, row->with)))
        return fuzz_choose(choices, 64) == 1;
    if (row->type == NB_WHOLE && strtod(row->initial, NULL) > 100)
        return true;
    return fuzz_choose(choices,
                       row->with != NULL || row->either != NULL ? 2 : 6) == 1;
}

/* Appends "--NAME" and its value, or a sweep over two values. */
static void ask_option(struct fuzz_choices *choices,
                       const struct nb_parameter *row, struct nb_text *line)
{
    for (uint32_t i = 0; i < ASK_COUNT(ask_short); i++)
        if (strcmp(row->name, ask_short[i].name) == 0) {
            if (ask_short[i].value != NULL && !ask_has(line, row->apart))
                nb_text_print(line, "\n--%s=%s", row->name, ask_short[i].value);
            return;
        }
    if (!ask_gives(choices, row, line))
        return;
    const bool is_swept = fuzz_choose(choices, 16) == 1;
    nb_text_print(line, is_swept ? "\n--sweep\n%s=" : "\n--%s=", row->name);
    ask_value(choices, row, line);
    if (is_swept) {
        nb_text_print(line, ",");
        ask_value(choices, row, line);
    }
}

/* A search for a numeric option that is not on the line. */
static void ask_search(struct fuzz_choices *choices, const struct nb_form *form,
                       struct nb_text *line)
{
    const struct nb_parameter *numeric[ASK_WORDS];
    uint32_t count = 0;
    for (const struct nb_parameter *row = form->options; row->name != NULL;
         row++)
        if ((row->type == NB_WHOLE || row->type == NB_NUMBER ||
             row->type == NB_REAL) &&
            !ask_has(line, row->name) && row->with == NULL)
            numeric[count++] = row;
    if (count == 0)
        return;
    const struct nb_parameter *row = numeric[fuzz_choose(choices, count)];
    nb_text_print(line, "\n--find=%s", row->name);
    if (row->type == NB_WHOLE)
        nb_text_print(line, "=%.0f:%.0f", row->least, row->least + 7);
    nb_text_print(line, "\n--where=%s %s %s\n--within=0.1",
                  ASK_DRAW(choices, ask_quantities),
                  fuzz_choose(choices, 2) == 1 ? ">=" : "<=",
                  ASK_DRAW(choices, ask_numbers));
}

/* A command line; each word is a line. */
static void ask_draw(struct fuzz_choices *choices, struct nb_text *line)
{
    uint32_t count = 0;
    while (nb_questions[count] != NULL)
        count++;
    const struct nb_form *form =
        &nb_questions[fuzz_choose(choices, count)]->form;
    nb_text_print(line, "%s", form->name);
    for (const struct nb_parameter *row = form->options; row->name != NULL;
         row++)
        ask_option(choices, row, line);
    if (fuzz_choose(choices, 8) == 1)
        ask_search(choices, form, line);
}

/* Without how it was computed, which differs from run to run. */
static void ask_write(struct nb_report *report, struct nb_text *out)
{
    struct nb_error err = { 0 };
    report->made = (struct nb_made){ 0 };
    nb_report_write(report, NB_FORMAT_XML, NULL, out, &err);
    FUZZ_CHECK(err.status == NB_OK, "%s", err.message);
}

static void ask_check_bounds(const struct nb_report *report, const char *line)
{
    for (size_t p = 0; p < report->point_count; p++)
        for (size_t i = 0; i < report->points[p].quantity_count; i++) {
            const struct nb_quantity *one = &report->points[p].quantities[i];
            FUZZ_CHECK(one->lower <= one->value && one->value <= one->upper,
                       "%s: %s = %a in [%a, %a]", line, one->name, one->value,
                       one->lower, one->upper);
            FUZZ_CHECK(!nb_ratio_is_known(one->exact) ||
                           nb_ratio_value(one->exact) == one->value,
                       "%s: %s = %a", line, one->name, one->value);
        }
}

static void ask_check_formats(const struct nb_report *report, const char *line)
{
    static const enum nb_format formats[] = { NB_FORMAT_TEXT, NB_FORMAT_CSV,
                                              NB_FORMAT_JSON };
    for (uint32_t i = 0; i < ASK_COUNT(formats); i++) {
        struct nb_text text = { 0 };
        struct nb_error err = { 0 };
        nb_report_write(report, formats[i], NULL, &text, &err);
        FUZZ_CHECK(err.status == NB_OK, "%s: %s", line, err.message);
        nb_text_release(&text);
    }
}

static void ask_verify(const struct nb_text *xml, const char *line)
{
    const struct nb_run run = { .threads = 1 };
    struct nb_text said = { 0 };
    struct nb_error err = { 0 };
    nb_verify_file(fuzz_file("answer.xml", xml->bytes, xml->length), ".", &run,
                   NULL, &said, &err);
    FUZZ_CHECK(err.status == NB_OK, "%s: %s\n%s", line, err.message,
               xml->bytes);
    nb_text_release(&said);
}

/* The saved model, on two threads: the same answer. */
static void ask_again(const char *path, const struct nb_text *xml,
                      const char *line)
{
    const struct nb_run run = { .threads = 2 };
    struct nb_model model = { 0 };
    struct nb_report report = { 0 };
    struct nb_text again = { 0 };
    struct nb_error err = { 0 };
    nb_ask_read(path, &model, &err);
    nb_ask(&model, &run, &report, &err);
    FUZZ_CHECK(err.status == NB_OK, "%s: %s", line, err.message);
    ask_write(&report, &again);
    FUZZ_CHECK(strcmp(again.bytes, xml->bytes) == 0, "%s:\n%s\n%s", line,
               xml->bytes, again.bytes);
    nb_text_release(&again);
    nb_report_release(&report);
    nb_model_release(&model);
}

static void ask_check(struct nb_model *model, const char *line)
{
    const struct nb_run run = { .threads = 1 };
    struct nb_text saved = { 0 }, xml = { 0 };
    struct nb_report report = { 0 };
    struct nb_error err = { 0 };
    nb_model_write(model, true, 0, &saved);
    const char *path = fuzz_file("saved.xml", saved.bytes, saved.length);
    const enum nb_status status = nb_ask(model, &run, &report, &err);
    fuzz_check_error(status, &err);
    if (status == NB_OK) {
        ask_write(&report, &xml);
        ask_check_bounds(&report, line);
        ask_check_formats(&report, line);
        ask_verify(&xml, line);
        ask_again(path, &xml, line);
    }
    nb_text_release(&xml);
    nb_text_release(&saved);
    nb_report_release(&report);
}

static void ask(const uint8_t *bytes, size_t length)
{
    struct fuzz_choices choices = { bytes, length };
    char *words[ASK_WORDS];
    int count = 0;
    struct nb_text line = { 0 }, cut = { 0 };
    struct nb_invocation invocation = { 0 };
    struct nb_error err = { 0 };
    ask_draw(&choices, &line);
    nb_text_add(&cut, line.bytes, line.length);
    for (char *rest = cut.bytes, *word;
         count < ASK_WORDS && (word = strsep(&rest, "\n")) != NULL;)
        words[count++] = word;
    invocation.command = nb_command_find(words[0]);
    if (strcmp(words[0], "ledger") != 0 && /* has its own files */
        nb_invocation_read(&invocation, count - 1, words + 1, &err) == NB_OK &&
        nb_answer_prepare(&invocation, &err) == NB_OK)
        ask_check(&invocation.model, line.bytes);
    else
        fuzz_check_error(err.status, &err);
    nb_invocation_release(&invocation);
    nb_text_release(&cut);
    nb_text_release(&line);
}

FUZZ_TARGET(ask)
