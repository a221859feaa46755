/* Lists of names and patterns, expanded by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/name_list.h"

#include <string.h>

static void test_expands_lists(void **state)
{
    static const struct {
        const char *text, *names; /* names each followed by a space */
    } lists[] = {
        { "a", "a " },
        { "a,b c,d*", "a b c d* " },
        { "n[08-11]", "n08 n09 n10 n11 " },
        { "n[9-11]x,y", "n9x n10x n11x y " },
        { "r[1-2]c[0,3]", "r1c0 r1c3 r2c0 r2c3 " },
        { "[3,1-2]", "3 1 2 " },
        { "a[000000001]", "a000000001 " },
        { " a , n[1-2] ,b c ", "a n1 n2 b c " },
        { "\"n4, rack [2] x\",b", "n4, rack [2] x b " },
        { " \"a,b\" ", "a,b " },
        { "a\"b,c", "a\"b c " },
    };
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct nb_pool pool = { 0 };
        struct nb_name_list list = { 0 };
        char all[100] = "";
        assert_int_equal(nb_name_list_read(lists[i].text, &pool, &list, NULL),
                         NB_OK);
        for (size_t k = 0; k < list.count; k++)
            strcat(strcat(all, list.name[k]), " ");
        assert_string_equal(all, lists[i].names);
        nb_name_list_release(&list);
        nb_pool_release(&pool);
    }
}

static void test_refuses_other_lists(void **state)
{
    static const char *const lists[] = {
        "",
        ",",
        "a,",
        ",a",
        "a,,b",
        "n[",
        "n]",
        "n[]",
        "n[1",
        "n[2-1]",
        "n[-1]",
        "n[1-]",
        "n[a]",
        "n[1,]",
        "n[1]]",
        "n[1-3x]",
        "n[[1]]",
        "n[1000000000]",
        "n[0-999999,0-999999]",
        "a, ",
        "n[1, 2]",
        "\"\"",
        "\"a,b",
        "\"a\"b",
    };
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct nb_pool pool = { 0 };
        struct nb_name_list list = { 0 };
        struct nb_error error = { 0 };
        assert_int_equal(nb_name_list_read(lists[i], &pool, &list, &error),
                         NB_INVALID);
        assert_non_null(strstr(error.message, "permitted"));
        nb_name_list_release(&list);
        nb_pool_release(&pool);
    }
}

static void test_patterns(void **state)
{
    static const struct {
        const char *pattern, *name;
        bool fits;
    } cases[] = {
        { "a", "a", true },
        { "a", "ab", false },
        { "ab", "a", false },
        { "*", "", true },
        { "*", "abc", true },
        { "?", "", false },
        { "a?c", "abc", true },
        { "a?c", "ac", false },
        { "*b", "abab", true },
        { "*ab*c", "aababxc", true },
        { "a*b*c", "abcb", false },
        { "n1*", "n1", true },
        { "n1*", "n2", false },
        { "**x**", "axb", true },
        { "n?", "n1 HCA-1", true },
        { "*1", "n1 HCA-1", true },
        { "HCA*", "n1 HCA-1", false },
        { "n4", "n4, rack 2 HCA-1", true },
        { "n4,", "n4, rack 2 HCA-1", true },
        { "n", "n4, rack 2 HCA-1", false },
        { "rack", "n4, rack 2 HCA-1", false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(nb_name_fits(cases[i].pattern, cases[i].name),
                         cases[i].fits);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expands_lists),
        cmocka_unit_test(test_refuses_other_lists),
        cmocka_unit_test(test_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
