/* Bandwidths by dimension, level and group, channel by channel, and their
 * effect on symmetries and closed forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "topology/symmetry.h"
#include "topology/topology.h"

#include <string.h>

static void build(const char *text, struct nb_topology *out)
{
    struct nb_error err = { 0 };
    if (nb_topology_build(text, out, &err) != NB_OK)
        fail_msg("%s: %s", text, err.message);
}

/* The bandwidth of every channel against 1, 2, 3, .. by a rule. */
static void check_classes(const char *text,
                          size_t (*class)(const struct nb_topology *topology,
                                          const struct nb_channel *channel))
{
    struct nb_topology topology;
    build(text, &topology);
    for (size_t c = 0; c < topology.channel_count; c++) {
        const struct nb_channel *channel = &topology.channels[c];
        const struct nb_ratio expected =
            nb_ratio_make((nb_int128) class(&topology, channel) + 1, 1);
        if (nb_ratio_compare(channel->bandwidth, expected) != 0)
            fail_msg("%s: channel %zu", text, c);
    }
    nb_topology_release(&topology);
}

/* For 4 in each dimension: the base-4 digits of the number. */
static size_t by_digit(const struct nb_topology *topology,
                       const struct nb_channel *channel)
{
    uint32_t a = channel->source, b = channel->target;
    size_t d = 0;
    (void)topology;
    for (; a % 4 == b % 4; a /= 4, b /= 4)
        d++;
    return d;
}

static size_t by_bit(const struct nb_topology *topology,
                     const struct nb_channel *channel)
{
    (void)topology;
    return (size_t)__builtin_ctz(channel->source ^ channel->target);
}

/* The 4-ary 3-tree has 16 switches per level; clos:4x4x4,up=4x2 16, 16, 8. */
static size_t by_level(const struct nb_topology *topology,
                       const struct nb_channel *channel)
{
    const uint32_t lower =
        channel->source < channel->target ? channel->source : channel->target;
    (void)topology;
    return lower / 16;
}

static size_t by_group(const struct nb_topology *topology,
                       const struct nb_channel *channel)
{
    return topology->groups.of[channel->source] !=
           topology->groups.of[channel->target];
}

static void channels_have_their_bandwidth(void **state)
{
    (void)state;
    check_classes("torus:4x4x4,bandwidth=1+2+3", by_digit);
    check_classes("mesh:4x4,bandwidth=1+2", by_digit);
    check_classes("hyperx:4x4,bandwidth=1+2", by_digit);
    check_classes("hypercube:4,bandwidth=1+2+3+4", by_bit);
    check_classes("fattree:k=4,n=3,bandwidth=1+2", by_level);
    check_classes("clos:4x4x4,up=4x2,bandwidth=1+2", by_level);
    check_classes("dragonfly:2,local-bandwidth=1,global-bandwidth=2", by_group);
    check_classes("dragonfly:2,bandwidth=2,local-bandwidth=1", by_group);
    check_classes("megafly:2,global-bandwidth=2", by_group);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static unsigned classes_of(const char *text)
{
    struct nb_topology topology;
    struct nb_symmetry symmetry;
    unsigned classes = 0;
    build(text, &topology);
    assert_int_equal(
        nb_symmetry_offered(&topology, NB_ANY_SYMMETRY, &symmetry, NULL),
        NB_OK);
    for (size_t g = 0; g < symmetry.generator_count; g++) {
        classes |= symmetry.known_as[g];
        for (size_t c = 0; c < topology.channel_count; c++) {
            const uint32_t image =
                symmetry.channel[g * topology.channel_count + c];
            assert_int_equal(
                nb_ratio_compare(topology.channels[c].bandwidth,
                                 topology.channels[image].bandwidth),
                0);
        }
    }
    nb_symmetry_release(&symmetry);
    nb_topology_release(&topology);
    return classes;
}

static void dimensions_are_not_exchanged(void **state)
{
    (void)state;
    assert_true((classes_of("torus:4x4,bandwidth=2+2") & NB_AXIS_SWAP) != 0);
    assert_true((classes_of("torus:4x4,bandwidth=2+1") & NB_AXIS_SWAP) == 0);
    assert_true((classes_of("torus:4x4x4,bandwidth=2+1+2") & NB_AXIS_SWAP) !=
                0);
    assert_true((classes_of("torus:4x4,bandwidth=2+1") & NB_TRANSLATION) != 0);
}

static void other_numbers_are_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "torus:4x4,bandwidth=1+2+3", "1, or 2, one for each dimension" },
        { "fattree:k=2,n=3,bandwidth=1+2+3", "1, or 2, one for each level" },
        { "complete:4,bandwidth=1+2", "permitted: 1)" },
        { "dragonfly:2,bandwidth=1+2", "permitted: 1)" },
        { "torus:4x4,bandwidth=1+", "joined by" },
        { "torus:4x4,bandwidth=1+0", "joined by" },
        { "torus:4x4,bandwidth=+", "joined by" },
        { "dragonfly:2,local-bandwidth=-1", "local-bandwidth" },
        { "torus:4x4,local-bandwidth=1", "local-bandwidth" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nb_topology topology;
        struct nb_error err = { 0 };
        assert_int_equal(nb_topology_build(cases[i][0], &topology, &err),
                         NB_INVALID);
        if (strstr(err.message, cases[i][1]) == NULL)
            fail_msg("%s: %s", cases[i][0], err.message);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(channels_have_their_bandwidth),
        cmocka_unit_test(dimensions_are_not_exchanged),
        cmocka_unit_test(other_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
