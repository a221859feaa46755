/* Broken and hostile report files: each is refused, and the message says
 * where and why. */
#include "report/report.h"

#include "core/memory.h"

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

/* The shortest files that are read, so that the cases below differ from a
 * good file in one thing only. */
static void good_files_are_read(void **state)
{
    static const char *const good[] = {
        HEAD TAIL,
        POINT END,
        HEAD "<made threads=\"2\" seconds=\"1.23e-05\"/><point/>" TAIL,
        HEAD "<point/><point/><made threads=\"2\" seconds=\"1\"/>" TAIL,
        HEAD "<made threads=\"2\" seconds=\"1\"/>" TAIL,
        HEAD "<!-- a comment -->\n<point/>" TAIL,
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
#define NOT_THREADS                                                            \
    " of <made> is not permitted (permitted: a whole number from 1 to "        \
    "2147483647)"
#define NOT_A_NUMBER " (permitted: a decimal number, inf, -inf or nan)"
#define NOT_A_RATIO  " (permitted: p/q or p of 64 bits, or inf)"
#define NOT_A_CELL   " (permitted: p/q or p of 64 bits, inf or ?)"

/* is_schema_blind: a schema cannot say this. */
static const struct {
    const char *bytes;
    const char *complaint;
    bool is_schema_blind;
} malformed[] = {
    { "<report xmlns=\"urn:netbound:1\" version=\"9\" program=\"p\">" TAIL,
      ":1: version \"9\" of <report> is not permitted (permitted: 1)", false },
    { "<report xmlns=\"urn:x\" version=\"1\" program=\"p\">" TAIL,
      ":1: <report> is in namespace \"urn:x\" (permitted: "
      "\"urn:netbound:1\")",
      false },
    { "<report xmlns=\"urn:netbound:1\" version=\"1\">" TAIL,
      ":1: <report> has no attribute \"program\" (permitted: version program)",
      false },
    { "<model xmlns=\"urn:netbound:1\" version=\"1\" command=\"load\"/>",
      ":1: <model> is not permitted here (permitted: <report>)", true },
    { "<report xmlns=\"urn:netbound:1\" version=\"1\" program=\"p\">" TAIL,
      ":1: <digest> is not permitted here (permitted, in this order: <model>, "
      "<made>, <point>, <made>, <digest>)",
      false },
    { HEAD "</report>", ":1: <report> has no <digest>", false },
    { HEAD "<digest algorithm=\"md5\">" ZEROS "</digest></report>",
      ":2: algorithm \"md5\" is not permitted (permitted: sha256)", false },
    { HEAD "<digest algorithm=\"sha256\">0A</digest></report>",
      ":2: digest \"0A\" is not permitted (permitted: 64 digits 0-9 a-f)",
      false },
    { HEAD TAIL "<x/>", " line 2: Extra content at the end of the document",
      true },
    { HEAD "<point/><made threads=\"1\" seconds=\"1\"/><point/>" TAIL,
      ":2: <point> is not permitted here (permitted, in this order: <model>, "
      "<made>, <point>, <made>, <digest>)",
      false },
    { HEAD MADE("1", "1") MADE("1", "1") TAIL,
      ":2: <made> is given twice (permitted: once)", false },
    { HEAD "<made threads=\"1\"/>" TAIL,
      ":2: <made> has no attribute \"seconds\" (permitted: threads seconds)",
      false },
    { HEAD MADE("0", "1") TAIL, ":2: threads \"0\"" NOT_THREADS, false },
    { HEAD MADE("+1", "1") TAIL, ":2: threads \"+1\"" NOT_THREADS, false },
    { HEAD MADE("2147483648", "1") TAIL,
      ":2: threads \"2147483648\"" NOT_THREADS, false },
    { HEAD MADE("1", "-1") TAIL,
      ":2: seconds \"-1\" of <made> is not permitted (permitted: a number from "
      "0 on)",
      false },
    { HEAD MADE("1", "inf") TAIL,
      ":2: seconds \"inf\" of <made> is not permitted (permitted: a number "
      "from 0 on)",
      false },
    { HEAD MADE("1", "nan") TAIL,
      ":2: seconds \"nan\" of <made> is not permitted (permitted: a number "
      "from 0 on)",
      false },
    { HEAD MADE("1", "soon") TAIL,
      ":2: seconds \"soon\" of <made> is not permitted" NOT_A_NUMBER, false },
    { HEAD "<point rate=\"1\"/>" TAIL,
      ":2: attribute \"rate\" of <point> is not permitted (permitted: none)",
      false },
    { POINT "text" END,
      ":2: \"text\" in <point> is not permitted (permitted: elements)", false },
    { POINT "<note name=\"n\"/><setting name=\"s\"/>" END,
      ":2: <setting> is not permitted here (permitted, in this order: "
      "<setting>, <quantity>, <note>, <table>)",
      false },
    { POINT "<note name=\"1n\">t</note>" END,
      ":2: name \"1n\" of <note> is not permitted (permitted: a letter, then "
      "letters, digits, \"_\" and \"-\")",
      false },
    { POINT "<note name=\"n\">a<!-- b --></note>" END,
      ":2: the content of <note> is not permitted (permitted: plain text)",
      true },
    { QUANTITY("", "1"),
      ":2: value \"\" of <quantity> is not permitted" NOT_A_NUMBER, false },
    { QUANTITY("1,5", "1"),
      ":2: value \"1,5\" of <quantity> is not permitted" NOT_A_NUMBER, false },
    { QUANTITY("0x1", "1"),
      ":2: value \"0x1\" of <quantity> is not permitted" NOT_A_NUMBER, false },
    { QUANTITY(" 1", "1"),
      ":2: value \" 1\" of <quantity> is not permitted" NOT_A_NUMBER, false },
    { QUANTITY("1e999", "1"),
      ":2: value \"1e999\" of <quantity> is not permitted" NOT_A_NUMBER, true },
    { QUANTITY("infinity", "1"),
      ":2: value \"infinity\" of <quantity> is not permitted" NOT_A_NUMBER,
      false },
    { QUANTITY("1&#10;", "1"),
      ":2: value \"1 \" of <quantity> is not permitted" NOT_A_NUMBER, false },
    { QUANTITY("1", "0.5"),
      ":2: exact \"0.5\" of <quantity> is not permitted" NOT_A_RATIO, false },
    { QUANTITY("1", "1/"),
      ":2: exact \"1/\" of <quantity> is not permitted" NOT_A_RATIO, false },
    { QUANTITY("1", "1/0"),
      ":2: exact \"1/0\" of <quantity> is not permitted" NOT_A_RATIO, true },
    { QUANTITY("1", "?"),
      ":2: exact \"?\" of <quantity> is not permitted" NOT_A_RATIO, false },
    { QUANTITY("1", "9223372036854775808"),
      ":2: exact \"9223372036854775808\" of <quantity> is not "
      "permitted" NOT_A_RATIO,
      true },
    { POINT "<table name=\"t\"><row>1</row>" TABLE_END,
      ":2: <row> is not permitted here (permitted, in this order: <column>, "
      "<row>)",
      false },
    { POINT "<table name=\"t\">" TABLE_END, ":2: <table> has no <column>",
      false },
    { POINT "<table name=\"t\" certificate=\"no\"><column name=\"a\" "
            "unit=\"\" type=\"whole\"/>" TABLE_END,
      ":2: certificate \"no\" is not permitted (permitted: yes)", false },
    { POINT "<table name=\"t\"><column name=\"a\" unit=\"\" "
            "type=\"double\"/>" TABLE_END,
      ":2: type \"double\" of <column> is not permitted (permitted: whole, "
      "number, ratio, text)",
      false },
    { TABLE "<record><cell>1</cell><cell>1</cell></record>" TABLE_END,
      ":3: <record> is not permitted here (permitted, in this order: "
      "<column>, <row>)",
      true },
    { TABLE "<row>1</row>" TABLE_END,
      ":3: 1 cells in <row> are not permitted (permitted: 2 in each row of "
      "table \"t\")",
      true },
    { TABLE "<row>1 1 1</row>" TABLE_END,
      ":3: \"1\" is one cell too many (permitted: 2 in each row of table "
      "\"t\")",
      true },
    { TABLE "<row></row>" TABLE_END,
      ":3: \"\" in column \"a\" is not permitted (permitted: a whole number "
      "of 64 bits)",
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
      ":3: \"1/x\" in column \"b\" is not permitted" NOT_A_CELL, false },
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
      ":2: <record> has no <cell>", false },
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
        if (!malformed[i].is_schema_blind &&
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

    /* One byte more than is read, in a file that takes no room. */
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
