/* Overtaking: what a receiver must keep to restore the order of packets. */
#ifndef NB_SIM_OVERTAKING_H
#define NB_SIM_OVERTAKING_H

#include "core/delete.h"
#include "sim/statistics.h"

/* Packets of a pair of terminals that are followed at once; a packet overtaken
 * by more counts as overtaken by this number. */
enum { NB_OVERTAKING_WINDOW = 4096 };

/*
 * The packets of every pair, by their numbers. Owns its arrays.
 *
 * Singh's Q_r: how many packets of the pair, sent later, have arrived before a
 * packet. Source: [Singh2005, Theorem 7].
 */
struct nb_overtaking {
    size_t terminal_count;
    size_t pair_count, pair_capacity; /* a power of 2 */
    uint64_t *key;   /* [pair_capacity] source and target; by hashing */
    uint32_t *sent;  /* [pair_capacity] packets numbered so far */
    uint32_t *first; /* [pair_capacity] the least number not yet arrived */
    uint64_t
        *seen; /* [pair_capacity][NB_OVERTAKING_WINDOW / 64] arrived ones */
    struct nb_pool pool;
    struct nb_histogram overtaken;
};

/*
 * pairs  maximum number of pairs of terminals that send
 *
 * Errors: NB_NO_MEMORY; NB_INVALID if there are too many to follow.
 */
enum nb_status nb_overtaking_init(size_t pairs, struct nb_overtaking *out,
                                  struct nb_error *err);
void nb_overtaking_release(struct nb_overtaking *overtaking);

/* The number of a pair's next packet. */
uint32_t nb_overtaking_send(struct nb_overtaking *overtaking, uint32_t source,
                            uint32_t target);

/* A packet has arrived; it is counted if it is measured. */
void nb_overtaking_arrive(struct nb_overtaking *overtaking, uint32_t source,
                          uint32_t target, uint32_t number, bool is_measured);

#endif
