/* Messages of the check against a schema: their words and their lengths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/xml.h"
#include "core/xml_check.h"

#include <stdio.h>
#include <string.h>

/* A message may be 299 bytes long. */
enum { MESSAGE = 300, LONG = 1200, SAID = 512 };

static const char letter[] =
    "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' "
    "targetNamespace='urn:post' xmlns='urn:post' "
    "elementFormDefault='qualified'>"
    "<xs:include schemaLocation='parts/card.xsd'/>"
    "<xs:element name='letter'><xs:complexType><xs:sequence>"
    "<xs:element name='to' type='xs:string'/></xs:sequence>"
    "<xs:attribute name='stamp' type='stamp'/>"
    "</xs:complexType></xs:element></xs:schema>";
static const char card[] =
    "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' "
    "targetNamespace='urn:post' xmlns='urn:post'>"
    "<xs:simpleType name='stamp'><xs:restriction base='xs:string'>"
    "<xs:pattern value='[0-9]+'/></xs:restriction></xs:simpleType>"
    "<xs:element name='card' type='stamp'/></xs:schema>";

static const struct nb_embedded schema[] = {
    { "letter.xsd", letter, sizeof letter - 1 },
    { "card.xsd", card, sizeof card - 1 },
    { NULL, NULL, 0 },
};

/* Sets text to what follows "a.xml:1: " in the message; "": none. */
static void check(const char *document, char text[SAID])
{
    static const char place[] = "a.xml:1: ";
    const struct nb_xml_handler handler = { .schema = schema };
    struct nb_xml_stream *stream;
    struct nb_error err = { 0 };
    assert_int_equal(nb_xml_stream_new("a.xml", &handler, &stream, NULL),
                     NB_OK);
    enum nb_status status =
        nb_xml_stream_feed(stream, document, strlen(document), &err);
    if (status == NB_OK)
        status = nb_xml_stream_feed(stream, "", 0, &err);
    assert_int_equal(status == NB_OK, err.message[0] == '\0');
    if (status != NB_OK)
        assert_memory_equal(err.message, place, sizeof place - 1);
    strcpy(text, status != NB_OK ? err.message + sizeof place - 1 : "");
    nb_xml_stream_free(stream);
}

/* A letter whose stamp begins with A, and has `more` bytes after it. */
static void check_stamp(size_t more, char text[SAID])
{
    char document[LONG + 100] = "<letter xmlns='urn:post' stamp='A";
    const size_t length = strlen(document);
    assert_true(more <= LONG);
    memset(document + length, 'x', more);
    strcpy(document + length + more, "'><to/></letter>");
    check(document, text);
}

static void test_words(void **state)
{
    (void)state;
    static const struct {
        const char *document, *message;
    } cases[] = {
        { "<letter xmlns='urn:post' stamp='7'><to>me</to></letter>", "" },
        { "<card xmlns='urn:post'>70</card>", "" },
        { "<letter xmlns='urn:post' stamp='A'><to/></letter>",
          "<letter>, attribute 'stamp': The value 'A' is not permitted "
          "(permitted: what fits '[0-9]+')" },
        { "<card xmlns='urn:post'>A</card>",
          "<card>: The value 'A' is not permitted (permitted: what fits "
          "'[0-9]+')" },
        /* also a value that looks like the end of what is removed */
        { "<letter xmlns='urn:post' stamp=\"'] \"><to/></letter>",
          "<letter>, attribute 'stamp': The value ''] ' is not permitted "
          "(permitted: what fits '[0-9]+')" },
        { "<letter xmlns='urn:post' size='2'><to/></letter>",
          "<letter>, attribute 'size': The attribute 'size' is not permitted" },
        { "<letter xmlns='urn:post'><from/></letter>",
          "<from> is not permitted here (permitted: to)" },
        { "<parcel xmlns='urn:post'/>",
          "<parcel> is not permitted here (permitted: <letter> or <card> of "
          "namespace \"urn:post\")" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[SAID];
        check_stamp(LONG, text); /* a short message after a long one */
        check(cases[i].document, text);
        assert_string_equal(text, cases[i].message);
    }
}

/* A message that is too long keeps 147 bytes at each end. */
static void test_lengths(void **state)
{
    (void)state;
    char whole[SAID], expected[MESSAGE], text[SAID];
    check_stamp(0, whole);
    const size_t least = strlen(whole);
    const size_t before = (size_t)(strchr(whole, 'A') + 1 - whole);
    for (size_t length = MESSAGE - 3; length < MESSAGE + 3; length++) {
        const size_t more = length - least;
        check_stamp(0, whole);
        memmove(whole + before + more, whole + before, least + 1 - before);
        memset(whole + before, 'x', more);
        assert_int_equal(strlen(whole), length);
        check_stamp(more, text);
        if (length >= MESSAGE) {
            snprintf(expected, sizeof expected, "%.147s ... %s", whole,
                     whole + length - 147);
            assert_string_equal(text, expected);
        } else {
            assert_string_equal(text, whole);
        }
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_lengths),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    nb_xml_check_finish();
    return failed;
}
