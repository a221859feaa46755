/* Fabric: what the file of an InfiniBand network holds in addition to the
 * graph: ports, GUIDs, LIDs and speeds. Its routers are switches, without
 * terminals, and hosts, with terminals and one channel each way. A host is a
 * port of a channel adapter; ports of one adapter do not forward packets to
 * each other. Ports of InfiniBand routers are like hosts but have no
 * terminals. */
#ifndef NB_TOPOLOGY_FABRIC_H
#define NB_TOPOLOGY_FABRIC_H

#include "topology/topology.h"

enum {
    NB_FABRIC_SPEED = 12,    /* bytes of text for a speed */
    NB_FABRIC_PORTS = 254,   /* the largest number per node */
    NB_FABRIC_LIDS = 0xBFFF, /* the highest unicast LID */
};

/* A port with a cable. */
struct nb_fabric_port {
    uint32_t router, port;
    uint32_t target, target_port;
    /* Rank of its channel among those from the router to the target, in order
     * of ports; NB_NONE: no channel, because the cable joins a router with
     * itself or has failed. */
    uint32_t rank;
    bool has_failed;
    bool is_inferred; /* the file lists this cable only at the other end */
    uint32_t lid;     /* of a host's port; 0: not given */
    uint32_t lmc;     /* the port has 2^lmc LIDs */
    uint64_t guid;    /* of the port; 0: not given */
    struct nb_ratio gigabits;    /* [Gbit/s] of data; not known: speed is "" or
                                  * its name is unknown */
    char speed[NB_FABRIC_SPEED]; /* as in the file: 4xQDR */
};

struct nb_fabric_node {
    uint64_t guid; /* 0: not given */
    uint32_t lid;  /* of a switch; 0: not given */
    uint32_t lmc;
    uint32_t port_count; /* including ports without a cable */
    bool is_switch;
    bool is_gateway;      /* a router of InfiniBand, to other subnets */
    uint32_t description; /* length in bytes of the description, which begins
                           * its name; 0: no description */
};

/* The owner of a GUID. */
struct nb_fabric_guid {
    uint64_t guid;
    uint32_t router, port; /* port 0: the router itself */
    bool is_derived;       /* computed from the node's, since the file need not
                            * give it; a given GUID takes precedence */
};

/* Owns its arrays. */
struct nb_fabric {
    struct nb_ratio unit; /* [Gbit/s] of data of bandwidth 1; not known: speeds
                           * are not read, or not given */
    size_t node_count;
    struct nb_fabric_node *node; /* [router] */
    size_t port_count;
    struct nb_fabric_port *port; /* [port_count] by router, then port */
    uint32_t *start;             /* [router + 1] ports of router r begin at
                                  * port[start[r]] */
    size_t guid_count;
    struct nb_fabric_guid *guid; /* [guid_count] sorted */
};

/* Accepts NULL. */
void nb_fabric_release(struct nb_fabric *fabric);

/* For readers, once nodes and ports are set and sorted: makes rank, start and
 * guid. Errors: NB_NO_MEMORY. */
enum nb_status nb_fabric_index(struct nb_fabric *fabric, struct nb_error *err);

/* For readers: keeps the nodes that get a number, in the old order. number:
 * [node_count] NB_NONE: left out. Errors: NB_NO_MEMORY. */
enum nb_status nb_fabric_cut(struct nb_fabric *fabric, const uint32_t *number,
                             struct nb_error *err);

/* For failures, once ports have failed: sets ranks again. */
void nb_fabric_rank(struct nb_fabric *fabric);

/* The port with this number, NULL if it has no cable. */
const struct nb_fabric_port *nb_fabric_find(const struct nb_fabric *fabric,
                                            uint32_t router, uint32_t port);

/* The channel that begins at a port; NB_NONE if there is none or it failed. */
uint32_t nb_fabric_channel(const struct nb_topology *topology,
                           const struct nb_fabric_port *port);

/* The port at which a channel begins; NULL if the network is not a fabric. */
const struct nb_fabric_port *
nb_fabric_port_of(const struct nb_topology *topology, uint32_t channel);

/* The router that has a GUID, its own or one of its ports'; NB_NONE: none. A
 * node and a port of another one may have the same: the node is found, unless
 * it is known to be a port's GUID. */
uint32_t nb_fabric_find_guid(const struct nb_fabric *fabric, uint64_t guid);
uint32_t nb_fabric_find_port_guid(const struct nb_fabric *fabric,
                                  uint64_t guid);

/* The port of a host; NULL: none. */
const struct nb_fabric_port *nb_fabric_door(const struct nb_fabric *fabric,
                                            uint32_t router);

/* Whether nodes with terminals are hosts: of a fabric, nodes of a file, or made
 * of terminals (hosts.h). */
static inline bool nb_has_hosts(const struct nb_topology *topology)
{
    return topology->fabric != NULL || topology->first_host > 0 ||
           topology->first_node > 0;
}

/* Whether a router is a switch that has not failed. In a fabric, adapters are
 * not switches: neither hosts nor those without terminals, which switches have
 * for collective operations. */
static inline bool nb_is_switch(const struct nb_topology *topology,
                                uint32_t router)
{
    return !nb_router_has_failed(topology, router) &&
           (topology->first_host == 0 || router < topology->first_host) &&
           (topology->first_node == 0 || router < topology->first_node) &&
           (topology->fabric == NULL ||
            topology->fabric->node[router].is_switch);
}

/* Where a packet turns that is to visit a node with terminals on its way: a
 * host's only switch, since hosts relay nothing; else the node itself. */
static inline uint32_t nb_turn_router(const struct nb_topology *topology,
                                      uint32_t router)
{
    const uint32_t first = topology->out_start[router];
    const bool is_host = nb_has_hosts(topology) &&
                         !nb_is_switch(topology, router) &&
                         topology->out_start[router + 1] == first + 1 &&
                         nb_is_switch(topology, topology->out_target[first]);
    return is_host ? topology->out_target[first] : router;
}

/* The cable, such as 4xQDR, that carries this many Gbit/s of data; among
 * several, one of 4 lanes, else the one with the fewest. False: none. */
bool nb_fabric_speed(struct nb_ratio gigabits, char out[NB_FABRIC_SPEED]);

/* Whether a host has more than one LID. */
bool nb_fabric_has_several_lids(const struct nb_fabric *fabric);

/* The LID that addresses a router; 0: not given. */
uint32_t nb_fabric_lid(const struct nb_fabric *fabric, uint32_t router);

#endif
