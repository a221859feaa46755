#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "topology_checks.h"

#include "scratch.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void topology_must_build(const char *specification,
                         struct nb_topology *topology)
{
    struct nb_error error = { 0 };
    const enum nb_status status =
        nb_topology_build(specification, topology, &error);
    TOPOLOGY_CHECK(status == NB_OK, "%s: %s", specification, error.message);
}

void topology_must_refuse(const char *specification, enum nb_status status,
                          const char *const *texts)
{
    struct nb_topology topology = { 0 };
    struct nb_error error = { 0 };
    const long blocks = nb_memory_live_blocks();
    const enum nb_status found =
        nb_topology_build(specification, &topology, &error);
    TOPOLOGY_CHECK(found == status, "%s: status %d, %s", specification,
                   (int)found, error.message);
    for (; *texts != NULL; texts++)
        TOPOLOGY_CHECK(strstr(error.message, *texts) != NULL,
                       "%s: \"%s\" does not say \"%s\"", specification,
                       error.message, *texts);
    TOPOLOGY_CHECK(strchr(error.message, '\n') == NULL, "%s: two lines",
                   specification);
    TOPOLOGY_CHECK(nb_memory_live_blocks() == blocks, "%s leaks",
                   specification);
    nb_topology_release(&topology);
}

uint32_t topology_find_channel(const struct nb_topology *topology,
                               uint32_t source, uint32_t target)
{
    for (uint32_t c = 0; c < topology->channel_count; c++)
        if (topology->channels[c].source == source &&
            topology->channels[c].target == target)
            return c;
    fail_msg("no channel from %u to %u", source, target);
    return NB_NONE;
}

bool topology_next_word(const char **text, char word[TOPOLOGY_WORD])
{
    *text += strspn(*text, " ");
    const size_t length = strcspn(*text, " ");
    assert_true(length < TOPOLOGY_WORD);
    memcpy(word, *text, length);
    word[length] = '\0';
    *text += length;
    return length > 0;
}

void topology_each_example(void (*check)(const struct nb_topology *topology,
                                         const char *name))
{
    for (size_t i = 0; nb_topology_kinds[i] != NULL; i++) {
        const char *examples = nb_topology_kinds[i]->examples;
        char name[TOPOLOGY_WORD];
        while (topology_next_word(&examples, name)) {
            struct nb_topology topology = { 0 };
            topology_must_build(name, &topology);
            assert_ptr_equal(topology.kind, nb_topology_kinds[i]);
            check(&topology, name);
            nb_topology_release(&topology);
            nb_topology_release(&topology);
        }
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Writes a file and the specification that reads it. */
static void checks_write(const char *text, const char *ending,
                         const char *parameters, char path[NB_SCRATCH_FILE],
                         char specification[TOPOLOGY_WORD])
{
    nb_scratch_file(path, ending, text);
    snprintf(specification, TOPOLOGY_WORD, "file:%s%s", path, parameters);
}

void topology_must_build_file(const char *text, const char *ending,
                              const char *parameters,
                              struct nb_topology *topology)
{
    char path[NB_SCRATCH_FILE], specification[TOPOLOGY_WORD];
    checks_write(text, ending, parameters, path, specification);
    topology_must_build(specification, topology);
    unlink(path);
}

void topology_must_note(const struct nb_topology *topology, const char *name,
                        const char *text)
{
    const size_t length = strlen(name);
    const char *line = topology->notes;
    while (line != NULL && *line != '\0' &&
           (strncmp(line, name, length) != 0 || line[length] != '\t')) {
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    const bool is_there = line != NULL && *line != '\0';
    const char *found = is_there && text != NULL ? strstr(line, text) : NULL;
    TOPOLOGY_CHECK(is_there == (text != NULL) &&
                       (text == NULL ||
                        (found != NULL && found < line + strcspn(line, "\n"))),
                   "note %s with \"%s\"; notes: %s", name,
                   text != NULL ? text : "(none)",
                   topology->notes != NULL ? topology->notes : "(none)");
}

void topology_must_refuse_file(const char *text, const char *ending,
                               const char *parameters, enum nb_status status,
                               const char *const *texts)
{
    char path[NB_SCRATCH_FILE], specification[TOPOLOGY_WORD];
    checks_write(text, ending, parameters, path, specification);
    topology_must_refuse(specification, status, texts);
    unlink(path);
}

void topology_must_refuse_files(const struct topology_refusal *refusals,
                                size_t count)
{
    for (size_t i = 0; i < count; i++)
        topology_must_refuse_file(refusals[i].text, refusals[i].ending,
                                  refusals[i].parameters, refusals[i].status,
                                  refusals[i].texts);
}

void topology_must_be_networks(const struct topology_network *networks,
                               size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct nb_topology topology = { 0 };
        struct nb_text found = { 0 };
        topology_must_build_file(networks[i].text, networks[i].ending, "",
                                 &topology);
        for (uint32_t r = 0; r < topology.router_count; r++) {
            nb_router_print(&topology, r, &found);
            nb_text_print(&found, "%u:", topology.terminals[r]);
            for (uint32_t c = topology.out_start[r];
                 c < topology.out_start[r + 1]; c++) {
                nb_text_print(&found, " ");
                nb_router_print(&topology, topology.channels[c].target, &found);
            }
            nb_text_print(&found, ". ");
        }
        TOPOLOGY_CHECK(strcmp(found.bytes, networks[i].network) == 0,
                       "%s: %s, not %s", networks[i].text, found.bytes,
                       networks[i].network);
        nb_text_release(&found);
        nb_topology_release(&topology);
    }
}

/* Changes or removes one to three bytes. */
static void checks_damage(char *text, const char *spare,
                          struct nb_random *random)
{
    for (uint64_t i = nb_random_below(random, 3) + 1; i > 0; i--) {
        const size_t at = (size_t)nb_random_below(random, strlen(text));
        if (nb_random_below(random, 3) == 0)
            memmove(text + at, text + at + 1, strlen(text + at));
        else
            text[at] = spare[nb_random_below(random, strlen(spare))];
    }
}

void topology_must_survive_text(const char *text, const char *ending,
                                const char *parameters, const char *spare)
{
    const long blocks = nb_memory_live_blocks();
    for (uint64_t seed = 0; seed < 200; seed++) {
        char path[NB_SCRATCH_FILE], specification[TOPOLOGY_WORD];
        char *damaged = nb_new_string(text);
        struct nb_random random;
        struct nb_topology topology = { 0 };
        struct nb_error error = { 0 };
        nb_random_init(&random, seed, 0);
        checks_damage(damaged, spare, &random);
        checks_write(damaged, ending, parameters, path, specification);
        if (nb_topology_build(specification, &topology, &error) != NB_OK)
            TOPOLOGY_CHECK(strstr(error.message, path) != NULL &&
                               strchr(error.message, '\n') == NULL,
                           "seed %" PRIu64 ": %s", seed, error.message);
        nb_topology_release(&topology);
        nb_delete(damaged);
        unlink(path);
        TOPOLOGY_CHECK(nb_memory_live_blocks() == blocks, "seed %" PRIu64,
                       seed);
    }
}

void topology_must_survive_damage(const char *path, const char *ending,
                                  const char *parameters, const char *spare)
{
    struct nb_text whole = { 0 };
    assert_int_equal(nb_text_read_file(path, 1 << 20, &whole, NULL), NB_OK);
    topology_must_survive_text(whole.bytes, ending, parameters, spare);
    nb_text_release(&whole);
}

static int checks_compare(const void *left, const void *right)
{
    const struct nb_channel *a = left, *b = right;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    if (a->target != b->target)
        return a->target < b->target ? -1 : 1;
    return nb_ratio_compare(a->bandwidth, b->bandwidth);
}

/* The channels, renamed by router_map, in one order. */
static struct nb_channel *checks_sort(const struct nb_topology *topology,
                                      const uint32_t *router_map)
{
    struct nb_channel *sorted =
        nb_new_array(topology->channel_count, sizeof *sorted);
    assert_non_null(sorted);
    for (size_t c = 0; c < topology->channel_count; c++) {
        sorted[c] = topology->channels[c];
        if (router_map != NULL) {
            sorted[c].source = router_map[sorted[c].source];
            sorted[c].target = router_map[sorted[c].target];
        }
    }
    qsort(sorted, topology->channel_count, sizeof *sorted, checks_compare);
    return sorted;
}

bool topology_same_channels(const struct nb_topology *a,
                            const struct nb_topology *b,
                            const uint32_t *router_map)
{
    if (a->router_count != b->router_count ||
        a->channel_count != b->channel_count)
        return false;
    struct nb_channel *left = checks_sort(a, router_map);
    struct nb_channel *right = checks_sort(b, NULL);
    bool is_same = true;
    for (size_t c = 0; c < a->channel_count; c++)
        is_same = is_same && checks_compare(&left[c], &right[c]) == 0;
    nb_delete(left);
    nb_delete(right);
    return is_same;
}

struct checks_search {
    const struct nb_topology *topology;
    size_t half;
    size_t count[2];
    uint8_t *side;
    int64_t best;
};

/* Channels between router and those before it on the other side. */
static int64_t checks_crossing(const struct checks_search *search,
                               uint32_t router, uint8_t side)
{
    const struct nb_topology *topology = search->topology;
    int64_t crossing = 0;
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++) {
        const uint32_t other = topology->channels[c].target;
        crossing += other < router && search->side[other] != side;
    }
    for (uint32_t i = topology->in_start[router];
         i < topology->in_start[router + 1]; i++) {
        const uint32_t other =
            topology->channels[topology->in_channel[i]].source;
        crossing += other < router && search->side[other] != side;
    }
    return crossing;
}

static void checks_grow(struct checks_search *search, uint32_t router,
                        int64_t cut)
{
    if (cut >= search->best)
        return;
    if (router == search->topology->router_count) {
        search->best = cut;
        return;
    }
    for (uint8_t side = 0; side < (router == 0 ? 1 : 2); side++) {
        if (search->count[side] == search->half)
            continue;
        search->side[router] = side;
        search->count[side]++;
        checks_grow(search, router + 1,
                    cut + checks_crossing(search, router, side));
        search->count[side]--;
    }
}

int64_t topology_least_cut(const struct nb_topology *topology)
{
    struct checks_search search = {
        .topology = topology,
        .half = (topology->router_count + 1) / 2,
        .side = nb_new_array(topology->router_count, 1),
        .best = INT64_MAX,
    };
    assert_non_null(search.side);
    checks_grow(&search, 0, 0);
    nb_delete(search.side);
    return search.best;
}

size_t topology_most_ports(const struct nb_topology *topology)
{
    size_t most = 0;
    for (size_t r = 0; r < topology->router_count; r++) {
        const size_t ports = topology->terminals[r] +
                             topology->out_start[r + 1] -
                             topology->out_start[r];
        most = ports > most ? ports : most;
    }
    return most;
}

void topology_must_follow_seed(const char *specification)
{
    static const unsigned seeds[3] = { 5, 5, 6 };
    struct nb_topology topology[3] = { 0 };
    for (size_t i = 0; i < 3; i++) {
        char name[TOPOLOGY_WORD];
        snprintf(name, sizeof name, "%s,arrangement=random,seed=%u",
                 specification, seeds[i]);
        topology_must_build(name, &topology[i]);
    }
    assert_true(topology_same_channels(&topology[0], &topology[1], NULL));
    assert_false(topology_same_channels(&topology[0], &topology[2], NULL));
    for (size_t i = 0; i < 3; i++)
        nb_topology_release(&topology[i]);
}

void topology_must_be_same(const char *one, const char *other)
{
    struct nb_topology a = { 0 }, b = { 0 };
    topology_must_build(one, &a);
    topology_must_build(other, &b);
    TOPOLOGY_CHECK(topology_same_channels(&a, &b, NULL), "%s, %s", one, other);
    nb_topology_release(&a);
    nb_topology_release(&b);
}
