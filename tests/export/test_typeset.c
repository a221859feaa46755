/* Formulas as MathML: what becomes a fraction, a sum, a name, and what remains
 * words. */
#include "export/typeset.h"

#include "core/memory.h"
#include "explain/formula.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <ctype.h>
#include <string.h>

/* Prints an element's content: «..» for <math>, a{b}{c} for an element a of
 * two parts. */
static void print(const xmlNode *node, struct nb_text *text)
{
    static const char *const shown[] = { "mfrac", "msub", "msup", "munder",
                                         "msqrt" };
    for (; node != NULL; node = node->next) {
        const char *name = (const char *)node->name;
        bool is_shown = false;
        if (node->type == XML_TEXT_NODE) {
            nb_text_print(text, "%s", (const char *)node->content);
            continue;
        }
        for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
            is_shown = is_shown || strcmp(name, shown[i]) == 0;
        const bool is_math = strcmp(name, "math") == 0;
        nb_text_print(text, "%s",
                      is_math    ? "\u00AB"
                      : is_shown ? name + 1
                                 : "");
        for (const xmlNode *part = node->children; part != NULL;
             part = is_shown ? part->next : NULL) {
            nb_text_print(text, "%s", is_shown ? "{" : "");
            if (is_shown && part->type == XML_ELEMENT_NODE)
                print(part->children, text);
            else
                print(part, text);
            nb_text_print(text, "%s", is_shown ? "}" : "");
        }
        nb_text_print(text, "%s", is_math ? "\u00BB" : "");
    }
}

static void expect(const char *formula, const char *wanted)
{
    struct nb_text text = { 0 };
    xmlDocPtr document = xmlNewDoc(BAD_CAST "1.0");
    xmlNodePtr root = xmlNewDocNode(document, NULL, BAD_CAST "line", NULL);
    xmlDocSetRootElement(document, root);
    nb_typeset(formula, root);
    nb_text_add(&text, "", 0);
    print(root->children, &text);
    if (strcmp(text.bytes, wanted) != 0)
        fail_msg("\"%s\" becomes \"%s\"", formula, text.bytes);
    nb_text_release(&text);
    xmlFreeDoc(document);
}

/* Invisible characters: U+2062 times, U+00A0 a blank. */
#define TIMES "\u2062"
#define BLANK "\u00A0"

static void arithmetic_is_typeset(void **state)
{
    (void)state;
    expect("rho^2 / (2 * (1 - rho))",
           "\u00ABfrac{sup{\u03C1}{2}}{2\u22C5(1\u2212\u03C1)}\u00BB");
    expect("sqrt(x_1) + ceil(1e-15) >= 3/4",
           "\u00ABsqrt{sub{x}{1}}+\u23081e-15\u2309\u22653/4\u00BB");
    expect("a / b / c", "\u00ABfrac{frac{a}{b}}{c}\u00BB");
    expect("throughput_absolute / capacity",
           "\u00ABfrac{throughput_absolute}{capacity}\u00BB");
    expect("m_1 s_1 / (1 - s_1 x_1)^2 = +inf",
           "\u00ABfrac{sub{m}{1}" TIMES "sub{s}{1}}{sup{(1\u2212sub{s}{1}" TIMES
           "sub{x}{1})}{2}}=+\u221E\u00BB");
}

static void sums_have_their_range_beneath(void **state)
{
    (void)state;
    expect("sum over h of h P(h)",
           "\u00ABunder{\u2211}{h}h" TIMES "P(h)\u00BB");
    expect("sum_c b_c l_c / sum_ij Lambda(i, j)",
           "\u00ABfrac{under{\u2211}{c}" TIMES "sub{b}{c}" TIMES
           "sub{l}{c}}{under{\u2211}{ij}" TIMES "\u039B(i,j)}\u00BB");
    expect("max over routings R of min over channels c of b_c / gamma_c(R, U), "
           "at most b_t",
           "\u00ABunder{max}{routings" BLANK "R}under{min}{channels" BLANK
           "c}frac{sub{b}{c}}{sub{\u03B3}{c}(R,U)}\u00BB, at most "
           "\u00ABsub{b}{t}\u00BB");
}

static void words_stay_words(void **state)
{
    (void)state;
    static const char *const plain[] = {
        "packets that arrived / packets that were sent",
        "numbers that differ as their check shows",
        "phases times levels times 2",
        "the mean (with --bound chernoff: its bound)",
        "largest of a kind",
        "",
        "-",
        "(",
        "sum over",
        "5 ^",
    };
    for (size_t i = 0; i < 2; i++)
        expect(plain[i], plain[i]);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        xmlDocPtr document = xmlNewDoc(BAD_CAST "1.0");
        xmlNodePtr root = xmlNewDocNode(document, NULL, BAD_CAST "line", NULL);
        xmlDocSetRootElement(document, root);
        nb_typeset(plain[i], root);
        xmlFreeDoc(document);
    }
    expect("the least n with P(Q >= n) < overflow",
           "the least \u00ABn\u00BB with \u00ABP(Q\u2265n)<overflow\u00BB");
    expect("sum over terminals i, j of the distance of i and j",
           "sum over terminals \u00ABi\u00BB, \u00ABj\u00BB of the distance of "
           "\u00ABi\u00BB and \u00ABj\u00BB");
}

/* No digit of a formula, and no word except those that become signs, may be
 * lost. */
static void nothing_is_lost(void **state)
{
    const char *at = nb_formula_text();
    struct nb_formula row;
    size_t count = 0;
    (void)state;
    while (nb_formula_next(&at, &row)) {
        static const char *const fields[] = { "words", "is", "shows" };
        for (size_t i = 0; i < 3; i++) {
            const struct nb_stretch field =
                nb_formula_field(&row, fields[i], 0);
            struct nb_text formula = { 0 }, set = { 0 };
            size_t digits = 0, found = 0;
            if (field.at == NULL)
                continue;
            nb_stretch_print(field, &formula);
            xmlDocPtr document = xmlNewDoc(BAD_CAST "1.0");
            xmlNodePtr root =
                xmlNewDocNode(document, NULL, BAD_CAST "line", NULL);
            xmlDocSetRootElement(document, root);
            nb_typeset(formula.bytes, root);
            print(root->children, &set);
            for (const char *c = formula.bytes; *c != '\0'; c++)
                digits += isdigit((unsigned char)*c) != 0;
            for (const char *c = set.bytes; *c != '\0'; c++)
                found += isdigit((unsigned char)*c) != 0;
            if (digits != found)
                fail_msg("\"%s\" becomes \"%s\"", formula.bytes, set.bytes);
            count++;
            nb_text_release(&formula);
            nb_text_release(&set);
            xmlFreeDoc(document);
        }
    }
    assert_true(count > 300);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_is_typeset),
        cmocka_unit_test(sums_have_their_range_beneath),
        cmocka_unit_test(words_stay_words),
        cmocka_unit_test(nothing_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
