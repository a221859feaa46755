/* Fit: the option fit of `netbound topology`: every network with a given number
 * of terminals and routers with a given number of ports. */
#ifndef NB_QUESTIONS_FIT_FIT_QUESTION_H
#define NB_QUESTIONS_FIT_FIT_QUESTION_H

#include "core/public.h"
#include "report/rows.h"
#include "topology/fit.h"

NB_PUBLIC_BEGIN

struct nb_fit_question {
    struct nb_fit_demand demand;
    int64_t diameter;           /* [hop] at most; 0, NB_NO_WHOLE: any */
    struct nb_ratio capacity;   /* [packets/cycle/terminal] at least; unknown:
                                 * any */
    struct nb_ratio worst_case; /* [packets/cycle/terminal] at least; unknown:
                                 * any */
    struct nb_ratio oversize;   /* at most this multiple of demand.terminals;
                                 * unknown: any */
    uint64_t kinds;             /* bit k: nb_topology_kinds[k]; 0: all */
    const char *prices;         /* file for nb_fit_prices_read; NULL: none */
};

/* Prices per item, by enum nb_fit_item. */
struct nb_fit_prices {
    double money[NB_FIT_ITEMS];
    double watts[NB_FIT_ITEMS]; /* [W] */
};

/*
 * Reads "radix=64,terminals=10000,...". A colon may replace the first comma: a
 * sweep of fit.radix writes one.
 *
 * Errors: those of nb_specification_read; NB_USAGE for oversize without
 * terminals.
 */
enum nb_status nb_fit_question_read(const char *text,
                                    struct nb_fit_question *out,
                                    struct nb_error *err);

/* Owns networks. */
struct nb_fit_answer {
    struct nb_fit_question request;
    struct nb_fit_prices prices;   /* if asked.prices is given */
    size_t count, undecided_count; /* undecided: of unknown capacity */
    struct nb_fit *networks;       /* [count] by kind */
    struct nb_fit *best_first;     /* [count] the same networks, best first */
};

/*
 * Finds the networks that fit. If terminals are asked for, these are, for every
 * kind, its balanced shapes and, for each of its families (fit.h), the networks
 * with the fewest links, the fewest routers and, with prices, the least cost
 * that have the capacity asked for, or else capacity 1 and 1/2; among trees
 * also those that carry any traffic at that rate, unless a worst case is asked
 * for. Networks that are no better in anything than another of the kind are
 * left out. The order is
 *
 *     undecided networks: their capacity takes too long to compute, and they
 *     would be better than the best if it sufficed;
 *     capacity 1, unless a capacity or worst case is asked for, which then
 *     all have;
 *     with prices, the least cost;
 *     the fewest routers; the fewest links; the least diameter
 *
 * and, if terminals are not asked for, the most terminals before these.
 *
 * Errors: those of nb_fit_question_read; NB_NO_MEMORY.
 */
enum nb_status nb_fit_ask(const struct nb_fit_question *request,
                          struct nb_fit_answer *out, struct nb_error *err);
void nb_fit_answer_release(struct nb_fit_answer *answer);

/* Adds the table networks, best first, the quantities that summarise it and
 * notes that explain them. */
void nb_fit_report(const struct nb_fit_answer *answer, struct nb_point *out);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/*
 * Reads a CSV file with columns item, money, watts and items router, port,
 * link.terminal, link.local and link.global, in any order and each at most
 * once; missing items cost nothing. Lines that begin with # are comments.
 *
 * Errors: NB_INVALID naming file and line; those of nb_lines_open.
 */
enum nb_status nb_fit_prices_read(const char *path, struct nb_fit_prices *out,
                                  struct nb_error *err);

extern const struct nb_table_kind nb_fit_networks_table;

/* The limits that nb_fit_question_read accepts. */
extern const struct nb_parameter nb_fit_parameters[];

/* Appends the table for readers; nothing without a table, or at a point of a
 * sweep. Errors: NB_NO_MEMORY. */
enum nb_status nb_fit_print(const struct nb_point *point,
                            const struct nb_look *look, struct nb_text *text,
                            struct nb_error *err);

NB_INTERNAL_END

#endif
