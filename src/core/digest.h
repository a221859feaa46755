/* Digest: SHA-256 of bytes and files, as 64 lower-case hexadecimal digits. */
#ifndef NB_CORE_DIGEST_H
#define NB_CORE_DIGEST_H

#include "core/status.h"

#include <nettle/sha2.h>
#include <stddef.h>

enum { NB_DIGEST_DIGITS = 64, NB_DIGEST_TEXT = NB_DIGEST_DIGITS + 1 };

/*
 * SHA-256 of length bytes.
 *
 * text  out: the digits, ended by NUL
 *
 * Source: FIPS 180-4, section 6.2 (the library Nettle).
 */
void nb_digest_bytes(const char *bytes, size_t length,
                     char text[NB_DIGEST_TEXT]);

/* The same for bytes that arrive in pieces. */
struct nb_digest {
    struct sha256_ctx context;
};
void nb_digest_begin(struct nb_digest *digest);
void nb_digest_add(struct nb_digest *digest, const char *bytes, size_t length);
void nb_digest_end(struct nb_digest *digest, char text[NB_DIGEST_TEXT]);

/*
 * SHA-256 of a file's contents, as read by nb_store_read. Only regular files
 * are read: what came through a pipe cannot be read again.
 *
 * text  out: the digits; "" if path is a device or a pipe
 *
 * Errors: NB_IO if the file cannot be read, naming path and cause; NB_INVALID
 * if it is larger than NB_STORE_BYTES; NB_NO_MEMORY.
 */
enum nb_status nb_digest_file(const char *path, char text[NB_DIGEST_TEXT],
                              struct nb_error *err);

#endif
