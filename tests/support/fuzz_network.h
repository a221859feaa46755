/* Networks from arbitrary bytes, and back from the files written of them. */
#ifndef NB_TESTS_SUPPORT_FUZZ_NETWORK_H
#define NB_TESTS_SUPPORT_FUZZ_NETWORK_H

#include "fuzz.h"

/*
 * Reads bytes as a file of that name by topology file:. A network is written in
 * every format that can hold it, and must be the same when read back.
 *
 * parameters  begin with a comma or are ""
 */
void fuzz_network(const char *name, const char *parameters,
                  const uint8_t *bytes, size_t length);

#endif
