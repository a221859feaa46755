/* Seal: the last lines of a report file with its digest: that of the whole file
 * with zeros in place of the digest's digits. */
#ifndef NB_REPORT_SEAL_H
#define NB_REPORT_SEAL_H

#include "core/digest.h"
#include "core/text.h"

#define NB_SEAL_START "  <digest algorithm=\"sha256\">"
#define NB_SEAL_END   "</digest>\n</report>\n"

/* Appends the seal for the bytes digested; ends the digest. */
void nb_seal_write(struct nb_digest *digest, struct nb_text *text);

/* Checks the seal of a file that is read piece by piece: its last bytes are
 * held back until the end. */
struct nb_seal {
    struct nb_digest digest;
    size_t length; /* bytes held back */
    char tail[sizeof NB_SEAL_START + NB_DIGEST_DIGITS + sizeof NB_SEAL_END - 2];
};

void nb_seal_begin(struct nb_seal *seal);
void nb_seal_add(struct nb_seal *seal, const char *bytes, size_t length);
/*
 * Call after the last bytes.
 *
 * digits  out: those that the file should have
 *
 * Returns whether it has them, and ends as a report does.
 */
bool nb_seal_end(struct nb_seal *seal, char digits[NB_DIGEST_TEXT]);

#endif
