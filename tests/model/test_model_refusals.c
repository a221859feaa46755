/* Broken, hostile and large model files: each is refused, and the message says
 * where and why. */
#include "model/model.h"

#include "core/memory.h"
#include "core/text.h"

#include "../support/model_bytes.h"
#include "../support/scratch.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *bytes;
    const char *complaint; /* after "FOLDER/model.xml" */
} malformed[] = {
    { "<model version=\"1\" command=\"load\"/>",
      ":1: <model> is not permitted here (permitted: <report> or <model> of "
      "namespace \"urn:netbound:1\")" },
    { "<model xmlns=\"urn:netbound:2\" version=\"1\" command=\"load\"/>",
      ":1: <{urn:netbound:2}model> is not permitted here (permitted: <report> "
      "or <model> of namespace \"urn:netbound:1\")" },
    { "<model xmlns=\"urn:netbound:1\" version=\"2\" command=\"load\"/>",
      ":1: <model>, attribute 'version': The value '2' is not permitted "
      "(permitted: '1')" },
    { "<model xmlns=\"urn:netbound:1\" command=\"load\"/>",
      ":1: <model>: The attribute 'version' is required but missing" },
    { "<model xmlns=\"urn:netbound:1\" version=\"1\" command=\"l d\"/>",
      ":1: <model>, attribute 'command': The value 'l d' is not permitted "
      "(permitted: what fits '[A-Za-z][A-Za-z0-9_\\-]*')" },
    { "<model xmlns=\"urn:netbound:1\" version=\"1\" command=\"\"/>",
      ":1: <model>, attribute 'command': The value '' is not permitted "
      "(permitted: what fits '[A-Za-z][A-Za-z0-9_\\-]*')" },
    { "<x/>", ":1: <x> is not permitted here (permitted: <report> or <model> "
              "of namespace \"urn:netbound:1\")" },
    { "<report xmlns=\"urn:netbound:1\"/>",
      ":1: <report>: The attribute 'version' is required but missing" },
    { MODEL_HEAD "<speed>3</speed></model>",
      ":3: <speed> is not permitted here (permitted: title, show, ask, "
      "topology, traffic, routing, option, sweep, input)" },
    { MODEL_HEAD "<routing>dor</routing>\n<topology>ring:8</topology></model>",
      ":4: <topology> is not permitted here (permitted: option, sweep, "
      "input)" },
    { MODEL_HEAD "<topology>a</topology><topology>b</topology></model>",
      ":3: <topology> is not permitted here (permitted: traffic, routing, "
      "option, sweep, input)" },
    { MODEL_HEAD "<topology size=\"8\">ring</topology></model>",
      ":3: <topology>, attribute 'size': The attribute 'size' is not "
      "permitted" },
    { MODEL_HEAD "<topology>r<b/></topology></model>",
      ":3: <topology>: Element content is not permitted, because the type "
      "definition is simple" },
    { MODEL_HEAD "\nloose\n</model>",
      ":5: <model>: Character content other than whitespace is not permitted "
      "because the content type is 'element-only'" },
    { MODEL_HEAD "<?php x?></model>",
      ":3: a processing instruction is not permitted (permitted: elements)" },
    { MODEL_HEAD "<option>3</option></model>",
      ":3: <option>: The attribute 'name' is required but missing" },
    { MODEL_HEAD "<option name=\"routing\">dor</option></model>",
      ":3: option \"routing\" is not permitted (permitted: its own element "
      "<routing>)" },
    { MODEL_HEAD "<option name=\"a\">1</option>\n<option name=\"a\">2</option>"
                 "</model>",
      ":4: <option>: 'a' is given twice (permitted: 'option_once')" },
    { MODEL_HEAD
      "<sweep name=\"a\">1</sweep><sweep name=\"a\">2</sweep></model>",
      ":3: <sweep>: 'a' is given twice (permitted: 'sweep_once')" },
    { MODEL_HEAD "<input path=\"a\" sha256=\"12\"/></model>",
      ":3: <input>, attribute 'sha256': The value '12' is not permitted "
      "(permitted: what fits '[0-9a-f]{64}')" },
    { MODEL_HEAD "<input path=\"a\"/><input path=\"a\"/></model>",
      ":3: <input>: 'a' is given twice (permitted: 'input_once')" },
    { MODEL_HEAD "<input path=\"a\">text</input></model>",
      ":3: <input>: Character content is not permitted, because the content "
      "type is empty" },
    { MODEL_HEAD "<show>a,b.c,a</show></model>",
      ":3: show \"a,b.c,a\" is not permitted (permitted: up to 100 different "
      "names, NAME or TABLE.COLUMN, separated by commas)" },
    { MODEL_HEAD "<x:title xmlns:x=\"urn:x\">t</x:title></model>",
      ":3: <{urn:x}title> is not permitted here (permitted: title, show, "
      "ask, topology, traffic, routing, option, sweep, input)" },
};

static void malformed_models_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        struct nb_model model;
        struct nb_error err = { 0 };
        char expected[2 * NB_SCRATCH_PATH];
        snprintf(expected, sizeof expected, "%s/model.xml%s",
                 nb_scratch_folder(), malformed[i].complaint);
        assert_int_equal(model_read_bytes(malformed[i].bytes,
                                          strlen(malformed[i].bytes), &model,
                                          &err),
                         NB_INVALID);
        assert_string_equal(err.message, expected);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void hostile_files_are_refused(void **state)
{
    static const char *const bytes[] = {
        "<!DOCTYPE model>" MODEL_HEAD "</model>",
        "<!DOCTYPE m [<!ENTITY a \"b\"><!ENTITY c \"&a;&a;\">]><m>&c;</m>",
        "<!DOCTYPE m SYSTEM \"file:///etc/passwd\"><m/>",
        "",
        "<model",
        "not XML",
    };
    struct nb_model model;
    (void)state;
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        struct nb_error err = { 0 };
        assert_int_equal(
            model_read_bytes(bytes[i], strlen(bytes[i]), &model, &err),
            NB_INVALID);
        assert_non_null(strstr(err.message, "model.xml"));
        assert_null(strchr(err.message, '\n'));
    }
    struct nb_error err = { 0 };
    assert_int_equal(nb_model_read_file("/nowhere/model.xml", &model, &err),
                     NB_IO);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void large_models_are_refused(void **state)
{
    char schema[NB_SCRATCH_PATH];
    struct nb_text text = { 0 };
    struct nb_model model;
    struct nb_error err = { 0 };
    (void)state;
    nb_text_print(&text, MODEL_HEAD "%*s</model>", NB_MODEL_BYTES, "");
    assert_int_equal(model_read_bytes(text.bytes, text.length, &model, &err),
                     NB_INVALID);
    assert_non_null(strstr(err.message, "is larger than 1048576 bytes"));
    nb_text_release(&text);

    nb_text_print(&text, MODEL_HEAD);
    for (int i = 0; i <= 1000; i++)
        nb_text_print(&text, "<option name=\"a%d\">1</option>\n", i);
    nb_text_print(&text, "</model>");
    err = (struct nb_error){ 0 };
    nb_schema_open("model.xsd", schema);
    assert_false(nb_schema_accepts(schema, text.bytes, text.length, NULL));
    assert_int_equal(model_read_bytes(text.bytes, text.length, &model, &err),
                     NB_INVALID);
    assert_non_null(
        strstr(err.message, "model.xml:1003: <option> is not permitted here"));
    nb_text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malformed_models_are_refused),
        cmocka_unit_test(hostile_files_are_refused),
        cmocka_unit_test(large_models_are_refused),
    };
    return cmocka_run_group_tests(tests, nb_scratch_setup, nb_scratch_teardown);
}
