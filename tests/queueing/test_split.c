#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/split_case.h"

#include "core/memory.h"
#include "queueing/split.h"

#include <math.h>
#include <string.h>

/* Whether a bracket is narrow and contains the value, which is known to a few
 * units of its last digit. */
static bool split_holds(struct nb_enclosure found, double value)
{
    const double slack = 4e-16 * value;
    if (isinf(value))
        return isinf(found.lower);
    return found.lower <= value + slack && found.upper >= value - slack &&
           found.upper - found.lower <= 2e-14 * value;
}

/* Computed independently with 50 decimal digits: bisection of each rule's
 * condition, with W and the derivatives written out. */
static const struct {
    const char *rule;
    bool is_singh;
    uint32_t m[2], s[2];
    int64_t top, bottom;
    double rate[2], delay[2], mean, turn;
} golden_rows[] = {
    { "optimal",
      true,
      { 3, 5 },
      { 3, 5 },
      2,
      5,
      { 0.259316292125627157171782, 0.140683707874372842828217 },
      { 9.7552011245208114334586, 13.429387307976702855919 },
      11.04744646379422516998323,
      0.14088324360345807849695 },
    { "optimal",
      false,
      { 3, 5 },
      { 3, 5 },
      2,
      5,
      { 0.258756020077624144817928, 0.141243979922375855182071 },
      { 8.2044517718895299696498, 11.009766307170510660958 },
      9.195036246632469943142471,
      0.11511544309734095206723 },
    { "cqr",
      false,
      { 3, 5 },
      { 3, 5 },
      2,
      5,
      { 0.262241801652614802426937, 0.137758198347385197573062 },
      { 8.5331864876053889817979, 10.533186487605388981797 },
      9.221977479342314969663275,
      0 },
    { "optimal",
      true,
      { 3, 5 },
      { 3, 5 },
      53,
      100,
      { 0.331454989600341370750188, 0.198545010399658629249811 },
      { 269.19196008579516779353, 348.64506789786650390707 },
      298.9561452118949823353399,
      0.14088324360345807849695 },
    { "optimal",
      false,
      { 3, 5 },
      { 3, 5 },
      53,
      100,
      { 0.331454980921992699644464, 0.198545019078007300355535 },
      { 267.69073022784672200673, 346.14711759602628393583 },
      297.0815319765386882196895,
      0.11511544309734095206723 },
    { "optimal",
      true,
      { 2, 7 },
      { 3, 4 },
      3,
      10,
      { 0.234670592781492668871444, 0.065329407218507331128555 },
      { 5.3785128151613524672199, 11.738166411992428578639 },
      6.763420813814759853475179,
      0.21900094323832744174756 },
    { "theorem-5",
      true,
      { 2, 7 },
      { 3, 4 },
      3,
      10,
      { 0.225198482377093271983534, 0.074801517622906728016465 },
      { 5.0825707936493706561664, 11.994335499531723597342 },
      6.805939091824182527134042,
      0.17902998337124142307223 },
    { "cqr",
      false,
      { 2, 7 },
      { 3, 4 },
      2,
      5,
      { 4.0 / 15, 2.0 / 15 },
      { 6, 11 },
      23.0 / 3,
      0 },
    { "gal:threshold=40",
      true,
      { 3, 5 },
      { 3, 5 },
      2,
      5,
      { 0.329115275342775572772623, 0.070884724657224427227376 },
      { 121.53796252191501984504, 8.8725084903594767090894 },
      101.5723133033950436948869,
      0.329115275342775572772623 },
    { "gal:threshold=2",
      false,
      { 3, 5 },
      { 3, 5 },
      2,
      5,
      { 0.254644007500070101196942, 0.145355992499929898803057 },
      { 7.8541019662496845446137, 11.650134166118005979754 },
      9.233542036183564857396585,
      0.254644007500070101196942 },
};

static void test_golden(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof golden_rows / sizeof *golden_rows; i++) {
        const struct nb_split split = split_make(
            golden_rows[i].m[0], golden_rows[i].m[1], golden_rows[i].s[0],
            golden_rows[i].s[1], golden_rows[i].is_singh, golden_rows[i].rule);
        const struct nb_split_result found =
            split_at(&split, golden_rows[i].top, golden_rows[i].bottom);
        for (int c = 0; c < NB_PATH_CLASSES; c++) {
            SPLIT_CHECK(split_holds(found.rate[c], golden_rows[i].rate[c]),
                        "row %zu", i);
            SPLIT_CHECK(split_holds(found.delay[c], golden_rows[i].delay[c]),
                        "row %zu", i);
        }
        SPLIT_CHECK(split_holds(found.mean_delay, golden_rows[i].mean),
                    "row %zu", i);
        SPLIT_CHECK(split_holds(found.switch_point, golden_rows[i].turn),
                    "row %zu", i);
    }
}

static void split_check_ratio(struct nb_enclosure found, int64_t top,
                              int64_t bottom, const char *name)
{
    const struct nb_ratio expected = nb_ratio_make(top, bottom);
    SPLIT_CHECK(found.exact.numerator == expected.numerator &&
                    found.exact.denominator == expected.denominator,
                "%s: %lld/%lld, expected %lld/%lld", name,
                (long long)found.exact.numerator,
                (long long)found.exact.denominator,
                (long long)expected.numerator, (long long)expected.denominator);
}

/* Theorem 5 on a ring of k: everything is a ratio. Source: [Singh2005, Theorem
 * 5] with its 0.13, 0.33, 0.53 as ratios. */
static void test_theorem_5(void **state)
{
    (void)state;
    struct nb_split split = split_make(1, 1, 1, 1, true, "theorem-5");
    assert_int_equal(nb_split_tornado(8, 1, &split, NULL), NB_OK);
    assert_int_equal(split.hops[NB_MINIMAL], 3);
    assert_int_equal(split.hops[NB_NONMINIMAL], 5);
    for (int64_t n = 0; n <= 70; n++) { /* alpha = n/100 */
        const struct nb_split_result found = split_at(&split, n, 100);
        split_check_ratio(found.switch_point, 2, 15, "switch point");
        split_check_ratio(found.saturation, 8, 15, "saturation");
        if (n <= 13) {
            split_check_ratio(found.rate[NB_MINIMAL], n, 100, "x1");
            split_check_ratio(found.rate[NB_NONMINIMAL], 0, 1, "x2");
            split_check_ratio(found.mean_delay, 3 * (300 - 6 * n),
                              2 * (100 - 3 * n), "D");
        } else if (n <= 53) {
            split_check_ratio(found.rate[NB_MINIMAL], 15 * n + 200, 3000, "x1");
            split_check_ratio(found.rate[NB_NONMINIMAL], 15 * n - 200, 3000,
                              "x2");
        } else {
            split_check_ratio(found.rate[NB_MINIMAL], 1, 3, "x1");
            split_check_ratio(found.rate[NB_NONMINIMAL], 1, 5, "x2");
            split_check_ratio(found.mean_delay, 1, 0, "D");
        }
    }
    split_check_ratio(split_at(&split, 2, 5).mean_delay, 67, 6, "D");
    /* m1 s1 m2 s2 = 4 9 25 4 is a square, m1 s1 / (m2 s2) = 9/25. */
    const struct nb_split square = split_make(4, 25, 9, 4, true, "theorem-5");
    split_check_ratio(split_at(&square, 1, 10).switch_point, 2, 45, "switch");
    assert_true(nb_ratio_is_known(split_at(&square, 1, 10).mean_delay.exact));
}

/* With Singh's wait and s = m, cqr is Theorem 5 (on rings of every radix). */
static void test_cqr_is_theorem_5(void **state)
{
    (void)state;
    for (uint32_t k = 3; k <= 64; k++) {
        struct nb_split one = split_make(1, 1, 1, 1, true, "theorem-5");
        struct nb_split other = split_make(1, 1, 1, 1, true, "cqr");
        assert_int_equal(nb_split_tornado(k, 1, &one, NULL), NB_OK);
        assert_int_equal(nb_split_tornado(k, 1, &other, NULL), NB_OK);
        for (int64_t n = 0; n < 20; n++) {
            const struct nb_ratio a = split_at(&one, n, 20).rate[0].exact;
            const struct nb_ratio b = split_at(&other, n, 20).rate[0].exact;
            SPLIT_CHECK(nb_ratio_is_known(a) && nb_ratio_compare(a, b) == 0,
                        "k=%u, rate %lld/20", k, (long long)n);
        }
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t m[2], s[2];
        double factor, rate;
    } rows[] = {
        { { 0, 5 }, { 3, 5 }, 1, 0.1 },
        { { 3, NB_SPLIT_MOST + 1 }, { 3, 5 }, 1, 0.1 },
        { { 3, 5 }, { 0, 5 }, 1, 0.1 },
        { { 3, 5 }, { 3, NB_SPLIT_MOST + 1 }, 1, 0.1 },
        { { 5, 3 }, { 3, 5 }, 1, 0.1 },
        { { 3, 5 }, { 3, 5 }, 0, 0.1 },
        { { 3, 5 }, { 3, 5 }, NAN, 0.1 },
        { { 3, 5 }, { 3, 5 }, 1, INFINITY },
        { { 3, 5 }, { 3, 5 }, 1, NAN },
        { { 3, 5 }, { 3, 5 }, 1, -1 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct nb_split split =
            split_make(rows[i].m[0], rows[i].m[1], rows[i].s[0], rows[i].s[1],
                       true, "optimal");
        struct nb_error err = { 0 };
        struct nb_split_result answer;
        const struct nb_enclosure rate = { .lower = rows[i].rate,
                                           .upper = rows[i].rate };
        split.delay.factor = rows[i].factor;
        SPLIT_CHECK(nb_split_find(&split, rate, &answer, &err) == NB_INVALID,
                    "row %zu", i);
        assert_non_null(strstr(err.message, "permitted: "));
    }
    struct nb_split split = split_make(3, 5, 3, 5, true, "gal");
    const struct nb_ratio thresholds[] = { { 0, 1 }, { -1, 2 }, { 1, 0 } };
    for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++) {
        struct nb_split_result answer;
        split.threshold = thresholds[i];
        SPLIT_CHECK(nb_split_find(&split, nb_enclosure_of_whole(0), &answer,
                                  NULL) == NB_INVALID,
                    "threshold %zu", i);
    }
    assert_int_equal(nb_split_tornado(2, 1, &split, NULL), NB_INVALID);
    assert_int_equal(nb_split_tornado(3, 1, &split, NULL), NB_OK);
    assert_int_equal(nb_split_tornado(1000, NB_SPLIT_MOST, &split, NULL),
                     NB_INVALID);
}

/* The names that help shows are those of the table. */
static void test_names(void **state)
{
    (void)state;
    struct nb_text names = { 0 };
    const struct nb_kind *kind;
    for (size_t i = 0; (kind = nb_split_rule_at(i)) != NULL; i++)
        nb_text_print(&names, "%s%s", i > 0 ? "|" : "", kind->name);
    assert_string_equal(names.bytes, NB_SPLIT_RULES);
    nb_text_release(&names);
}

static void test_failing_memory(void **state)
{
    (void)state;
    enum nb_status status = NB_NO_MEMORY;
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        struct nb_split split;
        nb_memory_allow(allowed);
        status = nb_split_rule_read("gal:threshold=40", &split, NULL);
        nb_memory_allow(-1);
        assert_int_equal(nb_memory_live_blocks(), 0);
        assert_true(allowed < 100);
    }
    assert_int_equal(status, NB_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_theorem_5),
        cmocka_unit_test(test_cqr_is_theorem_5),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
