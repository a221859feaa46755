/* Questions of any kind with any options, on small networks: answers are
 * verified, and refusals say why. An input chooses a value for each row of the
 * question's table. */
#include "../support/fuzz.h"

#include "core/memory.h"
#include "questions/ask.h"
#include "questions/verify.h"
#include "routing/routing.h"
#include "traffic/traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const ask_networks[] = {
    "ring:4",
    "mesh:2x3",
    "torus:3x3",
    "fattree:k=2,n=2",
    "dragonfly:h=1",
    "hypercube:3",
    "complete:4",
    "ring:4,terminals=2",
    "butterfly:k=2,n=2",
    "mesh:2x2,bandwidth=1/2",
    "ring:5,fail=0-1",
    "file:data/topologies/ring-of-stars.anynet",
    "mesh:3x2,fail=router:1",
    "torus:2x4,terminal-bandwidth=1/2",
};
static const char *const ask_numbers[] = { "0",      "1/2", "0.3", "1",
                                           "2",      "1/3", "10",  "1e-3",
                                           "99/100", "-1",  "0.9" };
static const char *const ask_words[] = { "8,8",     "0.5", "onoff:burst=4",
                                         "uniform", "0,1", "1+2" };
/* Options that would otherwise take long; NULL: not given. */
static const struct {
    const char *name, *value;
} ask_short[] = {
    { "cycles", "64" },    { "warm-up", "9" }, { "replications", "1" },
    { "precision", NULL }, { "find", NULL },
};
#define ASK_COUNT(array) (uint32_t)(sizeof(array) / sizeof *(array))

/* The n-th of the words between bars. */
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

/* The name of a kind of a registry. */
static void ask_kind(struct fuzz_choices *choices, nb_kind_at *kinds,
                     struct nb_text *out)
{
    uint32_t count = 0;
    while (kinds(count) != NULL)
        count++;
    nb_text_print(out, "%s", kinds(fuzz_choose(choices, count))->name);
}

static void ask_word(struct fuzz_choices *choices,
                     const struct nb_parameter *row, struct nb_text *out)
{
    if (strcmp(row->name, "topology") == 0)
        nb_text_print(
            out, "%s",
            ask_networks[fuzz_choose(choices, ASK_COUNT(ask_networks))]);
    else if (strcmp(row->name, "routing") == 0)
        ask_kind(choices, nb_routing_kind_at, out);
    else if (strcmp(row->name, "traffic") == 0)
        ask_kind(choices, nb_traffic_kind_at, out);
    else if (row->choices != NULL)
        ask_choice(choices, row->choices, out);
    else
        nb_text_print(out, "%s",
                      ask_words[fuzz_choose(choices, ASK_COUNT(ask_words))]);
}

static void ask_value(struct fuzz_choices *choices,
                      const struct nb_parameter *row, struct nb_text *out)
{
    switch (row->type) {
    case NB_WHOLE:
        nb_text_print(out, "%.0f",
                      (row->least > -1e9 ? row->least : 0) +
                          fuzz_choose(choices, 12));
        break;
    case NB_NUMBER:
    case NB_REAL:
        nb_text_print(
            out, "%s",
            ask_numbers[fuzz_choose(choices, ASK_COUNT(ask_numbers))]);
        break;
    case NB_CHOICE:
        ask_choice(choices, row->choices, out);
        break;
    case NB_FLAG:
        ask_choice(choices, "yes|no", out);
        break;
    case NB_RADICES:
    case NB_LIST:
    case NB_PATH:
        break;
    case NB_WORD:
        ask_word(choices, row, out);
        break;
    }
}

/* Required rows are given, and so are counts whose default would take long. */
static bool ask_gives(struct fuzz_choices *choices,
                      const struct nb_parameter *row)
{
    return row->initial == NULL ||
           (row->type == NB_WHOLE && strtod(row->initial, NULL) > 100) ||
           fuzz_choose(choices, 6) == 1;
}

static void ask_set(struct fuzz_choices *choices,
                    const struct nb_parameter *row, struct nb_model *model,
                    struct nb_error *err)
{
    struct nb_text value = { 0 };
    for (uint32_t i = 0; i < ASK_COUNT(ask_short); i++) {
        if (strcmp(row->name, ask_short[i].name) == 0) {
            nb_model_set(model, row->name, ask_short[i].value, err);
            return;
        }
    }
    if (!ask_gives(choices, row))
        return;
    ask_value(choices, row, &value);
    if (value.length > 0 && fuzz_choose(choices, 16) == 1) {
        nb_text_print(&value, ",");
        ask_value(choices, row, &value);
        nb_model_add_sweep(model, row->name, value.bytes, err);
    } else if (value.length > 0) {
        nb_model_set(model, row->name, value.bytes, err);
    }
    nb_text_release(&value);
}

static void ask_begin(struct fuzz_choices *choices,
                      const struct nb_question_kind *kind,
                      struct nb_model *model)
{
    struct nb_error err = { 0 };
    nb_model_begin(model, kind->form.name, &err);
    for (const struct nb_parameter *row = kind->form.options; row->name != NULL;
         row++)
        ask_set(choices, row, model, &err);
    FUZZ_CHECK(err.status == NB_OK, "%s", err.message);
}

static void ask_verify(const struct nb_report *report)
{
    const struct nb_run run = { .threads = 1 };
    struct nb_text text = { 0 }, said = { 0 };
    struct nb_error err = { 0 };
    nb_report_write(report, NB_FORMAT_XML, NULL, &text, &err);
    FUZZ_CHECK(err.status == NB_OK, "%s", err.message);
    nb_verify_file(fuzz_file("answer.xml", text.bytes, text.length), ".", &run,
                   NULL, &said, &err);
    FUZZ_CHECK(err.status == NB_OK, "%s: %s", err.message, text.bytes);
    nb_text_release(&said);
    nb_text_release(&text);
}

static void ask(const uint8_t *bytes, size_t length)
{
    struct fuzz_choices choices = { bytes, length };
    const struct nb_run run = { .threads = 1 };
    struct nb_model model = { 0 };
    struct nb_report report = { 0 };
    struct nb_error err = { 0 };
    uint32_t count = 0;
    while (nb_questions[count] != NULL)
        count++;
    const struct nb_question_kind *kind =
        nb_questions[fuzz_choose(&choices, count)];
    if (strcmp(kind->form.name, "ledger") == 0)
        return; /* has its own files */
    ask_begin(&choices, kind, &model);
    const enum nb_status status = nb_ask(&model, &run, &report, &err);
    fuzz_check_error(status, &err);
    if (status == NB_OK)
        ask_verify(&report);
    nb_report_release(&report);
    nb_model_release(&model);
}

FUZZ_TARGET(ask)
