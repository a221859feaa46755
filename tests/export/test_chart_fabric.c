/* Fabrics drawn: switches by level without hosts, and the marks on them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/drawn.h"
#include "core/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SWITCHES = 400, HOSTS = 2 }; /* hosts per leaf */

/* A tree of three levels: pods of leaves and spines, spine s of each pod with
 * all tops of plane s. Without pods: two levels. */
struct tree {
    uint32_t pods, leaves, spines, tops;
    uint32_t switches, top_level;
    uint32_t level[MOST_SWITCHES];
    int64_t odd;          /* the switch that is odd; -1: none */
    int64_t most, loop;   /* channels of the greatest load, in the loop */
    uint32_t most_end[2]; /* switches of the first one */
    int64_t channels;
};

/* Switches by pod: first the leaves, then the spines; then the tops. */
static uint32_t leaf_of(const struct tree *tree, uint32_t pod, uint32_t leaf)
{
    return pod * (tree->leaves + tree->spines) + leaf;
}

static uint32_t spine_of(const struct tree *tree, uint32_t pod, uint32_t spine)
{
    return leaf_of(tree, pod, tree->leaves + spine);
}

static void add_switch(const struct tree *tree, struct nb_point *point,
                       size_t table, uint32_t router, uint32_t level,
                       double pod, double plane)
{
    char name[32];
    snprintf(name, sizeof name, "sw-%u.x", router);
    nb_table_add_whole(point, table, router);
    nb_table_add_text(point, table, name);
    nb_table_add_number(point, table, level);
    nb_table_add_number(point, table, pod);
    nb_table_add_number(point, table, plane);
    nb_table_add_whole(point, table, level == 0 ? HOSTS : 0);
    nb_table_add_text(point, table, router == tree->odd ? "cables up: 1" : "");
}

static void add_switches(struct tree *tree, struct nb_point *point)
{
    const size_t table = nb_point_add_table(
        point, "switches", false,
        "router,name:text,level:number,pod:number,plane:number,hosts,odd:text");
    const double none = strtod("nan", NULL);
    uint32_t router = 0;
    for (uint32_t p = 0; p < tree->pods; p++)
        for (uint32_t i = 0; i < tree->leaves + tree->spines; i++) {
            const bool is_leaf = i < tree->leaves;
            tree->level[router] = !is_leaf;
            add_switch(tree, point, table, router++, !is_leaf, p,
                       is_leaf ? none : (double)(i - tree->leaves));
        }
    for (uint32_t t = 0; t < tree->tops * tree->spines; t++) {
        tree->level[router] = 2;
        add_switch(tree, point, table, router++, 2, none, t / tree->tops);
    }
    tree->switches = router;
    tree->top_level = tree->tops > 0 ? 2 : 1;
}

/* Both directions of a cable; loads are 1 to 8, and 9 in one place. */
static void add_cable(struct tree *tree, struct nb_point *point, size_t table,
                      uint32_t from, uint32_t to, bool is_host,
                      struct nb_random *random)
{
    for (int back = 0; back < 2; back++) {
        const bool is_most = !is_host && tree->channels == tree->most;
        const bool is_in_loop = !is_host && tree->channels < tree->loop;
        nb_table_add_whole(point, table, tree->channels);
        nb_table_add_whole(point, table, back ? to : from);
        nb_table_add_whole(point, table, back ? from : to);
        nb_table_add_ratio(point, table, nb_ratio_one);
        nb_table_add_number(point, table,
                            is_host   ? 100
                            : is_most ? 9
                                      : 1 + (double)nb_random_below(random, 8));
        nb_table_add_whole(point, table, is_in_loop);
        if (is_most) {
            tree->most_end[0] = from;
            tree->most_end[1] = to;
        }
        tree->channels++;
    }
}

static void add_cables(struct tree *tree, struct nb_point *point,
                       struct nb_random *random)
{
    uint32_t host = tree->switches;
    const size_t table = nb_point_add_table(
        point, "channels", false,
        "channel,source,target,bandwidth:ratio [packets/cycle],load:number "
        "[pairs],credit_loop");
    for (uint32_t p = 0; p < tree->pods; p++)
        for (uint32_t s = 0; s < tree->spines; s++) {
            for (uint32_t l = 0; l < tree->leaves; l++)
                add_cable(tree, point, table, leaf_of(tree, p, l),
                          spine_of(tree, p, s), false, random);
            for (uint32_t t = 0; t < tree->tops; t++)
                add_cable(tree, point, table, spine_of(tree, p, s),
                          tree->pods * (tree->leaves + tree->spines) +
                              s * tree->tops + t,
                          false, random);
        }
    for (uint32_t p = 0; p < tree->pods; p++)
        for (uint32_t l = 0; l < tree->leaves; l++)
            for (int h = 0; h < HOSTS; h++)
                add_cable(tree, point, table, leaf_of(tree, p, l), host++, true,
                          random);
}

static void make_report(struct tree *tree, struct nb_random *random,
                        struct nb_report *out)
{
    struct nb_point *point = nb_drawn_report(out, "file:none");
    add_switches(tree, point);
    add_cables(tree, point, random);
    assert_false(point->has_failed);
}

/* The switch that a box's words begin with; -1: another box. */
static int64_t box_switch(xmlNodePtr box)
{
    unsigned router, level;
    return sscanf(nb_drawn_text(box, "title"), "sw-%u.x, level %u", &router,
                  &level) == 2
               ? (int64_t)router
               : -1;
}

/* Every switch has one box, hosts have none; boxes of a level are at one
 * height, higher levels above. */
static void check_boxes(const struct tree *tree, xmlNodePtr chart)
{
    size_t drawn[MOST_SWITCHES] = { 0 };
    double height[3] = { -1, -1, -1 };
    assert_int_equal(nb_drawn_count(chart, "box"), tree->switches);
    assert_int_equal(nb_drawn_count(chart, "router"), 0);
    for (uint32_t i = 0; i < tree->switches; i++) {
        xmlNodePtr box = nb_drawn_child(chart, "box", i);
        const int64_t router = box_switch(box);
        const double y = nb_drawn_number(box, "y");
        assert_in_range(router, 0, tree->switches - 1);
        drawn[router]++;
        double *level = &height[tree->level[router]];
        assert_true(*level < 0 || !(*level < y || *level > y));
        *level = y;
        assert_true(nb_drawn_number(box, "x") >= 0);
        assert_true(nb_drawn_number(box, "x") + nb_drawn_number(box, "width") <=
                    nb_drawn_number(chart, "width"));
    }
    for (uint32_t i = 0; i < tree->switches; i++)
        assert_int_equal(drawn[i], 1);
    for (uint32_t l = 1; l <= tree->top_level; l++)
        assert_true(height[l] < height[l - 1]);
}

static size_t count_with(xmlNodePtr chart, const char *element,
                         const char *name, const char *value)
{
    size_t count = 0;
    for (xmlNodePtr node = chart->children; node != NULL; node = node->next)
        if (strcmp((const char *)node->name, element) == 0 &&
            xmlHasProp(node, BAD_CAST name) != NULL)
            count += strcmp(nb_drawn_text(node, name), value) == 0;
    return count;
}

/* The cable with the greatest load is marked once and named. Marks also stand
 * before the captions. */
static void check_marks(const struct tree *tree, xmlNodePtr chart)
{
    char title[128];
    assert_int_equal(count_with(chart, "link", "marked", "full"), 1);
    assert_int_equal(count_with(chart, "mark", "kind", "full"), 2);
    for (xmlNodePtr node = chart->children; node != NULL; node = node->next)
        if (xmlHasProp(node, BAD_CAST "marked") != NULL &&
            strcmp(nb_drawn_text(node, "marked"), "full") == 0) {
            snprintf(title, sizeof title,
                     "sw-%u.x to sw-%u.x: 1 cable, at most load 9 pairs",
                     tree->most_end[0], tree->most_end[1]);
            assert_string_equal(nb_drawn_text(node, "title"), title);
            assert_string_equal(nb_drawn_text(node, "level"), "8");
        }
    snprintf(title, sizeof title,
             "Fullest cable: sw-%u.x to sw-%u.x: load 9 pairs.",
             tree->most_end[0], tree->most_end[1]);
    assert_non_null(strstr(nb_drawn_text(chart, "description"), title));
    assert_int_equal(count_with(chart, "link", "marked", "loop"), tree->loop);
    assert_int_equal(count_with(chart, "mark", "kind", "odd"),
                     tree->odd >= 0 ? 2 : 0);
}

static void trees_are_drawn_by_level(void **state)
{
    struct nb_random random;
    const uint64_t seed = 11;
    (void)state;
    nb_random_init(&random, seed, 0);
    for (int trial = 0; trial < 100; trial++) {
        const bool is_deep = nb_random_below(&random, 2) == 1;
        struct tree tree = {
            .pods = is_deep ? 2 + (uint32_t)nb_random_below(&random, 3) : 1,
            .leaves = 2 + (uint32_t)nb_random_below(&random, 7),
            .spines = 1 + (uint32_t)nb_random_below(&random, 4),
            .tops = is_deep ? 1 + (uint32_t)nb_random_below(&random, 3) : 0,
        };
        struct nb_report report = { 0 };
        tree.odd = (int64_t)nb_random_below(&random, 5) - 1;
        if (tree.odd >= tree.leaves)
            tree.odd = 0;
        tree.most = (int64_t)nb_random_below(
            &random, 2 * tree.pods * tree.leaves * tree.spines);
        tree.loop = (int64_t)nb_random_below(&random, 5);
        printf("seed %d, trial %d: %u pods, %u leaves, %u spines, %u tops\n",
               (int)seed, trial, tree.pods, tree.leaves, tree.spines,
               tree.tops);
        make_report(&tree, &random, &report);
        xmlNodePtr charts = nb_drawn_charts(&report);
        assert_int_equal(nb_drawn_count(charts, "chart"), 1);
        xmlNodePtr chart = nb_drawn_child(charts, "chart", 0);
        check_boxes(&tree, chart);
        check_marks(&tree, chart);
        /* one link per cable, both directions together, and those marked */
        assert_int_equal(nb_drawn_count(chart, "link"),
                         tree.pods * tree.spines * (tree.leaves + tree.tops) +
                             1 + (size_t)tree.loop);
        xmlFreeDoc(charts->doc);
        nb_report_release(&report);
    }
}

/* 4 pods of 12 leaves and 3 spines, 3 planes of 2 tops: too many leaves for
 * boxes of their own. */
static const struct tree large = {
    .pods = 4, .leaves = 12, .spines = 3, .tops = 2, .odd = 16, .loop = 2
};

static void many_switches_are_drawn_by_pod(void **state)
{
    struct tree tree = large;
    struct nb_random random;
    struct nb_report report = { 0 };
    (void)state;
    nb_random_init(&random, 3, 0);
    make_report(&tree, &random, &report);
    xmlNodePtr charts = nb_drawn_charts(&report);
    xmlNodePtr chart = nb_drawn_child(charts, "chart", 0);
    assert_int_equal(nb_drawn_count(chart, "box"), 4 + 3);
    assert_int_equal(nb_drawn_count(chart, "link"), 4 * 3);
    assert_string_equal(
        nb_drawn_text(nb_drawn_child(chart, "box", 0), "title"),
        "pod 0, 15 switches, 24 hosts; on its own 72 channels: at most 9 "
        "pairs");
    assert_string_equal(
        nb_drawn_text(nb_drawn_child(chart, "box", 1), "title") +
            strlen("pod 1, 15 switches, 24 hosts; on its own 72 channels: at "
                   "most 8 pairs"),
        "; sw-16.x; cables up: 1");
    assert_string_equal(nb_drawn_text(nb_drawn_child(chart, "box", 4), "title"),
                        "plane 0, 2 switches");
    assert_non_null(strstr(nb_drawn_text(chart, "description"),
                           "Fullest cable: pod 0 to pod 0, within pod 0"));
    xmlFreeDoc(charts->doc);
    nb_report_release(&report);
}

/* The same without levels: a drawing of the switches as before. */
static void hosts_of_other_networks_are_not_drawn(void **state)
{
    struct tree tree = { .pods = 1, .leaves = 4, .spines = 2, .odd = -1 };
    struct nb_random random;
    struct nb_report report = { 0 };
    (void)state;
    nb_random_init(&random, 3, 0);
    make_report(&tree, &random, &report);
    struct nb_table *switches = &report.points[0].tables[0];
    for (size_t i = 0; i < switches->row_count; i++)
        switches->cells[i * switches->column_count + 2].number =
            strtod("nan", NULL);
    xmlNodePtr charts = nb_drawn_charts(&report);
    xmlNodePtr chart = nb_drawn_child(charts, "chart", 0);
    assert_int_equal(nb_drawn_count(chart, "box"), 0);
    assert_int_equal(nb_drawn_count(chart, "router"), 6);
    assert_int_equal(nb_drawn_count(chart, "wire"), 16);
    xmlFreeDoc(charts->doc);
    nb_report_release(&report);
}

static void failing_allocations_leak_nothing(void **state)
{
    const struct tree small = {
        .pods = 1, .leaves = 3, .spines = 2, .odd = 1, .loop = 2
    };
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct tree tree = i == 0 ? large : small;
        struct nb_random random;
        struct nb_report report = { 0 };
        nb_random_init(&random, 3, 0);
        make_report(&tree, &random, &report);
        if (i == 2) /* no levels */
            report.points[0].tables[0].cells[2].number = -1;
        nb_drawn_fail_memory(&report);
        nb_report_release(&report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_are_drawn_by_level),
        cmocka_unit_test(many_switches_are_drawn_by_pod),
        cmocka_unit_test(hosts_of_other_networks_are_not_drawn),
        cmocka_unit_test(failing_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
