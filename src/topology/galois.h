/* Galois fields: arithmetic of small fields, by tables. */
#ifndef NB_TOPOLOGY_GALOIS_H
#define NB_TOPOLOGY_GALOIS_H

#include <stdbool.h>
#include <stdint.h>

enum { NB_GALOIS_MOST = 32 }; /* the largest number of elements */

/*
 * The field of order = characteristic^degree elements, numbered 0 .. order-1:
 * the digits of a number in base characteristic, least significant first, are
 * the coefficients of a polynomial in the primitive element. 0 and 1 are the
 * field's own; every sum of 1, characteristic, characteristic^2, .. is an
 * element.
 */
struct nb_galois {
    uint32_t order;
    uint32_t characteristic;
    uint32_t degree;
    uint8_t sum[NB_GALOIS_MOST][NB_GALOIS_MOST];
    uint8_t product[NB_GALOIS_MOST][NB_GALOIS_MOST];
    uint8_t negative[NB_GALOIS_MOST];
    uint8_t power[NB_GALOIS_MOST];     /* [order - 1], of the primitive
                                        * element */
    uint8_t logarithm[NB_GALOIS_MOST]; /* of every element except 0 */
};

/* Makes the tables; false if there is no field of that order, or it has more
 * than NB_GALOIS_MOST elements. */
bool nb_galois_build(uint32_t order, struct nb_galois *out);

#endif
