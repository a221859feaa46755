/* Fit: the option fit of `netbound topology`, every network that holds so
 * many terminals with routers of so many ports. */
#ifndef NB_QUESTIONS_FIT_FIT_QUESTION_H
#define NB_QUESTIONS_FIT_FIT_QUESTION_H

#include "core/public.h"
#include "report/report.h"
#include "topology/fit.h"

NB_PUBLIC_BEGIN

struct nb_fit_question {
    struct nb_fit_demand demand;
    int64_t diameter;           /* [hop] at most; 0, NB_NO_WHOLE: any */
    struct nb_ratio capacity;   /* [packets/cycle/terminal] at least; unknown:
                                 * any */
    struct nb_ratio worst_case; /* [packets/cycle/terminal] at least; unknown:
                                 * any */
    struct nb_ratio oversize;   /* at most so many times demand.terminals;
                                 * unknown: any */
    uint64_t kinds;             /* bit k: nb_topology_kinds[k]; 0: all */
    const char *prices;         /* a file of nb_fit_prices_read; NULL: none */
};

/* Prices of one each of enum nb_fit_item. */
struct nb_fit_prices {
    double money[NB_FIT_ITEMS];
    double watts[NB_FIT_ITEMS]; /* [W] */
};

/*
 * Reads a CSV file of columns item, money, watts, its items router, port,
 * link.terminal, link.local and link.global, in any order and each at most
 * once; those left out cost nothing. Lines of # are comments.
 *
 * Errors: NB_INVALID naming file and line; as nb_lines_open.
 */
enum nb_status nb_fit_prices_read(const char *path, struct nb_fit_prices *out,
                                  struct nb_error *err);

/*
 * Reads "radix=64,terminals=10000,...". A colon may stand in the place of the
 * first comma, as a sweep of fit.radix puts one.
 *
 * Errors: as nb_specification_read; NB_USAGE for oversize without terminals.
 */
enum nb_status nb_fit_question_read(const char *text,
                                    struct nb_fit_question *out,
                                    struct nb_error *err);

/* Owns networks. */
struct nb_fit_told {
    struct nb_fit_question asked;
    struct nb_fit_prices prices; /* where asked.prices is given */
    size_t count, unknown_count; /* of these of unknown capacity, left out or
                                  * not */
    struct nb_fit *networks;     /* [count] by kind */
    struct nb_fit *best_first;   /* [count] the same */
};

/*
 * The networks that fit. Where terminals are asked for: of every kind those of
 * its balanced shapes and, of each of its families (fit.h), those of the fewest
 * links, of the fewest routers and, with prices, of the least money that have
 * the capacity asked for, or else capacity 1 and a half; without those than
 * which another of the kind is no worse in anything. Best is
 *
 *     capacity 1, unless a capacity or worst case is asked for, which all
 *     then have;
 *     with prices the least money;
 *     the fewest routers; the fewest links; the least diameter
 *
 * and without terminals the most terminals, then the same.
 *
 * Errors: as nb_fit_question_read; NB_NO_MEMORY.
 */
enum nb_status nb_fit_ask(const struct nb_fit_question *asked,
                          struct nb_fit_told *out, struct nb_error *err);
void nb_fit_told_release(struct nb_fit_told *told);

/* The limits that nb_fit_question_read takes. */
extern const struct nb_parameter nb_fit_parameters[];

/* Adds the table networks, best first, the quantities that sum it up and the
 * notes that say what they mean. */
void nb_fit_tell(const struct nb_fit_told *told, struct nb_point *out);

/* Appends the table for people; nothing without one, or at a point of a
 * sweep. Errors: NB_NO_MEMORY. */
enum nb_status nb_fit_print(const struct nb_point *point,
                            const struct nb_look *look, struct nb_text *text,
                            struct nb_error *err);

NB_PUBLIC_END

#endif
