/* The ledger's cache when any of its allocations fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/scratch.h"

#include "questions/ledger/ledger_cache.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

/* Keeps an answer of one quantity and looks it up; returns whether it is
 * found. */
static bool cache_keeps(struct nb_model *model, struct nb_point *point,
                        const struct nb_text *question, long allowed)
{
    struct nb_cache cache;
    struct nb_point found = { 0 };
    bool is_found = false;
    nb_memory_allow(allowed);
    if (nb_cache_open(false, &cache, NULL) == NB_OK) {
        nb_cache_keep(&cache, question, model, point);
        is_found = nb_cache_find(&cache, question, model->command, &found);
        nb_cache_close(&cache);
    }
    nb_memory_allow(-1);
    if (is_found) {
        assert_int_equal(found.quantity_count, 1);
        assert_true(found.quantities[0].value == point->quantities[0].value);
    }
    nb_point_release(&found);
    return is_found;
}

static void failing_memory_is_survived(void **state)
{
    struct nb_model model = { .command = nb_new_string("simulate") };
    struct nb_point point = { 0 };
    struct nb_text question = { 0 };
    (void)state;
    setenv("XDG_CACHE_HOME", nb_scratch_folder(), 1);
    assert_int_equal(nb_model_set(&model, "load", "0.1", NULL), NB_OK);
    nb_point_add_bracket(&point, "mean_hops", 0.1, 0.3, "hops", "", "");
    nb_model_write(&model, false, 0, &question);
    const long before = nb_memory_live_blocks();
    long allowed = 0;
    while (!cache_keeps(&model, &point, &question, allowed++)) {
        assert_int_equal(nb_memory_live_blocks(), before);
        assert_true(allowed < 10000);
    }
    assert_true(allowed > 10);
    nb_text_release(&question);
    nb_point_release(&point);
    nb_model_release(&model);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failing_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, nb_scratch_setup, nb_scratch_teardown);
}
