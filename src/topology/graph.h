/* Graph: the contents of a network file, before they become a network. */
#ifndef NB_TOPOLOGY_GRAPH_H
#define NB_TOPOLOGY_GRAPH_H

#include "core/delete.h"
#include "topology/topology.h"

#include <libxml/tree.h>

enum {
    NB_GRAPH_TERMINALS = 1000000, /* largest number per router */
    NB_GRAPH_BYTES = 1 << 28,     /* larger files are not read */
};

/* The bandwidth of the terminals' channels in GraphML. */
#define NB_GRAPH_TERMINAL_BANDWIDTH "terminal_bandwidth"
#define NB_GRAPH_UNLIMITED          "unlimited"

/* What a network is, such as torus:8x8, in GraphML and in a comment of a
 * fabric. */
#define NB_GRAPH_TOPOLOGY "topology"

/* The largest number of groups. */
enum { NB_GRAPH_GROUPS = 1 << 24 };

/* A router's name, not owned. */
struct nb_name {
    const char *text;  /* by which edges name it */
    const char *label; /* what to call it instead; NULL: text */
    uint32_t number;   /* of the router, set by nb_graph_names_number */
};

/* What a router is called. */
static inline const char *nb_name_shown(const struct nb_name *name)
{
    return name->label != NULL ? name->label : name->text;
}

/* Distinct names and the numbers given to them; owns its arrays. */
struct nb_graph_names {
    struct nb_name *entry; /* [count] in order of first appearance */
    size_t count;
    size_t capacity;
    uint32_t *place; /* [place_count] by hash: entry + 1, 0: none */
    size_t place_count;
    const char *repeated; /* the last name that was added again; NULL: none */
};

/* Numbers the names in order of first appearance; if they are the whole numbers
 * 0..n-1, each gets its own value. */
void nb_graph_names_number(struct nb_graph_names *names);

/* The number of a name, NB_NONE if it was not added. Call after numbering. */
uint32_t nb_graph_names_find(const struct nb_graph_names *names,
                             const char *text);

/* The name of a router. Call after numbering. */
const char *nb_graph_names_of(const struct nb_graph_names *names,
                              uint32_t number);

/* A line of an edge list, an edge of GraphML or a link of anynet; names are not
 * owned. */
struct nb_graph_edge {
    const char *source;
    const char *target;
    struct nb_ratio bandwidth; /* unknown: not given */
    size_t line;
    bool is_directed;
    bool is_stated; /* the edge itself says whether it is directed */
};

/* Owns its arrays, but not the texts. Zero-initialised is empty. */
struct nb_graph {
    const char *path; /* for messages */
    struct nb_graph_names names;
    bool has_one_way;  /* some edges are directed */
    size_t self_loops; /* edges left out that join a router with itself */
    size_t joined;     /* edges read both ways although the file says one way */
    struct nb_file_part part;
    struct nb_graph_edge *edges;
    size_t edge_count;
    size_t edge_capacity;
    /* [name, as its entry], NB_NONE: not given; NULL: the file does not mention
     * terminals */
    uint32_t *terminals;
    size_t terminal_capacity; /* of nb_graph_router_add */
    uint32_t *group;          /* [name], NB_NONE: in none; NULL: no groups */
    const char *like;         /* the topology that it is; NULL: not given. Not
                               * owned. */
    size_t like_line;
    bool has_bandwidth; /* a comment of a fabric gives terminal_bandwidth */
    struct nb_ratio terminal_bandwidth; /* unknown: not given */
    struct nb_pool texts;     /* names that do not appear as such in the file */
    uint32_t first_node;      /* as in struct nb_topology */
    struct nb_fabric *fabric; /* NULL: not a fabric. Owned. */
};

void nb_graph_release(struct nb_graph *graph);

/* Adds the name of a router, if it is new. Errors: NB_INVALID naming path and
 * line if it is not UTF-8 or has control characters; NB_NO_MEMORY. */
enum nb_status nb_graph_names_add(struct nb_graph *graph, size_t line,
                                  const char *text, struct nb_error *err);

/* The same, with the terminals of a new router; NB_NONE: not given. */
enum nb_status nb_graph_router_add(struct nb_graph *graph, size_t line,
                                   const char *text, uint32_t terminals,
                                   struct nb_error *err);

/* Adds an edge; one that joins a router with itself is only counted. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_graph_add(struct nb_graph *graph,
                            const struct nb_graph_edge *edge,
                            struct nb_error *err);

/* The number of an edge's end. Errors: NB_INVALID naming path and line if no
 * router has the name. */
enum nb_status nb_graph_find(const struct nb_graph *graph,
                             const struct nb_graph_edge *edge, const char *name,
                             uint32_t *out, struct nb_error *err);

/*
 * Keeps one of the edges that join the same two routers, whatever their
 * direction, and sorts them by the routers' numbers. Call after numbering.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_graph_merge(struct nb_graph *graph, struct nb_error *err);

/*
 * Keeps one of two edges where every link is listed from both ends, equally
 * often and with the same bandwidth; else changes nothing.
 *
 * are_mutual  out: whether that is so
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_graph_fold_mutual(struct nb_graph *graph, bool *are_mutual,
                                    struct nb_error *err);

/*
 * Reads a bandwidth.
 *
 * Errors: NB_INVALID, NB_OVERFLOW naming file, line and value unless it is an
 * exact number > 0.
 */
enum nb_status nb_graph_bandwidth(const struct nb_graph *graph, size_t line,
                                  const char *text, struct nb_ratio *out,
                                  struct nb_error *err);

/* The same for the bandwidth of the terminals' channels, which may be
 * unlimited: then it is infinite until nb_bandwidths_set. */
enum nb_status nb_graph_terminal_bandwidth(struct nb_graph *graph, size_t line,
                                           const char *text,
                                           struct nb_error *err);

/*
 * Reads an edge list: each line is "source target [bandwidth]", separated by
 * spaces or commas; a word that begins with # starts a comment.
 *
 * text         the file; is cut into words in place and must outlive graph
 * is_directed  whether a line is one channel or one each way
 *
 * Errors: NB_INVALID, NB_OVERFLOW naming file, line and value; NB_NO_MEMORY.
 */
enum nb_status nb_graph_read_edges(char *text, size_t length, bool is_directed,
                                   struct nb_graph *graph,
                                   struct nb_error *err);

/* Reads an adjacency list, as networkx writes it: "a b c" joins a with b and
 * with c. The rest is as in nb_graph_read_edges. */
enum nb_status nb_graph_read_adjacency(char *text, size_t length,
                                       bool is_directed, struct nb_graph *graph,
                                       struct nb_error *err);

/* The attributes that are read where a format lets files choose their names. */
struct nb_graph_attributes {
    const char *bandwidth; /* of an edge: the channel's bandwidth */
    const char *terminals; /* of a node: the router's terminals */
    const char *group;     /* of a node: the router's group */
    /* Read edges both ways that are directed by the file's default alone, where
     * no other one leads back and the file does not say which topology it is:
     * many programs write "directed" for any links. */
    bool joins;
};

/* The value of an attribute, and where it is; text NULL: none. */
struct nb_graph_value {
    const char *text;
    size_t line;
};

/* A node of a file with attributes; texts are not owned. */
struct nb_graph_node {
    const char *name;
    size_t line;
    struct nb_graph_value terminals, group;
    const char *label; /* NULL: none */
};

/* Adds a node. Errors: NB_INVALID naming file, line and value; NB_NO_MEMORY. */
enum nb_status nb_graph_node_add(struct nb_graph *graph,
                                 const struct nb_graph_node *node,
                                 struct nb_error *err);

/*
 * Call after all nodes and edges: numbers the names, and tells nodes of the
 * same label apart.
 *
 * joins  as in struct nb_graph_attributes
 *
 * Errors: NB_INVALID naming a node that is repeated; NB_NO_MEMORY.
 */
enum nb_status nb_graph_finish_nodes(struct nb_graph *graph, bool joins,
                                     struct nb_error *err);

/*
 * Reads a GraphML document with one graph.
 *
 * document    must outlive graph
 * attributes  by attr.name; if terminals is "terminals" and the file does not
 *             declare it, "endpoints" is read, the name in the simulator SST
 *
 * The graph's own attribute terminal_bandwidth is that of the terminals'
 * channels, topology what nb_graph_place reads.
 *
 * Errors: NB_INVALID, NB_OVERFLOW naming file, line and value; NB_NO_MEMORY.
 * Sources: the GraphML primer, http://graphml.graphdrawing.org/; topoAny of
 * merlin in github.com/sstsimulator/sst-elements.
 */
enum nb_status
nb_graph_read_graphml(xmlDocPtr document,
                      const struct nb_graph_attributes *attributes,
                      struct nb_graph *graph, struct nb_error *err);

/* Whether a text begins as anynet does and no edge list can: "router" or "node"
 * and a number, twice. */
bool nb_graph_is_anynet(const char *text);

/*
 * Reads a network file of the simulator BookSim. Each line is a router or a
 * node, followed by what it is linked with:
 *
 *     router 0 node 0 node 1 router 1 15 router 2
 *
 * A link between routers is a channel each way, however often it is stated; a
 * node is a terminal. The number after a link is its latency in cycles; it is
 * checked but not used, since channels here have no latency.
 *
 * text  the file; is cut into words in place and must outlive graph
 *
 * Errors: NB_INVALID naming file, line and value if a line has another form, a
 * node is linked with two routers, or routers or nodes are not numbered 0, 1,
 * 2, ...; NB_NO_MEMORY.
 * Source: [Jiang2013].
 */
enum nb_status nb_graph_read_anynet(char *text, size_t length,
                                    struct nb_graph *graph,
                                    struct nb_error *err);

/* Whether a text begins as ibnetdiscover's output does: with the ids or the
 * first line of a switch or host. */
bool nb_graph_is_fabric(const char *text);

/*
 * Reads an InfiniBand network as ibnetdiscover writes it and ibsim reads it.
 * Routers are switches and hosts; a host is a port of a channel adapter that
 * has a cable. A router's name is its description if no other has the same;
 * else its id is added, and the port where an adapter has several. Only hosts
 * have terminals, except aggregation nodes, which are parts of switches, and
 * routers of InfiniBand, which lead to other subnets. Each
 * cable is a channel each way, even if only one end lists it; cables that join
 * a node with itself are kept only in the fabric.
 *
 * text       the file; is cut into words in place and must outlive graph
 * are_alike  false: bandwidths are speeds, 1 the most common one of hosts;
 *            true: speeds are ignored
 *
 * Errors: NB_INVALID naming file, line and value if a line has another form, a
 * port or its number is not one of the node's, a cable leads to a node without
 * a record, the two ends of a cable disagree, or a node has two records;
 * NB_NO_MEMORY.
 */
enum nb_status nb_graph_read_fabric(char *text, size_t length, bool are_alike,
                                    struct nb_graph *graph,
                                    struct nb_error *err);

/*
 * Reads the comments at the beginning of a fabric's file that
 * nb_graph_print_notes writes: which topology it is, and the bandwidth of the
 * terminals' channels.
 *
 * Errors: NB_INVALID, NB_OVERFLOW naming file, line and value; NB_NO_MEMORY.
 */
enum nb_status nb_graph_read_notes(const char *text, struct nb_graph *graph,
                                   struct nb_error *err);
enum nb_status nb_graph_print_notes(const struct nb_topology *topology,
                                    struct nb_text *text, struct nb_error *err);

/*
 * Makes terminals of a fabric's hosts, and routers of its switches only. Their
 * channels' bandwidth is that of the hosts' cables, unless a comment gives it.
 *
 * terminals  per host
 *
 * Errors: NB_INVALID naming file, line and host if hosts are joined or their
 * cables differ in speed; NB_NO_MEMORY.
 */
enum nb_status nb_graph_fold_hosts(struct nb_graph *graph, uint32_t terminals,
                                   struct nb_error *err);

/*
 * Writes a network as a fabric that ibnetdiscover could have found and that
 * ibsim and nb_graph_read_fabric read: every router is a switch, every terminal
 * a host with its own cable; nb_graph_print_notes comes first. Bandwidth 1 is
 * 4xQDR. Channels take the ports of a
 * switch in order, terminals the ports after those. LIDs are numbered from 1,
 * switches first.
 *
 * path  for messages
 * text  is appended to
 *
 * Errors: NB_INVALID for a channel without an opposite of its bandwidth, a
 * bandwidth that no cable has, too many ports or LIDs, and a network that was
 * read from such a file; NB_NO_MEMORY.
 */
enum nb_status nb_graph_write_fabric(const struct nb_topology *topology,
                                     const char *path, struct nb_text *text,
                                     struct nb_error *err);

/* Refuses a file in a format that is known but not read, naming it. text: its
 * beginning. Errors: NB_INVALID. */
enum nb_status nb_graph_refuse_foreign(const char *path, const char *text,
                                       struct nb_error *err);

/* Whether a text begins as topology.conf of Slurm does: with a SwitchName. */
bool nb_graph_is_slurm(const char *text);

/*
 * Reads topology.conf of Slurm, topology/tree: each line is a switch with lists
 * of the switches and nodes below it, "SwitchName=s0 Switches=s[1-2]
 * Nodes=n[0-15]". Switches are routers without terminals. Each name in a list
 * is one link, since Slurm does not give the number of links. LinkSpeed is
 * ignored.
 *
 * text  the file; is cut into words in place and must outlive graph
 *
 * Errors: NB_INVALID naming file, line and value if a line or list has another
 * form; naming a switch or node that appears twice; NB_NO_MEMORY.
 * Source: topology.conf(5) of Slurm.
 */
enum nb_status nb_graph_read_slurm(char *text, size_t length,
                                   struct nb_graph *graph,
                                   struct nb_error *err);

/*
 * Reads a graph file of METIS: a header "vertices edges [fmt [ncon]]", then for
 * each vertex a line with its neighbours, which are counted from 1. An edge is
 * a channel each way. Its weight, if fmt says that there are any, is the
 * bandwidth; sizes and weights of vertices are skipped. Lines that begin with %
 * are comments.
 *
 * text  the file; is cut into words in place
 *
 * Errors: NB_INVALID, NB_OVERFLOW naming file, line and value if a line has
 * another form or the numbers of the header are not those of the file;
 * NB_INVALID if an edge is not listed alike at both vertices; NB_NO_MEMORY.
 * Source: the manual of METIS 5.1.0, section 4.1.1.
 */
enum nb_status nb_graph_read_metis(char *text, size_t length,
                                   struct nb_graph *graph,
                                   struct nb_error *err);

/* Whether a text begins as a list of objects in JSON. */
bool nb_graph_is_chiplets(const char *text);

/*
 * Reads a network of RapidChiplet: a list of links with ends "ep1" and "ep2",
 * each with a type, chiplet or irouter (without terminals), and an outer_id.
 * The rest is skipped.
 *
 * Errors: NB_INVALID naming file, line and value; NB_NO_MEMORY.
 * Source: inputs/topologies of github.com/spcl/rapidchiplet.
 */
enum nb_status nb_graph_read_chiplets(const char *text, size_t length,
                                      struct nb_graph *graph,
                                      struct nb_error *err);

/*
 * Gives a network that was built from a graph its groups. If the graph says
 * which topology it is, it must have the same routers and channels, and the
 * terminals of a kind that sets its own; it then also has the coordinates,
 * levels, nested parts, closed forms and symmetries of that topology, and the
 * order of its channels. Bandwidths are the file's.
 *
 * Errors: NB_INVALID naming file, line and value if it is no such topology, or
 * groups are not numbered 0, 1, 2, ...; NB_NO_MEMORY.
 */
enum nb_status nb_graph_place(const struct nb_graph *graph,
                              struct nb_topology *out, struct nb_error *err);

/* Whether a network has groups, each with a router that has not failed. */
bool nb_graph_has_groups(const struct nb_topology *topology);

/* Appends the topology that a network is; nothing if something has failed, or
 * for a file that does not say so. */
void nb_graph_print_like(const struct nb_topology *topology,
                         struct nb_text *text);

/* The value of `component` by which nb_graph_take_part chooses. */
#define NB_GRAPH_COMPONENT "auto"

/*
 * Keeps one part of a graph, of those that no link joins. Call after numbering;
 * routers keep their order.
 *
 * wanted     the number of the part, by size, from 1 on; the name of one of its
 *            routers; or NB_GRAPH_COMPONENT: the only one in which several
 *            routers have terminals
 * terminals  number for routers without one in the file
 *
 * Errors: NB_INVALID with the list of parts if there is no such part, or
 * several could be meant; NB_NO_MEMORY.
 */
enum nb_status nb_graph_take_part(struct nb_graph *graph, const char *wanted,
                                  uint32_t terminals, struct nb_error *err);

/*
 * Turns a graph into routers and channels.
 *
 * terminals  number for routers without one in the file
 *
 * Errors: NB_INVALID if an edge names an unknown router, there are fewer than
 * two routers or no terminals, or a router cannot reach another.
 */
enum nb_status nb_graph_build(struct nb_graph *graph, uint32_t terminals,
                              struct nb_topology *out, struct nb_error *err);

#endif
