/* Registry: the kinds named by specifications in options. */
#ifndef NB_ASK_REGISTRY_H
#define NB_ASK_REGISTRY_H

#include "core/specification.h"

/* Kinds that an option, and any setting of its name, accepts as values. */
struct nb_registry {
    const char *option; /* NULL: past the last */
    nb_kind_at *kinds;
    const struct nb_parameter *common; /* of every kind; NULL: none */
};
extern const struct nb_registry nb_registries[];

/* The next parameter of a kind; after its own, those of every kind. row NULL:
 * the first. Returns NULL past the last. */
const struct nb_parameter *nb_kind_next(const struct nb_registry *registry,
                                        const struct nb_kind *kind,
                                        const struct nb_parameter *row);

#endif
