/* A minimal simulator of one case, for comparison: dimension order on an 8-ary
 * 2-cube, uniform traffic, first come first served; it measures only the mean
 * latency. */
#ifndef NB_BENCH_BARE_TORUS_H
#define NB_BENCH_BARE_TORUS_H

#include <stdint.h>

enum { BARE_K = 8, BARE_N = BARE_K * BARE_K, BARE_ROOM = 1 << 12 };

struct bare_packet {
    uint32_t birth;
    uint16_t target;
    uint8_t is_minus[2]; /* a tie is broken at random */
};

struct bare_queue {
    uint32_t head, tail;
    struct bare_packet packet[BARE_ROOM];
};

static struct bare_queue bare_queue[BARE_N * 4]; /* router, dimension, minus */
static uint64_t bare_seed = 88172645463325252u;

static inline uint64_t bare_random(void)
{
    bare_seed ^= bare_seed << 13;
    bare_seed ^= bare_seed >> 7;
    bare_seed ^= bare_seed << 17;
    return bare_seed;
}

/* Queues a packet at a router, unless it has arrived; returns whether it
 * has. */
static inline int bare_place(const struct bare_packet *packet, uint32_t router)
{
    const uint32_t d = router % BARE_K != packet->target % BARE_K ? 0 : 1;
    if (packet->target == router)
        return 1;
    struct bare_queue *queue =
        &bare_queue[router * 4 + d * 2 + packet->is_minus[d]];
    queue->packet[queue->tail++ % BARE_ROOM] = *packet;
    return 0;
}

static inline uint8_t bare_direction(uint32_t from, uint32_t to)
{
    const uint32_t ahead = (to + BARE_K - from) % BARE_K;
    return 2 * ahead == BARE_K ? bare_random() > UINT64_MAX / 2
                               : 2 * ahead > BARE_K;
}

static inline uint32_t bare_target(uint32_t queue)
{
    const uint32_t router = queue / 4, d = queue / 2 % 2;
    const uint32_t place = d == 0 ? 1 : BARE_K;
    const uint32_t at = router / place % BARE_K;
    const uint32_t to = (at + (queue % 2 != 0 ? BARE_K - 1 : 1)) % BARE_K;
    return router + (to - at) * place;
}

/* The mean latency of packets that arrive in the given number of cycles, from
 * an empty network. */
static double bare_run(double load, uint32_t cycles)
{
    static struct bare_packet moved[BARE_N * 4];
    static uint32_t moved_to[BARE_N * 4];
    const uint64_t threshold = (uint64_t)(load * 0x1p53);
    uint64_t arrived = 0, latency = 0;
    for (uint32_t q = 0; q < BARE_N * 4; q++)
        bare_queue[q].head = bare_queue[q].tail = 0;
    for (uint32_t cycle = 0; cycle < cycles; cycle++) {
        uint32_t count = 0;
        for (uint32_t r = 0; r < BARE_N; r++)
            if (bare_random() >> 11 < threshold) {
                const uint32_t target = bare_random() % BARE_N;
                const struct bare_packet packet = {
                    cycle,
                    (uint16_t)target,
                    { bare_direction(r % BARE_K, target % BARE_K),
                      bare_direction(r / BARE_K, target / BARE_K) }
                };
                arrived += (uint64_t)bare_place(&packet, r);
            }
        for (uint32_t q = 0; q < BARE_N * 4; q++)
            if (bare_queue[q].head != bare_queue[q].tail) {
                moved[count] =
                    bare_queue[q].packet[bare_queue[q].head++ % BARE_ROOM];
                moved_to[count++] = bare_target(q);
            }
        for (uint32_t m = 0; m < count; m++)
            if (bare_place(&moved[m], moved_to[m])) {
                arrived++;
                latency += cycle + 1 - moved[m].birth;
            }
    }
    return (double)latency / (double)arrived;
}

#endif
