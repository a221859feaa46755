/* The three formats: text, CSV and XML, letter by letter. */
#include "report/report.h"

#include "core/memory.h"

#include "../support/example_report.h"
#include "../support/random_report.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <math.h>
#include <string.h>

static void example_is(bool is_swept, enum nb_format format, const char *table,
                       const char *expected)
{
    struct nb_report report = { 0 };
    struct nb_text text = { 0 };
    nb_example_report(&report, is_swept);
    assert_int_equal(nb_report_write(&report, format, table, &text, NULL),
                     NB_OK);
    assert_string_equal(text.bytes, expected);
    nb_text_release(&text);
    nb_report_release(&report);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void text_is_aligned(void **state)
{
    (void)state;
    example_is(
        false, NB_FORMAT_TEXT, "channels",
        "worst-case  topology torus:8x8  routing dor\n  throughput  "
        "0.285714  2/7                  fraction of capacity  "
        "[TowlesDally2002, section 3]\n  delay       inf                       "
        "     "
        "cycles\n  hops        0.5       in [0.5, 0.5000001]  hops\n  "
        "capacity_basis: uniform traffic\n\nchannels\n  channel           "
        "load  mean  label\n           packets/cycle\n       -3            "
        "1/3   0.1  say \"a\", b\n       12              ?   inf  "
        "\xc3\xa9\n  ?: none, or not known\n");
}

static void text_of_a_sweep_has_a_line_for_each_point(void **state)
{
    (void)state;
    example_is(true, NB_FORMAT_TEXT, "duals",
               "worst-case  topology torus:8x8  routing dor\n"
               "  rate            throughput   delay  hops\n"
               "        fraction of capacity  cycles  hops\n"
               "   0.5              0.285714     inf   0.5\n"
               "   1,5              0.285714       -   0.5\n"
               "  capacity_basis: uniform traffic\n"
               "\n"
               "duals at rate 0.5\n"
               "  row  dual\n"
               "    1   9/7\n"
               "\n"
               "duals at rate 1,5\n"
               "  row  dual\n"
               "    1   9/7\n");
}

static void csv_is_tidy(void **state)
{
    (void)state;
    example_is(false, NB_FORMAT_CSV, NULL,
               "quantity,value,lower,upper,unit,exact,source\n"
               "throughput,0.2857142857142857,0.2857142857142857,"
               "0.28571428571428575,fraction of capacity,2/7,"
               "\"TowlesDally2002, section 3\"\n"
               "delay,inf,inf,inf,cycles,inf,\n"
               "hops,0.5000000000000001,0.5,0.5000000000000001,hops,,\n");
    example_is(true, NB_FORMAT_CSV, "channels",
               "rate,channel,load,load_exact,mean,label\n"
               "0.5,-3,0.3333333333333333,1/3,0.1,\"say \"\"a\"\", b\"\n"
               "0.5,12,,,inf,\xc3\xa9\n"
               "\"1,5\",-3,0.3333333333333333,1/3,0.1,"
               "\"say \"\"a\"\", b\"\n"
               "\"1,5\",12,,,inf,\xc3\xa9\n");
}

/* A line of a table with the text at every place where a text may be. */
static void csv_line_is(const char *text, const char *expected)
{
    struct nb_report report = { 0 };
    struct nb_text out = { 0 };
    struct nb_point *point = nb_report_add_point(&report);
    nb_point_add_setting(point, "s", text);
    nb_table_add_text(point, nb_point_add_table(point, "t", false, "c:text"),
                      text);
    assert_int_equal(nb_report_write(&report, NB_FORMAT_CSV, "t", &out, NULL),
                     NB_OK);
    char line[200];
    snprintf(line, sizeof line, "s,c\n%s,%s\n", expected, expected);
    assert_string_equal(out.bytes, line);
    nb_text_release(&out);
    nb_report_release(&report);
}

/* What spreadsheets run. Source: OWASP, CSV Injection. */
static void csv_has_no_formulas(void **state)
{
    (void)state;
    csv_line_is("=1+1", "'=1+1");
    csv_line_is("@SUM(1)", "'@SUM(1)");
    csv_line_is("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0");
    csv_line_is("-2+3*cmd(\"x,y\")", "\"'-2+3*cmd(\"\"x,y\"\")\"");
    csv_line_is("\t=1", "'\t=1");
    csv_line_is("\r=1", "\"'\r=1\"");
    csv_line_is("-g-", "-g-");
    csv_line_is("-5", "-5");
    csv_line_is("+1", "+1");
    csv_line_is("9+11", "9+11");
    csv_line_is("-1e-05", "-1e-05");
    csv_line_is("a=b", "a=b");
    csv_line_is("-", "-");
    csv_line_is("", "");
}

static void xml_is_as_documented(void **state)
{
    struct nb_report report = { 0 };
    struct nb_text text = { 0 };
    (void)state;
    nb_example_report(&report, false);
    assert_int_equal(nb_report_write(&report, NB_FORMAT_XML, NULL, &text, NULL),
                     NB_OK);
    static const char start[] =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<report xmlns=\"urn:netbound:1\" version=\"1\" "
        "program=\"netbound 0.3.0\">\n"
        "  <model command=\"worst-case\">\n"
        "    <topology>torus:8x8</topology>\n"
        "    <routing>dor</routing>\n"
        "  </model>\n"
        "  <point>\n"
        "    <quantity name=\"throughput\" value=\"0.2857142857142857\" "
        "lower=\"0.2857142857142857\" upper=\"0.28571428571428575\" "
        "unit=\"fraction of capacity\" exact=\"2/7\" method=\"matching\" "
        "source=\"TowlesDally2002, section 3\"/>\n";
    assert_memory_equal(text.bytes, start, sizeof start - 1);
    static const char rows[] =
        "    <note name=\"capacity_basis\">uniform&#10;traffic</note>\n"
        "    <table name=\"channels\">\n"
        "      <column name=\"channel\" unit=\"\" type=\"whole\"/>\n"
        "      <column name=\"load\" unit=\"packets/cycle\" type=\"ratio\"/>\n"
        "      <column name=\"mean\" unit=\"\" type=\"number\"/>\n"
        "      <column name=\"label\" unit=\"\" type=\"text\"/>\n"
        "      <record><cell>-3</cell><cell>1/3</cell>"
        "<cell>0.1</cell><cell>say &quot;a&quot;, b</cell>"
        "</record>\n"
        "      <record><cell>12</cell><cell>?</cell><cell>inf</cell>"
        "<cell>\xc3\xa9</cell></record>\n"
        "    </table>\n"
        "    <table name=\"duals\" certificate=\"yes\">\n"
        "      <column name=\"row\" unit=\"\" type=\"whole\"/>\n"
        "      <column name=\"dual\" unit=\"\" type=\"ratio\"/>\n"
        "      <row>1 9/7</row>\n"
        "    </table>\n"
        "  </point>\n"
        "  <made threads=\"2\" seconds=\"0.123\"/>\n"
        "  <digest algorithm=\"sha256\">";
    assert_non_null(strstr(text.bytes, rows));
    nb_text_release(&text);
    nb_report_release(&report);
}

static void missing_tables_are_named(void **state)
{
    struct nb_report report = { 0 };
    struct nb_text text = { 0 };
    struct nb_error err = { 0 };
    (void)state;
    nb_example_report(&report, true);
    assert_int_equal(
        nb_report_write(&report, NB_FORMAT_CSV, "ccdf", &text, &err),
        NB_INVALID);
    assert_string_equal(err.message, "the report has no table \"ccdf\" "
                                     "(permitted: channels, duals)");
    nb_report_release(&report);
    err = (struct nb_error){ 0 };
    assert_int_equal(
        nb_report_write(&report, NB_FORMAT_TEXT, "ccdf", &text, &err),
        NB_INVALID);
    assert_string_equal(err.message,
                        "the report has no table \"ccdf\" (permitted: none, "
                        "because it has no tables)");

    nb_example_report(&report, true);
    nb_point_add_table(&report.points[0], "other", false, "a,b");
    nb_point_add_table(&report.points[1], "other", false, "a,c");
    err = (struct nb_error){ 0 };
    assert_int_equal(
        nb_report_write(&report, NB_FORMAT_CSV, "other", &text, &err),
        NB_INVALID);
    assert_string_equal(err.message,
                        "table \"other\" has other columns at point 2 than "
                        "before (permitted: the same at all points of a "
                        "sweep)");
    nb_report_release(&report);
    nb_text_release(&text);
}

/* Reads one field of RFC 4180 into out; returns what follows its separator. */
static const char *read_field(const char *csv, struct nb_text *out)
{
    nb_text_release(out);
    nb_text_add(out, "", 0);
    if (*csv != '"') {
        const size_t length = strcspn(csv, ",\n");
        nb_text_add(out, csv, length);
        return csv + length + 1;
    }
    for (csv++; *csv != '"' || csv[1] == '"'; csv++) {
        nb_text_add(out, csv, 1);
        csv += *csv == '"';
    }
    return csv + 2;
}

/* With an apostrophe before it where a spreadsheet would run it. */
static void field_is(const char *field, const char *text)
{
    const bool is_guarded = *text != '\0' && strchr("=@\t\r", *text) != NULL;
    assert_true(!is_guarded || *field == '\'');
    assert_string_equal(field + is_guarded, text);
}

static void csv_keeps_any_text(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct nb_random random;
        struct nb_report report = { 0 };
        struct nb_text csv = { 0 }, field = { 0 };
        nb_random_init(&random, seed, 3);
        nb_random_report(&random, NB_TEXT_HOSTILE, &report);
        while (report.point_count > 1) /* without sweeps: one point */
            nb_point_release(&report.points[--report.point_count]);
        nb_report_write(&report, NB_FORMAT_CSV, NULL, &csv, NULL);
        const struct nb_point *point = report.points;
        const size_t settings = point != NULL ? point->setting_count : 0;
        const size_t count = point != NULL ? point->quantity_count : 0;
        const char *next = csv.bytes;
        for (size_t i = 0; i < settings + 7; i++)
            next = read_field(next, &field);
        assert_string_equal(field.bytes, "source");
        for (size_t row = 0; row < count; row++) {
            const struct nb_quantity *quantity = &point->quantities[row];
            char number[NB_NUMBER_TEXT];
            for (size_t i = 0; i < settings; i++)
                next = read_field(next, &field);
            next = read_field(next, &field);
            assert_string_equal(field.bytes, quantity->name);
            next = read_field(next, &field);
            nb_number_print(quantity->value, number);
            assert_string_equal(field.bytes,
                                isnan(quantity->value) ? "" : number);
            next = read_field(read_field(next, &field), &field);
            next = read_field(next, &field);
            field_is(field.bytes, quantity->unit);
            next = read_field(read_field(next, &field), &field);
            field_is(field.bytes, quantity->source);
        }
        assert_true(*next == '\0');
        nb_text_release(&csv);
        nb_text_release(&field);
        nb_report_release(&report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_aligned),
        cmocka_unit_test(text_of_a_sweep_has_a_line_for_each_point),
        cmocka_unit_test(csv_is_tidy),
        cmocka_unit_test(csv_has_no_formulas),
        cmocka_unit_test(xml_is_as_documented),
        cmocka_unit_test(missing_tables_are_named),
        cmocka_unit_test(csv_keeps_any_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
