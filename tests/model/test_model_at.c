/* Models at a point of their sweeps. */
#include "model/model.h"

#include "core/memory.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

static void model_open(struct nb_model *model)
{
    *model = (struct nb_model){ .command = nb_new_string("worst-case") };
    assert_int_equal(nb_model_set(model, "routing", "dor", NULL), NB_OK);
    assert_int_equal(nb_model_set(model, "topology", "fattree:k=4", NULL),
                     NB_OK);
    assert_int_equal(nb_model_add_sweep(model, "rate", "0.1,0.2", NULL), NB_OK);
}

static void settings_are_put_in_one_after_the_other(void **state)
{
    static char names[][16] = { "topology.n", "rate", "routing.ties",
                                "topology.m", "traffic.x" };
    static char values[][8] = { "3", "0.2", "fixed", "1/2", "9" };
    struct nb_model_option settings[5];
    struct nb_model model, here;
    (void)state;
    model_open(&model);
    for (size_t i = 0; i < 5; i++)
        settings[i] =
            (struct nb_model_option){ .name = names[i], .value = values[i] };
    assert_int_equal(nb_model_at(&model, settings, 5, &here, NULL), NB_OK);
    assert_string_equal(here.command, "worst-case");
    assert_int_equal(here.option_count, 3);
    assert_int_equal(here.sweep_count, 0);
    assert_string_equal(nb_model_get(&here, "topology"),
                        "fattree:k=4,n=3,m=1/2");
    assert_string_equal(nb_model_get(&here, "routing"), "dor:ties=fixed");
    assert_string_equal(nb_model_get(&here, "rate"), "0.2");
    assert_string_equal(nb_model_get(&model, "topology"), "fattree:k=4");
    nb_model_release(&here);
    nb_model_release(&model);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Setting a whole option after one of its keys overrides the key. */
static void a_later_setting_replaces_an_option(void **state)
{
    struct nb_model_option settings[] = {
        { .name = (char[]){ "topology.n" }, .value = (char[]){ "3" } },
        { .name = (char[]){ "topology" }, .value = (char[]){ "ring:8" } },
    };
    struct nb_model model, here;
    (void)state;
    model_open(&model);
    assert_int_equal(nb_model_at(&model, settings, 2, &here, NULL), NB_OK);
    assert_string_equal(nb_model_get(&here, "topology"), "ring:8");
    nb_model_release(&here);
    nb_model_release(&model);
}

static void a_key_needs_its_option(void **state)
{
    struct nb_model model;
    struct nb_error err = { 0 };
    (void)state;
    model_open(&model);
    assert_int_equal(nb_model_put(&model, "rule.threshold", "2", &err),
                     NB_INVALID);
    assert_string_equal(err.message, "sweep rule.threshold: option rule is not "
                                     "set, so it has no threshold");
    assert_null(nb_model_get(&model, "rule"));
    nb_model_release(&model);
}

static void failing_memory_is_survived(void **state)
{
    struct nb_model_option settings[] = {
        { .name = (char[]){ "topology.n" }, .value = (char[]){ "3" } },
        { .name = (char[]){ "rate" }, .value = (char[]){ "0.2" } },
    };
    enum nb_status status = NB_NO_MEMORY;
    struct nb_model model;
    (void)state;
    model_open(&model);
    const long before = nb_memory_live_blocks();
    long allowed = 0;
    for (; status == NB_NO_MEMORY; allowed++) {
        struct nb_model here;
        nb_memory_allow(allowed);
        status = nb_model_at(&model, settings, 2, &here, NULL);
        nb_memory_allow(-1);
        if (status == NB_OK)
            nb_model_release(&here);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
    assert_in_range(allowed, 8, 100);
    nb_model_release(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_are_put_in_one_after_the_other),
        cmocka_unit_test(a_later_setting_replaces_an_option),
        cmocka_unit_test(a_key_needs_its_option),
        cmocka_unit_test(failing_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
