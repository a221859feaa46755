/*
 * Reports: accepted reports are written and read back unchanged, with a digest
 * that fits, and can be shown in every format.
 * Words: models/report.xsd src/report/read_xml.c tests/fuzz/xml.dict
 */
#include "../support/fuzz.h"
#include "../support/random_report.h"

#include "core/text.h"
#include "report/report.h"

#include <ctype.h>
#include <string.h>

static void json_skip_string(const char **at)
{
    for (++*at; **at != '"'; ++*at) {
        FUZZ_CHECK((unsigned char)**at >= ' ', "a string with %d", **at);
        if (**at == '\\')
            FUZZ_CHECK(*++*at != '\0' && strchr("\"\\/bfnrtu", **at) != NULL,
                       "a string with \\%c", **at);
    }
    ++*at;
}

static void json_skip_scalar(const char **at)
{
    static const char *const words[] = { "true", "false", "null" };
    for (int i = 0; i < 3; i++) {
        if (strncmp(*at, words[i], strlen(words[i])) == 0) {
            *at += strlen(words[i]);
            return;
        }
    }
    const char *digits = *at + (**at == '-');
    FUZZ_CHECK(isdigit((unsigned char)*digits), "a value %.20s", *at);
    *at += strspn(*at, "-+.0123456789eE");
}

static void json_skip_blanks(const char **at)
{
    *at += strspn(*at, " \n");
}

/* Skips a value and what follows it. Depth is that of the tree, a few
 * levels. */
static void json_skip(const char **at)
{
    json_skip_blanks(at);
    if (**at == '"') {
        json_skip_string(at);
    } else if (**at == '{' || **at == '[') {
        const char begin = **at, end = begin == '{' ? '}' : ']';
        ++*at;
        json_skip_blanks(at);
        while (**at != end) {
            if (begin == '{') {
                json_skip_string(at);
                json_skip_blanks(at);
                FUZZ_CHECK(*(*at)++ == ':', "a name without value");
            }
            json_skip(at);
            if (**at == ',')
                ++*at;
            else
                FUZZ_CHECK(**at == end, "no comma before %.20s", *at);
            json_skip_blanks(at);
        }
        ++*at;
    } else {
        json_skip_scalar(at);
    }
    json_skip_blanks(at);
}

static void report_read_again(const struct nb_report *written,
                              const struct nb_text *xml)
{
    struct nb_report read = { 0 };
    struct nb_text twice = { 0 };
    struct nb_error err = { 0 };
    bool is_digest_right = false;
    nb_report_read_file(fuzz_file("again.xml", xml->bytes, xml->length), &read,
                        &is_digest_right, &err);
    FUZZ_CHECK(err.status == NB_OK && is_digest_right, "%s: %s", err.message,
               xml->bytes);
    read.made.seconds = written->made.seconds; /* three digits are kept */
    FUZZ_CHECK(nb_reports_are_equal(written, &read), "%s", xml->bytes);
    nb_report_write(&read, NB_FORMAT_XML, NULL, &twice, &err);
    FUZZ_CHECK(err.status == NB_OK && strcmp(twice.bytes, xml->bytes) == 0,
               "%s instead of %s", twice.bytes, xml->bytes);
    nb_text_release(&twice);
    nb_report_release(&read);
}

static void report_show(const struct nb_report *report)
{
    for (int format = NB_FORMAT_TEXT; format <= NB_FORMAT_JSON; format++) {
        struct nb_text text = { 0 };
        struct nb_error err = { 0 };
        nb_report_write(report, (enum nb_format)format, NULL, &text, &err);
        FUZZ_CHECK(err.status == NB_OK, "%s", err.message);
        const char *at = text.bytes;
        if (format == NB_FORMAT_JSON) {
            json_skip(&at);
            FUZZ_CHECK(*at == '\0', "after its end: %s", at);
        }
        if (format == NB_FORMAT_XML)
            report_read_again(report, &text);
        nb_text_release(&text);
    }
}

static void report(const uint8_t *bytes, size_t length)
{
    struct nb_report read = { 0 };
    struct nb_error err = { 0 };
    bool is_digest_right;
    const char *path = fuzz_file("report.xml", bytes, length);
    fuzz_check_error(nb_report_read_file(path, &read, &is_digest_right, &err),
                     &err);
    if (err.status == NB_OK)
        report_show(&read);
    nb_report_release(&read);
}

FUZZ_TARGET(report)
