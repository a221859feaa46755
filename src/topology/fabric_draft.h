/* Draft of a fabric: the records and cables that a reader of an InfiniBand
 * format finds, before they are joined. Internal to the readers. */
#ifndef NB_TOPOLOGY_FABRIC_DRAFT_H
#define NB_TOPOLOGY_FABRIC_DRAFT_H

#include "topology/fabric.h"
#include "topology/formats.h"

/* A record: a switch or a channel adapter. Texts are not owned. */
struct nb_draft_node {
    const char *id;          /* "S-0008f10400410015", or any other */
    const char *description; /* "": none */
    const char *name;        /* the description if unique, else with the id */
    size_t line;
    size_t place;   /* number of the record in the file */
    uint64_t order; /* sorts records without a GUID */
    size_t listed;  /* lines of its own, for readers that count them */
    struct nb_fabric_node is;
    bool is_aggregation; /* part of a switch, not a host */
    size_t cables;       /* index of the first one; an adapter has a host per
                          * cable */
    size_t cable_count;
};

/* The line of a port. */
struct nb_draft_cable {
    size_t node; /* index into node */
    const char *target_id;
    size_t target;        /* index into node, once all are read */
    uint64_t target_guid; /* of the target port; 0: not given */
    size_t line;
    const char *host; /* name of the router with this port */
    struct nb_fabric_port is;
};

/* Owns its arrays; graph is borrowed, the rest zero-initialised. */
struct nb_draft {
    struct nb_graph *graph;
    struct nb_draft_node *node;
    size_t node_count, node_capacity;
    struct nb_draft_cable *cable;
    size_t cable_count, cable_capacity;
    struct nb_draft_node **by_id;  /* [node_count] */
    struct nb_fabric_node *router; /* [router] in order of names */
    size_t router_capacity;
    /* Readers whose records name a node many times: the ids so far. */
    struct nb_graph ids;
};

void nb_draft_release(struct nb_draft *draft);

/* Adds a record; sets place and is_aggregation. Errors: NB_NO_MEMORY. */
enum nb_status nb_draft_node_add(struct nb_draft *draft,
                                 const struct nb_draft_node *node,
                                 struct nb_error *err);

/*
 * Adds a record unless there is one with its id; of several, each adds what
 * the others lack: description, LID, and the larger number of ports.
 *
 * out  index of the record
 *
 * Errors: NB_INVALID if the id is no text; NB_NO_MEMORY.
 */
enum nb_status nb_draft_node_meet(struct nb_draft *draft,
                                  const struct nb_draft_node *node, size_t *out,
                                  struct nb_error *err);

/* Adds the line of a port. Errors: NB_NO_MEMORY. */
enum nb_status nb_draft_cable_add(struct nb_draft *draft,
                                  const struct nb_draft_cable *cable,
                                  struct nb_error *err);

/* Sets the speed of a port: lanes, and a name such as QDR. An unknown name is
 * kept as text only. */
void nb_draft_set_speed(struct nb_fabric_port *port, unsigned long lanes,
                        const char *name);

/* The same for the signalling rate per lane, such as 14.0625, in Gbit/s. */
void nb_draft_set_rate(struct nb_fabric_port *port, unsigned long lanes,
                       const char *rate);

/* A text such as "S-0008f10400410015" in the graph's texts. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_draft_make_id(struct nb_draft *draft, char type,
                                uint64_t guid, const char **out,
                                struct nb_error *err);

/* Reads a GUID with or without 0x, up to the end, a blank or a parenthesis;
 * false: none. */
bool nb_draft_read_guid(const char *text, uint64_t *out);

/*
 * Joins the cables, and makes the graph and its fabric of all. Each cable is a
 * channel each way, even if only one end lists it. A router's name is its
 * description if no other has the same; else its id is added, and the port
 * where an adapter has several.
 *
 * Errors: NB_INVALID naming file, line and value if a cable leads to a node
 * without a record or to a port that it does not have, the two ends of a cable
 * disagree, or a node has two records; NB_NO_MEMORY.
 */
enum nb_status nb_draft_finish(struct nb_draft *draft,
                               const struct nb_graph_options *options,
                               struct nb_error *err);

#endif
