/* Reading XML: what is accepted, and hostile documents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "core/text.h"
#include "core/xml.h"
#include "core/xml_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void test_accepts(void **state)
{
    (void)state;
    static const char text[] = "<?xml version=\"1.0\"?>\n<!-- c -->\n"
                               "<a b=\"1 &lt; 2\"><c/>x<![CDATA[<y>]]></a>";
    xmlDocPtr document = NULL;
    struct nb_error error = { 0 };
    assert_int_equal(
        nb_xml_parse("good.xml", text, strlen(text), &document, &error), NB_OK);
    xmlNode *root = xmlDocGetRootElement(document);
    assert_string_equal((const char *)root->name, "a");
    xmlChar *value = xmlGetNoNsProp(root, (const xmlChar *)"b");
    assert_string_equal((const char *)value, "1 < 2");
    xmlFree(value);
    value = xmlNodeGetContent(root);
    assert_string_equal((const char *)value, "x<y>");
    xmlFree(value);
    assert_int_equal(xmlGetLineNo(root), 3);
    assert_string_equal(error.message, "");
    xmlFreeDoc(document);
}

static const struct {
    const char *what;
    const char *text;
    const char *says; /* part of the message */
} refused[] = {
    { "empty", "", "empty" },
    { "not XML", "hello", ":1: it is not XML" },
    { "binary",
      "\x7F"
      "ELF\x02\x01\x01",
      ":1: " },
    { "truncated", "<a>\n<b>\n", "bad.xml:3: " },
    { "truncated in a tag", "<a><b c=\"", ":1: " },
    { "mismatched", "<a>\n<b>\n</a>", ":3: " },
    { "two roots", "<a/>\n<b/>", ":2: " },
    { "repeated attribute", "<a b='1' b='2'/>", "b" },
    { "undeclared entity", "<a>&b;</a>", ":1: " },
    { "bad character", "<a>\x01</a>", ":1: " },
    { "bad UTF-8", "<a>\xC3\x28</a>", ":1: " },
    { "undeclared prefix", "<a><b:c/></a>", ":1: " },
    { "plain doctype", "<!DOCTYPE a>\n<a/>", "document type" },
    { "doctype with a system identifier",
      "<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>", "document type" },
    { "doctype after a comment", "<!-- x -->\n<!DOCTYPE a><a/>",
      ":2: a document type" },
    { "external entity",
      "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>",
      "document type" },
    { "external parameter entity",
      "<!DOCTYPE a [<!ENTITY % x SYSTEM \"http://localhost:1/x\"> %x;]><a/>",
      "document type" },
    { "billion laughs",
      "<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [\n"
      "<!ENTITY a \"lol\">\n"
      "<!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">\n"
      "<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;\">\n"
      "<!ENTITY d \"&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;\">\n"
      "<!ENTITY e \"&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;\">\n"
      "<!ENTITY f \"&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;\">\n"
      "<!ENTITY g \"&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;\">\n"
      "]>\n<lolz x=\"&g;\">&g;</lolz>",
      "document type" },
    { "default attribute", "<!DOCTYPE a [<!ATTLIST a b CDATA \"1\">]><a/>",
      "document type" },
};

static void xml_must_refuse(const char *what, const char *bytes, size_t length,
                            const char *says)
{
    xmlDocPtr document = NULL;
    struct nb_error error = { 0 };
    const enum nb_status status =
        nb_xml_parse("bad.xml", bytes, length, &document, &error);
    if (status != NB_INVALID || strstr(error.message, says) == NULL ||
        strstr(error.message, "bad.xml") == NULL || document != NULL ||
        strchr(error.message, '\n') != NULL) {
        print_error("%s: status %d, \"%s\", expected \"%s\"\n", what,
                    (int)status, error.message, says);
        fail();
    }
    /* Also without a place for the message. */
    assert_int_equal(nb_xml_parse("bad.xml", bytes, length, &document, NULL),
                     NB_INVALID);
}

static void test_refuses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        xml_must_refuse(refused[i].what, refused[i].text,
                        strlen(refused[i].text), refused[i].says);
}

/* Markup that is not ASCII would be hidden from the scan for limits. */
static void test_refuses_utf16(void **state)
{
    (void)state;
    static const char text[] = "<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>";
    for (size_t order = 0; order < 2; order++) {
        char wide[2 * sizeof text] = { 0 };
        memcpy(wide, order == 0 ? "\xFF\xFE" : "\xFE\xFF", 2);
        for (size_t i = 0; text[i] != '\0'; i++)
            wide[2 + 2 * i + order] = text[i];
        xml_must_refuse("UTF-16", wide, 2 * sizeof text, "UTF-16");
        xml_must_refuse("UTF-16, no mark", wide + 2, 2 * sizeof text - 2,
                        "UTF-16");
    }
}

static void test_refuses_zero_bytes(void **state)
{
    (void)state;
    xml_must_refuse("zero byte", "<a>\0</a>", 8, ":1: ");
}

/* An element with this many attributes, a text, a name, a depth. */
static void add_many(struct nb_text *text, const char *what, size_t count)
{
    if (strcmp(what, "depth") == 0) {
        for (size_t i = 0; i < count; i++)
            nb_text_print(text, i % 2 == 0 ? "<a>" : "<a b='/>'\n>");
        for (size_t i = 0; i < count; i++)
            nb_text_print(text, "</a>");
    } else if (strcmp(what, "attribute") == 0) {
        nb_text_print(text, "<!-- <a --><a>\n<b");
        for (size_t i = 0; i < count; i++)
            nb_text_print(text, " a%zu='>='", i);
        nb_text_print(text, "/></a>");
    } else if (strcmp(what, "a name") == 0) {
        nb_text_print(text, "<a><%0*d/></a>", (int)count, 0);
        text->bytes[4] = 'a';
    } else {
        nb_text_print(text, "<a><![CDATA[<b>]]><?p <b>?><!--<b>-->%0*d</a>",
                      (int)count, 0);
    }
    assert_int_equal(nb_text_check(text, NULL), NB_OK);
}

/* The permitted number, one more, and a number so large that comparing each
 * with all others would take more than a minute. */
static void test_limits(void **state)
{
    static const struct {
        const char *what, *says;
        size_t most;
    } limits[] = {
        { "depth",
          "an element at depth 101 is not permitted (permitted: at "
          "most 100)",
          NB_XML_DEPTH },
        { "attribute",
          ":2: attribute 101 is not permitted (permitted: at "
          "most 100)",
          NB_XML_ATTRIBUTES },
        { "a name",
          "a name whose length in bytes is 1001 is not permitted "
          "(permitted: at most 1000)",
          NB_XML_NAME },
        { "a text",
          "a text whose length in bytes is 8388609 is not permitted "
          "(permitted: at most 8388608)",
          NB_XML_TEXT },
    };
    (void)state;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct nb_error error = { 0 };
        for (int step = 0; step < 3; step++) {
            struct nb_text text = { 0 };
            xmlDocPtr document = NULL;
            add_many(&text, limits[i].what,
                     limits[i].most + (step == 2 ? 1000000 : (size_t)step));
            if (step > 0)
                xml_must_refuse(limits[i].what, text.bytes, text.length,
                                limits[i].says);
            else if (nb_xml_parse("good.xml", text.bytes, text.length,
                                  &document, &error) != NB_OK)
                fail_msg("%s: %s", limits[i].what, error.message);
            xmlFreeDoc(document);
            nb_text_release(&text);
        }
    }
}

/* Depth counts only elements that are open: any number may follow each
 * other. */
static void test_many_elements(void **state)
{
    (void)state;
    static const char *const elements[] = { "<b/>", "<b></b>",
                                            "<b c='1'>x</b >", "<b><c/></b>" };
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        struct nb_text text = { 0 };
        xmlDocPtr document = NULL;
        nb_text_print(&text, "<a>");
        for (int e = 0; e < 3 * NB_XML_DEPTH; e++)
            nb_text_print(&text, "%s", elements[i]);
        nb_text_print(&text, "</a>");
        assert_int_equal(
            nb_xml_parse("good.xml", text.bytes, text.length, &document, NULL),
            NB_OK);
        assert_int_equal(xmlChildElementCount(xmlDocGetRootElement(document)),
                         3 * NB_XML_DEPTH);
        xmlFreeDoc(document);
        nb_text_release(&text);
    }
}

static void test_encodings(void **state)
{
    static const char *const refused_too[] = { "UTF-7", "Shift_JIS",
                                               "ISO-2022-JP", "nonsense" };
    static const char *const accepted[] = { "utf-8", "us-ascii", "ISO-8859-1" };
    char text[100];
    (void)state;
    for (size_t i = 0; i < sizeof refused_too / sizeof *refused_too; i++) {
        snprintf(text, sizeof text, "<?xml version='1.0' encoding='%s'?><a/>",
                 refused_too[i]);
        xml_must_refuse(refused_too[i], text, strlen(text), "ncoding");
    }
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        xmlDocPtr document = NULL;
        snprintf(text, sizeof text, "<?xml version='1.0' encoding='%s'?><a/>",
                 accepted[i]);
        assert_int_equal(
            nb_xml_parse("good.xml", text, strlen(text), &document, NULL),
            NB_OK);
        xmlFreeDoc(document);
    }
}

/* Refusals are reported through the error, not on stderr. */
static void test_is_silent(void **state)
{
    (void)state;
    char path[] = "/tmp/netbound-stderr-XXXXXX";
    const int file = mkstemp(path);
    const int kept = dup(STDERR_FILENO);
    assert_true(file >= 0 && kept >= 0);
    fflush(stderr);
    assert_true(dup2(file, STDERR_FILENO) >= 0);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        xmlDocPtr document = NULL;
        (void)nb_xml_parse("bad.xml", refused[i].text, strlen(refused[i].text),
                           &document, NULL);
    }
    fflush(stderr);
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    const off_t written = lseek(file, 0, SEEK_END);
    close(kept);
    close(file);
    unlink(path);
    assert_int_equal(written, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepts),
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_refuses_utf16),
        cmocka_unit_test(test_refuses_zero_bytes),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_many_elements),
        cmocka_unit_test(test_encodings),
        cmocka_unit_test(test_is_silent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
