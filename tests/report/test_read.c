/* Broken and hostile report files: each is refused, and the message says
 * where and why. */
#include "report/report.h"

#include "core/memory.h"

#include "../support/cases.h"
#include "../support/scratch.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ZEROS                                                                  \
    "00000000000000000000000000000000"                                         \
    "00000000000000000000000000000000"
#define HEAD                                                                   \
    "<report xmlns=\"urn:netbound:1\" version=\"1\" program=\"p\">"            \
    "<model command=\"load\"/>\n"
#define TAIL  "<digest algorithm=\"sha256\">" ZEROS "</digest></report>"
#define POINT HEAD "<point>"
#define END   "</point>" TAIL
#define TABLE                                                                  \
    POINT "<table name=\"t\"><column name=\"a\" unit=\"\" type=\"whole\"/>"    \
          "<column name=\"b\" unit=\"\" type=\"ratio\"/>\n"
#define TABLE_END "</table>" END
#define QUANTITY(VALUE, EXACT)                                                 \
    POINT "<quantity name=\"q\" value=\"" VALUE "\" lower=\"0\" upper=\"1\" "  \
          "unit=\"\" exact=\"" EXACT "\" method=\"\" source=\"\"/>" END

static enum nb_status read_bytes(const char *bytes, struct nb_error *err)
{
    struct nb_report report;
    bool is_right;
    char path[NB_SCRATCH_PATH];
    nb_scratch_name("r.xml", path);
    nb_scratch_write(path, bytes, strlen(bytes));
    const enum nb_status status =
        nb_report_read_file(path, &report, &is_right, err);
    nb_report_release(&report);
    return status;
}

/* The shortest valid files, so that the cases below differ from a good file in
 * only one thing. */
static void good_files_are_read(void **state)
{
    static const char *const good[] = {
        HEAD TAIL,
        POINT END,
        HEAD "<made threads=\"2\" seconds=\"1.23e-05\"/><point/>" TAIL,
        HEAD "<point/><point/><made threads=\"2\" seconds=\"1\"/>" TAIL,
        HEAD "<made threads=\"2\" seconds=\"1\"/>" TAIL,
        HEAD "<!-- a comment -->\n<point><!-- --></point>" TAIL,
        POINT "<note name=\"n\"> </note><!-- --><note name=\"n\"><!-- -->a"
              "</note>" END,
        QUANTITY("1e-3", "2/7"),
        QUANTITY("-inf", "inf"),
        TABLE TABLE_END,
        TABLE "<row>-1 -2/7</row><row>9 ?</row><row>9 inf</row>" TABLE_END,
        POINT "<table name=\"t\"><column name=\"a\" unit=\"\" type=\"text\"/>"
              "<record><cell/></record><record><cell><![CDATA[<]]></cell>"
              "</record>" TABLE_END,
    };
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct nb_error err = { 0 };
        if (read_bytes(good[i], &err) != NB_OK)
            fail_msg("%s\n%s", err.message, good[i]);
        assert_true(nb_schema_accepts("models/report.xsd", good[i],
                                      strlen(good[i]), NULL));
    }
}

#define MADE(THREADS, SECONDS)                                                 \
    "<made threads=\"" THREADS "\" seconds=\"" SECONDS "\"/>"
#define NOT_A_NUMBER " (permitted: a decimal number, inf, -inf or nan)"
#define NOT_A_RATIO  " (permitted: p/q or p of 64 bits, or inf)"
#define NOT_A_CELL   " (permitted: p/q or p of 64 bits, inf or ?)"

/* is_schema_blind: a schema cannot express this. */
static const struct {
    const char *bytes;
    const char *complaint;
    bool is_schema_blind;
} malformed[] = {
    { "<report xmlns=\"urn:netbound:1\" version=\"9\" program=\"p\">" TAIL,
      ":1: <report>, attribute 'version': The value '9' is not permitted "
      "(permitted: '1')",
      false },
    { "<report xmlns=\"urn:x\" version=\"1\" program=\"p\">" TAIL,
      ":1: <{urn:x}report> is not permitted here (permitted: <report> or "
      "<model> of namespace \"urn:netbound:1\")",
      false },
    { "<report xmlns=\"urn:netbound:1\" version=\"1\">" TAIL,
      ":1: <report>: The attribute 'program' is required but missing", false },
    { "<model xmlns=\"urn:netbound:1\" version=\"1\" command=\"load\"/>",
      ":1: it is a model, not a report (permitted: <report>, as netbound "
      "run FILE --format xml writes it)",
      true },
    { "<report xmlns=\"urn:netbound:1\" version=\"1\" program=\"p\">" TAIL,
      ":1: <digest> is not permitted here (permitted: model)", false },
    { "<report xmlns=\"urn:netbound:1\" version=\"1\" program=\"p\"><model "
      "command=\"load\"><option name=\"a\">1</option><option name=\"a\">2"
      "</option></model>" TAIL,
      ":1: <option>: 'a' is given twice (permitted: 'inner_option_once')",
      false },
    { HEAD "</report>",
      ":2: <report>: Missing child element(s) (permitted: made, point, digest)",
      false },
    { HEAD "<digest algorithm=\"md5\">" ZEROS "</digest></report>",
      ":2: <digest>, attribute 'algorithm': The value 'md5' is not permitted "
      "(permitted: 'sha256')",
      false },
    { HEAD "<digest algorithm=\"sha256\">0A</digest></report>",
      ":2: <digest>: The value '0A' is not permitted (permitted: what fits "
      "'[0-9a-f]{64}')",
      false },
    { HEAD TAIL "<x/>", ":2: Extra content at the end of the document", true },
    { HEAD "<point/><made threads=\"1\" seconds=\"1\"/><point/>" TAIL,
      ":2: <point> is not permitted here (permitted: digest)", false },
    { HEAD MADE("1", "1") MADE("1", "1") TAIL,
      ":2: <made> is not permitted here (permitted: point, digest)", false },
    { HEAD "<made threads=\"1\"/>" TAIL,
      ":2: <made>: The attribute 'seconds' is required but missing", false },
    { HEAD MADE("0", "1") TAIL,
      ":2: <made>, attribute 'threads': The value '0' is less than the minimum "
      "value allowed ('1')",
      false },
    { HEAD MADE("+1", "1") TAIL,
      ":2: <made>, attribute 'threads': The value '+1' is not permitted "
      "(permitted: what fits '[0-9]+')",
      false },
    { HEAD MADE("2147483648", "1") TAIL,
      ":2: <made>, attribute 'threads': The value '2147483648' is greater than "
      "the maximum value allowed ('2147483647')",
      false },
    { HEAD MADE("1", "-1") TAIL,
      ":2: <made>, attribute 'seconds': The value '-1' is not permitted "
      "(permitted: what fits '[0-9]+(\\.[0-9]+)?(e[+\\-]?[0-9]+)?')",
      false },
    { HEAD MADE("1", "inf") TAIL,
      ":2: <made>, attribute 'seconds': The value 'inf' is not permitted "
      "(permitted: what fits '[0-9]+(\\.[0-9]+)?(e[+\\-]?[0-9]+)?')",
      false },
    { HEAD MADE("1", "nan") TAIL,
      ":2: <made>, attribute 'seconds': The value 'nan' is not permitted "
      "(permitted: what fits '[0-9]+(\\.[0-9]+)?(e[+\\-]?[0-9]+)?')",
      false },
    { HEAD MADE("1", "soon") TAIL,
      ":2: <made>, attribute 'seconds': The value 'soon' is not permitted "
      "(permitted: what fits '[0-9]+(\\.[0-9]+)?(e[+\\-]?[0-9]+)?')",
      false },
    { HEAD "<point rate=\"1\"/>" TAIL,
      ":2: <point>, attribute 'rate': The attribute 'rate' is not permitted",
      false },
    { POINT "text" END,
      ":2: <point>: Character content other than whitespace is not permitted "
      "because the content type is 'element-only'",
      false },
    { POINT "<note name=\"n\"/><setting name=\"s\"/>" END,
      ":2: <setting> is not permitted here (permitted: note, table)", false },
    { POINT "<note name=\"1n\">t</note>" END,
      ":2: <note>, attribute 'name': The value '1n' is not permitted "
      "(permitted: what fits '[A-Za-z][A-Za-z0-9_\\-]*')",
      false },
    { POINT "<note name=\"n\">a<!-- b --></note>" END,
      ":2: a comment in a text is not permitted (permitted: comments between "
      "elements)",
      true },
    { POINT "<note name=\"n\">a<?b c?></note>" END,
      ":2: a processing instruction is not permitted (permitted: elements)",
      true },
    { HEAD "<point xmlns:x=\"http://www.w3.org/2001/XMLSchema-instance\" "
           "x:schemaLocation=\"urn:netbound:1 /etc/passwd\"/>" TAIL,
      ":2: <point>: attribute \"x:schemaLocation\" is not permitted", true },
    { HEAD "<point xmlns:x=\"http://www.w3.org/2001/XMLSchema-instance\" "
           "x:type=\"model\"/>" TAIL,
      ":2: <point>, attribute "
      "'{http://www.w3.org/2001/XMLSchema-instance}type': "
      "The QName value 'model' of the xsi:type attribute does not resolve to a "
      "type definition",
      false },
    { QUANTITY("", "1"),
      ":2: <quantity>, attribute 'value': The value '' is not permitted "
      "(permitted: what fits "
      "'-?([0-9]+(\\.[0-9]+)?(e[+\\-]?[0-9]+)?|inf)|nan')",
      false },
    { QUANTITY("1,5", "1"),
      ":2: <quantity>, attribute 'value': The value '1,5' is not permitted "
      "(permitted: what fits "
      "'-?([0-9]+(\\.[0-9]+)?(e[+\\-]?[0-9]+)?|inf)|nan')",
      false },
    { QUANTITY("0x1", "1"),
      ":2: <quantity>, attribute 'value': The value '0x1' is not permitted "
      "(permitted: what fits "
      "'-?([0-9]+(\\.[0-9]+)?(e[+\\-]?[0-9]+)?|inf)|nan')",
      false },
    { QUANTITY(" 1", "1"),
      ":2: <quantity>, attribute 'value': The value ' 1' is not permitted "
      "(permitted: what fits "
      "'-?([0-9]+(\\.[0-9]+)?(e[+\\-]?[0-9]+)?|inf)|nan')",
      false },
    { QUANTITY("1e999", "1"),
      ":2: value \"1e999\" of <quantity> is not permitted" NOT_A_NUMBER, true },
    { QUANTITY("infinity", "1"),
      ":2: <quantity>, attribute 'value': The value 'infinity' is not "
      "permitted (permitted: what fits "
      "'-?([0-9]+(\\.[0-9]+)?(e[+\\-]?[0-9]+)?|inf)|nan')",
      false },
    { QUANTITY("1&#10;", "1"),
      ":2: <quantity>, attribute 'value': The value '1 ' is not permitted "
      "(permitted: what fits "
      "'-?([0-9]+(\\.[0-9]+)?(e[+\\-]?[0-9]+)?|inf)|nan')",
      false },
    { QUANTITY("1", "0.5"),
      ":2: <quantity>, attribute 'exact': The value '0.5' is not permitted "
      "(permitted: what fits '-?[0-9]+(/[0-9]+)?|inf')",
      false },
    { QUANTITY("1", "1/"),
      ":2: <quantity>, attribute 'exact': The value '1/' is not permitted "
      "(permitted: what fits '-?[0-9]+(/[0-9]+)?|inf')",
      false },
    { QUANTITY("1", "1/0"),
      ":2: exact \"1/0\" of <quantity> is not permitted" NOT_A_RATIO, true },
    { QUANTITY("1", "?"),
      ":2: <quantity>, attribute 'exact': The value '?' is not permitted "
      "(permitted: what fits '-?[0-9]+(/[0-9]+)?|inf')",
      false },
    { QUANTITY("1", "9223372036854775808"),
      ":2: exact \"9223372036854775808\" of <quantity> is not "
      "permitted" NOT_A_RATIO,
      true },
    { POINT "<table name=\"t\"><row>1</row>" TABLE_END,
      ":2: <row> is not permitted here (permitted: column)", false },
    { POINT "<table name=\"t\">" TABLE_END,
      ":2: <table>: Missing child element(s) (permitted: column)", false },
    { POINT "<table name=\"t\" certificate=\"no\"><column name=\"a\" "
            "unit=\"\" type=\"whole\"/>" TABLE_END,
      ":2: <table>, attribute 'certificate': The value 'no' is not permitted "
      "(permitted: 'yes')",
      false },
    { POINT "<table name=\"t\"><column name=\"a\" unit=\"\" "
            "type=\"double\"/>" TABLE_END,
      ":2: <column>, attribute 'type': The value 'double' is not permitted "
      "(permitted: 'whole', 'number', 'ratio', 'text')",
      false },
    { TABLE "<record><cell>1</cell><cell>1</cell></record>" TABLE_END,
      ":3: <record> is not permitted here (permitted: <row>)", true },
    { TABLE "<row>1</row>" TABLE_END,
      ":3: 1 cells in <row> are not permitted (permitted: 2 in each row of "
      "table \"t\")",
      true },
    { TABLE "<row>1 1 1</row>" TABLE_END,
      ":3: \"1\" is one cell too many (permitted: 2 in each row of table "
      "\"t\")",
      true },
    { TABLE "<row></row>" TABLE_END,
      ":3: <row>: The value has a length of '0'; this underruns the allowed "
      "minimum length of '1'",
      false },
    { TABLE "<row>1  1</row>" TABLE_END,
      ":3: \"\" in column \"b\" is not permitted" NOT_A_CELL, true },
    { TABLE "<row>1.5 1</row>" TABLE_END,
      ":3: \"1.5\" in column \"a\" is not permitted (permitted: a whole "
      "number of 64 bits)",
      true },
    { TABLE "<row>9223372036854775808 1</row>" TABLE_END,
      ":3: \"9223372036854775808\" in column \"a\" is not permitted "
      "(permitted: a whole number of 64 bits)",
      true },
    { TABLE "<row>1 1/x</row>" TABLE_END,
      ":3: <row>: '1/x' is not a valid value of the union type 'cell'", false },
    { TABLE "<row>1 " ZEROS ZEROS "1</row>" TABLE_END,
      ":3: \"0000000000000000000000000000000000000000000000000000000...\" in "
      "column \"b\" is not permitted" NOT_A_CELL,
      true },
    { POINT "<table name=\"t\"><column name=\"a\" unit=\"\" type=\"text\"/>"
            "<record><cell>1</cell><cell>2</cell></record>" TABLE_END,
      ":2: \"2\" is one cell too many (permitted: 1 in each row of table "
      "\"t\")",
      true },
    { POINT "<table name=\"t\"><column name=\"a\" unit=\"\" type=\"text\"/>"
            "<record/>" TABLE_END,
      ":2: <record>: Missing child element(s) (permitted: cell)", false },
};

static void malformed_reports_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        struct nb_error err = { 0 };
        char expected[NB_SCRATCH_PATH];
        if (read_bytes(malformed[i].bytes, &err) != NB_INVALID)
            fail_msg("accepted: %s", malformed[i].bytes);
        nb_scratch_name("r.xml", expected);
        const char *place = strstr(err.message, expected);
        assert_non_null(place);
        place += strlen(expected) + (err.message[0] == '"');
        assert_string_equal(place, malformed[i].complaint);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* The schema refuses what the reader refuses, as far as a schema can. */
static void the_schema_agrees(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++)
        if (nb_cases_have(i, 3) && !malformed[i].is_schema_blind &&
            nb_schema_accepts("models/report.xsd", malformed[i].bytes,
                              strlen(malformed[i].bytes), NULL))
            fail_msg("the schema accepts %s", malformed[i].bytes);
}

static void hostile_files_are_refused(void **state)
{
    static const char *const bytes[] = {
        "<!DOCTYPE report>" HEAD TAIL,
        "<!DOCTYPE r [<!ENTITY a \"b\"><!ENTITY c \"&a;&a;\">]><r>&c;</r>",
        "<!DOCTYPE r [<!ENTITY a SYSTEM \"/etc/passwd\">]><r>&a;</r>",
        "",
        HEAD,
        POINT "<note name=\"n\">&unknown;</note>" END,
        POINT "<note name=\"n\">\x01</note>" END,
        POINT "<note name=\"n\">\xff</note>" END,
    };
    (void)state;
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        struct nb_error err = { 0 };
        assert_int_equal(read_bytes(bytes[i], &err), NB_INVALID);
        assert_non_null(strstr(err.message, "r.xml"));
        assert_null(strchr(err.message, '\n'));
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void files_that_cannot_be_read_are_refused(void **state)
{
    struct nb_report report;
    struct nb_error err = { 0 };
    bool is_right;
    (void)state;
    assert_int_equal(
        nb_report_read_file("/nowhere/r.xml", &report, &is_right, &err), NB_IO);
    assert_string_equal(err.message, "cannot read \"/nowhere/r.xml\": No such "
                                     "file or directory");
    err = (struct nb_error){ 0 };
    assert_int_equal(
        nb_report_read_file(nb_scratch_folder(), &report, &is_right, &err),
        NB_IO);

    /* One byte more than permitted, in a sparse file. */
    char path[NB_SCRATCH_PATH];
    nb_scratch_write(nb_scratch_name("large.xml", path), "", 0);
    assert_int_equal(truncate(path, NB_REPORT_BYTES + 1), 0);
    err = (struct nb_error){ 0 };
    assert_int_equal(nb_report_read_file(path, &report, &is_right, &err),
                     NB_INVALID);
    assert_non_null(strstr(err.message, "larger than 268435456 bytes"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_files_are_read),
        cmocka_unit_test(malformed_reports_are_refused),
        cmocka_unit_test(the_schema_agrees),
        cmocka_unit_test(hostile_files_are_refused),
        cmocka_unit_test(files_that_cannot_be_read_are_refused),
    };
    return cmocka_run_group_tests(tests, nb_scratch_setup, nb_scratch_teardown);
}
