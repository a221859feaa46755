/* Suggestions, compared with slips counted by hand and made at random. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/random.h"
#include "core/suggest.h"

#include <stdio.h>
#include <string.h>

static const char *suggested(const char *typed, const char *names,
                             char out[NB_SUGGESTED])
{
    struct nb_suggestion near = { .typed = typed, .length = strlen(typed) };
    nb_suggest_words(&near, names, ' ');
    return nb_suggestion_print(&near, "", out);
}

static void test_by_hand(void **state)
{
    (void)state;
    static const char commands[] = "buffer delay help latency ledger limits "
                                   "list load run topology worst-case";
    static const struct {
        const char *typed, *names, *meant;
    } cases[] = {
        { "lod", commands, "load" },              /* left out */
        { "loaad", commands, "load" },            /* added */
        { "lead", commands, "load" },             /* replaced */
        { "laod", commands, "load" },             /* exchanged */
        { "LOAD", commands, "load" },             /* ignoring case */
        { "topolgoy", commands, "topology" },     /* one exchange */
        { "toplogi", commands, "topology" },      /* two slips of seven */
        { "worst_case", commands, "worst-case" }, /* replaced */
        { "wosrt-caes", commands, "worst-case" }, /* two exchanges */
        { "lab", commands, NULL },                /* two slips of three */
        { "lxaxd", commands, NULL },              /* two slips of five */
        { "ab", "abc abd abd", NULL },    /* two begin so, one offered twice */
        { "ab", "abc abc", "abc" },       /* one begins so, offered twice */
        { "ca", "abc", NULL },            /* two slips, not overlapping */
        { "ru", commands, "run" },        /* only beginning of one name */
        { "w", commands, "worst-case" },  /* only beginning of one name */
        { "la", commands, "latency" },    /* only beginning of one name */
        { "l", commands, NULL },          /* beginning of several */
        { "topo", commands, "topology" }, /* only beginning of one name */
        { "limi", commands, "limits" },   /* only beginning of one name */
        { "lis", commands, "list" },      /* near, not only longer */
        { "xyzzy", commands, NULL },      /* nothing near */
        { "XY", "min dor val", "dor" },   /* a synonym */
        { "latencies", commands, NULL },  /* three slips */
        { "load", commands, NULL },       /* known */
        { "", commands, NULL },           /* nothing typed */
        { "load", "", NULL },             /* no names */
        { "wait", "max_wait queue", "max_wait" }, /* the last of its words */
        { "wait", "max_wait mean_wait min_wait", "mean_wait" }, /* the mean */
        { "wait", "maxwait", NULL },               /* not a word of it */
        { "abcd", "abcx abcd-e abxd", "abcx" },    /* the first of equals */
        { "tournado", "torus tornado", "tornado" } /* the nearer */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char said[NB_SUGGESTED], expected[NB_SUGGESTED] = "";
        if (cases[i].meant != NULL)
            snprintf(expected, sizeof expected, ": did you mean \"%s\"?",
                     cases[i].meant);
        suggested(cases[i].typed, cases[i].names, said);
        if (strcmp(said, expected) != 0)
            fail_msg("%s: \"%s\", not \"%s\"", cases[i].typed, said, expected);
    }
}

static char letter(struct nb_random *random)
{
    return (char)('a' + nb_random_below(random, 26));
}

/* One slip in a word of length characters; returns its new length. */
static size_t slip(char *word, size_t length, struct nb_random *random)
{
    const size_t at = nb_random_below(random, length - 1);
    const char kept = word[at];
    switch (nb_random_below(random, 4)) {
    case 0:
        memmove(word + at + 1, word + at, length - at + 1);
        word[at] = letter(random);
        return length + 1;
    case 1:
        memmove(word + at, word + at + 1, length - at);
        return length - 1;
    case 2:
        word[at] = letter(random);
        return length;
    default:
        word[at] = word[at + 1];
        word[at + 1] = kept;
        return length;
    }
}

/* A word with one slip is near in either direction, if long enough; with two
 * slips at different places as well. */
static void test_random_slips(void **state)
{
    (void)state;
    enum { TRIALS = 20000, LONGEST = 12 };
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        struct nb_random random;
        char word[LONGEST + 4] = "", typed[LONGEST + 4], said[NB_SUGGESTED];
        nb_random_init(&random, 5, trial);
        const size_t length = 4 + nb_random_below(&random, LONGEST - 4);
        for (size_t i = 0; i < length; i++)
            word[i] = letter(&random);
        memcpy(typed, word, sizeof typed);
        size_t now = slip(typed, length, &random);
        if (length >= 8 && nb_random_below(&random, 2) == 0) {
            /* In the second half if the first slip was in the first half, and
             * vice versa. */
            char half[LONGEST + 4] = "";
            memcpy(typed, word, sizeof typed);
            memcpy(half, typed, length / 2);
            now = slip(half, length / 2, &random);
            strcat(half, typed + length / 2);
            memcpy(typed, half, sizeof typed);
            now += slip(typed + now, length - length / 2, &random);
        }
        if (strcmp(typed, word) == 0)
            continue;
        assert_int_equal(strlen(typed), now);
        if (*suggested(typed, word, said) == '\0' || strstr(said, word) == NULL)
            fail_msg("trial %llu: \"%s\" for \"%s\": \"%s\"",
                     (unsigned long long)trial, typed, word, said);
    }
}

/* Names longer than anybody would type are skipped. */
static void test_long_names(void **state)
{
    (void)state;
    char name[2 * NB_SUGGESTED], said[NB_SUGGESTED];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_string_equal(suggested("aaaa", name, said), "");
    assert_string_equal(suggested(name, "aaaa", said), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_random_slips),
        cmocka_unit_test(test_long_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
