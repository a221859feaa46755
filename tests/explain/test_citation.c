/* Citations: every entry of data/references.bib as a sentence. */
#include "explain/citation.h"

#include "core/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <ctype.h>
#include <string.h>

static struct nb_citation_key key_of(const char *text)
{
    return (struct nb_citation_key){ text, strlen(text) };
}

/* As a reader would write them. */
static void entries_are_cited(void **state)
{
    static const struct {
        const char *key, *text;
    } cases[] = {
        { "TowlesDally2002",
          "B. Towles and W. J. Dally. Worst-case traffic for oblivious routing "
          "functions. Proceedings of the 14th Annual ACM Symposium on Parallel "
          "Algorithms and Architectures, 2002." },
        { "Konig1931",
          "D. K\u0151nig. Gr\u00e1fok \u00e9s m\u00e1trixok. Matematikai "
          "\u00e9s Fizikai Lapok 38, pages 116\u2013119, 1931." },
        { "HopcroftKarp1973",
          "J. E. Hopcroft and R. M. Karp. An n^(5/2) algorithm for maximum "
          "matchings in bipartite graphs. SIAM Journal on Computing 2(4), "
          "pages 225\u2013231, 1973." },
        { "FordFulkerson1958",
          "L. R. Ford, Jr. and D. R. Fulkerson. A Suggested Computation for "
          "Maximal Multi-Commodity Network Flows. Management Science 5(1), "
          "pages 97\u2013101, 1958." },
        { "FIPS180",
          "National Institute of Standards and Technology. Secure Hash "
          "Standard (SHS). National Institute of Standards and Technology, "
          "FIPS PUB 180-4, 2015." },
        { "VonNeumann1941",
          "J. von Neumann. Distribution of the ratio of the mean square "
          "successive difference to the variance. The Annals of Mathematical "
          "Statistics 12, 1941." },
        { "Seo2005",
          "D. Seo, A. Ali, W.-T. Lim, N. Rafique and M. Thottethodi. "
          "Near-Optimal Worst-Case Throughput Routing for Two-Dimensional Mesh "
          "Networks. Proceedings of the 32nd Annual International Symposium on "
          "Computer Architecture, 2005." },
        { "McKayMillerSiran1998",
          "B. D. McKay, M. Miller and J. \u0160ir\u00e1\u0148. A note on large "
          "graphs of diameter two and given maximum degree. Journal of "
          "Combinatorial Theory, Series B 74, 1998." },
        { "Hanlon2009",
          "J. Hanlon. Universal Routing in Processor Networks. MEng "
          "dissertation, University of Bristol, 2009." },
        { "Singh2005",
          "A. Singh. Load-Balanced Routing in Interconnection Networks. PhD "
          "thesis, Stanford University, 2005." },
        { "LawKelton2000",
          "A. M. Law and W. D. Kelton. Simulation Modeling and Analysis. 3rd "
          "edition, McGraw-Hill, 2000." },
        { "Manabe1984",
          "Y. Manabe, K. Hagihara and N. Tokura. The minimum bisection widths "
          "of the cube-connected cycles graph and cube graph. Transactions of "
          "the Institute of Electronics and Communication Engineers of Japan, "
          "1984. In Japanese." },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nb_text text = { 0 };
        struct nb_error err = { 0 };
        if (nb_citation_find(key_of(cases[i].key), &text, &err) != NB_OK)
            fail_msg("%s: %s", cases[i].key, err.message);
        assert_string_equal(text.bytes, cases[i].text);
        nb_text_release(&text);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Calls check with the key of every entry, read from the file itself. */
static size_t each_key(void (*check)(struct nb_citation_key key))
{
    struct nb_text file = { 0 };
    size_t count = 0;
    assert_int_equal(
        nb_text_read_file("data/references.bib", 1 << 20, &file, NULL), NB_OK);
    for (const char *at = strchr(file.bytes, '@'); at != NULL;
         at = strstr(at, "\n@")) {
        at = strchr(at, '{') + 1;
        check((struct nb_citation_key){ at, strcspn(at, ",") });
        count++;
    }
    nb_text_release(&file);
    return count;
}

static void is_plain_sentence(struct nb_citation_key key)
{
    struct nb_text text = { 0 };
    struct nb_error err = { 0 };
    if (nb_citation_find(key, &text, &err) != NB_OK)
        fail_msg("%s", err.message);
    const char *bytes = text.bytes;
    const char *year = strpbrk(bytes, "12");
    while (year != NULL && !(isdigit((unsigned char)year[1]) &&
                             isdigit((unsigned char)year[2]) &&
                             isdigit((unsigned char)year[3]) && year[4] == '.'))
        year = strpbrk(year + 1, "12");
    if (strpbrk(bytes, "{}\\$\n~@") != NULL || strstr(bytes, "  ") != NULL ||
        strstr(bytes, "..") != NULL || strstr(bytes, " ,") != NULL ||
        strstr(bytes, ", ,") != NULL || strstr(bytes, ". .") != NULL ||
        year == NULL || bytes[text.length - 1] != '.' ||
        strchr("{\\ .,", bytes[0]) != NULL || text.length < 60)
        fail_msg("%.*s: %s", (int)key.length, key.at, bytes);
    nb_text_release(&text);
}

static void every_entry_is_a_plain_sentence(void **state)
{
    (void)state;
    assert_in_range(each_key(is_plain_sentence), 50, 1000);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void keys_are_found_in_sources(void **state)
{
    const char *at = "TowlesDally2002, section 2.2; DallyTowles2004, "
                     "chapter 5 and Nobody1801";
    struct nb_citation_key key;
    (void)state;
    assert_true(nb_citation_next(&at, &key));
    assert_int_equal(key.length, strlen("TowlesDally2002"));
    assert_memory_equal(key.at, "TowlesDally2002", key.length);
    assert_true(nb_citation_next(&at, &key));
    assert_memory_equal(key.at, "DallyTowles2004", key.length);
    assert_false(nb_citation_next(&at, &key));
    at = "";
    assert_false(nb_citation_next(&at, &key));
    at = "counting";
    assert_false(nb_citation_next(&at, &key));
}

static void unknown_keys_are_refused(void **state)
{
    static const char *const keys[] = { "Nobody1801", "Singh200", "Singh20055",
                                        "" };
    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct nb_text text = { 0 };
        struct nb_error err = { 0 };
        assert_int_equal(nb_citation_find(key_of(keys[i]), &text, &err),
                         NB_INVALID);
        assert_non_null(strstr(err.message, keys[i]));
        nb_text_release(&text);
    }
}

static void failing_memory_is_survived(void **state)
{
    enum nb_status status = NB_NO_MEMORY;
    (void)state;
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        struct nb_text text = { 0 };
        nb_memory_allow(allowed);
        status = nb_citation_find(key_of("Seo2005"), &text, NULL);
        nb_memory_allow(-1);
        nb_text_release(&text);
        assert_int_equal(nb_memory_live_blocks(), 0);
    }
    assert_int_equal(status, NB_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_cited),
        cmocka_unit_test(every_entry_is_a_plain_sentence),
        cmocka_unit_test(keys_are_found_in_sources),
        cmocka_unit_test(unknown_keys_are_refused),
        cmocka_unit_test(failing_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
