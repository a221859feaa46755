// A sweep by the one call that asks any question, from C++:
//     c++ sweep.cc $(pkg-config --cflags --libs netbound)
#include <netbound.h>
#include <cstdio>

int main()
{
    nb_model model{};
    nb_report report{};
    nb_text text{};
    nb_error error{};
    nb_model_begin(&model, "buffer", &error);
    nb_model_set(&model, "radix", "16", &error);
    nb_model_add_sweep(&model, "load", "0.5:0.9:0.2", &error);
    if (nb_ask(&model, nullptr, &report, &error) == NB_OK)
        nb_report_write(&report, NB_FORMAT_TEXT, nullptr, &text, &error);
    std::fputs(error.status == NB_OK ? text.bytes : error.message, stdout);
    nb_text_release(&text);
    nb_report_release(&report);
    nb_model_release(&model);
    return error.status;
}
