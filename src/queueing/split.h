/* Split: one stream of packets divided over two classes of paths, minimal and
 * non-minimal. */
#ifndef NB_QUEUEING_SPLIT_H
#define NB_QUEUEING_SPLIT_H

#include "core/public.h"
#include "core/enclosure.h"
#include "core/specification.h"
#include "core/status.h"
#include "queueing/mean_delay.h"

enum nb_split_path { NB_MINIMAL, NB_NONMINIMAL, NB_PATH_CLASSES };

/* The maximum number of hops and of streams. */
enum { NB_SPLIT_MOST = 1000000 };

struct nb_split_rule;
struct nb_split_law;

/*
 * A stream of alpha packets per cycle sends x_i of them along class i, whose
 * m_i hops lead over channels shared by s_i such streams; every hop is a queue
 * of its own with service time 1:
 *
 *     x_1 + x_2 = alpha,  rho_i = s_i x_i,  D_i = m_i (W(rho_i) + 1),
 *     D = (x_1 D_1 + x_2 D_2) / alpha.
 *
 * Source: [Singh2005, section 5.4.1 and equations 5.1 to 5.4] with m = s = 3
 * and 5.
 */
struct nb_split {
    uint32_t hops[NB_PATH_CLASSES];   /* m_1 <= m_2, 1 to NB_SPLIT_MOST */
    uint32_t shared[NB_PATH_CLASSES]; /* s_i, 1 to NB_SPLIT_MOST */
    struct nb_mean_delay delay;       /* W; factor > 0 */
    const struct nb_split_rule *rule;
    /*
     * [packets] T > 0 of the rule gal, {0, 0} for none: x_1 = alpha until
     * x_1 D_1(x_1) = T, by Little's law the mean number of a stream's packets
     * on the minimal path. A model of what [Singh2005, section 5.4.3]
     * describes, not a formula from it.
     */
    struct nb_ratio threshold;
};

/* Delays are +inf from the saturation of their class on. */
struct nb_split_result {
    /* [packets/cycle] x_i, as far as accepted: at most 1 / s_i. */
    struct nb_enclosure rate[NB_PATH_CLASSES];
    /* [cycles] D_i; for a class without packets the delay that one packet would
     * have, D_i(0). */
    struct nb_enclosure delay[NB_PATH_CLASSES];
    /* [cycles] D; at alpha = 0 its limit. */
    struct nb_enclosure mean_delay;
    /* [packets/cycle] the largest alpha with x_2 = 0; inf if x_2 stays 0. */
    struct nb_enclosure switch_point;
    /* [packets/cycle] the largest alpha that is accepted. */
    struct nb_enclosure saturation;
    bool is_closed_form; /* false: found by bisection */
};

/* The rule by which a stream is divided; one row of the table of rules. */
struct nb_split_rule {
    struct nb_kind kind;
    const char *source;
    const char *remark; /* a sentence for the report; NULL: none */
    /* See queueing/split_work.h. */
    void (*distribution)(const struct nb_split *split,
                         struct nb_split_law *out);
};

/* The names in the table, for help; a test checks that they agree. */
#define NB_SPLIT_RULES "theorem-5|optimal|gal|cqr|rlb|minimal"

NB_INTERNAL_BEGIN

/* The n-th rule, NULL past the end; the registry for nb_specification_read. */
const struct nb_kind *nb_split_rule_at(size_t index);

/*
 * Reads "optimal" or "gal:threshold=40" into rule and threshold of a split.
 *
 * Errors: as nb_specification_read.
 */
enum nb_status nb_split_rule_read(const char *text, struct nb_split *out,
                                  struct nb_error *err);

/*
 * The paths of tornado traffic on a ring of radix routers: to the router
 * ceil(k/2) - 1 onward,
 *
 *     m_1 = ceil(k/2) - 1,  m_2 = k - m_1,  s_i = m_i terminals.
 *
 * terminals  at each router, >= 1
 *
 * Errors: NB_INVALID if the radix is below 3 (no packet moves) or a number
 * leaves its range.
 * Source: [Singh2005, section 5.4.2].
 */
enum nb_status nb_split_tornado(uint32_t radix, uint32_t terminals,
                                struct nb_split *out, struct nb_error *err);

/*
 * Divides a stream; beyond saturation the rates are the accepted ones.
 *
 * rate  [packets/cycle]  alpha, finite
 *
 * Errors: NB_INVALID if a number of the split is out of its range.
 */
enum nb_status nb_split_find(const struct nb_split *split,
                             struct nb_enclosure rate,
                             struct nb_split_result *out, struct nb_error *err);

NB_INTERNAL_END

#endif
