#include "core/random.h"

#include "core/ratio.h"

void nb_philox(const uint32_t counter[4], const uint32_t key[2],
               uint32_t block[4])
{
    uint32_t k0 = key[0], k1 = key[1];
    for (int i = 0; i < 4; i++)
        block[i] = counter[i];
    for (int round = 0; round < 10; round++) {
        const uint64_t p0 = (uint64_t)0xD2511F53 * block[0];
        const uint64_t p1 = (uint64_t)0xCD9E8D57 * block[2];
        const uint32_t next0 = (uint32_t)(p1 >> 32) ^ block[1] ^ k0;
        const uint32_t next2 = (uint32_t)(p0 >> 32) ^ block[3] ^ k1;
        block[0] = next0;
        block[1] = (uint32_t)p1;
        block[2] = next2;
        block[3] = (uint32_t)p0;
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
}

void nb_random_init(struct nb_random *random, uint64_t seed, uint64_t task)
{
    *random = (struct nb_random){ .seed = seed, .task = task, .used = 4 };
}

uint64_t nb_random_next(struct nb_random *random)
{
    if (random->used == 4) {
        const uint32_t counter[4] = { (uint32_t)random->position,
                                      (uint32_t)(random->position >> 32),
                                      (uint32_t)random->task,
                                      (uint32_t)(random->task >> 32) };
        const uint32_t key[2] = { (uint32_t)random->seed,
                                  (uint32_t)(random->seed >> 32) };
        nb_philox(counter, key, random->block);
        random->position++;
        random->used = 0;
    }
    const uint64_t low = random->block[random->used];
    const uint64_t high = random->block[random->used + 1];
    random->used += 2;
    return high << 32 | low;
}

uint64_t nb_random_below(struct nb_random *random, uint64_t bound)
{
    /* The high half of word * bound is uniform once the low halves below
     * 2^64 mod bound are rejected; that is less than bound. */
    for (;;) {
        const nb_uint128 product = (nb_uint128)nb_random_next(random) * bound;
        const uint64_t low = (uint64_t)product;
        if (low >= bound || low >= -bound % bound)
            return (uint64_t)(product >> 64);
    }
}

double nb_random_unit(struct nb_random *random)
{
    return (double)(nb_random_next(random) >> 11) * 0x1p-53;
}

void nb_random_permutation(struct nb_random *random, uint32_t count,
                           uint32_t *permutation)
{
    for (uint32_t i = 0; i < count; i++)
        permutation[i] = i;
    for (uint32_t i = count; i > 1; i--) {
        const uint32_t j = (uint32_t)nb_random_below(random, i);
        const uint32_t kept = permutation[i - 1];
        permutation[i - 1] = permutation[j];
        permutation[j] = kept;
    }
}
