#include "sim/overtaking.h"

#include "core/memory.h"

#include <string.h>

enum {
    OVERTAKING_WORDS = NB_OVERTAKING_WINDOW / 64,
    OVERTAKING_PAIRS = 1 << 16, /* maximum number of pairs followed */
};
#define OVERTAKING_EMPTY UINT64_MAX

enum nb_status nb_overtaking_init(size_t pairs, struct nb_overtaking *out,
                                  struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *out = (struct nb_overtaking){ .pair_capacity = 1 };
    if (pairs > OVERTAKING_PAIRS)
        return nb_fail(err, NB_INVALID,
                       "reorder buffers of %zu pairs of terminals are too many "
                       "(permitted: traffic between at most %d pairs, such as "
                       "a permutation)",
                       pairs, OVERTAKING_PAIRS);
    while (out->pair_capacity < 2 * pairs)
        out->pair_capacity *= 2;
    struct nb_pool *pool = &out->pool;
    out->key = nb_pool_array(pool, out->pair_capacity, sizeof *out->key);
    out->sent = nb_pool_array(pool, out->pair_capacity, sizeof *out->sent);
    out->first = nb_pool_array(pool, out->pair_capacity, sizeof *out->first);
    out->seen = nb_pool_array(pool, out->pair_capacity * OVERTAKING_WORDS,
                              sizeof *out->seen);
    NB_TRY(nb_pool_check(pool, "reorder buffers", err));
    NB_TRY(nb_histogram_init(&out->overtaken, NB_OVERTAKING_WINDOW, err));
    memset(out->key, 0xff, out->pair_capacity * sizeof *out->key);
done:
    if (status != NB_OK)
        nb_overtaking_release(out);
    return status;
}

void nb_overtaking_release(struct nb_overtaking *overtaking)
{
    nb_pool_release(&overtaking->pool);
    nb_histogram_release(&overtaking->overtaken);
    *overtaking = (struct nb_overtaking){ 0 };
}

/* The pair's place; there is room, as pairs were counted beforehand. */
static size_t overtaking_find(struct nb_overtaking *overtaking, uint32_t source,
                              uint32_t target)
{
    const uint64_t key = (uint64_t)source << 32 | target;
    const size_t mask = overtaking->pair_capacity - 1;
    size_t place = (size_t)(key * 0x9E3779B97F4A7C15u >> 20) & mask;
    while (overtaking->key[place] != key &&
           overtaking->key[place] != OVERTAKING_EMPTY)
        place = (place + 1) & mask;
    overtaking->key[place] = key;
    return place;
}

uint32_t nb_overtaking_send(struct nb_overtaking *overtaking, uint32_t source,
                            uint32_t target)
{
    return overtaking->sent[overtaking_find(overtaking, source, target)]++;
}

/* Removes the numbers that have arrived in order from the window. */
static void overtaking_release_first(struct nb_overtaking *overtaking,
                                     size_t place)
{
    uint64_t *seen = overtaking->seen + place * OVERTAKING_WORDS;
    uint32_t *first = &overtaking->first[place];
    for (;;) {
        const uint32_t bit = *first % NB_OVERTAKING_WINDOW;
        if ((seen[bit / 64] >> bit % 64 & 1) == 0)
            return;
        seen[bit / 64] &= ~((uint64_t)1 << bit % 64);
        ++*first;
    }
}

/* Moves the window on until it contains a number. A packet that has not arrived
 * by then and is left behind counts as overtaken by a full window. */
static void overtaking_reach(struct nb_overtaking *overtaking, size_t place,
                             uint32_t number)
{
    uint64_t *seen = overtaking->seen + place * OVERTAKING_WORDS;
    uint32_t *first = &overtaking->first[place];
    for (; number - *first >= NB_OVERTAKING_WINDOW; ++*first) {
        const uint32_t bit = *first % NB_OVERTAKING_WINDOW;
        seen[bit / 64] &= ~((uint64_t)1 << bit % 64);
    }
}

/* Numbers after this one that have arrived. */
static uint64_t overtaking_count_after(const struct nb_overtaking *overtaking,
                                       size_t place, uint32_t number)
{
    const uint64_t *seen = overtaking->seen + place * OVERTAKING_WORDS;
    const uint32_t end = overtaking->first[place] + NB_OVERTAKING_WINDOW;
    uint64_t count = 0;
    for (uint32_t k = number + 1; k != end;) {
        const uint32_t bit = k % NB_OVERTAKING_WINDOW;
        if (bit % 64 == 0 && end - k >= 64) {
            count += (uint64_t)__builtin_popcountll(seen[bit / 64]);
            k += 64;
        } else {
            count += seen[bit / 64] >> bit % 64 & 1;
            k++;
        }
    }
    return count;
}

void nb_overtaking_arrive(struct nb_overtaking *overtaking, uint32_t source,
                          uint32_t target, uint32_t number, bool is_measured)
{
    const size_t place = overtaking_find(overtaking, source, target);
    uint64_t *seen = overtaking->seen + place * OVERTAKING_WORDS;
    if ((int32_t)(number - overtaking->first[place]) < 0) {
        if (is_measured)
            nb_histogram_count(&overtaking->overtaken, NB_OVERTAKING_WINDOW);
        return;
    }
    overtaking_reach(overtaking, place, number);
    if (is_measured)
        nb_histogram_count(
            &overtaking->overtaken,
            overtaking->sent[place] - number == 1
                ? 0
                : overtaking_count_after(overtaking, place, number));
    seen[number % NB_OVERTAKING_WINDOW / 64] |= (uint64_t)1 << number % 64;
    overtaking_release_first(overtaking, place);
}
