#include "report/seal.h"

#include <string.h>

enum {
    SEAL_START = sizeof NB_SEAL_START - 1,
    SEAL_END = sizeof NB_SEAL_END - 1
};

static void seal_digits(struct nb_digest *digest, char digits[NB_DIGEST_TEXT])
{
    char zeros[NB_DIGEST_DIGITS];
    memset(zeros, '0', sizeof zeros);
    nb_digest_add(digest, NB_SEAL_START, SEAL_START);
    nb_digest_add(digest, zeros, sizeof zeros);
    nb_digest_add(digest, NB_SEAL_END, SEAL_END);
    nb_digest_end(digest, digits);
}

void nb_seal_write(struct nb_digest *digest, struct nb_text *text)
{
    char digits[NB_DIGEST_TEXT];
    seal_digits(digest, digits);
    nb_text_print(text, "%s%s%s", NB_SEAL_START, digits, NB_SEAL_END);
}

void nb_seal_begin(struct nb_seal *seal)
{
    nb_digest_begin(&seal->digest);
    seal->length = 0;
}

void nb_seal_add(struct nb_seal *seal, const char *bytes, size_t length)
{
    const size_t room = sizeof seal->tail - seal->length;
    if (length > room) { /* bytes that can no longer belong to the tail */
        const size_t passed = length - room;
        const size_t held = passed < seal->length ? passed : seal->length;
        nb_digest_add(&seal->digest, seal->tail, held);
        seal->length -= held;
        memmove(seal->tail, seal->tail + held, seal->length);
        nb_digest_add(&seal->digest, bytes, passed - held);
        bytes += passed - held;
        length -= passed - held;
    }
    memcpy(seal->tail + seal->length, bytes, length);
    seal->length += length;
}

bool nb_seal_end(struct nb_seal *seal, char digits[NB_DIGEST_TEXT])
{
    const char *place = seal->tail + SEAL_START;
    seal_digits(&seal->digest, digits);
    return seal->length == sizeof seal->tail &&
           memcmp(seal->tail, NB_SEAL_START, SEAL_START) == 0 &&
           memcmp(place, digits, NB_DIGEST_DIGITS) == 0 &&
           memcmp(place + NB_DIGEST_DIGITS, NB_SEAL_END, SEAL_END) == 0;
}
