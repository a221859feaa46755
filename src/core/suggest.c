#include "core/suggest.h"

#include "core/locale.h"

#include <stdio.h>
#include <string.h>

enum { SUGGEST_LONGEST = 60 };

static size_t suggest_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool suggest_is_same(char a, char b)
{
    return nb_to_lower(a) == nb_to_lower(b);
}

/*
 * The minimal number of slips from a to b, where no character is changed twice.
 * row[0] is the row of a's characters up to the current one, row[1] and row[2]
 * the rows before it.
 */
static size_t suggest_distance(const char *a, size_t a_length, const char *b,
                               size_t b_length)
{
    size_t row[3][SUGGEST_LONGEST + 1] = { 0 };
    for (size_t j = 0; j <= b_length; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        memcpy(row[2], row[1], sizeof row[1]);
        memcpy(row[1], row[0], sizeof row[0]);
        row[0][0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            const bool is_same = suggest_is_same(a[i - 1], b[j - 1]);
            const size_t replaced = row[1][j - 1] + (is_same ? 0 : 1);
            const size_t changed = suggest_least(row[1][j], row[0][j - 1]) + 1;
            row[0][j] = suggest_least(replaced, changed);
            if (i > 1 && j > 1 && suggest_is_same(a[i - 1], b[j - 2]) &&
                suggest_is_same(a[i - 2], b[j - 1]))
                row[0][j] = suggest_least(row[0][j], row[2][j - 2] + 1);
        }
    }
    return row[0][b_length];
}

/* Whether others use the typed word for this name. */
static bool suggest_is_synonym(const struct nb_suggestion *suggestion,
                               const char *name, size_t length)
{
    static const char *const synonyms[][2] = {
        { "all-to-all", "uniform" },
        { "alltoall", "uniform" },
        { "incast", "hot-spot" },
        { "hotspot", "hot-spot" },
        { "permutation", "random-permutation" },
        { "ecmp", "min" },
        { "spray", "min" },
        { "spraying", "min" },
        { "packet-spraying", "min" },
        { "adaptive", "min-adaptive" },
        { "ugal-l", "ugal" },
        { "ugal-g", "ugal" },
        { "fat-tree", "fattree" },
        { "dragonfly-plus", "megafly" },
        { "flatfly", "hyperx" },
        { "thruput", "throughput" },
        { "failure", "fail" },
        { "failures", "fail" },
        { "fault", "fail" },
        { "faults", "fail" },
        { "cut", "fail" },
        { "gbps", "units" },
        { "speed", "bandwidth" },
        { "link-speed", "bandwidth" },
        { "p99.9", "latency_p999" },
        { "leaf-spine", "clos" },
        { "pattern", "traffic" },
        { "avg-latency", "mean_latency" },
        { "average-latency", "mean_latency" },
        { "xy", "dor" },
        { "e-cube", "dor" },
        { "ecube", "dor" },
        { "valiant", "val" },
        { "minimal", "min" },
        { "shortest-path", "min" },
        { "random", "uniform" },
        { "concentration", "terminals" },
        { "packet-size", "flits" },
        { "packet-length", "flits" },
        { "message-size", "flits" },
        { "injection-rate", "rate" },
        { "buffers", "buffer" },
        { "virtual-channels", "vcs" },
        { "k-ary-n-cube", "torus" },
        { "n-cube", "hypercube" },
        { "butterfly", "hyperx" },
    };
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (strlen(synonyms[i][0]) == suggestion->length &&
            nb_is_same_start(synonyms[i][0], suggestion->typed,
                             suggestion->length) &&
            strlen(synonyms[i][1]) == length &&
            memcmp(synonyms[i][1], name, length) == 0)
            return true;
    return false;
}

void nb_suggest(struct nb_suggestion *suggestion, const char *name,
                size_t length)
{
    const size_t typed = suggestion->length;
    if (typed == 0 || typed > SUGGEST_LONGEST || length > SUGGEST_LONGEST)
        return;
    if (length > typed && nb_is_same_start(suggestion->typed, name, typed)) {
        suggestion->has_several |=
            suggestion->has_longer &&
            (length != suggestion->longer_length ||
             memcmp(name, suggestion->longer, length) != 0);
        suggestion->has_longer = true;
        suggestion->longer = name;
        suggestion->longer_length = length;
    }
    if (length > typed && name[length - typed - 1] == '_' &&
        nb_is_same_start(suggestion->typed, name + length - typed, typed) &&
        (suggestion->ending == NULL || strncmp(name, "mean_", 5) == 0)) {
        suggestion->ending = name;
        suggestion->ending_length = length;
    }
    suggestion->is_known |=
        length == typed && memcmp(suggestion->typed, name, typed) == 0;
    const size_t distance =
        suggest_is_synonym(suggestion, name, length)
            ? 0
            : suggest_distance(suggestion->typed, typed, name, length);
    if (distance > 2 || 3 * distance > typed ||
        (suggestion->name != NULL && distance >= suggestion->distance))
        return;
    suggestion->name = name;
    suggestion->name_length = length;
    suggestion->distance = distance;
}

void nb_suggest_words(struct nb_suggestion *suggestion, const char *list,
                      char separator)
{
    while (list != NULL) {
        const char *end = strchr(list, separator);
        nb_suggest(suggestion, list,
                   end != NULL ? (size_t)(end - list) : strlen(list));
        list = end != NULL ? end + 1 : NULL;
    }
}

const char *nb_suggestion_print(const struct nb_suggestion *suggestion,
                                const char *mark, char out[NB_SUGGESTED])
{
    const char *name = suggestion->name;
    size_t length = suggestion->name_length;
    if (name == NULL && suggestion->has_longer && !suggestion->has_several) {
        name = suggestion->longer;
        length = suggestion->longer_length;
    } else if (name == NULL) {
        name = suggestion->ending;
        length = suggestion->ending_length;
    }
    out[0] = '\0';
    if (name != NULL && !suggestion->is_known)
        snprintf(out, NB_SUGGESTED, ": did you mean \"%s%.*s\"?", mark,
                 (int)length, name);
    return out;
}
