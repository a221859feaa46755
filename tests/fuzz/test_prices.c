/*
 * Files of prices.
 * Words: src/questions/fit/fit_prices.c src/core/lines.c src/topology/fit.c
 * Seeds: data/prices.csv
 */
#include "../support/fuzz.h"

#include "questions/fit/fit_question.h"

static void prices(const uint8_t *bytes, size_t length)
{
    struct nb_fit_prices read;
    struct nb_error err = { 0 };
    fuzz_check_error(
        nb_fit_prices_read(fuzz_file("prices.csv", bytes, length), &read, &err),
        &err);
    for (int i = 0; err.status == NB_OK && i < NB_FIT_ITEMS; i++)
        FUZZ_CHECK(read.money[i] >= 0 && read.watts[i] >= 0, "item %d", i);
}

FUZZ_TARGET(prices)
