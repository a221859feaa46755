#include "core/utf8.h"

#include <string.h>

size_t nb_utf8_decode(const char *text, uint32_t *code)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *byte = (const unsigned char *)text;
    const size_t length = byte[0] < 0x80    ? byte[0] != '\0'
                          : byte[0] >= 0xF8 ? 0
                          : byte[0] >= 0xF0 ? 4
                          : byte[0] >= 0xE0 ? 3
                          : byte[0] >= 0xC0 ? 2
                                            : 0;
    *code = length > 1 ? byte[0] & (0x7Fu >> length) : byte[0];
    for (size_t i = 1; i < length; i++) { /* stops at a NUL */
        if ((byte[i] & 0xC0) != 0x80)
            return 0;
        *code = *code << 6 | (byte[i] & 0x3Fu);
    }
    const bool is_character = length > 0 && *code >= least[length] &&
                              *code <= 0x10FFFF &&
                              !(*code >= 0xD800 && *code <= 0xDFFF);
    return is_character ? length : 0;
}

static bool utf8_is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0);
}

static bool utf8_turns(uint32_t code)
{
    return code == 0x061C || code == 0x200E || code == 0x200F ||
           (code >= 0x202A && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069);
}

size_t nb_utf8_encode(uint32_t code, char *out)
{
    static const unsigned char lead[] = { 0, 0, 0xC0, 0xE0, 0xF0 };
    const size_t length = code < 0x80      ? 1
                          : code < 0x800   ? 2
                          : code < 0x10000 ? 3
                                           : 4;
    for (size_t i = length; i-- > 1; code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3F));
    out[0] = (char)(lead[length] | code);
    return length;
}

bool nb_utf8_is_text(const char *text, const char *controls)
{
    while (*text != '\0') {
        uint32_t code;
        const size_t length = nb_utf8_decode(text, &code);
        const bool is_control = code < 0x80 && utf8_is_control(code) &&
                                strchr(controls, *text) == NULL;
        if (length == 0 || is_control || code == 0xFFFE || code == 0xFFFF)
            return false;
        text += length;
    }
    return true;
}

size_t nb_utf8_shown(const char *text, size_t *step)
{
    uint32_t code;
    const size_t length = nb_utf8_decode(text, &code);
    *step = length > 0 ? length : 1;
    return utf8_is_control(code) || utf8_turns(code) ? 0 : length;
}

void nb_utf8_make_plain(char *text)
{
    char *end = text;
    while (*text != '\0') {
        size_t step;
        const size_t length = nb_utf8_shown(text, &step);
        if (length > 0)
            memmove(end, text, length);
        else
            *end = '?';
        end += length > 0 ? length : 1;
        text += step;
    }
    *end = '\0';
}
