/*
 * Command lines, an argument on each line: if a question's command accepts one,
 * it is saved as a model, and the model is the same question.
 * Words: src/questions src/cli/options.c src/cli/arguments.c
 * Words: src/topology/kinds src/traffic/patterns src/routing/schemes
 */
#include "../support/fuzz.h"
#include "../support/random_report.h"

#include "cli/command.h"
#include "ask/ask.h"

#include <string.h>

/* Includes titles, the tables shown and defaults. */
static void command_save(const struct nb_model *model)
{
    struct nb_text text = { 0 };
    struct nb_model read = { 0 };
    struct nb_error err = { 0 };
    const struct nb_question_kind *kind = nb_question_find(model->command);
    size_t count;
    nb_model_write(model, true, 0, &text);
    nb_model_read_file(fuzz_file("saved.xml", text.bytes, text.length), &read,
                       &err);
    FUZZ_CHECK(err.status == NB_OK && nb_models_are_equal(model, &read),
               "%s: %s", err.message, text.bytes);
    nb_ask_prepare(kind, &read, NULL, &err);
    FUZZ_CHECK(err.status == NB_OK && nb_models_are_equal(model, &read),
               "%s: %s", err.message, text.bytes);
    fuzz_check_error(nb_sweep_count(&read, &count, &err), &err);
    for (size_t i = 0; err.status == NB_OK && i < count && i < 20; i++) {
        struct nb_point point = { 0 };
        struct nb_model here = { 0 };
        struct nb_error inner = { 0 };
        fuzz_check_error(
            nb_ask_model(&kind->form, &read, i, &here, &point, &inner), &inner);
        nb_model_release(&here);
        nb_point_release(&point);
    }
    nb_model_release(&read);
    nb_text_release(&text);
}

static void command(const uint8_t *bytes, size_t length)
{
    enum { WORDS = 40 };
    char *words[WORDS];
    int count = 0;
    struct nb_text text = { 0 };
    struct nb_invocation invocation = { 0 };
    struct nb_error err = { 0 };
    nb_text_add(&text, (const char *)bytes, length);
    for (char *rest = text.bytes, *word;
         count < WORDS && (word = strsep(&rest, "\n")) != NULL;)
        words[count++] = word;
    invocation.command = nb_command_find(words[0]);
    if (invocation.command != NULL) {
        fuzz_check_error(
            nb_invocation_read(&invocation, count - 1, words + 1, &err), &err);
        if (err.status == NB_OK && invocation.command->question != NULL) {
            fuzz_check_error(nb_answer_prepare(&invocation, &err), &err);
            if (err.status == NB_OK)
                command_save(&invocation.model);
        }
    }
    nb_invocation_release(&invocation);
    nb_text_release(&text);
}

FUZZ_TARGET(command)
