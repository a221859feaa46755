#include "core/sort_falling.h"

enum { SORT_BITS = 8, SORT_KINDS = 1 << SORT_BITS, SORT_FEW = 32 };

static void sort_insert(int64_t *value, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const int64_t moved = value[i];
        size_t at = i;
        for (; at > 0 && value[at - 1] < moved; at--)
            value[at] = value[at - 1];
        value[at] = moved;
    }
}

/* The shift that brings the highest differing bits down; -1: all are equal. */
static int sort_shift(const int64_t *value, size_t count)
{
    uint64_t differing = 0;
    for (size_t i = 1; i < count; i++)
        differing |= (uint64_t)(value[i] ^ value[0]);
    if (differing == 0)
        return -1;
    const int shift = 64 - __builtin_clzll(differing) - SORT_BITS;
    return shift > 0 ? shift : 0;
}

static inline size_t sort_kind(int64_t value, int shift)
{
    return SORT_KINDS - 1 - ((uint64_t)value >> shift) % SORT_KINDS;
}

void nb_sort_falling(int64_t *value, size_t count)
{
    size_t next[SORT_KINDS] = { 0 }, end[SORT_KINDS];
    if (count <= SORT_FEW) {
        sort_insert(value, count);
        return;
    }
    const int shift = sort_shift(value, count);
    if (shift < 0)
        return;
    for (size_t i = 0; i < count; i++)
        next[sort_kind(value[i], shift)]++;
    for (size_t k = 0, at = 0; k < SORT_KINDS; k++) {
        at += next[k];
        next[k] = at - next[k];
        end[k] = at;
    }
    /* Each value goes to the next place of its kind, and the value found there
     * moves on. */
    for (size_t k = 0; k < SORT_KINDS; k++)
        while (next[k] < end[k]) {
            int64_t moved = value[next[k]];
            for (size_t own; (own = sort_kind(moved, shift)) != k;) {
                const int64_t there = value[next[own]];
                value[next[own]++] = moved;
                moved = there;
            }
            value[next[k]++] = moved;
        }
    for (size_t k = 0, first = 0; k < SORT_KINDS; first = end[k++])
        if (shift > 0)
            nb_sort_falling(value + first, end[k] - first);
}
