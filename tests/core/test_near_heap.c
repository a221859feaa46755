/* The heap of a search against a linear search. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/random.h"
#include "core/near_heap.h"

enum { ROOM = 60, STEPS = 3000, SEEDS = 20 };

/* Removes the nearest from an unordered array. */
static struct nb_near take_nearest(struct nb_near *in, size_t *count)
{
    size_t nearest = 0;
    for (size_t i = 1; i < *count; i++)
        if (in[i].distance < in[nearest].distance ||
            (in[i].distance == in[nearest].distance &&
             in[i].item < in[nearest].item))
            nearest = i;
    const struct nb_near taken = in[nearest];
    in[nearest] = in[--*count];
    return taken;
}

/* Random insertions and removals with few distinct distances: ties. */
static void test_nearest_first(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct nb_near in[ROOM], room[ROOM];
        struct nb_near_heap heap = { .near = room };
        struct nb_random random;
        size_t count = 0;
        nb_random_init(&random, seed, 0);
        for (int step = 0; step < STEPS; step++) {
            const bool is_in = nb_random_below(&random, 2) == 0;
            if (count < ROOM && (is_in || count == 0)) {
                in[count] = (struct nb_near){
                    (double)nb_random_below(&random, 40),
                    (uint32_t)nb_random_below(&random, 1000),
                };
                nb_near_heap_push(&heap, in[count++]);
            } else {
                const struct nb_near expected = take_nearest(in, &count);
                const struct nb_near found = nb_near_heap_pop(&heap);
                if (found.distance != expected.distance ||
                    found.item != expected.item)
                    fail_msg("seed %ju, step %d: router %u at %g, not %u at %g",
                             (uintmax_t)seed, step, found.item, found.distance,
                             expected.item, expected.distance);
            }
            assert_int_equal(heap.count, count);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
