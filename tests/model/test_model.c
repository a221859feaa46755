/* Models: options, the XML form and its schema, inputs pinned by digest. */
#include "model/model.h"

#include "core/memory.h"
#include "routing/routing.h"
#include "topology/topology.h"
#include "traffic/traffic.h"

#include "../support/model_bytes.h"
#include "../support/random_report.h"
#include "../support/scratch.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#define SHA_ABC                                                                \
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

static void options_are_set_replaced_and_removed(void **state)
{
    struct nb_model model = { 0 };
    (void)state;
    assert_null(nb_model_get(&model, "rate"));
    assert_int_equal(nb_model_set(&model, "rate", NULL, NULL), NB_OK);
    assert_int_equal(nb_model_set(&model, "rate", "1", NULL), NB_OK);
    assert_int_equal(nb_model_set(&model, "seed", "7", NULL), NB_OK);
    assert_int_equal(nb_model_set(&model, "rate", "2", NULL), NB_OK);
    assert_string_equal(nb_model_get(&model, "rate"), "2");
    assert_int_equal(model.option_count, 2);
    assert_int_equal(nb_model_set(&model, "rate", NULL, NULL), NB_OK);
    assert_null(nb_model_get(&model, "rate"));
    assert_string_equal(nb_model_get(&model, "seed"), "7");
    nb_model_release(&model);
    nb_model_release(&model);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void a_model_is_written_as_documented(void **state)
{
    struct nb_model model = { .command = nb_new_string("worst-case") };
    struct nb_text text = { 0 };
    (void)state;
    nb_model_set(&model, "rate", "1/2", NULL);
    nb_model_set(&model, "routing", "dor:ties=parity", NULL);
    nb_model_set(&model, "topology", "torus:8x8", NULL);
    nb_model_add_sweep(&model, "load", "0.1:0.5:0.1", NULL);
    nb_model_write(&model, true, 0, &text);
    assert_string_equal(text.bytes,
                        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                        "<model xmlns=\"urn:netbound:1\" version=\"1\">\n"
                        "  <ask>\n"
                        "    <worst-case>\n"
                        "      <rate>1/2</rate>\n"
                        "      <routing>dor:ties=parity</routing>\n"
                        "      <topology>torus:8x8</topology>\n"
                        "      <sweep>\n"
                        "        <load>0.1:0.5:0.1</load>\n"
                        "      </sweep>\n"
                        "    </worst-case>\n"
                        "  </ask>\n"
                        "</model>\n");
    text.length = 0;
    nb_model_write(&model, false, 2, &text);
    assert_string_equal(text.bytes,
                        "  <model command=\"worst-case\">\n"
                        "    <topology>torus:8x8</topology>\n"
                        "    <routing>dor:ties=parity</routing>\n"
                        "    <option name=\"rate\">1/2</option>\n"
                        "    <sweep name=\"load\">0.1:0.5:0.1</sweep>\n"
                        "  </model>\n");
    nb_text_release(&text);
    nb_model_release(&model);
}

static void escaping_keeps_what_xml_can_hold(void **state)
{
    struct nb_text text = { 0 };
    (void)state;
    nb_xml_escape("a<b>&\"'\t\n\r\x01\x7f\xc3\xa9\xff\xed\xa0\x80z", &text);
    assert_string_equal(text.bytes, "a&lt;b&gt;&amp;&quot;&apos;&#9;&#10;&#13;"
                                    "\xef\xbf\xbd\x7f\xc3\xa9\xef\xbf\xbd"
                                    "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz");
    nb_text_release(&text);
}

/* Write, validate, read, write again: the same bytes, and for texts that XML
 * can hold the same model. */
static void random_models_survive(void **state)
{
    char schema[NB_SCRATCH_PATH];
    (void)state;
    nb_schema_open("model.xsd", schema);
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct nb_random random;
        struct nb_model model = { 0 }, again = { 0 };
        struct nb_text first = { 0 }, second = { 0 };
        struct nb_error err = { 0 };
        char complaint[NB_SCRATCH_COMPLAINT];
        const enum nb_text_kind kind =
            seed % 2 == 0 ? NB_TEXT_PERMITTED : NB_TEXT_HOSTILE;
        nb_random_init(&random, seed, 1);
        nb_random_model(&random, kind, &model);
        if (seed % 3 == 0)
            nb_model_set_show(&model, "mean-x,Load_2.all,a.b-1", &err);
        nb_model_write(&model, true, 0, &first);
        const bool is_valid =
            nb_schema_accepts(schema, first.bytes, first.length, complaint);
        const bool is_read =
            model_read_bytes(first.bytes, first.length, &again, &err) == NB_OK;
        if (is_read)
            nb_model_write(&again, true, 0, &second);
        const bool is_same =
            is_read && strcmp(first.bytes, second.bytes) == 0 &&
            (kind == NB_TEXT_HOSTILE || nb_models_are_equal(&model, &again));
        if (!is_valid || !is_same)
            fail_msg("seed %llu: valid %d, same %d, %s %s\n%s",
                     (unsigned long long)seed, is_valid, is_same, err.message,
                     complaint, first.bytes);
        nb_text_release(&first);
        nb_text_release(&second);
        nb_model_release(&model);
        nb_model_release(&again);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* The file "net" next to the model is found there; "other" does not exist
 * there. */
static void inputs_are_taken_from_the_folder_of_the_model(void **state)
{
    static const char bytes[] =
        MODEL_HEAD "<topology>file:net,directed=yes</topology>\n"
                   "<traffic>file:other</traffic>\n"
                   "<sweep name=\"routing\">dor,file:net,file:other</sweep>\n"
                   "<input path=\"net\" sha256=\"" SHA_ABC "\"/></model>";
    struct nb_model model;
    struct nb_error err = { 0 };
    char path[NB_SCRATCH_PATH], expected[3 * NB_SCRATCH_PATH];
    (void)state;
    nb_scratch_write(nb_scratch_name("net", path), "abc", 3);
    assert_int_equal(model_read_bytes(bytes, strlen(bytes), &model, &err),
                     NB_OK);
    snprintf(expected, sizeof expected, "file:%s,directed=yes", path);
    assert_string_equal(nb_model_get(&model, "topology"), expected);
    assert_string_equal(nb_model_get(&model, "traffic"), "file:other");
    snprintf(expected, sizeof expected, "dor,file:%s,file:other", path);
    assert_string_equal(model.sweeps[0].value, expected);
    assert_int_equal(model.input_count, 1);
    assert_string_equal(model.inputs[0].path, path);

    assert_int_equal(nb_model_pin_inputs(&model, &err), NB_IO);
    assert_string_equal(err.message,
                        "cannot read \"other\": No such file or directory");
    nb_model_release(&model);
}

static void inputs_are_pinned(void **state)
{
    struct nb_model model = { 0 };
    struct nb_error err = { 0 };
    char path[NB_SCRATCH_PATH], value[2 * NB_SCRATCH_PATH];
    (void)state;
    nb_scratch_write(nb_scratch_name("net", path), "abc", 3);
    snprintf(value, sizeof value, "file:path=%s,directed=yes", path);
    nb_model_set(&model, "topology", value, NULL);
    nb_model_set(&model, "routing", "dor:ties=split", NULL);
    snprintf(value, sizeof value, "uniform,file:/dev/null,file:%s", path);
    nb_model_add_sweep(&model, "traffic", value, NULL);
    assert_int_equal(nb_model_pin_inputs(&model, &err), NB_OK);
    assert_int_equal(nb_model_pin_inputs(&model, &err), NB_OK);
    assert_int_equal(model.input_count, 2);
    assert_string_equal(model.inputs[0].path, path);
    assert_string_equal(model.inputs[0].sha256, SHA_ABC);
    assert_string_equal(model.inputs[1].path, "/dev/null");
    assert_string_equal(model.inputs[1].sha256, "");

    nb_scratch_write(path, "abd", 3);
    assert_int_equal(nb_model_pin_inputs(&model, &err), NB_INVALID);
    assert_non_null(strstr(err.message, path));
    assert_non_null(strstr(err.message, SHA_ABC ", as recorded"));
    nb_model_release(&model);

    struct nb_model with_folder = { 0 };
    err = (struct nb_error){ 0 };
    snprintf(value, sizeof value, "file:%s", nb_scratch_folder());
    nb_model_set(&with_folder, "topology", value, NULL);
    assert_int_equal(nb_model_pin_inputs(&with_folder, &err), NB_IO);
    nb_model_release(&with_folder);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Pins the file that a parameter names, as the value of an option and of the
 * parameter of another specification. */
static void check_parameter_is_pinned(const struct nb_kind *kind,
                                      const struct nb_parameter *row)
{
    static const char *const forms[] = { "%s:%s=%s", "uniform:self=%s:%s=%s",
                                         "%s:format=auto,%s=%s",
                                         "min,torus:4x4,%s:/dev/null,%s=%s" };
    char path[NB_SCRATCH_PATH], value[2 * NB_SCRATCH_PATH];
    nb_scratch_write(nb_scratch_name("net", path), "abc", 3);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct nb_model model = { 0 };
        struct nb_error err = { 0 };
        snprintf(value, sizeof value, forms[i], kind->name, row->name, path);
        nb_model_set(&model, "option", value, NULL);
        assert_int_equal(nb_model_pin_inputs(&model, &err), NB_OK);
        bool is_pinned = false;
        for (size_t k = 0; k < model.input_count; k++)
            is_pinned =
                is_pinned || (strcmp(model.inputs[k].path, path) == 0 &&
                              strcmp(model.inputs[k].sha256, SHA_ABC) == 0);
        if (!is_pinned)
            fail_msg("%s names a file that is not pinned", value);
        nb_model_release(&model);
    }
}

static void files_of_all_parameters_are_pinned(void **state)
{
    nb_kind_at *const registries[] = { nb_topology_kind_at, nb_traffic_kind_at,
                                       nb_routing_kind_at };
    size_t found = 0;
    (void)state;
    for (size_t r = 0; r < sizeof registries / sizeof *registries; r++)
        for (size_t k = 0; registries[r](k) != NULL; k++) {
            const struct nb_kind *kind = registries[r](k);
            for (const struct nb_parameter *row = kind->parameters;
                 row != NULL && row->name != NULL; row++)
                if (row->type == NB_PATH) {
                    check_parameter_is_pinned(kind, row);
                    found++;
                }
        }
    assert_true(found >= 5); /* file: of each, sl and sl2vl of a routing */
}

static void failing_allocations_leak_nothing(void **state)
{
    char bytes[2 * NB_SCRATCH_PATH], path[NB_SCRATCH_PATH];
    enum nb_status status = NB_NO_MEMORY;
    (void)state;
    nb_scratch_write(nb_scratch_name("net", path), "abc", 3);
    snprintf(bytes, sizeof bytes,
             MODEL_HEAD
             "<title>t</title><topology>file:net</topology>"
             "<option name=\"a\">1</option><option name=\"b\">2</option>"
             "<sweep name=\"x\">1,2</sweep><input path=\"net\"/></model>");
    nb_scratch_name("model.xml", path);
    nb_scratch_write(path, bytes, strlen(bytes));
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        struct nb_model model;
        nb_memory_allow(allowed);
        status = nb_model_read_file(path, &model, NULL);
        if (status == NB_OK)
            status = nb_model_set(&model, "a", "3", NULL);
        if (status == NB_OK)
            status = nb_model_set(&model, "c", "3", NULL);
        if (status == NB_OK)
            status = nb_model_pin_inputs(&model, NULL);
        nb_memory_allow(-1);
        nb_model_release(&model);
        assert_int_equal(nb_memory_live_blocks(), 0);
    }
    assert_int_equal(status, NB_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_set_replaced_and_removed),
        cmocka_unit_test(a_model_is_written_as_documented),
        cmocka_unit_test(escaping_keeps_what_xml_can_hold),
        cmocka_unit_test(random_models_survive),
        cmocka_unit_test(inputs_are_taken_from_the_folder_of_the_model),
        cmocka_unit_test(inputs_are_pinned),
        cmocka_unit_test(files_of_all_parameters_are_pinned),
        cmocka_unit_test(failing_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, nb_scratch_setup, nb_scratch_teardown);
}
