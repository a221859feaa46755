/* Mean and variance of a delay over paths (declared in path_delay.h). */
#include "queueing/path_delay.h"

#include <math.h>

/* Sums of means and of variances over one part of a mix. */
static void moments_part(const struct nb_delay_path *path, int kind,
                         uint32_t number, struct nb_enclosure *mean,
                         struct nb_enclosure *variance)
{
    const size_t width = path->mix.width[kind];
    const uint32_t *at = path->mix.laws[kind] + number * width;
    for (size_t i = 0; i < width; i++) {
        *mean = nb_enclosure_add(*mean, path->hops[at[i]]->mean);
        *variance = nb_enclosure_add(*variance, path->hops[at[i]]->variance);
    }
}

/* Sums of means, the hops' own cycles among them, and of variances over one
 * of the paths. */
static void moments_of(const struct nb_delay_path *path, size_t share,
                       struct nb_enclosure *mean, struct nb_enclosure *variance)
{
    *mean = nb_enclosure_of_whole((uint32_t)path->count);
    *variance = nb_enclosure_of_whole(0);
    if (path->mix.share_count > 0) {
        for (int kind = 0; kind < NB_MIX_PARTS; kind++)
            moments_part(path, kind, path->mix.shares[share].part[kind], mean,
                         variance);
        return;
    }
    for (size_t i = 0; i < path->count; i++) {
        *mean = nb_enclosure_add(*mean, path->hops[i]->mean);
        *variance = nb_enclosure_add(*variance, path->hops[i]->variance);
    }
}

static size_t moments_shares(const struct nb_delay_path *path)
{
    return path->mix.share_count > 0 ? path->mix.share_count : 1;
}

/* weight / total, which fit 63 bits. */
static struct nb_enclosure moments_share(const struct nb_delay_path *path,
                                         size_t share)
{
    if (path->mix.share_count == 0)
        return nb_enclosure_of_whole(1);
    return nb_enclosure_of_ratio(nb_ratio_make(
        (nb_int128)path->mix.shares[share].weight, (nb_int128)path->mix.total));
}

struct nb_enclosure nb_delay_path_mean(const struct nb_delay_path *path)
{
    struct nb_enclosure sum = nb_enclosure_of_whole(0), mean, variance;
    if (nb_delay_path_is_empty(path))
        return (struct nb_enclosure){ .lower = NAN, .upper = NAN };
    for (size_t i = 0; i < moments_shares(path); i++) {
        moments_of(path, i, &mean, &variance);
        sum = nb_enclosure_add(
            sum, nb_enclosure_multiply(moments_share(path, i), mean));
    }
    return sum;
}

/* E[D^2] */
static struct nb_enclosure moments_square(const struct nb_delay_path *path)
{
    struct nb_enclosure sum = nb_enclosure_of_whole(0), mean, variance;
    for (size_t i = 0; i < moments_shares(path); i++) {
        moments_of(path, i, &mean, &variance);
        const struct nb_enclosure own =
            nb_enclosure_add(variance, nb_enclosure_multiply(mean, mean));
        sum = nb_enclosure_add(
            sum, nb_enclosure_multiply(moments_share(path, i), own));
    }
    return sum;
}

struct nb_enclosure nb_delay_mean(const struct nb_delay *delay)
{
    struct nb_enclosure sum = nb_enclosure_of_whole(0);
    for (size_t i = 0; i < delay->path_count; i++) {
        const struct nb_enclosure weight =
            nb_enclosure_of_ratio(delay->paths[i].weight);
        if (nb_delay_path_is_empty(&delay->paths[i]))
            continue;
        sum = nb_enclosure_add(
            sum, nb_enclosure_multiply(weight,
                                       nb_delay_path_mean(&delay->paths[i])));
    }
    return sum;
}

struct nb_enclosure nb_delay_variance(const struct nb_delay *delay)
{
    struct nb_enclosure square = nb_enclosure_of_whole(0), mean, variance;
    if (delay->path_count == 1 && moments_shares(delay->paths) == 1) {
        moments_of(delay->paths, 0, &mean, &variance);
        return variance;
    }
    for (size_t i = 0; i < delay->path_count; i++) {
        const struct nb_delay_path *path = &delay->paths[i];
        if (!nb_delay_path_is_empty(path))
            square = nb_enclosure_add(
                square,
                nb_enclosure_multiply(nb_enclosure_of_ratio(path->weight),
                                      moments_square(path)));
    }
    mean = nb_delay_mean(delay);
    return nb_enclosure_excess(square, nb_enclosure_multiply(mean, mean));
}
