/* Every row of data/published/ is computed again and must deserve the verdict
 * that it has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "questions/ledger/ledger.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

#define PUBLISHED_FOLDER "data/published"

static void published_read(struct nb_published *out)
{
    struct nb_error error = { 0 };
    if (nb_published_read(PUBLISHED_FOLDER, out, &error) != NB_OK)
        fail_msg("%s", error.message);
    assert_true(out->count > 300);
}

#ifdef __SANITIZE_ADDRESS__
static bool published_is_simulated(const struct nb_published_row *row)
{
    const struct nb_question_kind *command = nb_entry_command(row);
    return command != NULL && strcmp(command->form->name, "simulate") == 0;
}
#endif

/* Sanitised code is so slow that what is simulated would take many minutes. */
static bool published_is_left_out(const struct nb_published *published,
                                  const struct nb_published_row *row)
{
#ifdef __SANITIZE_ADDRESS__
    const struct nb_published_row *parts[2];
    if (!nb_entry_is_ratio(row))
        return published_is_simulated(row);
    assert_int_equal(nb_entry_ratio_rows(row, published, parts, NULL), NB_OK);
    return published_is_simulated(parts[0]) || published_is_simulated(parts[1]);
#else
    (void)published;
    (void)row;
    return false;
#endif
}

static void test_every_row(void **state)
{
    (void)state;
    struct nb_model model = { 0 };
    const struct nb_question question = { .model = &model };
    struct nb_published published;
    struct nb_error error = { 0 };
    size_t surprises = 0, count = 0, found[NB_VERDICTS] = { 0 };
    published_read(&published);
    struct nb_entry *entries = nb_new_array(published.count, sizeof *entries);
    assert_non_null(entries);
    for (size_t i = 0; i < published.count; i++)
        if (!published_is_left_out(&published, &published.rows[i]))
            entries[count++].row = &published.rows[i];
    if (count < published.count)
        printf("skipped: %zu simulated rows, too slow where sanitised\n",
               published.count - count);
    assert_int_equal(nb_model_set(&model, "data", PUBLISHED_FOLDER, &error),
                     NB_OK);
    if (nb_entries_compute(&question, &published, entries, count, &error) !=
        NB_OK)
        fail_msg("%s", error.message);
    for (size_t i = 0; i < count; i++) {
        const struct nb_entry *entry = &entries[i];
        found[entry->verdict]++;
        if (entry->surprise != NULL) {
            surprises++;
            print_error("%s: %.17g; %s\n", entry->row->id, entry->value,
                        entry->surprise);
        }
        nb_delete(entry->surprise);
        nb_delete(entry->shown);
    }
    for (int verdict = 0; verdict < NB_VERDICTS; verdict++)
        print_message("%zu %s\n", found[verdict], nb_verdict_names[verdict]);
    nb_delete(entries);
    nb_model_release(&model);
    nb_published_release(&published);
    assert_int_equal(surprises, 0);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Every row names a source that the bibliography has. */
static void test_sources(void **state)
{
    (void)state;
    struct nb_published published;
    struct nb_text references = { 0 };
    published_read(&published);
    assert_int_equal(
        nb_text_read_file("data/references.bib", 1 << 20, &references, NULL),
        NB_OK);
    for (size_t i = 0; i < published.count; i++) {
        const struct nb_published_row *row = &published.rows[i];
        char key[128];
        snprintf(key, sizeof key, "{%s,", row->source);
        if (strstr(references.bytes, key) == NULL)
            fail_msg("%s: no reference %s", row->id, row->source);
    }
    nb_text_release(&references);
    nb_published_release(&published);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_every_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
