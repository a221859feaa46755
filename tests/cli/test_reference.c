/* Manual pages and completions: options, and lack of memory. */
#include "cli/options.h"
#include "cli/reference.h"

#include "core/memory.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

/* Characters that roff would take for requests or for other signs. */
static void test_roff(void **state)
{
    (void)state;
    const struct nb_form form = {
        .name = "a-b",
        .summary = "a summary",
        .details = ".so 'c' \\fB -d",
        .example = "'br",
        .common = "output",
    };
    const struct nb_command command = { .form = &form };
    struct nb_text text = { 0 };
    nb_man_print(&command, &text);
    assert_non_null(strstr(text.bytes, "\n\\&.so \\(aqc\\(aq \\efB \\-d\n"));
    assert_non_null(strstr(text.bytes, "\n.B netbound a\\-b\n"));
    assert_non_null(strstr(text.bytes, "\n\\(aqbr\n"));
    nb_text_release(&text);
}

/* Each option of a command once, in the order of its tables. */
static void test_every_option(void **state)
{
    (void)state;
    for (size_t i = 0; nb_commands[i] != NULL; i++) {
        const struct nb_command *command = nb_commands[i];
        const struct nb_parameter *row = NULL;
        const struct nb_parameter *const tables[] = { command->form->options,
                                                      command->form->outputs,
                                                      nb_common_options };
        for (size_t t = 0; t < 3; t++)
            for (const struct nb_parameter *own = tables[t];
                 own != NULL && own->name != NULL; own++) {
                if (t == 2 && !nb_command_takes(command, own))
                    continue;
                row = nb_option_next(command, row);
                assert_ptr_equal(row, own);
                assert_int_equal(nb_option_is_in(nb_common_options, row),
                                 t == 2);
            }
        assert_null(nb_option_next(command, row));
    }
}

static void print_page(struct nb_text *text)
{
    nb_man_print(nb_command_find("limits"), text);
}

/* Of all kinds, with their descriptions. */
static void print_completions(struct nb_text *text)
{
    char *words[] = { (char[]){ "load" }, (char[]){ "--routing" },
                      (char[]){ "dor:" } };
    nb_complete_print(words, 3, text);
    nb_complete_print(words, 2, text);
    nb_complete_print(words, 1, text);
}

static void print_program(struct nb_text *text)
{
    nb_man_print(NULL, text);
}

/* A text is complete, or reports that it is not. */
static void test_failing_memory(void **state)
{
    (void)state;
    static void (*const print[])(
        struct nb_text *) = { print_page, print_program, print_completions };
    for (size_t i = 0; i < sizeof print / sizeof *print; i++) {
        struct nb_text whole = { 0 };
        const long before = nb_memory_live_blocks();
        bool has_failed = true;
        print[i](&whole);
        for (long allowed = 0; has_failed; allowed++) {
            struct nb_text text = { 0 };
            nb_memory_allow(allowed);
            print[i](&text);
            nb_memory_allow(-1);
            has_failed = text.has_failed;
            if (!has_failed)
                assert_string_equal(text.bytes, whole.bytes);
            nb_text_release(&text);
            assert_int_equal(nb_memory_live_blocks(), before + 1);
        }
        nb_text_release(&whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roff),
        cmocka_unit_test(test_every_option),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
