/*
 * Models in XML: accepted models are written and read back unchanged.
 * Words: models/model.xsd src/model/ask.xsd tests/fuzz/xml.dict
 * Words: src/questions
 * Seeds: models/?*.xml models/tables/?*.xml
 */
#include "../support/fuzz.h"
#include "../support/random_report.h"

#include "ask/ask.h"

/* Pins are left out: they belong to the present files. */
static void model_write(const struct nb_model *model)
{
    struct nb_text text = { 0 };
    struct nb_model again = { 0 };
    struct nb_error err = { 0 };
    nb_model_write(model, true, 0, &text);
    nb_model_read_file(fuzz_file("again.xml", text.bytes, text.length), &again,
                       &err);
    FUZZ_CHECK(err.status == NB_OK, "%s in: %s", err.message, text.bytes);
    FUZZ_CHECK(nb_models_are_equal(model, &again), "%s", text.bytes);
    nb_model_release(&again);
    nb_text_release(&text);
}

static void model(const uint8_t *bytes, size_t length)
{
    struct nb_model read = { 0 }, request = { 0 };
    struct nb_error err = { 0 }, of_ask = { 0 };
    const char *path = fuzz_file("model.xml", bytes, length);
    fuzz_check_error(nb_model_read_file(path, &read, &err), &err);
    if (err.status == NB_OK)
        model_write(&read);
    fuzz_check_error(nb_ask_read(path, &request, &of_ask), &of_ask);
    FUZZ_CHECK(err.status == NB_OK || of_ask.status != NB_OK, "%s",
               err.message);
    if (of_ask.status == NB_OK)
        model_write(&request);
    nb_model_release(&read);
    nb_model_release(&request);
}

FUZZ_TARGET(model)
