/* Reports with one digit or one cell of a certificate changed: verify refuses
 * every one of them. If the digest is unchanged, it reveals the change; if it
 * is made to fit again, the mathematics must. */
#include "ask/verify.h"

#include "core/digest.h"
#include "core/memory.h"

#include "../support/cases.h"
#include "../support/command_line.h"
#include "../support/scratch.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static char folder[NB_SCRATCH_PATH];

static int open_folder(void **state)
{
    (void)state;
    return nb_scratch_open(folder) ? 0 : -1;
}

static int close_folder(void **state)
{
    (void)state;
    nb_scratch_close(folder);
    return 0;
}

/* Answers the question on a command line (words between blanks) as XML. */
static void write_report(const char *line, const char *path)
{
    struct nb_invocation invocation = { 0 };
    struct nb_error err = { 0 };
    char words[COMMAND_LINE_LENGTH];
    enum nb_status status = command_line_read(line, words, &invocation, &err);
    invocation.format = NB_FORMAT_XML;
    invocation.output.text = path;
    if (status == NB_OK)
        status = nb_answer(&invocation, 1, &err);
    nb_invocation_release(&invocation);
    if (status != NB_OK)
        fail_msg("%s: %s", line, err.message);
}

static enum nb_status verify(const char *path, struct nb_error *err)
{
    const struct nb_run run = { .threads = 1 };
    struct nb_text said = { 0 };
    *err = (struct nb_error){ 0 };
    const enum nb_status status =
        nb_verify_file(path, NULL, &run, NULL, &said, err);
    nb_text_release(&said);
    return status;
}

/* Finds the digits of the digest in a report. */
static char *find_digest(const struct nb_text *report)
{
    char *place = strstr(report->bytes, "<digest ");
    assert_non_null(place);
    return strchr(place, '>') + 1;
}

static void seal(struct nb_text *report)
{
    char digits[NB_DIGEST_TEXT];
    char *place = find_digest(report);
    memset(place, '0', NB_DIGEST_DIGITS);
    nb_digest_bytes(report->bytes, report->length, digits);
    memcpy(place, digits, NB_DIGEST_DIGITS);
}

/* Copies the line of a byte, without its end. */
static void copy_line(const struct nb_text *report, size_t at, char line[200])
{
    size_t begin = at;
    while (begin > 0 && report->bytes[begin - 1] != '\n')
        begin--;
    snprintf(line, 200, "%.*s", (int)strcspn(report->bytes + begin, "\n"),
             report->bytes + begin);
}

/*
 * Changed reports that are still true, so that only the digest can reveal it:
 * digits of a line with this text, and how many of their changes pass. No other
 * change may pass.
 */
struct exception {
    const char *text;
    const char *reason;
    size_t passing;
};

/* every_digit: each digit is replaced by every other one; else by the next */
struct tampering {
    const char *question;
    bool every_digit;
    struct exception exceptions[4];
};

enum { ANY = 1000000 }; /* passing: depends on the digits of the report */

#define PROGRAM(COUNT)                                                         \
    {                                                                          \
        "program=\"netbound 0.3.0\"",                                          \
            "the version that wrote a report is not part of its answer", COUNT \
    }
#define MADE                                                                   \
    {                                                                          \
        "<made ", "nor are its threads and the time it took", ANY              \
    }

static const struct tampering tamperings[] = {
    { "worst-case --topology torus:3x3 --routing dor",
      true,
      { PROGRAM(27), MADE } },
    { "worst-case --topology mesh:3x2 --routing min",
      true,
      { PROGRAM(27), MADE } },
    { "worst-case --topology torus:3x3,terminals=2 --routing val",
      true,
      { PROGRAM(27), MADE } },
    { "worst-case --topology ring:5 --routing dor --unbalanced",
      true,
      { PROGRAM(27), MADE } },
    { "worst-case --topology mesh:3x3 --routing any-minimal",
      false,
      { PROGRAM(3), MADE } },
    { "worst-case --topology ring:4,terminals=2 --routing any-minimal",
      true,
      { PROGRAM(27), MADE } },
    { "worst-case --sweep topology=ring:3,ring:4 --routing min",
      false,
      { PROGRAM(3), MADE } },
    { "load --topology mesh:3x3 --routing min --traffic transpose --rate 0.3",
      false,
      { PROGRAM(3), MADE } },
    { "load --topology ring:4 --load 1/3 --sweep traffic=uniform,tornado",
      false,
      { PROGRAM(3), MADE } },
    { "load --topology ring:4 --sweep rate=0.1:0.5:0.2",
      false,
      { PROGRAM(3),
        MADE,
        { "<sweep name=\"rate\">0.1:0.5:0.2<",
          "the end 0.6 gives the same points: no step reaches it", 1 } } },
    { "topology --topology ccc:3", false, { PROGRAM(3), MADE } },
    { "deadlock --topology ring:4 --routing dor", true, { PROGRAM(27), MADE } },
    { "deadlock --topology mesh:3x2 --routing min",
      true,
      { PROGRAM(27), MADE } },
    { "deadlock --topology ring:3 --routing dor --messages 2",
      true,
      { PROGRAM(27), MADE } },
    { "deadlock --topology mesh:2x2 --routing dor --messages 2 "
      "--virtual-networks 2",
      true,
      { PROGRAM(27), MADE } },
    { "deadlock --topology torus:3x3 --routing min-adaptive",
      false,
      { PROGRAM(3), MADE } },
    { "audit --topology ring:5 --alone --matchings 8 --cables 4",
      false,
      { PROGRAM(3), MADE } },
    { "audit --topology ring:4 --routing updown --alone --matchings 8 --cables "
      "2",
      false,
      { PROGRAM(3), MADE } },
    { "topology --topology mesh:3x4,terminals=2,bandwidth=1/2",
      false,
      { PROGRAM(3), MADE } },
    { "topology --topology ring --find topology.routers=3:9 --where "
      "terminals<=6",
      false,
      { PROGRAM(3), MADE } },
    { "worst-case --topology ring:5 --routing rlb --find "
      "routing.threshold=0.1:0.4 --where worst_case_throughput>=0.45 --within "
      "0.5",
      false,
      { PROGRAM(3),
        MADE,
        { "name=\"within\"", "a width of 0.6 gives the same trials", 1 } } },
};

/* Counts a passing change against the exceptions. */
static void note_passing(const struct tampering *how, const char *line,
                         size_t passing[])
{
    for (size_t i = 0; how->exceptions[i].text != NULL; i++) {
        if (strstr(line, how->exceptions[i].text) != NULL) {
            passing[i]++;
            return;
        }
    }
    fail_msg("%s: a changed digit passes: %s", how->question, line);
}

/* Whether a digit is the first of its line. */
static bool is_first_digit(const struct nb_text *report, size_t at)
{
    while (at > 0 && report->bytes[at - 1] != '\n')
        if (isdigit((unsigned char)report->bytes[--at]))
            return false;
    return true;
}

/*
 * Verifies the report with one byte changed and a digest that fits. Also
 * verifies it with the old digest, where only the digest can reveal the change,
 * and for the first digit of each line. Elsewhere a report that was refused
 * with a fitting digest would be refused with a wrong one, too.
 */
static void check_change(const struct tampering *how, struct nb_text *report,
                         size_t at, char digit, size_t passing[])
{
    const size_t digest = (size_t)(find_digest(report) - report->bytes);
    const bool is_digest = at >= digest && at < digest + NB_DIGEST_DIGITS;
    bool is_left_to_digest = is_digest || is_first_digit(report, at);
    char path[NB_SCRATCH_PATH], line[200], was[NB_DIGEST_DIGITS];
    const char before = report->bytes[at];
    struct nb_error err;
    nb_scratch_path(folder, "report.xml", path);
    copy_line(report, at, line);
    memcpy(was, report->bytes + digest, NB_DIGEST_DIGITS);
    report->bytes[at] = digit;
    if (!is_digest) {
        seal(report);
        assert_memory_not_equal(report->bytes + digest, was, NB_DIGEST_DIGITS);
        nb_scratch_write(path, report->bytes, report->length);
        if (verify(path, &err) == NB_OK) {
            note_passing(how, line, passing);
            is_left_to_digest = true;
        } else {
            assert_null(strchr(err.message, '\n'));
        }
        memcpy(report->bytes + digest, was, NB_DIGEST_DIGITS);
    }
    if (is_left_to_digest) {
        nb_scratch_write(path, report->bytes, report->length);
        if (verify(path, &err) == NB_OK)
            fail_msg("%s: byte %zu to %c passes with the old digest: %s",
                     how->question, at, digit, line);
    }
    memcpy(report->bytes + digest, was, NB_DIGEST_DIGITS);
    report->bytes[at] = before;
}

/* Verifies the report with a cell of a certificate out of its range, or not a
 * number of its column, and a digest that fits. */
static void check_cell(const struct tampering *how,
                       const struct nb_text *report, const char *cell,
                       const char *value)
{
    const size_t at = (size_t)(cell - report->bytes);
    const char *rest = cell + strcspn(cell, " <");
    struct nb_text changed = { 0 };
    char path[NB_SCRATCH_PATH];
    struct nb_error err;
    nb_scratch_path(folder, "report.xml", path);
    nb_text_add(&changed, report->bytes, at);
    nb_text_print(&changed, "%s%s", value, rest);
    assert_int_equal(nb_text_check(&changed, NULL), NB_OK);
    seal(&changed);
    nb_scratch_write(path, changed.bytes, changed.length);
    if (verify(path, &err) == NB_OK)
        fail_msg("%s: passes: %.200s", how->question, changed.bytes + at);
    assert_null(strchr(err.message, '\n'));
    nb_text_release(&changed);
}

/* Checks the first row of every certificate, cell by cell. */
static void check_certificates(const struct tampering *how,
                               const struct nb_text *report)
{
    static const char *const values[] = { "-1", "9223372036854775807", "inf",
                                          "?" };
    const char *table = report->bytes;
    while ((table = strstr(table, "certificate=\"yes\"")) != NULL) {
        const char *end = strstr(table, "</table>");
        const char *row = strstr(table, "<row>");
        table = end;
        if (row == NULL || row > end)
            continue;
        for (const char *cell = row + 5; *cell != '<';) {
            const size_t length = strcspn(cell, " <");
            for (size_t i = 0; i < sizeof values / sizeof *values; i++)
                if (nb_cases_have((size_t)(cell - table) + i, 4) &&
                    (strlen(values[i]) != length ||
                     strncmp(cell, values[i], length) != 0))
                    check_cell(how, report, cell, values[i]);
            cell += length + (cell[length] == ' ');
        }
    }
}

static void check_report(const struct tampering *how)
{
    char path[NB_SCRATCH_PATH];
    struct nb_text report = { 0 };
    struct nb_error err = { 0 };
    size_t passing[4] = { 0 };
    nb_scratch_path(folder, "report.xml", path);
    write_report(how->question, path);
    assert_int_equal(verify(path, &err), NB_OK);
    assert_int_equal(nb_text_read_file(path, 1 << 20, &report, &err), NB_OK);
    check_certificates(how, &report);
    for (size_t i = 0; i < report.length; i++) {
        const int own = report.bytes[i] - '0';
        if (own < 0 || own > 9)
            continue;
        for (int step = 1; step <= (how->every_digit ? 9 : 1); step++)
            if (nb_cases_have(9 * i + (size_t)step, 8))
                check_change(how, &report, i, (char)('0' + (own + step) % 10),
                             passing);
    }
    for (size_t i = 0; how->exceptions[i].text != NULL; i++)
        if (how->exceptions[i].passing != ANY && nb_cases_are_all())
            assert_int_equal(passing[i], how->exceptions[i].passing);
    nb_text_release(&report);
}

static void test_every_changed_digit_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tamperings / sizeof *tamperings; i++)
        check_report(&tamperings[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_changed_digit_is_refused),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
