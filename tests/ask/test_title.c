/* Titles generated from questions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "ask/ask.h"
#include "ask/title.h"
#include "report/printed.h"

#include <glob.h>
#include <string.h>

/* The generated title of a command's model. */
static void made(const char *command, const char *const options[][2],
                 const char *sweep, const char *values, const char *expected)
{
    struct nb_model model = { 0 };
    struct nb_text text = { 0 };
    struct nb_error err = { 0 };
    assert_int_equal(nb_model_begin(&model, command, &err), NB_OK);
    for (size_t i = 0; options[i][0] != NULL; i++)
        assert_int_equal(
            nb_model_set(&model, options[i][0], options[i][1], &err), NB_OK);
    if (sweep != NULL)
        assert_int_equal(nb_model_add_sweep(&model, sweep, values, &err),
                         NB_OK);
    if (nb_ask_prepare(nb_question_find(command), &model, NULL, &err) != NB_OK)
        fail_msg("%s", err.message);
    assert_int_equal(nb_title_print(&model, &text, &err), NB_OK);
    assert_string_equal(text.bytes, expected);
    nb_text_release(&text);
    nb_model_release(&model);
}

static void says_what_is_asked(void **state)
{
    (void)state;
    made("load", (const char *const[][2]){ { "topology", "torus:8x8" }, { 0 } },
         "routing", "dor,val,romm",
         "Throughput of dor, val, romm on an 8x8 torus");
    made("worst-case",
         (const char *const[][2]){
             { "topology", "torus:8x8" }, { "routing", "dor" }, { 0 } },
         NULL, NULL, "Worst case of dor on an 8x8 torus");
    made("latency",
         (const char *const[][2]){
             { "topology", "torus:8x8" }, { "routing", "dor" }, { 0 } },
         "load", "0.1:0.9:0.1",
         "Latency of uniform traffic by dor on an 8x8 torus, load 0.1 to 0.9 "
         "by 0.1");
    made("topology",
         (const char *const[][2]){ { "topology", "mesh:11x4,bandwidth=2" },
                                   { 0 } },
         NULL, NULL, "Size of an 11x4 mesh with bandwidth = 2");
    made("load",
         (const char *const[][2]){ { "topology", "fattree:k=4,n=2" },
                                   { "traffic", "tornado" },
                                   { "load", "0.5" },
                                   { 0 } },
         NULL, NULL,
         "Throughput of min on a fat tree with k = 4, n = 2, tornado "
         "traffic, load 0.5");
    made("worst-case",
         (const char *const[][2]){ { "unbalanced", "yes" }, { 0 } }, "topology",
         "fattree:k=4,n=2,torus:4x4",
         "Worst case of min on a fat tree with k = 4, n = 2, a 4x4 torus, "
         "unbalanced");
}

static void counts_one_thing(void **state)
{
    (void)state;
    made("delay",
         (const char *const[][2]){ { "hops", "1" }, { "load", "0.5" }, { 0 } },
         NULL, NULL, "Delay over 1 queue at load 0.5");
    made("reorder",
         (const char *const[][2]){ { "hops", "1" }, { "load", "0.5" }, { 0 } },
         NULL, NULL, "Reorder buffers after 1 hop at load 0.5");
    made("reorder", (const char *const[][2]){ { "load", "0.5" }, { 0 } },
         "hops", "2,1", "Reorder buffers after 2, 1 hops at load 0.5");
    made("buffer",
         (const char *const[][2]){ { "radix", "1" }, { "load", "1" }, { 0 } },
         NULL, NULL, "Depth of a buffer of a switch of 1 input at load 1");
}

/* The generated title of a shipped model, and its question. */
static char *model_title(const char *path, struct nb_text *question)
{
    struct nb_model model = { 0 };
    struct nb_text text = { 0 };
    struct nb_error err = { 0 };
    char *title = NULL;
    assert_int_equal(nb_ask_read(path, &model, &err), NB_OK);
    nb_delete(model.title);
    model.title = NULL;
    assert_int_equal(nb_model_set_show(&model, NULL, &err), NB_OK);
    if (nb_ask_prepare(nb_question_find(model.command), &model, NULL, &err) !=
        NB_OK)
        fail_msg("%s: %s", path, err.message);
    assert_int_equal(nb_title_print(&model, &text, &err), NB_OK);
    nb_question_print(&model, question);
    assert_int_equal(nb_new_copy(&title, text.bytes, "a title", &err), NB_OK);
    nb_text_release(&text);
    nb_model_release(&model);
    return title;
}

/* Generated titles of two shipped models differ, unless they ask the same. */
static void models_differ(void **state)
{
    static char *titles[200];
    static struct nb_text questions[200];
    glob_t found;
    (void)state;
    assert_int_equal(glob("models/*.xml", 0, NULL, &found), 0);
    assert_int_equal(glob("models/tables/*.xml", GLOB_APPEND, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        titles[i] = model_title(found.gl_pathv[i], &questions[i]);
        for (size_t k = 0; k < i; k++)
            if (strcmp(titles[i], titles[k]) == 0 &&
                strcmp(questions[i].bytes, questions[k].bytes) != 0)
                fail_msg("%s and %s: \"%s\"", found.gl_pathv[k],
                         found.gl_pathv[i], titles[i]);
    }
    assert_true(found.gl_pathc > 50);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        nb_delete(titles[i]);
        nb_text_release(&questions[i]);
    }
    globfree(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_is_asked),
        cmocka_unit_test(counts_one_thing),
        cmocka_unit_test(models_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
