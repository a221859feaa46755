#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "vc_dependencies.h"

#include "topology_checks.h"

#include "core/memory.h"
#include "routing/walker.h"

/* What holds one channel's classes waits for a hop's escape. */
static void vc_depend(struct vc_dependencies *found, uint32_t channel,
                      uint64_t held, const struct nb_hop *next, uint64_t escape)
{
    const size_t count = found->classes.count;
    for (size_t from = 0; from < count; from++)
        for (size_t to = 0; to < count; to++)
            if ((held >> from & 1) != 0 && (escape >> to & 1) != 0)
                dependencies_add(&found->graph, channel * count + from,
                                 next->channel * count + to);
}

/* What is held behind a channel waits for every hop of a node and, with
 * escapes, for all later ones. */
static void vc_wait(struct vc_dependencies *found,
                    const struct nb_walker *walker, uint32_t channel,
                    uint64_t held, uint32_t node, bool *is_seen)
{
    if (is_seen[node])
        return;
    is_seen[node] = true;
    for (size_t h = walker->node[node].first; h < walker->node[node + 1].first;
         h++) {
        vc_depend(
            found, channel, held, &walker->hop[h],
            nb_vc_classes_escape(&found->classes, walker->hop_classes[h]));
        if (found->classes.rule->escape != NULL)
            vc_wait(found, walker, channel, held, walker->hop[h].node, is_seen);
    }
}

static void vc_check_node(struct vc_dependencies *found,
                          const struct nb_walker *walker, uint32_t node,
                          bool *is_seen)
{
    const struct nb_vc_classes *classes = &found->classes;
    const uint64_t all = UINT64_MAX >> (NB_MOST_VC_CLASSES - classes->count);
    const size_t first = walker->node[node].first;
    const size_t end = walker->node[node + 1].first;
    bool has_escape = first == end;
    for (size_t h = first; h < end; h++) {
        const uint64_t set = walker->hop_classes[h];
        TOPOLOGY_CHECK(set != 0 && (set & ~all) == 0, "%s: classes %llx of %u",
                       found->name, (unsigned long long)set, classes->count);
        const uint64_t escape = nb_vc_classes_escape(classes, set);
        has_escape = has_escape || escape != 0;
        found->used |= set;
        for (size_t i = 0; i < walker->node_count; i++)
            is_seen[i] = false;
        vc_wait(found, walker, walker->hop[h].channel,
                classes->rule->escape != NULL ? escape : set,
                walker->hop[h].node, is_seen);
    }
    TOPOLOGY_CHECK(has_escape, "%s: no escape from %u to %u", found->name,
                   walker->node[node].router, walker->destination);
}

void vc_dependencies_open(struct vc_dependencies *found,
                          const struct nb_routing *routing, const char *name)
{
    const struct nb_topology *topology = routing->topology;
    const uint32_t n = (uint32_t)topology->router_count;
    struct nb_error error = { 0 };
    struct nb_walker walker;
    uint32_t *source = nb_new_array(n, sizeof *source);
    size_t count = 0;
    *found = (struct vc_dependencies){ .name = name };
    assert_non_null(source);
    TOPOLOGY_CHECK(nb_vc_classes_build(routing, &found->classes, &error) ==
                       NB_OK,
                   "%s: %s", name, error.message);
    TOPOLOGY_CHECK(found->classes.count >= 1 &&
                       found->classes.count <= NB_MOST_VC_CLASSES,
                   "%s: %u", name, found->classes.count);
    dependencies_open(&found->graph,
                      topology->channel_count * found->classes.count);
    assert_int_equal(nb_walker_init(routing, &found->classes, &walker, NULL),
                     NB_OK);
    for (uint32_t r = 0; r < n; r++)
        if (topology->terminals[r] > 0)
            source[count++] = r;
    for (size_t d = 0; d < count; d++) {
        TOPOLOGY_CHECK(nb_walker_go(&walker, source[d], source, count, 0, 0,
                                    &error) == NB_OK,
                       "%s: %s", name, error.message);
        bool *is_seen = nb_new_array(walker.node_count, sizeof *is_seen);
        assert_non_null(is_seen);
        for (uint32_t node = 0; node < walker.node_count; node++)
            vc_check_node(found, &walker, node, is_seen);
        nb_delete(is_seen);
    }
    nb_walker_release(&walker);
    nb_delete(source);
}

void vc_dependencies_close(struct vc_dependencies *found)
{
    dependencies_close(&found->graph);
    nb_vc_classes_release(&found->classes);
}
