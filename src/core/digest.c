#include "core/digest.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

void nb_digest_begin(struct nb_digest *digest)
{
    SHA256Init(&digest->context);
}

void nb_digest_add(struct nb_digest *digest, const char *bytes, size_t length)
{
    SHA256Update(&digest->context, (const uint8_t *)bytes, length);
}

void nb_digest_end(struct nb_digest *digest, char text[NB_DIGEST_TEXT])
{
    SHA256End(&digest->context, text);
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
    if (stat(path, &state) != 0)
        return digest_fail(path, errno, err);
    if (S_ISDIR(state.st_mode))
        return digest_fail(path, EISDIR, err);
    if (!S_ISREG(state.st_mode))
        return NB_OK;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return digest_fail(path, errno, err);
    struct nb_digest digest;
    nb_digest_begin(&digest);
    char block[65536];
    size_t count;
    while ((count = fread(block, 1, sizeof block, file)) > 0)
        nb_digest_add(&digest, block, count);
    enum nb_status status = NB_OK;
    if (ferror(file))
        status = digest_fail(path, errno, err);
    else
        nb_digest_end(&digest, text);
    fclose(file);
    return status;
}

bool nb_digest_is_valid(const char *text)
{
    return strspn(text, "0123456789abcdef") == NB_DIGEST_DIGITS &&
           text[NB_DIGEST_DIGITS] == '\0';
}
