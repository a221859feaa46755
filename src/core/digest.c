#include "core/digest.h"

#include "core/store.h"

#include <errno.h>
#include <nettle/base16.h>
#include <nettle/version.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

void nb_digest_begin(struct nb_digest *digest)
{
    sha256_init(&digest->context);
}

void nb_digest_add(struct nb_digest *digest, const char *bytes, size_t length)
{
    if (length > 0)
        sha256_update(&digest->context, length, (const uint8_t *)bytes);
}

void nb_digest_end(struct nb_digest *digest, char text[NB_DIGEST_TEXT])
{
    uint8_t digits[SHA256_DIGEST_SIZE];
#if NETTLE_VERSION_MAJOR < 4
    sha256_digest(&digest->context, sizeof digits, digits);
#else
    sha256_digest(&digest->context, digits);
#endif
    base16_encode_update(text, sizeof digits, digits);
    text[NB_DIGEST_DIGITS] = '\0';
}

void nb_digest_bytes(const char *bytes, size_t length,
                     char text[NB_DIGEST_TEXT])
{
    struct nb_digest digest;
    nb_digest_begin(&digest);
    nb_digest_add(&digest, bytes, length);
    nb_digest_end(&digest, text);
}

static enum nb_status digest_fail(const char *path, int cause,
                                  struct nb_error *err)
{
    return nb_fail(err, NB_IO, "cannot read \"%.200s\": %s", path,
                   strerror(cause));
}

enum nb_status nb_digest_file(const char *path, char text[NB_DIGEST_TEXT],
                              struct nb_error *err)
{
    struct stat state;
    text[0] = '\0';
    if (strcmp(path, NB_FILE_STDIN) == 0)
        return NB_OK;
    if (stat(path, &state) != 0)
        return digest_fail(path, errno, err);
    if (S_ISDIR(state.st_mode))
        return digest_fail(path, EISDIR, err);
    if (!S_ISREG(state.st_mode))
        return NB_OK;
    struct nb_text bytes = { 0 };
    const enum nb_status status =
        nb_store_read(path, NB_STORE_BYTES, &bytes, err);
    if (status == NB_OK)
        nb_digest_bytes(bytes.bytes, bytes.length, text);
    nb_text_release(&bytes);
    return status;
}
