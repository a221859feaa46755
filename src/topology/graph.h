/* Graph: the contents of a network file, before they become a network. */
#ifndef NB_TOPOLOGY_GRAPH_H
#define NB_TOPOLOGY_GRAPH_H

#include "core/delete.h"
#include "topology/topology.h"

enum {
    NB_GRAPH_TERMINALS = 1000000, /* largest number per router */
    NB_GRAPH_BYTES = 1 << 28,     /* larger files are not read */
};

/* The bandwidth of the terminals' channels in GraphML. */
#define NB_GRAPH_TERMINAL_BANDWIDTH "terminal_bandwidth"
#define NB_GRAPH_UNLIMITED          "unlimited"

/* Begins the comment in an edge list that gives the parameters to read it with.
 */
#define NB_GRAPH_READ_WITH "# read with: "

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
/* The latter for what routers are called, after labels or parts left out. */
void nb_graph_names_number_shown(struct nb_graph_names *names);

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
    bool is_default; /* the bandwidth is one for edges in general */
    bool is_stated;  /* the edge itself says whether it is directed */
    bool is_joined;  /* counted in struct nb_graph */
};

/* An edge that joins a router with itself; the name is not owned. */
struct nb_graph_loop {
    const char *router;
    size_t line;
};

/* What a note says of the routers with terminals: nothing; they are those that
 * the file does not list as switches; or those of terminals-at. */
enum nb_graph_hosts_note {
    NB_HOSTS_NO_NOTE,
    NB_HOSTS_UNLISTED,
    NB_HOSTS_CHOSEN,
};

/* Owns its arrays, but not the texts. Zero-initialised is empty. */
struct nb_graph {
    const char *path; /* for messages */
    /* Where a reader does not know lines: the list being read, such as "links".
     * `line` then counts its elements from 0. NULL: lines are known. */
    const char *list;
    const char *directed_by; /* what says that edges are directed */
    /* The attribute group was not asked for by name and may mean something
     * else, as in D3 and Graphviz; it does if a value is no number. */
    bool guesses_groups, has_other_groups;
    /* An attribute that edges have and that may be a bandwidth, though it was
     * not asked for; NULL: none. */
    const char *unread;
    struct nb_graph_names names;
    /* The file says that several edges may join the same two nodes. */
    bool is_multigraph;
    bool has_one_way;           /* some edges are directed */
    size_t rounded;             /* bandwidths of too many digits */
    struct nb_graph_loop *loop; /* [loop_count] edges left out */
    size_t loop_count, loop_capacity;
    size_t joined; /* edges read both ways although the file says one way */
    struct nb_text notes; /* what was assumed, as in struct nb_topology */
    struct nb_file_part part;
    struct nb_graph_edge *edges;
    size_t edge_count;
    size_t edge_capacity;
    /* [name, as its entry], NB_NONE: not given; NULL: the file does not mention
     * terminals */
    uint32_t *terminals;
    size_t terminal_capacity; /* of nb_graph_router_add */
    uint32_t *group;          /* [name], NB_NONE: in none; NULL: no groups */
    uint32_t *level;          /* [name] of a switch, from 0; NULL: not given */
    const char *like;         /* the topology that it is; NULL: not given. Not
                               * owned. */
    size_t like_line;
    bool has_bandwidth; /* a comment of a fabric gives terminal_bandwidth */
    struct nb_ratio terminal_bandwidth; /* unknown: not given */
    struct nb_pool texts; /* names that do not appear as such in the file */
    uint32_t first_node;  /* as in struct nb_topology */
    /* Routers with terminals are hosts if each hangs on one switch. */
    bool seeks_hosts;
    enum nb_graph_hosts_note hosts_note;
    struct nb_fabric *fabric; /* NULL: not a fabric. Owned. */
    void *document; /* what names are part of; NULL: the file's text. Owned. */
    void (*free_document)(void *document);
};

void nb_graph_release(struct nb_graph *graph);

/* Adds a note on how the file was read; names are unique. A failed allocation
 * is an error of nb_graph_build. */
void nb_graph_note(struct nb_graph *graph, const char *name, const char *format,
                   ...) __attribute__((format(printf, 3, 4)));
/* Removes a note that no longer holds, if it is there. */
void nb_graph_unnote(struct nb_graph *graph, const char *name);

/* nb_fail with the path and the line or element before the message. line:
 * NB_GRAPH_NO_LINE for the file or list as a whole */
#define NB_GRAPH_NO_LINE SIZE_MAX
enum nb_status nb_graph_fail(const struct nb_graph *graph, size_t line,
                             enum nb_status status, struct nb_error *err,
                             const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Adds the name of a router, if it is new. Errors: NB_INVALID naming path and
 * line if it is not UTF-8 or has control characters; NB_NO_MEMORY. */
enum nb_status nb_graph_names_add(struct nb_graph *graph, size_t line,
                                  const char *text, struct nb_error *err);

/*
 * Adds the names first, first + 1, ... to a graph without names.
 *
 * out  [count] the names, owned by the graph
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_graph_name_numbers(struct nb_graph *graph, size_t first,
                                     size_t count, const char ***out,
                                     struct nb_error *err);

/*
 * Where names are the numbers 0..n-1, but not all the routers' own: calls the
 * routers node0, node1, ... Otherwise a network written to a file would be read
 * back in another order.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_graph_label_numbers(struct nb_graph *graph,
                                      struct nb_error *err);

/* Like nb_graph_names_add, with the terminals of a new router; NB_NONE: not
 * given. */
enum nb_status nb_graph_router_add(struct nb_graph *graph, size_t line,
                                   const char *text, uint32_t terminals,
                                   struct nb_error *err);

/* Adds an edge; one that joins a router with itself is only noted. Errors:
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
 * Keeps one of the edges that join the same two routers, of directed ones one
 * each way, with the last bandwidth that an edge itself has, and sorts them by
 * the routers' numbers. Call after numbering.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_graph_merge(struct nb_graph *graph, struct nb_error *err);

/*
 * Keeps one of two edges where every link is listed from both ends, equally
 * often and with the same bandwidth; else changes nothing.
 *
 * mutual  out: the number of edges that had one of their own the other way
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_graph_fold_mutual(struct nb_graph *graph, size_t *mutual,
                                    struct nb_error *err);

/* The same for lists that may have either form, with a note if some links are
 * listed so. */
enum nb_status nb_graph_read_once(struct nb_graph *graph, struct nb_error *err);

/*
 * Reads a bandwidth.
 *
 * Errors: NB_INVALID, NB_OVERFLOW naming file, line and value unless it is an
 * exact number > 0.
 */
enum nb_status nb_graph_bandwidth(struct nb_graph *graph, size_t line,
                                  const char *text, struct nb_ratio *out,
                                  struct nb_error *err);

/* The same for the bandwidth of the terminals' channels, which may be
 * unlimited: then it is infinite until nb_bandwidths_set. */
enum nb_status nb_graph_terminal_bandwidth(struct nb_graph *graph, size_t line,
                                           const char *text,
                                           struct nb_error *err);

/* Which edges of a file are directed. */
enum nb_graph_directions {
    /* As the file says. Edges that are directed only by the file's default are
     * read both ways, where no other one leads back and the file does not say
     * which topology it is: many programs write "directed" for any links. */
    NB_DIRECTIONS_AUTO,
    NB_DIRECTIONS_NONE,
    NB_DIRECTIONS_ALL
};

/* The attributes that are read where a format lets files choose their names. */
struct nb_graph_attributes {
    const char *bandwidth; /* of an edge: the channel's bandwidth */
    const char *terminals; /* of a node: the router's terminals */
    const char *group;     /* of a node: the router's group */
};

/* Attributes of edges that other programs use for bandwidths. */
enum { NB_GRAPH_WEIGHTS = 3 };
extern const char *const nb_graph_weights[NB_GRAPH_WEIGHTS];

/* The value of an attribute, and where it is; text NULL: none. */
struct nb_graph_value {
    const char *text;
    size_t line;
};

/* A value that is wanted: its key and where it goes. */
struct nb_graph_field {
    const char *key;
    struct nb_graph_value *out;
};

/* Keeps the name of a weight that an edge has though it was not asked for. */
void nb_graph_keep_unread(struct nb_graph *graph,
                          const struct nb_graph_value weight[NB_GRAPH_WEIGHTS]);

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
 * Call after all nodes and edges: numbers the names, tells nodes of the same
 * label apart, reads links once that are all listed from both ends, unless it
 * is a multigraph, and settles which edges are directed.
 *
 * Errors: NB_INVALID naming a node that is repeated; NB_NO_MEMORY.
 */
enum nb_status nb_graph_finish_nodes(struct nb_graph *graph,
                                     enum nb_graph_directions directions,
                                     struct nb_error *err);

/* Errors: NB_INVALID if no edge has the bandwidth attribute that was asked for.
 */
enum nb_status nb_graph_require_bandwidth(const struct nb_graph *graph,
                                          bool is_seen, const char *name,
                                          struct nb_error *err);

/* Call before all nodes where a file does not declare its attributes.
 * directed_by: as in struct nb_graph */
void nb_graph_begin_attributes(struct nb_graph *graph,
                               const struct nb_graph_attributes *attributes,
                               const char *directed_by);

/* As nb_graph_finish_nodes, after that. Leaves out groups that are not numbered
 * 0, 1, 2, ..., with a note, unless they were asked for by name. Errors: also
 * NB_INVALID if an attribute that is not the usual one is nowhere. */
enum nb_status nb_graph_finish_attributes(
    struct nb_graph *graph, const struct nb_graph_attributes *attributes,
    enum nb_graph_directions directions, struct nb_error *err);

struct json_t;
/*
 * Reads a network of RapidChiplet: a list of links with ends "ep1" and "ep2",
 * each with a type, chiplet or irouter (without terminals), and an outer_id.
 * The rest is skipped.
 *
 * Errors: NB_INVALID naming file, link and value; NB_NO_MEMORY.
 * Source: inputs/topologies of github.com/spcl/rapidchiplet.
 */
bool nb_graph_is_chiplets(const struct json_t *root);
enum nb_status nb_graph_read_chiplets(const struct json_t *root,
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
 * Makes terminals of a network's hosts, and routers of its switches only. Their
 * channels' bandwidth is that of the hosts' links, unless a comment gives it.
 * Without hosts, nothing changes.
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

/*
 * Numbers the routers with terminals after the others, as hosts, if each of
 * them is joined with one router that has none; else changes nothing. Call
 * after numbering, with terminals set.
 *
 * Errors: NB_NO_MEMORY; those of nb_graph_find.
 */
enum nb_status nb_graph_number_hosts(struct nb_graph *graph, bool *are_hosts,
                                     struct nb_error *err);

/*
 * Of a part of the network, looks again for hosts, as the other parts may have
 * hidden them; then notes which routers have terminals. Call after
 * nb_graph_take_part.
 *
 * Errors: as nb_graph_number_hosts.
 */
enum nb_status nb_graph_settle_hosts(struct nb_graph *graph,
                                     struct nb_error *err);

/*
 * Sets the levels of switches where every edge between them leads down: a
 * switch is one above the highest below it. Call after numbering, with
 * terminals set.
 *
 * Errors: NB_INVALID naming a switch that is below itself; NB_NO_MEMORY; those
 * of nb_graph_find.
 */
enum nb_status nb_graph_stack(struct nb_graph *graph, struct nb_error *err);

/*
 * Notes the planes or rails of a fabric in which hosts have several ports:
 * ports belong to one host if the first words of their descriptions are the
 * same. For other networks nothing. Call after numbering.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_graph_note_rails(struct nb_graph *graph,
                                   struct nb_error *err);

/* Notes cables of a fabric whose speed is given, but not known. */
void nb_graph_note_speeds(struct nb_graph *graph);

/*
 * Refuses a fabric in which two switches or hosts have one LID. Other parts of
 * a network may be other subnets, so call it after nb_graph_take_part.
 *
 * Errors: NB_INVALID naming both and the LID; NB_NO_MEMORY.
 */
enum nb_status nb_graph_check_lids(const struct nb_graph *graph,
                                   struct nb_error *err);

/* The value of `terminals-at` that leaves terminals to the file. */
#define NB_GRAPH_TERMINALS_AT "auto"

/*
 * Gives terminals to the routers of a list, and none to others. Call after
 * numbering. If each of them is joined with one router outside the list, they
 * are hosts, and numbered after the others.
 *
 * wanted     names, patterns with * and ?, lists such as n[0-3], degree:N or
 *            degree:N..M for routers joined with that many others; joined by +
 * terminals  number for routers without one in the file
 *
 * Errors: NB_INVALID naming an item that fits no router; NB_NO_MEMORY.
 */
enum nb_status nb_graph_choose_terminals(struct nb_graph *graph,
                                         const char *wanted, uint32_t terminals,
                                         struct nb_error *err);

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
