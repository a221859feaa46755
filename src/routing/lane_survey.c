#include "routing/lane_survey.h"

#include "core/memory.h"
#include "routing/routing.h"

/* Local hops since the last global one, most of the routes that come to a
 * router: without and with a global hop. */
enum { SURVEY_ALONE, SURVEY_AFTER, SURVEY_ROWS };

struct survey_place {
    bool is_reached;
    bool is_falling; /* some route came down to it */
    uint32_t hops, global;
    int64_t row[SURVEY_ROWS]; /* -1: no such route */
};

struct survey {
    const struct nb_topology *topology;
    uint32_t *height; /* [router] hops from the next one with terminals */
    uint32_t *distance, *queue;
    struct survey_place *place; /* [router] */
};

/* Heights; whether every channel leads up or down. */
static bool survey_climb(struct survey *survey)
{
    const struct nb_topology *topology = survey->topology;
    size_t tail = 0;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        survey->height[r] = topology->terminals[r] > 0 ? 0 : NB_NONE;
        if (topology->terminals[r] > 0)
            survey->queue[tail++] = r;
    }
    for (size_t head = 0; head < tail; head++) {
        const uint32_t router = survey->queue[head];
        for (uint32_t c = topology->out_start[router];
             c < topology->out_start[router + 1]; c++) {
            const uint32_t target = topology->channels[c].target;
            if (survey->height[target] != NB_NONE)
                continue;
            survey->height[target] = survey->height[router] + 1;
            survey->queue[tail++] = target;
        }
    }
    for (uint32_t c = 0; c < topology->channel_count; c++)
        if (survey->height[topology->channels[c].source] ==
            survey->height[topology->channels[c].target])
            return false;
    return true;
}

static void survey_raise(uint32_t *most, uint32_t value)
{
    *most = value > *most ? value : *most;
}

static void survey_raise_row(int64_t *most, int64_t value)
{
    *most = value > *most ? value : *most;
}

/* The routes that come to a channel's source go on over it. */
static void survey_cross(struct survey *survey, uint32_t channel,
                         struct nb_lane_survey *out)
{
    const struct nb_channel *at = &survey->topology->channels[channel];
    const struct survey_place *from = &survey->place[at->source];
    struct survey_place *to = &survey->place[at->target];
    const bool is_global = nb_channel_is_global(survey->topology, channel);
    const bool is_up = survey->height[at->target] > survey->height[at->source];
    to->is_reached = true;
    to->is_falling = to->is_falling || !is_up;
    out->is_up_down = out->is_up_down && !(is_up && from->is_falling);
    survey_raise(&to->hops, from->hops + 1);
    survey_raise(&to->global, from->global + is_global);
    for (int i = 0; i < SURVEY_ROWS; i++) {
        if (from->row[i] < 0)
            continue;
        if (is_global) {
            survey_raise(&out->before, (uint32_t)from->row[i]);
            survey_raise_row(&to->row[SURVEY_AFTER], 0);
        } else {
            survey_raise_row(&to->row[i], from->row[i] + 1);
        }
    }
}

/* All routes to one router: the farthest routers come first. */
static void survey_reach(struct survey *survey, uint32_t target,
                         struct nb_lane_survey *out)
{
    const struct nb_topology *topology = survey->topology;
    const struct nb_route_table table = { .target = target,
                                          .distance = survey->distance };
    nb_ways_to(topology, target, survey->distance, survey->queue);
    for (uint32_t r = 0; r < topology->router_count; r++) {
        const bool is_source = topology->terminals[r] > 0;
        survey->place[r] = (struct survey_place){
            .is_reached = is_source,
            .row = { is_source ? 0 : -1, -1 },
        };
    }
    for (size_t i = topology->router_count; i-- > 0;) {
        const uint32_t router = survey->queue[i];
        if (!survey->place[router].is_reached)
            continue;
        for (uint32_t c = topology->out_start[router];
             c < topology->out_start[router + 1]; c++)
            if (nb_is_on_the_way(topology, &table, c))
                survey_cross(survey, c, out);
    }
    const struct survey_place *end = &survey->place[target];
    survey_raise(&out->hops, end->hops);
    survey_raise(&out->global, end->global);
    survey_raise(&out->alone, (uint32_t)end->row[SURVEY_ALONE]);
    if (end->row[SURVEY_AFTER] > 0)
        survey_raise(&out->after, (uint32_t)end->row[SURVEY_AFTER]);
}

enum nb_status nb_lane_survey_find(const struct nb_topology *topology,
                                   struct nb_lane_survey *out,
                                   struct nb_error *err)
{
    const size_t n = topology->router_count;
    const char *what = "lengths of routes";
    struct survey survey = { .topology = topology };
    enum nb_status status = NB_OK;
    *out = (struct nb_lane_survey){ 0 };
    NB_TRY(nb_new(&survey.height, n, sizeof *survey.height, what, err));
    NB_TRY(nb_new(&survey.distance, n, sizeof *survey.distance, what, err));
    NB_TRY(nb_new(&survey.queue, n, sizeof *survey.queue, what, err));
    NB_TRY(nb_new(&survey.place, n, sizeof *survey.place, what, err));
    out->is_up_down = survey_climb(&survey);
    for (uint32_t r = 0; r < n; r++)
        if (topology->terminals[r] > 0)
            survey_reach(&survey, r, out);
done:
    nb_delete(survey.height);
    nb_delete(survey.distance);
    nb_delete(survey.queue);
    nb_delete(survey.place);
    return status;
}
