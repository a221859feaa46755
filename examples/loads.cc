// What schemes carry of tornado traffic on an 8-ary 2-cube, from C++:
//     c++ loads.cc $(pkg-config --cflags --libs netbound)
#include <netbound.h>
#include <cstdio>

int main()
{
    const nb_run run{}; // all threads
    nb_error error{};
    nb_topology torus{};
    nb_traffic tornado{};
    nb_status status = nb_topology_build("torus:8x8", &torus, &error);
    if (status == NB_OK)
        status = nb_traffic_build("tornado", &torus, false, &tornado, &error);
    const char *const schemes[] = { "dor", "val" };
    for (const char *scheme : schemes) {
        nb_routing routing{};
        nb_channel_loads loads{};
        char throughput[NB_RATIO_TEXT];
        if (status == NB_OK)
            status = nb_routing_build(scheme, &torus, &routing, &error);
        if (status == NB_OK)
            status =
                nb_channel_loads_find(&routing, &tornado, &run, &loads, &error);
        if (status == NB_OK) {
            nb_ratio_print(loads.throughput.exact, throughput);
            std::printf("%s: %s packets/cycle/terminal\n", scheme, throughput);
        }
        nb_channel_loads_release(&loads);
        nb_routing_release(&routing);
    }
    if (status != NB_OK)
        std::fprintf(stderr, "%s\n", error.message);
    nb_traffic_release(&tornado);
    nb_topology_release(&torus);
    return status == NB_OK ? 0 : 1;
}
