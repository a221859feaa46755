#include "core/digest.h"

#include <errno.h>
#include <sha256.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

void nb_digest_bytes(const char *bytes, size_t length,
                     char text[NB_DIGEST_TEXT])
{
    SHA256_CTX context;
    SHA256Init(&context);
    SHA256Update(&context, (const uint8_t *)bytes, length);
    SHA256End(&context, text);
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
    SHA256_CTX context;
    SHA256Init(&context);
    uint8_t block[65536];
    size_t count;
    while ((count = fread(block, 1, sizeof block, file)) > 0)
        SHA256Update(&context, block, count);
    enum nb_status status = NB_OK;
    if (ferror(file))
        status = digest_fail(path, errno, err);
    else
        SHA256End(&context, text);
    fclose(file);
    return status;
}

bool nb_digest_is_valid(const char *text)
{
    return strspn(text, "0123456789abcdef") == NB_DIGEST_DIGITS &&
           text[NB_DIGEST_DIGITS] == '\0';
}
