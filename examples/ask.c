/* Any question by its name; here the worst case, as netbound prints it:
 *     cc ask.c $(pkg-config --cflags --libs netbound) */
#include <netbound.h>
#include <stdio.h>

int main(void)
{
    struct nb_model model = { 0 };
    struct nb_report report = { 0 };
    struct nb_text text = { 0 };
    struct nb_error error = { 0 };
    nb_model_begin(&model, "worst-case", &error);
    nb_model_set(&model, "topology", "torus:8x8", &error);
    nb_model_set(&model, "routing", "dor", &error);
    if (nb_ask(&model, NULL, &report, &error) == NB_OK)
        nb_report_write(&report, NB_FORMAT_TEXT, NULL, &text, &error);
    fputs(error.status == NB_OK ? text.bytes : error.message, stdout);
    nb_text_release(&text);
    nb_report_release(&report);
    nb_model_release(&model);
    return error.status;
}
