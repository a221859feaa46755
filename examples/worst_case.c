/* The worst case of dimension-order routing on an 8-ary 2-cube:
 *     cc worst_case.c $(pkg-config --cflags --libs netbound) */
#include <netbound.h>
#include <stdio.h>

int main(void)
{
    struct nb_topology torus = { 0 };
    struct nb_routing routing = { 0 };
    struct nb_worst_case worst = { 0 };
    struct nb_error error = { 0 };
    const struct nb_run run = { 0 }; /* all threads */
    char throughput[NB_RATIO_TEXT];

    enum nb_status status = nb_topology_build("torus:8x8", &torus, &error);
    if (status == NB_OK)
        status = nb_routing_build("dor", &torus, &routing, &error);
    if (status == NB_OK)
        status = nb_worst_case_find(&routing, &run, &worst, &error);
    if (status == NB_OK) {
        nb_ratio_print(worst.throughput.exact, throughput);
        printf("worst case: %s packets/cycle/terminal, when\n", throughput);
        for (unsigned i = 0; i < 4; i++)
            printf("router %u sends to router %u\n", worst.sides.router[i],
                   worst.sides.router[worst.permutation[i]]);
    } else {
        fprintf(stderr, "%s\n", error.message);
    }
    nb_worst_case_release(&worst);
    nb_routing_release(&routing);
    nb_topology_release(&torus);
    return status == NB_OK ? 0 : 1;
}
