/*
 * Files of published numbers.
 * Words: src/questions/ledger/published.c src/core/lines.c
 * Seeds: data/published/?*.csv
 */
#include "../support/fuzz.h"

#include "questions/ledger/published.h"

#include <sys/stat.h>

static void published(const uint8_t *bytes, size_t length)
{
    struct nb_published read = { 0 };
    struct nb_error err = { 0 };
    const char *folder = fuzz_path("published");
    mkdir(folder, 0700);
    fuzz_file("published/numbers.csv", bytes, length);
    fuzz_check_error(nb_published_read(folder, &read, &err), &err);
    nb_published_release(&read);
}

FUZZ_TARGET(published)
