/* netbound audit: the hosts of a job. */
#include "questions/audit/audit_question.h"

#include "core/memory.h"
#include "core/name_list.h"

#include <stdio.h>
#include <string.h>

/* What a terminal is called: its router's name, or its own number. */
static void job_print(const struct nb_topology *topology, uint32_t router,
                      size_t terminal, struct nb_text *text)
{
    if (nb_router_name(topology, router) != NULL)
        nb_router_print(topology, router, text);
    else
        nb_text_print(text, "%zu", terminal);
}

static enum nb_status job_refuse(const struct nb_topology *topology,
                                 const char *name, struct nb_error *err)
{
    struct nb_text text = { 0 };
    size_t terminal = 0;
    for (uint32_t r = 0, shown = 0; r < topology->router_count && shown < 3;
         r++) {
        if (topology->terminals[r] == 0)
            continue;
        nb_text_print(&text, "%s\"", shown++ > 0 ? ", " : "");
        job_print(topology, r, terminal, &text);
        nb_text_print(&text, "\"");
        terminal += topology->terminals[r];
    }
    enum nb_status status = nb_text_check(&text, err);
    if (status == NB_OK)
        status = nb_fail(err, NB_INVALID,
                         "hosts: no host is called \"%.60s\" (permitted: names "
                         "such as %s, patterns with * and ?, and lists such "
                         "as n[0-3,12])",
                         name, text.bytes);
    nb_text_release(&text);
    return status;
}

/* Selects the terminals that fit a name or pattern of a list, each of which
 * must fit some; is_in: [terminal] */
static enum nb_status job_select(const struct nb_topology *topology,
                                 const struct nb_name_list *list, bool *is_in,
                                 struct nb_error *err)
{
    struct nb_pool pool = { 0 };
    struct nb_text host = { 0 };
    bool *fits_any = nb_pool_array(&pool, list->count, sizeof *fits_any);
    size_t terminal = 0;
    enum nb_status status;
    NB_TRY(nb_pool_check(&pool, "hosts", err));
    for (uint32_t r = 0; r < topology->router_count; r++)
        for (uint32_t t = 0; t < topology->terminals[r]; t++, terminal++) {
            host.length = 0;
            job_print(topology, r, terminal, &host);
            NB_TRY(nb_text_check(&host, err));
            for (size_t i = 0; i < list->count; i++)
                if (nb_name_fits(list->name[i], host.bytes))
                    is_in[terminal] = fits_any[i] = true;
        }
    for (size_t i = 0; i < list->count; i++)
        if (!fits_any[i])
            NB_TRY(job_refuse(topology, list->name[i], err));
done:
    nb_text_release(&host);
    nb_pool_release(&pool);
    return status;
}

/* Gives the ends of the traffic the terminals selected; returns the number of
 * their routers. */
static size_t job_set(const struct nb_topology *topology, const bool *is_in,
                      struct nb_audit_job *out)
{
    size_t routers = 0, terminal = 0;
    out->ends.terminals = out->terminals;
    out->ends.terminal_count = 0;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        for (uint32_t t = 0; t < topology->terminals[r]; t++)
            out->terminals[r] += is_in[terminal++];
        out->ends.terminal_count += out->terminals[r];
        routers += out->terminals[r] > 0;
    }
    return routers;
}

enum nb_status nb_audit_job_find(const struct nb_topology *topology,
                                 const struct nb_cabling *cabling,
                                 const char *hosts, struct nb_audit_job *out,
                                 struct nb_error *err)
{
    struct nb_pool pool = { 0 };
    struct nb_name_list list = { 0 };
    enum nb_status status = NB_OK;
    *out = (struct nb_audit_job){ .ends = *topology };
    if (hosts == NULL)
        return NB_OK;
    bool *is_in = nb_pool_array(&pool, topology->terminal_count, sizeof *is_in);
    NB_TRY(nb_pool_check(&pool, "hosts", err));
    NB_TRY(nb_name_list_read(hosts, &pool, &list, err));
    NB_TRY(nb_new(&out->terminals, topology->router_count,
                  sizeof *out->terminals, "hosts", err));
    NB_TRY(job_select(topology, &list, is_in, err));
    if (job_set(topology, is_in, out) < 2)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "hosts \"%.60s\" are at one router (permitted: hosts "
                       "at two or more)",
                       hosts));
    NB_TRY(
        nb_placement_find(topology, cabling, &out->ends, &out->placement, err));
done:
    nb_name_list_release(&list);
    nb_pool_release(&pool);
    return status;
}

void nb_audit_job_release(struct nb_audit_job *job)
{
    nb_delete(job->terminals);
    nb_placement_release(&job->placement);
    *job = (struct nb_audit_job){ 0 };
}

/* Says that the numbers are those of the job, and where it is. */
static void job_note(const struct nb_audit_answer *answer, struct nb_point *out)
{
    const struct nb_placement_level *leaves = &answer->job.placement.level[0];
    struct nb_text text = { 0 };
    nb_text_print(&text,
                  "traffic is among %zu of %zu hosts, at %zu switch%s where "
                  "%zu would do; deadlock_free, classes, missing_cables and "
                  "tree are those of the whole network",
                  answer->job.ends.terminal_count, answer->hosts,
                  (size_t)leaves->parts, leaves->parts == 1 ? "" : "es",
                  (size_t)leaves->least_parts);
    nb_point_take_note(out, "job", &text);
}

const struct nb_table_kind nb_audit_placement_table = {
    .name = "placement",
    .columns = NB_SPELLED("level,parts,least_parts,most_hosts,pairs:number "
                          "[pairs]")
};

void nb_audit_job_report(const struct nb_audit_answer *answer,
                         struct nb_point *out)
{
    const struct nb_placement *placement = &answer->job.placement;
    if (placement->count == 0)
        return;
    job_note(answer, out);
    const size_t table = nb_table_start(out, &nb_audit_placement_table);
    for (size_t i = 0; i < placement->count; i++) {
        const struct nb_placement_level *level = &placement->level[i];
        NB_ROW(out, table, i, level->parts, level->least_parts,
               level->most_hosts, (double)level->pairs);
    }
}
