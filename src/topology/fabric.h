/* Fabric: what a file of an InfiniBand network says beside its graph: ports,
 * GUIDs, LIDs and speeds. Its routers are switches without terminals, and hosts
 * with terminals and one channel each way. A host is a port of a channel
 * adapter: those of one adapter pass no packets on to each other. */
#ifndef NB_TOPOLOGY_FABRIC_H
#define NB_TOPOLOGY_FABRIC_H

#include "topology/topology.h"

enum {
    NB_FABRIC_SPEED = 12,    /* bytes of a speed's text */
    NB_FABRIC_PORTS = 254,   /* the most of a node */
    NB_FABRIC_LIDS = 0xBFFF, /* the highest of one receiver */
};

/* A port with a cable. */
struct nb_fabric_port {
    uint32_t router, port;
    uint32_t target, target_port;
    /* Of its channel among those from the router to the target, which are in
     * order of ports; NB_NONE: the cable joins a router with itself, and there
     * is no channel. */
    uint32_t rank;
    uint32_t lid;                /* of the port of a host; 0: not given */
    uint32_t lmc;                /* it has 2^lmc LIDs */
    uint64_t guid;               /* the same */
    struct nb_ratio gigabits;    /* [Gbit/s] of data; not known: not given */
    char speed[NB_FABRIC_SPEED]; /* as it stands there: 4xQDR */
};

struct nb_fabric_node {
    uint64_t guid; /* 0: not given */
    uint32_t lid;  /* of a switch; 0: not given */
    uint32_t lmc;
    uint32_t port_count; /* with a cable or without */
    bool is_switch;
    uint32_t description; /* so many bytes of its name are what it is called in
                           * the file; 0: it is not */
};

/* Whom a GUID names. */
struct nb_fabric_guid {
    uint64_t guid;
    uint32_t router, port; /* port 0: the router */
};

/* Owns its arrays. */
struct nb_fabric {
    size_t node_count;
    struct nb_fabric_node *node; /* [router] */
    size_t port_count;
    struct nb_fabric_port *port; /* [port_count] by router, then port */
    uint32_t *start; /* [router + 1] its ports are port[start[r]] and so on */
    size_t guid_count;
    struct nb_fabric_guid *guid; /* [guid_count] sorted */
};

/* Accepts NULL. */
void nb_fabric_release(struct nb_fabric *fabric);

/* For readers, once nodes and ports are there, sorted: ranks, start and guid.
 * Errors: NB_NO_MEMORY. */
enum nb_status nb_fabric_index(struct nb_fabric *fabric, struct nb_error *err);

/* The port of that number, NULL if it has no cable. */
const struct nb_fabric_port *nb_fabric_find(const struct nb_fabric *fabric,
                                            uint32_t router, uint32_t port);

/* The channel that begins at a port; NB_NONE if there is none, or it failed. */
uint32_t nb_fabric_channel(const struct nb_topology *topology,
                           const struct nb_fabric_port *port);

/* The port at which a channel begins; NULL if the network is no fabric. */
const struct nb_fabric_port *
nb_fabric_port_of(const struct nb_topology *topology, uint32_t channel);

/* The router that has a GUID, its own or one of its ports'; NB_NONE: none. */
uint32_t nb_fabric_find_guid(const struct nb_fabric *fabric, uint64_t guid);

/* The port of a host. NULL: there is none. */
const struct nb_fabric_port *nb_fabric_door(const struct nb_fabric *fabric,
                                            uint32_t router);

/* Whether a router is one that stands: of a fabric no adapter, with terminals
 * or, as switches have for collective operations, without. */
static inline bool nb_is_switch(const struct nb_topology *topology,
                                uint32_t router)
{
    return topology->fabric != NULL ? topology->fabric->node[router].is_switch
                                    : !nb_router_has_failed(topology, router);
}

/* The cable, such as 4xQDR, that carries so many Gbit/s of data, of several the
 * one of 4 lanes, then of the fewest; false: there is none. */
bool nb_fabric_speed(struct nb_ratio gigabits, char out[NB_FABRIC_SPEED]);

/* The LID by which packets are sent to a router; 0: not given. */
uint32_t nb_fabric_lid(const struct nb_fabric *fabric, uint32_t router);

#endif
