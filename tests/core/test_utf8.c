/* UTF-8: every character, compared with the C library's conversion, and the
 * characters that terminals must not get. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/random.h"
#include "core/text.h"
#include "core/utf8.h"

#include <iconv.h>
#include <string.h>

/* The C library's result for the first character of some bytes: its length, 0
 * if they begin with none. */
static size_t convert(iconv_t way, const char *bytes, uint32_t *code)
{
    char in[5];
    for (size_t length = 1; length <= strlen(bytes) && length <= 4; length++) {
        char *from = in, *to = (char *)code;
        size_t left = length, room = sizeof *code;
        memcpy(in, bytes, length);
        iconv(way, NULL, NULL, NULL, NULL);
        if (iconv(way, &from, &left, &to, &room) == 0 && left == 0)
            return length;
    }
    return 0;
}

static void check(iconv_t way, const char *bytes)
{
    uint32_t code, expected = 0;
    const size_t length = convert(way, bytes, &expected);
    if (nb_utf8_decode(bytes, &code) != length ||
        (length > 0 && code != expected))
        fail_msg("%02x %02x %02x %02x is U+%04X of %zu bytes",
                 (unsigned char)bytes[0], (unsigned char)bytes[1],
                 (unsigned char)bytes[2], (unsigned char)bytes[3],
                 (unsigned)expected, length);
}

static void test_as_the_c_library(void **state)
{
    (void)state;
    enum { SEED = 1, TRIALS = 300000 };
    const iconv_t way = iconv_open("UTF-32LE", "UTF-8");
    struct nb_random random;
    assert_true(way != (iconv_t)-1);
    nb_random_init(&random, SEED, 0);
    for (int a = 0; a < 256; a++) /* all of two bytes */
        for (int b = 0; b < 256; b++)
            check(way, (const char[5]){ (char)a, (char)b });
    for (int b = 0; b < 256; b++) /* the edges of three and four */
        for (int last = 0x7F; last <= 0xC0; last++) {
            static const unsigned char first[] = { 0xE0, 0xE1, 0xED, 0xEE, 0xEF,
                                                   0xF0, 0xF1, 0xF4, 0xF5 };
            for (size_t i = 0; i < sizeof first; i++)
                check(way, (const char[5]){ (char)first[i], (char)b, (char)last,
                                            (char)0x80 });
        }
    for (int i = 0; i < TRIALS; i++) { /* mostly continuation bytes */
        char bytes[5] = { (char)(0x80 + nb_random_below(&random, 128)) };
        for (size_t k = 1; k < 4; k++)
            bytes[k] = (char)(0x78 + nb_random_below(&random, 80));
        check(way, bytes);
    }
    iconv_close(way);
}

static void test_texts(void **state)
{
    (void)state;
    static const char *const texts[] = { "", "Tür 😀", "a\xC2\xA0z",
                                         "a\xC2\x9Bz", "\xEF\xBF\xBD" };
    static const char *const others[] = {
        "\x1B[31m", "a\x7F",        "\xC0\xAF",
        "\x80",     "\xED\xA0\x80", "\xF4\x90\x80\x80",
        "\xE2\x82", "\xEF\xBF\xBF", "\xEF\xBF\xBE",
        "a\tb",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_true(nb_utf8_is_text(texts[i], ""));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(nb_utf8_is_text(others[i], ""));
    assert_true(nb_utf8_is_text("a\tb\n", "\t\n\r"));
    assert_false(nb_utf8_is_text("a\tb\x1B", "\t\n\r"));
}

static void test_what_terminals_are_sent(void **state)
{
    (void)state;
    static const struct {
        const char *text, *plain;
    } rows[] = {
        { "", "" },
        { "Tür 😀", "Tür 😀" },
        { "\x1B[31mred\x07", "?[31mred?" },
        { "a\xC2\x9B"
          "31m\xC2\x80z",
          "a?31m?z" },
        { "gpj.\xE2\x80\xAE"
          "exe",
          "gpj.?exe" },
        { "\xE2\x81\xA6x\xE2\x81\xA9\xE2\x80\x8E\xE2\x80\x8F\xD8\x9C",
          "?x????" },
        { "\xE2\x80\xA9|\xE2\x80\xAF|\xE2\x81\xA5|\xE2\x81\xAA",
          "\xE2\x80\xA9|\xE2\x80\xAF|\xE2\x81\xA5|\xE2\x81\xAA" },
        { "cut\xE2\x82", "cut??" },
        { "\xC0\xAF\xFF", "???" },
        { "\xED\xA0\x80", "???" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[64];
        strcpy(text, rows[i].text);
        nb_utf8_make_plain(text);
        assert_string_equal(text, rows[i].plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_the_c_library),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_what_terminals_are_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
