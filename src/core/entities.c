#include "core/entities.h"

#include "core/locale.h"
#include "core/utf8.h"

#include <stdlib.h>
#include <string.h>

/* The character that an entity stands for, and its length in the file; 0 if it
 * is none that is known. */
static uint32_t entities_find(const char *text, size_t *length)
{
    static const struct {
        const char *name;
        uint32_t code;
    } known[] = { { "&amp;", '&' },
                  { "&quot;", '"' },
                  { "&apos;", '\'' },
                  { "&lt;", '<' },
                  { "&gt;", '>' } };
    char *end;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        *length = strlen(known[i].name);
        if (strncmp(text, known[i].name, *length) == 0)
            return known[i].code;
    }
    if (text[1] != '#')
        return 0;
    const bool is_hex = nb_to_lower(text[2]) == 'x';
    const char *digits = text + 2 + is_hex;
    const unsigned long code = strtoul(digits, &end, is_hex ? 16 : 10);
    *length = (size_t)(end - text) + 1;
    return end != digits && *end == ';' && code <= 0x10FFFF ? (uint32_t)code
                                                            : 0;
}

void nb_entities_decode(char *text)
{
    char *out = text;
    while (*text != '\0') {
        size_t length = 1;
        const uint32_t code = *text == '&' ? entities_find(text, &length) : 0;
        if (code > 0) {
            out += nb_utf8_encode(code, out);
            text += length;
        } else {
            *out++ = *text++;
        }
    }
    *out = '\0';
}
