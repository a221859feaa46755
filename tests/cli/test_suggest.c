/* Every word that the program knows, with a letter left out: the message
 * suggests the word. */
#include "cli/options.h"
#include "cli/reference.h"
#include "core/memory.h"
#include "explain/formula.h"
#include "ask/question.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

enum { SUGGEST_WORD = 100 };

/* Number of words tried. */
static size_t tried;

/* A sufficiently long word without a letter in its middle, between the given
 * text before and after it; false if it is too short to be unambiguous. */
static bool slip(const char *before, const char *word, size_t length,
                 const char *after, char out[SUGGEST_WORD])
{
    const size_t middle = length / 2;
    if (length < 4 || length > 60)
        return false;
    struct nb_text text = { 0 };
    nb_text_print(&text, "%s", before);
    nb_text_add(&text, word, middle);
    nb_text_add(&text, word + middle + 1, length - middle - 1);
    nb_text_print(&text, "%s", after);
    snprintf(out, SUGGEST_WORD, "%s", text.bytes);
    nb_text_release(&text);
    tried++;
    return true;
}

/* The message suggests the word, or another one that is as near. */
static void expect(const char *typed, const char *word, size_t length,
                   const struct nb_error *err)
{
    const char *meant = strstr(err->message, "did you mean \"");
    if (err->status == NB_OK) /* also a word */
        return;
    if (meant == NULL)
        fail_msg("%s for %.*s: %s", typed, (int)length, word, err->message);
    meant += strlen("did you mean \"");
    meant += strspn(meant, "-");
    const size_t own = strcspn(meant, "\"");
    if (own > length || own + 2 < length)
        fail_msg("%s for %.*s: %s", typed, (int)length, word, err->message);
}

static void read_arguments(const struct nb_command *command, int count,
                           char **arguments, struct nb_error *err)
{
    struct nb_invocation invocation = { .command = command };
    nb_invocation_read(&invocation, count, arguments, err);
    nb_invocation_release(&invocation);
}

static void run_word(const struct nb_command *command, const char *word,
                     struct nb_error *err)
{
    const struct nb_invocation invocation = { .command = command,
                                              .words = { word },
                                              .word_count = 1 };
    struct nb_text text = { 0 };
    command->print(&invocation, &text, err);
    nb_text_release(&text);
}

static void commands_are_meant(void **state)
{
    char typed[SUGGEST_WORD];
    (void)state;
    for (size_t i = 0; nb_commands[i] != NULL; i++) {
        const char *name = nb_commands[i]->form->name;
        const struct nb_command *unknown;
        struct nb_error err = { 0 };
        if (!slip("", name, strlen(name), "", typed))
            continue;
        nb_command_need(typed, &unknown, &err);
        expect(typed, name, strlen(name), &err);
    }
}

/* The words that list, help, man and completion take. */
static void words_are_meant(void **state)
{
    char typed[SUGGEST_WORD];
    (void)state;
    for (size_t i = 0; nb_commands[i] != NULL; i++) {
        const struct nb_command *command = nb_commands[i];
        const char *word;
        for (size_t k = 0;
             command->word_at != NULL && (word = command->word_at(k)) != NULL;
             k++) {
            struct nb_error err = { 0 };
            if (!slip("", word, strlen(word), "", typed))
                continue;
            run_word(command, typed, &err);
            expect(typed, word, strlen(word), &err);
        }
    }
}

static void options_are_meant(void **state)
{
    char typed[SUGGEST_WORD];
    (void)state;
    for (size_t i = 0; nb_commands[i] != NULL; i++) {
        const struct nb_parameter *row = NULL;
        while ((row = nb_option_next(nb_commands[i], row)) != NULL) {
            struct nb_error err = { 0 };
            if (!slip("--", row->name, strlen(row->name), "=1", typed))
                continue;
            read_arguments(nb_commands[i], 1, (char *[]){ typed }, &err);
            expect(typed, row->name, strlen(row->name), &err);
        }
    }
}

/* The same after --sweep, and in a model. */
static void swept_options_are_meant(void **state)
{
    char typed[SUGGEST_WORD];
    const struct nb_parameter *takes = nb_common_options;
    (void)state;
    while (strcmp(takes->name, "sweep") != 0)
        takes++;
    for (size_t i = 0; nb_questions[i] != NULL; i++) {
        const struct nb_form *form = &nb_questions[i]->form;
        for (const struct nb_parameter *row = form->options; row->name != NULL;
             row++) {
            const struct nb_parameter *found;
            struct nb_error err = { 0 }, inner = { 0 };
            char sweep[] = "--sweep";
            if (!slip("", row->name, strlen(row->name), "", typed))
                continue;
            nb_form_find(form, typed, strlen(typed), &found, &inner);
            expect(typed, row->name, strlen(row->name), &inner);
            if (!nb_command_takes(nb_command_find(form->name), takes))
                continue;
            slip("", row->name, strlen(row->name), "=1,2", typed);
            read_arguments(nb_command_find(form->name), 2,
                           (char *[]){ sweep, typed }, &err);
            expect(typed, row->name, strlen(row->name), &err);
        }
    }
}

static void choices_of(const struct nb_command *command,
                       const struct nb_parameter *row)
{
    char typed[SUGGEST_WORD], option[SUGGEST_WORD];
    const char *word = row->type == NB_FLAG ? "no|yes" : row->choices;
    snprintf(option, sizeof option, "--%s=", row->name);
    while (word != NULL) {
        const size_t length = strcspn(word, "|");
        struct nb_error err = { 0 };
        if (slip(option, word, length, "", typed)) {
            read_arguments(command, 1, (char *[]){ typed }, &err);
            expect(typed, word, length, &err);
        }
        word = word[length] == '|' ? word + length + 1 : NULL;
    }
}

/* Formats are choices, too. */
static void choices_are_meant(void **state)
{
    (void)state;
    for (size_t i = 0; nb_commands[i] != NULL; i++) {
        const struct nb_parameter *row = NULL;
        while ((row = nb_option_next(nb_commands[i], row)) != NULL)
            choices_of(nb_commands[i], row);
    }
}

static void read_specification(const struct nb_registry *registry,
                               const char *typed, const char *word,
                               size_t length)
{
    struct nb_specification specification;
    struct nb_error err = { 0 };
    size_t index;
    nb_specification_read(typed, registry->option, registry->kinds,
                          registry->common, &specification, &index, &err);
    nb_specification_release(&specification);
    expect(typed, word, length, &err);
}

/* The parameters of a kind and the words that they accept. */
static void parameters_of(const struct nb_registry *registry,
                          const struct nb_kind *kind)
{
    const struct nb_parameter *row = NULL;
    char typed[SUGGEST_WORD], before[SUGGEST_WORD];
    while ((row = nb_kind_next(registry, kind, row)) != NULL) {
        snprintf(before, sizeof before, "%s:", kind->name);
        if (slip(before, row->name, strlen(row->name), "=1", typed) &&
            !(row->type == NB_PATH && row->is_leading))
            read_specification(registry, typed, row->name, strlen(row->name));
        snprintf(before, sizeof before, "%s:%s=", kind->name, row->name);
        for (const char *word = row->choices; word != NULL;) {
            const size_t length = strcspn(word, "|");
            if (slip(before, word, length, "", typed))
                read_specification(registry, typed, word, length);
            word = word[length] == '|' ? word + length + 1 : NULL;
        }
    }
}

static void kinds_are_meant(void **state)
{
    char typed[SUGGEST_WORD];
    (void)state;
    for (const struct nb_registry *at = nb_registries; at->option != NULL;
         at++) {
        const struct nb_kind *kind;
        for (size_t i = 0; (kind = at->kinds(i)) != NULL; i++) {
            const char *name;
            int length;
            for (size_t k = 0; (name = nb_kind_name(kind, k, &length)) != NULL;
                 k++) {
                struct nb_error err = { 0 };
                if (!slip("", name, (size_t)length, "", typed))
                    continue;
                read_specification(at, typed, name, (size_t)length);
                run_word(nb_command_find("help"), typed, &err);
                expect(typed, name, (size_t)length, &err);
            }
            if (strcmp(kind->name, "file") != 0)
                parameters_of(at, kind);
        }
    }
}

static void shown(const struct nb_command *command, const char *word,
                  size_t length, bool is_table)
{
    struct nb_invocation invocation = { .command = command };
    struct nb_error err = { 0 };
    char typed[SUGGEST_WORD];
    if (!slip("", word, length, "", typed))
        return;
    if (is_table)
        invocation.table.text = typed;
    else
        nb_model_set_show(&invocation.model, typed, NULL);
    nb_show_check_names(&invocation, &err);
    expect(typed, word, length, &err);
    nb_invocation_release(&invocation);
}

static void tables_and_quantities_are_meant(void **state)
{
    (void)state;
    for (size_t i = 0; nb_questions[i] != NULL; i++) {
        const struct nb_form *form = &nb_questions[i]->form;
        const struct nb_command *command = nb_command_find(form->name);
        const char *at = nb_formula_text();
        struct nb_formula row;
        struct nb_text tables = { 0 };
        nb_form_print_tables(form, " ", &tables);
        for (const char *table = tables.bytes;
             table != NULL && *table != '\0';) {
            const size_t length = strcspn(table, " ");
            shown(command, table, length, true);
            shown(command, table, length, false);
            table += length + (table[length] == ' ');
        }
        nb_text_release(&tables);
        while (nb_formula_next(&at, &row))
            if (nb_formula_is_of(&row, form->name))
                shown(command, row.name.at, row.name.length, false);
    }
}

static void units_are_meant(void **state)
{
    char typed[SUGGEST_WORD];
    (void)state;
    for (const struct nb_unit *unit = nb_units; unit->name != NULL; unit++) {
        struct nb_ratio value;
        struct nb_error err = { 0 };
        bool uses_clock;
        if (strchr(unit->name, '/') != NULL ||
            !slip("1", unit->name, strlen(unit->name), "", typed))
            continue;
        nb_unit_read(typed, "packets/cycle", nb_ratio_one, &value, &uses_clock,
                     &err);
        if (strstr(err.message, "unknown unit") != NULL)
            expect(typed, unit->name, strlen(unit->name), &err);
    }
}

static void enough_were_tried(void **state)
{
    (void)state;
    print_message("%zu words\n", tried);
    assert_true(tried > 1000);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_meant),
        cmocka_unit_test(words_are_meant),
        cmocka_unit_test(options_are_meant),
        cmocka_unit_test(swept_options_are_meant),
        cmocka_unit_test(choices_are_meant),
        cmocka_unit_test(kinds_are_meant),
        cmocka_unit_test(tables_and_quantities_are_meant),
        cmocka_unit_test(units_are_meant),
        cmocka_unit_test(enough_were_tried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
