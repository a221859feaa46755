/* What a credit router may be (declared in credit.h). */
#include "sim/credit.h"

#include "core/text.h"

enum { CHECK_FLITS = 1 << 24, CHECK_CYCLES = 1 << 16, CHECK_SPEEDUP = 64 };

static enum nb_status check_range(const char *what, uint32_t value,
                                  uint32_t least, uint32_t most,
                                  struct nb_error *err)
{
    if (value >= least && value <= most)
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "credit router: %s %u (permitted: %u to %u)", what, value,
                   least, most);
}

static enum nb_status check_channels(const struct nb_network *network,
                                     uint32_t given, struct nb_error *err)
{
    struct nb_text routing = { 0 }, topology = { 0 };
    enum nb_status status = NB_OK;
    if (given >= network->classes.count && given <= NB_MOST_VC_CLASSES)
        return NB_OK;
    nb_specification_print(&network->plan->routing->specification, &routing);
    nb_specification_print(&network->topology->specification, &topology);
    NB_TRY(nb_text_check(&routing, err));
    NB_TRY(nb_text_check(&topology, err));
    status = nb_fail(err, NB_INVALID,
                     "routing %.80s on %.80s needs %u virtual channels, given "
                     "are %u (permitted: %u to %d)",
                     routing.bytes, topology.bytes, network->classes.count,
                     given, network->classes.count, NB_MOST_VC_CLASSES);
done:
    nb_text_release(&routing);
    nb_text_release(&topology);
    return status;
}

enum nb_status nb_credit_check(const struct nb_network *network,
                               uint32_t virtual_channels, struct nb_error *err)
{
    const struct nb_router *router = &network->plan->router;
    const uint32_t longest = nb_most_flits(network->plan);
    enum nb_status status = NB_OK;
    NB_TRY(check_channels(network, virtual_channels, err));
    NB_TRY(check_range("buffer", router->buffer, 1, CHECK_FLITS, err));
    NB_TRY(check_range("output buffer", router->output_buffer, 1, CHECK_FLITS,
                       err));
    NB_TRY(check_range("speedup", router->speedup, 1, CHECK_SPEEDUP, err));
    NB_TRY(check_range("pipeline", router->pipeline, 0, CHECK_CYCLES, err));
    NB_TRY(check_range("channel latency", router->channel_latency, 1,
                       CHECK_CYCLES, err));
    if (router->switching == NB_CUT_THROUGH && router->buffer < longest)
        status = nb_fail(err, NB_INVALID,
                         "cut-through with buffers of %u flits and packets of "
                         "%u (permitted: buffers of %u or more, or wormhole)",
                         router->buffer, longest, longest);
    else if (network->packets.capacity > NB_FLIT_HEAD)
        status = nb_fail(err, NB_INVALID,
                         "credit router: %u packets under way (permitted: at "
                         "most %d)",
                         network->packets.capacity, NB_FLIT_HEAD);
done:
    return status;
}
