#include "topology/words.h"

#include "core/try.h"

/* The letters that may follow a letter: all, or all except itself. */
static uint32_t words_choices(const struct nb_words *words)
{
    return words->letters - !words->may_repeat;
}

static double words_count(const struct nb_words *words)
{
    double count = words->letters;
    for (uint32_t i = 1; i < words->length; i++)
        count *= words_choices(words);
    return count;
}

enum { WORDS_LENGTH = 32 }; /* 2^32 words are too many */

static void words_split(const struct nb_words *words, uint32_t rank,
                        uint32_t letter[WORDS_LENGTH])
{
    const uint32_t choices = words_choices(words);
    uint32_t digit[WORDS_LENGTH] = { 0 };
    for (uint32_t i = words->length; i-- > 1; rank /= choices)
        digit[i] = rank % choices;
    letter[0] = rank;
    for (uint32_t i = 1; i < words->length; i++)
        letter[i] =
            digit[i] + (!words->may_repeat && digit[i] >= letter[i - 1]);
}

static uint32_t words_join(const struct nb_words *words, const uint32_t *letter)
{
    const uint32_t choices = words_choices(words);
    uint32_t rank = letter[0];
    for (uint32_t i = 1; i < words->length; i++)
        rank = rank * choices + letter[i] -
               (!words->may_repeat && letter[i] > letter[i - 1]);
    return rank;
}

enum nb_status nb_words_build(const struct nb_words *words,
                              struct nb_topology *out, struct nb_error *err)
{
    const double count = words_count(words);
    const uint32_t choices = words_choices(words);
    /* Words of one repeated letter would lead to themselves. */
    const double loops = words->may_repeat ? words->letters : 0;
    enum nb_status status;
    size_t next = 0;
    NB_TRY(nb_topology_reserve(out, count, count * choices - loops, err));
    for (uint32_t r = 0; r < out->router_count; r++) {
        uint32_t letter[WORDS_LENGTH + 1];
        words_split(words, r, letter);
        for (uint32_t b = 0; b < words->letters; b++) {
            letter[words->length] = b;
            if (!words->may_repeat && b == letter[words->length - 1])
                continue;
            const uint32_t target = words_join(words, letter + 1);
            if (target != r)
                out->channels[next++] =
                    (struct nb_channel){ r, target, { 0, 0 } };
        }
    }
done:
    return status;
}

unsigned nb_words_symmetry(const struct nb_words *words, size_t index,
                           uint32_t *router_map)
{
    const uint32_t count = (uint32_t)words_count(words);
    if (index > 1)
        return 0;
    for (uint32_t r = 0; r < count; r++) {
        uint32_t letter[WORDS_LENGTH];
        words_split(words, r, letter);
        for (uint32_t i = 0; i < words->length; i++)
            letter[i] = index == 1      ? (letter[i] + 1) % words->letters
                        : letter[i] < 2 ? 1 - letter[i]
                                        : letter[i];
        router_map[r] = words_join(words, letter);
    }
    return NB_OTHER_SYMMETRY;
}

struct nb_closed_form nb_words_diameter(const struct nb_topology *topology)
{
    return (struct nb_closed_form){
        { nb_specification_whole(&topology->specification, "diameter"), 1 },
        "counting"
    };
}
