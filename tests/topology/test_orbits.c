/* Orbits: compared with sets joined one by one; how members are reached. */
#include "topology/orbits.h"

#include "support/topology_checks.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/sets.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { MOST_MEMBERS = 60, MOST_GENERATORS = 3 };

struct generators {
    size_t size, count;
    uint32_t map[MOST_GENERATORS][MOST_MEMBERS];
};

static uint32_t image(const void *context, size_t generator, uint32_t member)
{
    const struct generators *generators = context;
    return generators->map[generator][member];
}

/* Generators that move few members, to leave several orbits. */
static void draw(struct nb_random *random, struct generators *out)
{
    out->size = 1 + nb_random_below(random, MOST_MEMBERS);
    out->count = nb_random_below(random, MOST_GENERATORS + 1);
    for (size_t g = 0; g < out->count; g++) {
        uint32_t *map = out->map[g];
        for (uint32_t i = 0; i < out->size; i++)
            map[i] = i;
        for (uint32_t swap = 0; swap < out->size / 4; swap++) {
            const uint64_t a = nb_random_below(random, out->size);
            const uint64_t b = nb_random_below(random, out->size);
            const uint32_t there = map[a];
            map[a] = map[b];
            map[b] = there;
        }
    }
}

static void must_be_sets(const struct generators *generators,
                         const struct nb_orbits *orbits, uint64_t seed)
{
    uint32_t set[MOST_MEMBERS], length[MOST_MEMBERS] = { 0 }, least = 0;
    nb_sets_init(set, generators->size);
    for (size_t g = 0; g < generators->count; g++)
        for (uint32_t i = 0; i < generators->size; i++)
            nb_sets_join(set, i, generators->map[g][i]);
    for (uint32_t i = 0; i < generators->size; i++) {
        const uint32_t name = nb_sets_find(set, i);
        TOPOLOGY_CHECK(nb_orbits_least(orbits, i) == name,
                       "seed %llu: member %u", (unsigned long long)seed, i);
        TOPOLOGY_CHECK(name != i || orbits->of[i] == least++,
                       "seed %llu: orbit of %u is not numbered by it",
                       (unsigned long long)seed, i);
        length[orbits->of[i]]++;
    }
    assert_int_equal(orbits->count, least);
    for (size_t k = 0; k < orbits->count; k++)
        assert_int_equal(orbits->length[k], length[k]);
}

/* Orbit by orbit; every member comes after the one from which it was
 * reached. */
static void must_be_reached(const struct generators *generators,
                            const struct nb_orbits *orbits)
{
    bool is_met[MOST_MEMBERS] = { false };
    size_t place = 0;
    for (size_t k = 0; k < orbits->count; k++) {
        assert_int_equal(orbits->order[place], orbits->first[k]);
        for (uint32_t i = 0; i < orbits->length[k]; i++, place++) {
            const uint32_t member = orbits->order[place];
            const uint32_t parent = orbits->parent[member];
            assert_int_equal(orbits->of[member], k);
            assert_true(!is_met[member]);
            is_met[member] = true;
            if (i == 0) {
                assert_int_equal(parent, NB_NONE);
                continue;
            }
            assert_true(is_met[parent]);
            assert_true(orbits->generator[member] < generators->count);
            assert_int_equal(
                image(generators, orbits->generator[member], parent), member);
        }
    }
    assert_int_equal(place, generators->size);
}

static void are_what_generators_reach(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct generators generators;
        struct nb_orbits orbits;
        struct nb_random random;
        nb_random_init(&random, seed, 0);
        draw(&random, &generators);
        assert_int_equal(nb_orbits_find(generators.size, generators.count,
                                        image, &generators, &orbits, NULL),
                         NB_OK);
        must_be_sets(&generators, &orbits, seed);
        must_be_reached(&generators, &orbits);
        nb_orbits_release(&orbits);
        nb_orbits_release(&orbits);
    }
}

/* The automorphisms of a torus take every router to every other; a mesh of 3x3
 * has corners, edges and a middle. */
static void are_of_networks(void **state)
{
    (void)state;
    const struct {
        const char *name;
        size_t routers, channels;
    } cases[] = { { "torus:4x4", 1, 1 },
                  { "torus:4x3", 1, 2 },
                  { "mesh:3x3", 3, 4 },
                  { "hypercube:4", 1, 1 } };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct nb_topology topology = { 0 };
        struct nb_symmetry symmetry;
        struct nb_orbits routers, channels;
        assert_int_equal(nb_topology_build(cases[c].name, &topology, NULL),
                         NB_OK);
        assert_int_equal(
            nb_symmetry_offered(&topology, NB_ANY_SYMMETRY, &symmetry, NULL),
            NB_OK);
        assert_int_equal(nb_orbits_of_routers(&symmetry, &routers, NULL),
                         NB_OK);
        assert_int_equal(nb_orbits_of_channels(&symmetry, &channels, NULL),
                         NB_OK);
        TOPOLOGY_CHECK(routers.count == cases[c].routers &&
                           channels.count == cases[c].channels,
                       "%s: %zu and %zu orbits", cases[c].name, routers.count,
                       channels.count);
        nb_orbits_release(&routers);
        nb_orbits_release(&channels);
        nb_symmetry_release(&symmetry);
        nb_topology_release(&topology);
    }
}

static void survive_failed_allocations(void **state)
{
    (void)state;
    struct generators generators;
    struct nb_random random;
    enum nb_status status = NB_NO_MEMORY;
    nb_random_init(&random, 1, 0);
    draw(&random, &generators);
    const long before = nb_memory_live_blocks();
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        struct nb_orbits orbits;
        nb_memory_allow(allowed);
        status = nb_orbits_find(generators.size, generators.count, image,
                                &generators, &orbits, NULL);
        nb_memory_allow(-1);
        if (status == NB_OK)
            nb_orbits_release(&orbits);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_what_generators_reach),
        cmocka_unit_test(are_of_networks),
        cmocka_unit_test(survive_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
