/* Colours and columns, with and without a terminal. */
#include "../support/program.h"
#include "../support/scratch.h"

#include "core/text.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define NAME_OF(text)  "\033[1m" text "\033[0m"
#define EXACT_OF(text) "\033[36m" text "\033[0m"
#define DIM_OF(text)   "\033[2m" text "\033[0m"
#define ALERT_OF(text) "\033[31m" text "\033[0m"

static const char *const questions[] = {
    "worst-case --topology torus:8x8 --routing dor",
    "worst-case --topology torus:4x4 --sweep routing=dor,val",
    "load --topology ring:4 --table channels",
    "delay --topology fattree:k=4,n=3 --load 1",
    "delay --topology fattree:k=4,n=3 --sweep load=0.5,1",
    "topology --fit terminals=1000,radix=16",
    "limits --topology dragonfly:h=2",
};
enum { QUESTIONS = sizeof questions / sizeof *questions };

/* Environment in which a terminal has colours. */
static void be_colourful(void)
{
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    unsetenv("NETBOUND_COLUMNS");
    setenv("COLUMNS", "80", 1); /* the same lines in a file */
}

/* The program's output on a terminal, without carriage returns. */
static void show(struct program *program, const char *line)
{
    program_start_shown(program, line, 200);
    const int status = program_end(program);
    assert_true(WIFEXITED(status));
    char *end = program->said;
    for (size_t i = 0; i < program->length; i++)
        if (program->said[i] != '\r')
            *end++ = program->said[i];
    *end = '\0';
}

/* The program's output in a file instead. */
static void save(const char *line, const char *options, struct nb_text *text)
{
    char whole[300], path[NB_SCRATCH_PATH];
    struct program program;
    snprintf(whole, sizeof whole, "%s %s --output saved", line, options);
    program_start(&program, whole, 0, SIG_DFL);
    assert_int_equal(program_end(&program), 0);
    nb_text_release(text);
    assert_int_equal(
        nb_text_read_file(nb_scratch_name("saved", path), 1 << 20, text, NULL),
        NB_OK);
}

/* Removes the sequences; checks that each begins after the last has ended. */
static size_t fade(char *text)
{
    size_t count = 0;
    char *out = text;
    for (const char *in = text; *in != '\0';) {
        static const char *const sequences[] = { "\033[0m", "\033[1m",
                                                 "\033[2m", "\033[31m",
                                                 "\033[36m" };
        size_t s = 0;
        while (s < 5 && strncmp(in, sequences[s], strlen(sequences[s])) != 0)
            s++;
        if (s == 5) {
            assert_int_not_equal(*in, '\033');
            assert_true(*in != '\n' || count % 2 == 0);
            *out++ = *in++;
            continue;
        }
        assert_true((s == 0) == (count % 2 == 1));
        count++;
        in += strlen(sequences[s]);
    }
    *out = '\0';
    assert_int_equal(count % 2, 0);
    return count / 2;
}

static void expect(const struct program *program, const char *part)
{
    if (strstr(program->said, part) == NULL)
        fail_msg("no %s in:\n%s", part, program->said);
}

static void test_what_is_coloured(void **state)
{
    (void)state;
    struct program program;
    be_colourful();
    show(&program, questions[0]);
    expect(&program, "  " NAME_OF("worst_case_channel_load") "  ");
    expect(&program, "  3.5       " DIM_OF("packets/cycle") "  ");
    expect(&program, "  " EXACT_OF("7/2") "  " DIM_OF("[1]") "\n");
    expect(&program,
           "\n  " DIM_OF("sources: [1] TowlesDally2002, Theorem 2; [2] "
                         "DallyTowles2004") "\n");
    expect(&program, "\n  \033[2mcapacity_basis: ");
    show(&program, questions[2]);
    expect(&program, "\n" NAME_OF("channels") "\n");
    expect(&program, "  " NAME_OF("source") "  ");
    show(&program, questions[3]);
    expect(&program, "  " NAME_OF("mean_delay") "         " ALERT_OF("inf"));
    show(&program, questions[4]);
    expect(&program, " " ALERT_OF("inf") "\n");
}

/* Without colours, a terminal shows what a file contains with --format text:
 * columns do not count them. */
static void test_widths(void **state)
{
    (void)state;
    struct nb_text plain = { 0 };
    be_colourful();
    for (size_t i = 0; i < QUESTIONS; i++) {
        struct program program;
        show(&program, questions[i]);
        assert_true(fade(program.said) > 5);
        save(questions[i], "--format text", &plain);
        assert_string_equal(program.said, plain.bytes);
    }
    nb_text_release(&plain);
}

/* Setting one variable is enough to have none. */
static void test_no_colours(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value;
        bool is_coloured;
    } cases[] = {
        { "NO_COLOR", "1", false },    { "NO_COLOR", "no", false },
        { "NO_COLOR", "", true },      { "TERM", "dumb", false },
        { "TERM", "", false },         { "TERM", NULL, false },
        { "TERM", "dumb-term", true },
    };
    struct nb_text plain = { 0 };
    be_colourful();
    save(questions[0], "--format text", &plain);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct program program;
        be_colourful();
        if (cases[i].value != NULL)
            setenv(cases[i].name, cases[i].value, 1);
        else
            unsetenv(cases[i].name);
        show(&program, questions[0]);
        assert_int_equal(fade(program.said) > 0, cases[i].is_coloured);
        assert_string_equal(program.said, plain.bytes);
    }
    nb_text_release(&plain);
}

/* Other formats and files have none, wherever they are written. */
static void test_no_colours_elsewhere(void **state)
{
    (void)state;
    static const char *const formats[] = { "--format csv", "--format xml", "" };
    struct nb_text text = { 0 };
    be_colourful();
    for (size_t i = 0; i < QUESTIONS; i++)
        for (size_t f = 0; f < 3; f++) {
            char line[300];
            struct program program;
            snprintf(line, sizeof line, "%s %s%s", questions[i], formats[f],
                     *formats[f] == '\0' ? "--output saved" : "");
            show(&program, line);
            assert_null(strchr(program.said, '\033'));
            save(questions[i], formats[f], &text);
            assert_null(strchr(text.bytes, '\033'));
        }
    nb_text_release(&text);
}

/* A file gets tabs by default, as NETBOUND_COLUMNS=tabs shows them on a
 * terminal, and columns only if aligned is asked for. */
static void test_columns(void **state)
{
    (void)state;
    struct nb_text tabs = { 0 }, columns = { 0 }, text = { 0 };
    struct program program;
    be_colourful();
    save(questions[0], "", &tabs);
    save(questions[0], "--format text", &columns);
    assert_non_null(strchr(tabs.bytes, '\t'));
    assert_null(strchr(columns.bytes, '\t'));
    setenv("NETBOUND_COLUMNS", "tabs", 1);
    show(&program, questions[0]);
    assert_true(fade(program.said) > 5);
    assert_string_equal(program.said, tabs.bytes);
    save(questions[0], "--format text", &text);
    assert_string_equal(text.bytes, columns.bytes);
    setenv("NETBOUND_COLUMNS", "aligned", 1);
    save(questions[0], "", &text);
    assert_string_equal(text.bytes, columns.bytes);
    setenv("NETBOUND_COLUMNS", "", 1);
    save(questions[0], "", &text);
    assert_string_equal(text.bytes, tabs.bytes);
    unsetenv("NETBOUND_COLUMNS");
    nb_text_release(&tabs);
    nb_text_release(&columns);
    nb_text_release(&text);
}

static void test_errors(void **state)
{
    (void)state;
    static const char red[] = "\033[31mnetbound:\033[0m unknown command ";
    static const char plain[] = "netbound: unknown command ";
    struct program program;
    be_colourful();
    for (int i = 0; i < 3; i++) {
        if (i == 2)
            setenv("NO_COLOR", "1", 1);
        /* On a terminal, into a pipe, on a terminal without colours. */
        program_start(&program, "nonsense", i == 1 ? 0 : 80, SIG_DFL);
        const int status = program_end(&program);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 2);
        const char *begin = i == 0 ? red : plain;
        assert_memory_equal(program.said, begin, strlen(begin));
    }
    be_colourful();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_coloured),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_no_colours),
        cmocka_unit_test(test_no_colours_elsewhere),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, nb_scratch_setup, nb_scratch_teardown);
}
