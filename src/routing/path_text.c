/* Paths as text (declared in path_table.h and path_text.h). */
#include "routing/path_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* The first of a router's channels that leads to a target, or
 * out_start[router + 1]. */
static uint32_t text_find_target(const struct nb_topology *topology,
                                 uint32_t router, uint32_t target)
{
    uint32_t low = topology->out_start[router];
    const uint32_t last = topology->out_start[router + 1];
    for (uint32_t end = last; topology->targets_ascend && low < end;) {
        const uint32_t middle = low + (end - low) / 2;
        if (topology->channels[middle].target < target)
            low = middle + 1;
        else
            end = middle;
    }
    while (low < last && topology->channels[low].target != target)
        low++;
    return low;
}

uint32_t nb_path_channel(const struct nb_topology *topology, uint32_t source,
                         uint32_t target, uint32_t rank)
{
    const uint32_t last = topology->out_start[source + 1];
    for (uint32_t c = text_find_target(topology, source, target); c < last; c++)
        if (topology->channels[c].target == target && rank-- == 0)
            return c;
    return NB_NONE;
}

uint32_t nb_path_rank(const struct nb_topology *topology, uint32_t channel)
{
    const struct nb_channel *at = &topology->channels[channel];
    uint32_t rank = 0;
    for (uint32_t c = text_find_target(topology, at->source, at->target);
         c < channel; c++)
        rank += topology->channels[c].target == at->target;
    return rank;
}

/* A sign and a number. */
static void text_print_number(struct nb_text *text, char sign, uint32_t number)
{
    char digits[16];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    if (sign != '\0')
        digits[--at] = sign;
    nb_text_add(text, digits + at, sizeof digits - at);
}

void nb_path_print(const struct nb_topology *topology, uint32_t source,
                   const uint32_t *channel, size_t length, struct nb_text *text)
{
    text_print_number(text, '\0', source);
    for (size_t i = 0; i < length; i++) {
        const uint32_t rank = nb_path_rank(topology, channel[i]);
        text_print_number(text, '-', topology->channels[channel[i]].target);
        if (rank > 0)
            text_print_number(text, '/', rank);
    }
}

/* Reads digits and moves behind them; what passes 32 bits becomes NB_NONE.
 * False if there are none. */
static bool text_cut_number(const char **text, uint32_t *number)
{
    const char *start = *text;
    uint64_t value = 0;
    for (; **text >= '0' && **text <= '9'; ++*text)
        if (value < NB_NONE)
            value = value * 10 + (uint64_t)(**text - '0');
    *number = value < NB_NONE ? (uint32_t)value : NB_NONE;
    return *text != start;
}

/* Whether a path of so many hops, which has come to the router at, met a
 * router before; from now on it has. */
static bool text_meets(const struct nb_path_reading *reading, uint32_t at,
                       size_t length, uint32_t router)
{
    bool is_met = router == at;
    if (reading->met != NULL) {
        is_met = reading->met[router] == reading->stamp;
        reading->met[router] = reading->stamp;
        return is_met;
    }
    for (size_t i = 0; i < length && !is_met; i++)
        is_met =
            reading->topology->channels[reading->channel[i]].source == router;
    return is_met;
}

/* Says in wrong what is wrong. */
__attribute__((format(printf, 2, 3))) static const char *
text_wrong(char wrong[NB_PATH_WRONG], const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(wrong, NB_PATH_WRONG, format, values);
    va_end(values);
    return wrong;
}

const char *nb_path_text_read(const struct nb_path_reading *reading,
                              const char *text, uint32_t *source,
                              size_t *length, char wrong[NB_PATH_WRONG])
{
    const struct nb_topology *topology = reading->topology;
    uint32_t at = NB_NONE; /* where the path has come to */
    for (*length = 0;; text++) {
        const char *word = text;
        uint32_t router, rank = 0;
        bool is_read = text_cut_number(&text, &router);
        if (is_read && *text == '/' && at != NB_NONE) {
            text++;
            is_read = text_cut_number(&text, &rank);
        }
        if (!is_read || (*text != '-' && *text != '\0'))
            return text_wrong(wrong, "no router at \"%.20s\"", word);
        const int width = text - word < 20 ? (int)(text - word) : 20;
        if (router >= topology->router_count)
            return text_wrong(wrong, "no router %.*s", width, word);
        const uint32_t channel =
            at != NB_NONE ? nb_path_channel(topology, at, router, rank) : 0;
        if (channel == NB_NONE)
            return text_wrong(wrong,
                              "no channel from router %" PRIu32 " to %.*s", at,
                              width, word);
        if (text_meets(reading, at, *length, router))
            return text_wrong(wrong, "router %" PRIu32 " twice", router);
        if (at == NB_NONE)
            *source = router;
        else
            reading->channel[(*length)++] = channel;
        at = router;
        if (*text == '\0')
            return NULL;
    }
}

const char *nb_path_read(const struct nb_topology *topology, const char *text,
                         uint32_t *channel, size_t *length,
                         char wrong[NB_PATH_WRONG])
{
    const struct nb_path_reading reading = { .topology = topology,
                                             .channel = channel };
    uint32_t source;
    return nb_path_text_read(&reading, text, &source, length, wrong);
}
