/* Shortest ways to one router (declared in assignment_work.h). */
#include "queueing/assignment_work.h"

#include <math.h>

/* Nearer first; of equals the lower router, so that the order is fixed. */
static bool search_is_before(struct nb_assignment_entry a,
                             struct nb_assignment_entry b)
{
    return a.distance < b.distance ||
           (a.distance == b.distance && a.router < b.router);
}

static void search_push(struct nb_assignment_work *work,
                        struct nb_assignment_entry entry)
{
    size_t at = work->heap_count++;
    while (at > 0 && search_is_before(entry, work->heap[(at - 1) / 2])) {
        work->heap[at] = work->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    work->heap[at] = entry;
}

static struct nb_assignment_entry search_pop(struct nb_assignment_work *work)
{
    const struct nb_assignment_entry top = work->heap[0];
    const struct nb_assignment_entry last = work->heap[--work->heap_count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < work->heap_count; at = child) {
        if (child + 1 < work->heap_count &&
            search_is_before(work->heap[child + 1], work->heap[child]))
            child++;
        if (!search_is_before(work->heap[child], last))
            break;
        work->heap[at] = work->heap[child];
    }
    work->heap[at] = last;
    return top;
}

void nb_assignment_search(struct nb_assignment_work *work, uint32_t target)
{
    const struct nb_topology *topology = work->topology;
    for (size_t r = 0; r < topology->router_count; r++) {
        work->distance[r] = INFINITY;
        work->next[r] = NB_NONE;
    }
    work->distance[target] = 0;
    work->heap_count = 0;
    search_push(work, (struct nb_assignment_entry){ 0, target });
    while (work->heap_count > 0) {
        const struct nb_assignment_entry near = search_pop(work);
        if (near.distance > work->distance[near.router])
            continue;
        for (uint32_t i = topology->in_start[near.router];
             i < topology->in_start[near.router + 1]; i++) {
            const uint32_t channel = topology->in_channel[i];
            const uint32_t router = topology->channels[channel].source;
            const double distance = near.distance + work->length[channel];
            if (distance < work->distance[router]) {
                work->distance[router] = distance;
                work->next[router] = channel;
                search_push(work,
                            (struct nb_assignment_entry){ distance, router });
            }
        }
    }
}
