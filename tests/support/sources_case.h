/* Sources case: a network with a traffic whose packets are drawn, and the tools
 * of tests of their distributions. */
#ifndef NB_TESTS_SOURCES_CASE_H
#define NB_TESTS_SOURCES_CASE_H

#include "sim/sim.h"
#include "sim/sources.h"
#include "support/traffic_case.h"

/* Must stay in place: the sources point to it. */
struct sources_case {
    struct traffic_case made;
    uint32_t *terminal_start;  /* [router_count + 1] */
    uint32_t *terminal_router; /* [terminal] */
    struct nb_simulation plan;
    struct nb_random random;
    struct nb_sources sources;
    uint64_t cycle; /* the next to be drawn */
};

/* Builds "traffic@topology" or fails the test; no sources yet. */
void sources_case_open(struct sources_case *c, const char *example,
                       struct nb_injection injection);
/* The same after the test has filled in made. */
void sources_case_open_made(struct sources_case *c,
                            struct nb_injection injection);
void sources_case_close(struct sources_case *c);

/* New sources at cycle 0. */
enum nb_status sources_case_start(struct sources_case *c, uint64_t seed,
                                  struct nb_error *err);
/* The same, but fails the test. */
void sources_case_must_start(struct sources_case *c, uint64_t seed);

/* The packets of the next cycle; returns their number. */
size_t sources_case_draw(struct sources_case *c,
                         const struct nb_birth **births);
/* The number of them for each terminal: [terminal_count], out. */
void sources_case_count(struct sources_case *c, uint32_t *count);

/* A terminal's row at rate 1, added up from the demands. */
double sources_case_row(const struct sources_case *c, uint32_t terminal);

/*
 * Fails the test if counts are too far from their expectation by chi-square,
 * which happens by chance once in 10^12. Cells that expect less than 5 are put
 * together; one that expects 0 must be 0.
 */
void sources_check_counts(const char *name, size_t cells, const uint64_t *count,
                          const double *expected);
/* The same for numbers >= 1, count[n] of n, the last cell also of larger ones,
 * against the geometric distribution. */
void sources_check_geometric(const char *name, size_t cells,
                             const uint64_t *count, double chance);

/* Fails the test if a value is more than 7 standard deviations off: once in
 * 10^11. */
void sources_check_value(const char *name, double value, double expected,
                         double deviation);

#endif
