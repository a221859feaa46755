/* Test support: a network with a traffic, from "traffic@topology". */
#ifndef TESTS_SUPPORT_TRAFFIC_CASE_H
#define TESTS_SUPPORT_TRAFFIC_CASE_H

#include "traffic/traffic.h"

struct traffic_case {
    struct nb_topology topology;
    struct nb_traffic traffic;
};

/* Builds both; on failure the case is empty. */
enum nb_status traffic_case_build(const char *example, struct traffic_case *out,
                                  struct nb_error *err);
void traffic_case_release(struct traffic_case *testcase);

/* rate(source, target), looked up in the demands one by one. */
struct nb_ratio traffic_case_rate(const struct traffic_case *testcase,
                                  uint32_t source, uint32_t target);

/* The rate from one terminal to another, from its definition. */
struct nb_ratio traffic_case_single(const struct traffic_case *testcase,
                                    uint32_t source, uint32_t target);

/* The router to which a router sends all its packets; NB_NONE if there is
 * none. */
uint32_t traffic_case_destination(const struct traffic_case *testcase,
                                  uint32_t source);

/* Gives a built network other numbers of terminals, [router_count]. */
void traffic_case_set_terminals(struct nb_topology *topology,
                                const uint32_t *terminals);

/* Calls visit for every example of every registered kind. */
void traffic_case_for_each(void (*visit)(const struct nb_traffic_kind *kind,
                                         const char *example));

#endif
