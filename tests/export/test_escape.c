/* Text put into LaTeX, Markdown, JSON and Python. (In tests/cli/tables.test
 * pdflatex and a reader of Markdown read it.) */
#include "export/escape.h"

#include "core/memory.h"
#include "core/random.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <libxml/xmlstring.h>
#include <string.h>

typedef void escape_function(const char *plain, struct nb_text *text);

static void gives(escape_function *escape, const char *plain,
                  const char *expected)
{
    struct nb_text text = { 0 };
    escape(plain, &text);
    nb_text_add(&text, "", 0); /* nothing also gives the empty text */
    assert_string_equal(text.bytes, expected);
    nb_text_release(&text);
}

static void latex_has_no_commands_left(void **state)
{
    (void)state;
    gives(nb_escape_latex, "", "");
    gives(nb_escape_latex, "a % of #1 & 2_k {x}",
          "a \\% of \\#1 \\& 2\\_k \\{x\\}");
    gives(nb_escape_latex, "$\\input", "\\$\\textbackslash{}input");
    gives(nb_escape_latex, "~^<>|\"`",
          "\\textasciitilde{}\\textasciicircum{}\\textless{}\\textgreater{}"
          "\\textbar{}\\char34{}\\`{}");
    gives(nb_escape_latex, "[a]*", "{[}a{]}{*}");
    gives(nb_escape_latex, "cycles^2 (packets^2)",
          "cycles\\textsuperscript{2} (packets\\textsuperscript{2})");
    gives(nb_escape_latex, "^2 a^b",
          "\\textasciicircum{}2 a\\textasciicircum{}b");
    gives(nb_escape_latex, "--sweep, it's ''", "-{}-sweep, it's '{}'");
    gives(nb_escape_latex, "a\nb\t\x7f.", "a b  .");
}

static void latex_tells_the_number_of_what_it_has_no_glyph_for(void **state)
{
    (void)state;
    gives(nb_escape_latex, "M\xc3\xa4rz \xe2\x80\x93 \xc5\x81",
          "M\xc3\xa4rz \xe2\x80\x93 \xc5\x81");
    gives(nb_escape_latex, "\xf0\x9f\x98\x80", "\\texttt{U+1F600}");
    gives(nb_escape_latex, "\xc4\x85\xe2\x88\x9e",
          "\\texttt{U+0105}\\texttt{U+221E}");
    /* A lone byte, an overlong one, a surrogate, one cut off. */
    gives(nb_escape_latex, "\xff", "\\texttt{U+FFFD}");
    gives(nb_escape_latex, "\xc0\xafz", "\\texttt{U+FFFD}\\texttt{U+FFFD}z");
    gives(nb_escape_latex, "\xbf\x80", "\\texttt{U+FFFD}\\texttt{U+FFFD}");
    gives(nb_escape_latex, "\xe2\x88", "\\texttt{U+FFFD}\\texttt{U+FFFD}");
}

static void latex_breaks_long_words(void **state)
{
    (void)state;
    gives(nb_escape_latex, "clos:12x12x12x24,up=12x12x12 torus:8x8",
          "clos:12x12x12x24,\\allowbreak{}up=12x12x12 torus:8x8");
    gives(nb_escape_latex, "packets/cycle/terminal", "packets/cycle/terminal");
    gives(nb_escape_latex, "abcdefghijklmnopqrstuvwxyzabcdefgh",
          "abcdefghijklmnopqrstuvwxyzabcd\\allowbreak{}efgh");
}

static void markdown_has_no_markup_left(void **state)
{
    (void)state;
    gives(nb_escape_markdown, "", "");
    gives(nb_escape_markdown, "a|b *c* `d` [e](f)",
          "a\\|b \\*c\\* \\`d\\` \\[e\\](f)");
    gives(nb_escape_markdown, "<script>&amp;", "&lt;script&gt;&amp;amp;");
    gives(nb_escape_markdown, "max_load _x_", "max_load \\_x\\_");
    gives(nb_escape_markdown, "\\| $x$ ~~y~~",
          "&#92;\\| &#36;x&#36; &#126;&#126;y&#126;&#126;");
    gives(nb_escape_markdown, "# no heading", "\\# no heading");
    gives(nb_escape_markdown, "- 1. no list", "\\- 1. no list");
    gives(nb_escape_markdown, "12. no list", "12\\. no list");
    gives(nb_escape_markdown, "-0.5 #1", "\\-0.5 \\#1");
    gives(nb_escape_markdown, "C #", "C \\#");
    gives(nb_escape_markdown, "http://a www.b a@c torus:8x8 9.5",
          "http&#58;//a www&#46;b a&#64;c torus:8x8 9.5");
    gives(nb_escape_markdown, "a\nb\xff\xc3\xa9", "a b\xef\xbf\xbd\xc3\xa9");
}

static void json_is_a_string(void **state)
{
    (void)state;
    gives(nb_escape_json, "", "");
    gives(nb_escape_json, "\"a\\b\"\n\t\x01\x7f",
          "\\\"a\\\\b\\\"\\n\\t\\u0001\\u007f");
    gives(nb_escape_json, "a/b <c> </script> <!--",
          "a/b <c> \\u003c/script> \\u003c!--");
    gives(nb_escape_json, "\xe2\x82\xac\xff\xf0\x9f\x98\x80",
          "\xe2\x82\xac\xef\xbf\xbd\xf0\x9f\x98\x80");
}

static void python_is_an_expression(void **state)
{
    (void)state;
    gives(nb_escape_python, "", "\"\"");
    gives(nb_escape_python, "a \"b\" \\ ''' \t\r\xc3\xa9",
          "\"a \\\"b\\\" \\\\ ''' \\x09\\x0d\xc3\xa9\"");
    gives(nb_escape_python, "a,b\n1,2\n", "\"a,b\\n\"\n\"1,2\\n\"");
}

/* Whether each such character stands after a backslash. */
static bool all_are_escaped(const char *text, const char *characters)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '\\' && c[1] != '\0')
            c++;
        else if (strchr(characters, *c) != NULL)
            return false;
    }
    return true;
}

/* For any bytes. */
static void random_bytes_stay_harmless(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 8, 1);
    for (int trial = 0; trial < 20000; trial++) {
        static const char special[] = "\\{}$&#^_%~|<>`*[]\"' -\n";
        char plain[24];
        const size_t length = nb_random_below(&random, sizeof plain);
        for (size_t i = 0; i < length; i++)
            plain[i] =
                nb_random_below(&random, 2) == 0
                    ? special[nb_random_below(&random, sizeof special - 1)]
                    : (char)(1 + nb_random_below(&random, 255));
        plain[length] = '\0';
        struct nb_text text[3] = { { 0 }, { 0 }, { 0 } };
        nb_escape_latex(plain, &text[0]);
        nb_escape_markdown(plain, &text[1]);
        nb_escape_json(plain, &text[2]);
        static const char *const left[] = { "$&#^_%~|<>\"`\n", "<>*`[]$~|\n",
                                            "\"\n\t" };
        for (int i = 0; i < 3; i++) {
            nb_text_add(&text[i], "", 0);
            const bool is_harmless =
                all_are_escaped(text[i].bytes, left[i]) &&
                xmlCheckUTF8((const unsigned char *)text[i].bytes);
            if (!is_harmless)
                print_error("trial %d, language %d: %s\n", trial, i,
                            text[i].bytes);
            assert_true(is_harmless);
            nb_text_release(&text[i]);
        }
    }
}

static void failing_memory_is_remembered(void **state)
{
    (void)state;
    escape_function *const escapes[] = { nb_escape_latex, nb_escape_markdown,
                                         nb_escape_json, nb_escape_python };
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
        struct nb_text text = { 0 };
        nb_memory_allow(0);
        escapes[i]("a$|\"", &text);
        nb_memory_allow(-1);
        assert_true(text.has_failed);
        nb_text_release(&text);
        assert_int_equal(nb_memory_live_blocks(), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latex_has_no_commands_left),
        cmocka_unit_test(latex_tells_the_number_of_what_it_has_no_glyph_for),
        cmocka_unit_test(latex_breaks_long_words),
        cmocka_unit_test(markdown_has_no_markup_left),
        cmocka_unit_test(json_is_a_string),
        cmocka_unit_test(python_is_an_expression),
        cmocka_unit_test(random_bytes_stay_harmless),
        cmocka_unit_test(failing_memory_is_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
