/* Random permutation: a uniformly random permutation of the terminals, by
 * seed. */
#include "traffic/traffic.h"

#include "core/memory.h"
#include "core/random.h"

static enum nb_status
random_permutation_build(const struct nb_traffic_request *request,
                         struct nb_traffic *out, struct nb_error *err)
{
    const int64_t seed = nb_specification_whole(request->specification, "seed");
    const int64_t number =
        nb_specification_whole(request->specification, "number");
    const size_t count = request->topology->terminal_count;
    struct nb_random random;
    uint32_t *map = NULL;
    enum nb_status status;
    if (!nb_specification_is(request->specification, "count", "1"))
        return nb_fail(err, NB_INVALID,
                       "traffic random-permutation:count=%s selects many "
                       "traffics (permitted: in load, which summarises them "
                       "as permutations does; elsewhere one at a time: "
                       "--traffic random-permutation --sweep "
                       "traffic.seed=1:8:1)",
                       nb_specification_text(request->specification, "count"));
    NB_TRY(nb_new(&map, count, sizeof *map, "destinations", err));
    nb_random_init(&random, (uint64_t)seed, (uint64_t)number);
    nb_random_permutation(&random, (uint32_t)count, map);
    NB_TRY(nb_traffic_add_terminal_map(request, map, out, err));
done:
    nb_delete(map);
    return status;
}

static const struct nb_parameter random_permutation_parameters[] = {
    NB_PARAMETER("seed", WHOLE, "1", "seed of the permutation", .least = 0,
                 .most = 0x1p53),
    NB_PARAMETER("number", WHOLE, "0",
                 "number of the permutation among those of the seed",
                 .detail = "netbound permutations has the same numbers.",
                 .least = 0, .most = 1e9),
    NB_PARAMETER("count", WHOLE, "1",
                 "in load: number of permutations to summarise, as in netbound "
                 "permutations",
                 .least = 1, .most = 1e9),
    { 0 },
};

const struct nb_traffic_kind nb_traffic_random_permutation = {
    .kind = { .name = "random-permutation",
              .summary = "a uniformly random permutation of the terminals",
              .parameters = random_permutation_parameters },
    .examples = "random-permutation@torus:8x8 "
                "random-permutation:seed=7@mesh:4x3 "
                "random-permutation:seed=0@complete:5",
    .build = random_permutation_build,
};
