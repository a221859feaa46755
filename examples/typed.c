/* The same two questions with the types of C:
 *     cc typed.c $(pkg-config --cflags --libs netbound) */
#include <netbound.h>
#include <stdio.h>

int main(void)
{
    struct nb_error error = { 0 };
    const struct nb_worst_case_question torus = { .topology = "torus:8x8",
                                                  .routing = "dor" };
    struct nb_worst_case_answer worst = { 0 };
    if (nb_worst_case_ask(&torus, NULL, &worst, &error) == NB_OK)
        printf("at most %g packets/cycle/terminal\n",
               worst.matched.throughput.lower);
    nb_worst_case_answer_release(&worst);
    for (int tenths = 5; tenths <= 9 && error.status == NB_OK; tenths += 2) {
        const struct nb_buffer_question queue = { .radix = 16,
                                                  .load = { tenths, 10 },
                                                  .arrivals = "bernoulli",
                                                  .overflow = 1e-15 };
        struct nb_buffer_answer answer = { 0 };
        struct nb_point point = { 0 };
        if (nb_buffer_ask(&queue, NULL, &answer, &error) == NB_OK)
            nb_buffer_report(&answer, &point);
        if (error.status == NB_OK)
            printf("load 0.%d: %g packets\n", tenths,
                   nb_point_quantity(&point, "buffer_depth")->value);
        nb_point_release(&point);
        nb_buffer_answer_release(&answer);
    }
    fputs(error.message, stderr);
    return error.status;
}
