#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "drawn.h"

#include "core/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct nb_point *nb_drawn_report(struct nb_report *report, const char *topology)
{
    report->model.command = nb_new_string("load");
    report->program = nb_new_string("netbound test");
    assert_int_equal(nb_model_set(&report->model, "topology", topology, NULL),
                     NB_OK);
    struct nb_point *point = nb_report_add_point(report);
    assert_non_null(point);
    return point;
}

void nb_drawn_add_loads(const struct nb_topology *topology,
                        struct nb_point *point, int64_t (*load)(size_t channel))
{
    const size_t table =
        nb_point_add_table(point, "channels", false,
                           "channel,source,target,load:ratio [packets/cycle]");
    for (size_t c = 0; c < topology->channel_count; c++) {
        nb_table_add_whole(point, table, (int64_t)c);
        nb_table_add_whole(point, table, topology->channels[c].source);
        nb_table_add_whole(point, table, topology->channels[c].target);
        nb_table_add_ratio(point, table, nb_ratio_make(load(c), 1));
    }
    assert_false(point->has_failed);
}

void nb_drawn_add_rows(struct nb_point *point, const char *name,
                       const char *columns, size_t count, size_t width,
                       const int64_t *rows)
{
    const size_t table = nb_point_add_table(point, name, false, columns);
    for (size_t i = 0; i < count * width; i++)
        nb_table_add_whole(point, table, rows[i]);
    assert_false(point->has_failed);
}

xmlNodePtr nb_drawn_charts(const struct nb_report *report)
{
    struct nb_error error = { 0 };
    int number = 3; /* of charts made by others */
    xmlDocPtr document = xmlNewDoc(BAD_CAST "1.0");
    xmlNodePtr root = xmlNewDocNode(document, NULL, BAD_CAST "report", NULL);
    xmlDocSetRootElement(document, root);
    const enum nb_status status =
        nb_charts_add_drawings(report, "r1", &number, root, &error);
    if (status != NB_OK)
        fail_msg("%s", error.message);
    assert_int_equal(number - 3, nb_drawn_count(root, "chart"));
    for (int i = 4; i <= number; i++) {
        char id[32];
        snprintf(id, sizeof id, "r1-chart-%d", i);
        assert_string_equal(
            nb_drawn_text(nb_drawn_child(root, "chart", (size_t)i - 4), "id"),
            id);
    }
    return root;
}

xmlNodePtr nb_drawn_child(xmlNodePtr parent, const char *name, size_t index)
{
    for (xmlNodePtr node = parent->children; node != NULL; node = node->next)
        if (strcmp((const char *)node->name, name) == 0 && index-- == 0)
            return node;
    fail_msg("there are too few <%s>", name);
    return NULL;
}

size_t nb_drawn_count(xmlNodePtr parent, const char *name)
{
    size_t count = 0;
    for (xmlNodePtr node = parent->children; node != NULL; node = node->next)
        count += strcmp((const char *)node->name, name) == 0;
    return count;
}

const char *nb_drawn_text(xmlNodePtr node, const char *name)
{
    enum { TEXTS = 16 };
    static char texts[TEXTS][1024];
    static size_t next;
    char *text = texts[next++ % TEXTS];
    xmlChar *value = xmlGetProp(node, BAD_CAST name);
    if (value == NULL) {
        fail_msg("<%s> has no %s", (const char *)node->name, name);
        return "";
    }
    snprintf(text, sizeof texts[0], "%s", (const char *)value);
    xmlFree(value);
    return text;
}

double nb_drawn_number(xmlNodePtr node, const char *name)
{
    const char *text = nb_drawn_text(node, name);
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0')
        fail_msg("%s=\"%s\" is not a number", name, text);
    return value;
}

void nb_drawn_fail_memory(const struct nb_report *report)
{
    const long blocks = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        int number = 0;
        struct nb_error error = { 0 };
        xmlDocPtr document = xmlNewDoc(BAD_CAST "1.0");
        xmlNodePtr root =
            xmlNewDocNode(document, NULL, BAD_CAST "report", NULL);
        xmlDocSetRootElement(document, root);
        nb_memory_allow(allowed);
        status = nb_charts_add_drawings(report, "r1", &number, root, &error);
        /* The view remembers a failure of its elements. */
        if (status == NB_OK && nb_view_has_failed(document))
            status = NB_NO_MEMORY;
        nb_memory_allow(-1);
        xmlFreeDoc(document);
        assert_int_equal(nb_memory_live_blocks(), blocks);
    }
    assert_int_equal(status, NB_OK);
}
