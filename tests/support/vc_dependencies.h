/* Dependencies of virtual-channel classes: what waits for what on every route
 * of a scheme. */
#ifndef NB_TESTS_SUPPORT_VC_DEPENDENCIES_H
#define NB_TESTS_SUPPORT_VC_DEPENDENCIES_H

#include "dependencies.h"

#include "routing/vc_classes.h"

/*
 * What a packet holds waits for the escape classes of its next hop. If it need
 * not use them, what it held before may still wait for them many hops later.
 */
struct vc_dependencies {
    struct nb_vc_classes classes;
    struct dependencies graph; /* of channel * count + class */
    const char *name;
    uint64_t used; /* number of classes */
};

/* Every route of every pair. Fails the test if there are no classes, if memory
 * is short, and if a packet may request no existing class or has no escape. */
void vc_dependencies_open(struct vc_dependencies *found,
                          const struct nb_routing *routing, const char *name);
void vc_dependencies_close(struct vc_dependencies *found);

#endif
