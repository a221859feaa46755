/* Damaged report files: seeded random mutations of good ones. The reader may
 * refuse or read them, but must not crash, leak, or call the digest right. */
#include "report/report.h"

#include "core/memory.h"

#include "../support/random_report.h"
#include "../support/scratch.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

enum { REPORTS = 60, MUTATIONS = 100 };

static const char *const pieces[] = {
    "<",
    ">",
    "\"",
    "&",
    "<row>",
    "</row>",
    "<cell>",
    "<column name=\"a\" unit=\"\" type=\"text\"/>",
    "</table>",
    "<!--",
    "]]>",
    "<![CDATA[",
    "<!DOCTYPE a>",
    " ",
    "?",
    "-",
    "1e400",
    "inf",
    "type=\"ratio\"",
    "xmlns=\"\"",
    "\xff",
    "&#0;",
};
enum { PIECES = sizeof pieces / sizeof *pieces };

/* One change: a byte, a piece inserted, a stretch removed or doubled. */
static void mutate(struct nb_random *random, const struct nb_text *good,
                   struct nb_text *out)
{
    const size_t place = (size_t)nb_random_below(random, good->length);
    const size_t left = good->length - place;
    const size_t most = left < 100 ? left : 100;
    const size_t length = 1 + (size_t)nb_random_below(random, most);
    const char byte = (char)nb_random_below(random, 256);
    const char *piece = pieces[nb_random_below(random, PIECES)];
    nb_text_add(out, good->bytes, place);
    switch (nb_random_below(random, 4)) {
    case 0:
        nb_text_add(out, &byte, 1);
        nb_text_add(out, good->bytes + place + 1, left - 1);
        break;
    case 1:
        nb_text_add(out, piece, strlen(piece));
        nb_text_add(out, good->bytes + place, left);
        break;
    case 2:
        nb_text_add(out, good->bytes + place + length, left - length);
        break;
    default:
        nb_text_add(out, good->bytes + place, length);
        nb_text_add(out, good->bytes + place, left);
        break;
    }
}

static void try_mutation(uint64_t seed, struct nb_random *random,
                         const struct nb_text *good, size_t *read)
{
    char path[NB_SCRATCH_PATH];
    struct nb_text bad = { 0 }, text = { 0 };
    struct nb_report report;
    struct nb_error err = { 0 };
    bool is_right = false;
    mutate(random, good, &bad);
    const bool is_same = bad.length == good->length &&
                         memcmp(bad.bytes, good->bytes, bad.length) == 0;
    nb_scratch_name("r.xml", path);
    nb_scratch_write(path, bad.bytes, bad.length);
    const enum nb_status status =
        nb_report_read_file(path, &report, &is_right, &err);
    const bool is_told = status == NB_OK
                             ? is_same == is_right
                             : status == NB_INVALID && err.message[0] != '\0' &&
                                   strchr(err.message, '\n') == NULL;
    if (!is_told)
        fail_msg("seed %llu: status %d, %s\n%s", (unsigned long long)seed,
                 (int)status, err.message, bad.bytes);
    if (status == NB_OK) { /* reports that were read can be written */
        assert_int_equal(
            nb_report_write(&report, NB_FORMAT_XML, NULL, &text, NULL), NB_OK);
        ++*read;
    }
    nb_report_release(&report);
    nb_text_release(&bad);
    nb_text_release(&text);
}

static void damaged_reports_do_no_harm(void **state)
{
    size_t read = 0;
    (void)state;
    for (uint64_t seed = 0; seed < REPORTS; seed++) {
        struct nb_random random;
        struct nb_report report = { 0 };
        struct nb_text good = { 0 };
        nb_random_init(&random, seed, 4);
        nb_random_report(&random, NB_TEXT_PERMITTED, &report);
        nb_report_write(&report, NB_FORMAT_XML, NULL, &good, NULL);
        nb_report_release(&report);
        for (int i = 0; i < MUTATIONS; i++)
            try_mutation(seed, &random, &good, &read);
        nb_text_release(&good);
        assert_int_equal(nb_memory_live_blocks(), 0);
    }
    /* Changes within texts leave a readable file: both ways were tried. */
    assert_in_range(read, REPORTS, REPORTS * MUTATIONS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_reports_do_no_harm),
    };
    return cmocka_run_group_tests(tests, nb_scratch_setup, nb_scratch_teardown);
}
