/* Rows of the ledger as questions: which command answers them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "questions/ledger/ledger.h"
#include "traffic/traffic.h"

#include <inttypes.h>
#include <string.h>

/* The command in a traffic's first word takes precedence over that of the
 * quantity. */
static void commands_are_found(void **state)
{
    static const struct {
        const char *traffic, *quantity, *command; /* NULL: none */
    } cases[] = {
        { "uniform", "throughput", "load" },
        { "", "throughput", "load" },
        { "worst", "worst_case_throughput", "worst-case" },
        { "permutations:count=2,seed=1", "mean_throughput", "permutations" },
        { "uniform", "mean_throughput", NULL },
        { "split:load=0.4", "mean_delay", "split" },
        { "split", "mean_delay", "split" },
        { "load:traffic=uniform", "worst_case_throughput", "load" },
        { "split:load=0.4", "no_such_quantity", "split" },
        { "uniform", "mean_delay", NULL },
        { "", "mean_delay", NULL },
        { "spl:load=0.4", "mean_delay", NULL },
        { "splits:load=0.4", "mean_delay", NULL },
        { "ledger:data=x", "mean_delay", NULL },
        { "help", "mean_delay", NULL },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct nb_published_row row = { .traffic = cases[i].traffic,
                                              .quantity = cases[i].quantity };
        const struct nb_question_kind *found = nb_entry_command(&row);
        const char *wanted = cases[i].command;
        if (found == NULL
                ? wanted != NULL
                : wanted == NULL || strcmp(found->form.name, wanted) != 0)
            fail_msg("%s, %s: %s", row.traffic, row.quantity,
                     found != NULL ? found->form.name : "none");
    }
}

/* The first word of a row's traffic is a traffic or a command, never both. */
static void no_traffic_is_a_command(void **state)
{
    const struct nb_kind *kind;
    size_t count = 0;
    (void)state;
    for (; (kind = nb_traffic_kind_at(count)) != NULL; count++) {
        const struct nb_published_row row = { .traffic = kind->name,
                                              .quantity = "" };
        if (nb_entry_command(&row) != NULL)
            fail_msg("traffic %s is a command", kind->name);
        for (size_t i = 0; nb_questions[i] != NULL; i++)
            if (nb_word_is_in(kind->aliases, ' ', nb_questions[i]->form.name,
                              strlen(nb_questions[i]->form.name)))
                fail_msg("alias %s is a command", nb_questions[i]->form.name);
    }
    assert_true(count > 5);
}

/* The span of numbers in a traffic; nothing else with two dots is a span. */
static void spans_are_read(void **state)
{
    static const struct {
        const char *traffic;
        int64_t first, last; /* 0 .. 0: refused */
    } cases[] = {
        { "random-permutation:seed=1..16", 1, 16 },
        { "simulate:traffic=random-permutation:seed=3..3,load=1", 3, 3 },
        { "load:traffic=random-permutation:seed=0..999", 0, 999 },
        { "uniform", 1, 1 },
        { "file:../4.csv", 1, 1 },
        { "file:a/..1/2../x", 1, 1 },
        { "file:../4.csv,seed=7..8", 7, 8 },
        { "random-permutation:seed=16..1", 0, 0 },
        { "random-permutation:seed=0..1000", 0, 0 },
        { "random-permutation:seed=1..99999999999999999999", 0, 0 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct nb_published_row row = { .traffic = cases[i].traffic,
                                              .id = "",
                                              .file = "" };
        struct nb_entry_span span = { 0, 0 };
        const enum nb_status status = nb_entry_span(&row, &span, NULL);
        const bool is_refused = cases[i].last == 0;
        if (is_refused ? status != NB_INVALID
                       : status != NB_OK || span.first != cases[i].first ||
                             span.last != cases[i].last)
            fail_msg("%s: %" PRId64 "..%" PRId64, row.traffic, span.first,
                     span.last);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_found),
        cmocka_unit_test(no_traffic_is_a_command),
        cmocka_unit_test(spans_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
