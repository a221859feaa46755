/* Checks of a built network, and slower constructions to compare with. */
#ifndef TOPOLOGY_CHECKS_H
#define TOPOLOGY_CHECKS_H

#include "topology/topology.h"

/* Fails the running test with the specification if a check is false. */
#define TOPOLOGY_CHECK(condition, ...)                                         \
    do {                                                                       \
        if (!(condition)) {                                                    \
            print_error("%s:%d: %s: ", __FILE__, __LINE__, #condition);        \
            print_error(__VA_ARGS__);                                          \
            print_error("\n");                                                 \
            fail();                                                            \
        }                                                                      \
    } while (0)

/* Builds or fails the test. */
void topology_must_build(const char *specification,
                         struct nb_topology *topology);

/* Expects a refusal with this status whose message contains every given text,
 * up to a NULL. */
void topology_must_refuse(const char *specification, enum nb_status status,
                          const char *const *texts);

/* Runs a check on every example of every kind, with the example as its
 * argument. */
void topology_each_example(void (*check)(const struct nb_topology *topology,
                                         const char *name));

/* The first channel from one router to another; fails the test if there is
 * none. */
uint32_t topology_find_channel(const struct nb_topology *topology,
                               uint32_t source, uint32_t target);

/* Copies the word at *text and moves behind it; false at the end. */
enum { TOPOLOGY_WORD = 256 };
bool topology_next_word(const char **text, char word[TOPOLOGY_WORD]);

/* Builds the network of a file with this text. The file's name ends in ending;
 * parameters start with a comma or are "". */
void topology_must_build_file(const char *text, const char *ending,
                              const char *parameters,
                              struct nb_topology *topology);

/* Expects a reader's note of that name with a text in it; NULL: no such note.
 */
void topology_must_note(const struct nb_topology *topology, const char *name,
                        const char *text);

/* Expects the refusal of such a file; texts as in topology_must_refuse. */
void topology_must_refuse_file(const char *text, const char *ending,
                               const char *parameters, enum nb_status status,
                               const char *const *texts);

/* The same for a table of them. */
struct topology_refusal {
    const char *text, *ending, *parameters;
    enum nb_status status;
    const char *texts[4];
};
void topology_must_refuse_files(const struct topology_refusal *refusals,
                                size_t count);

/* Files, and the network of each: for every router in turn its terminals and
 * where its channels lead. "a1: b c. b1: a. c0: a. " */
struct topology_network {
    const char *ending, *text, *network;
};
void topology_must_be_networks(const struct topology_network *networks,
                               size_t count);

/*
 * Builds files with bytes changed or removed, 200 times: each must be a
 * network, or be refused in one line that names the file, and no memory may be
 * left.
 *
 * path   of the undamaged file
 * spare  bytes to write
 */
void topology_must_survive_damage(const char *path, const char *ending,
                                  const char *parameters, const char *spare);
/* The same for a text. */
void topology_must_survive_text(const char *text, const char *ending,
                                const char *parameters, const char *spare);

/* Whether a map of routers, NULL for the identity, takes the channels of a
 * with their bandwidths onto those of b. */
bool topology_same_channels(const struct nb_topology *a,
                            const struct nb_topology *b,
                            const uint32_t *router_map);

/* Least number of channels between halves of the routers, by growing both sides
 * router by router and giving up if the cut is no better. */
int64_t topology_least_cut(const struct nb_topology *topology);

/* The largest number of ports of any router, including terminals. */
size_t topology_most_ports(const struct nb_topology *topology);

/* Fails the test unless "KIND,arrangement=random" is one network per seed, and
 * another one for another seed. */
void topology_must_follow_seed(const char *specification);

/* Fails the test unless two networks have the same channels, router by router.
 */
void topology_must_be_same(const char *one, const char *other);

#endif
