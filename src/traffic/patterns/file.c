/* File: a permutation or matrix from a file; see traffic/matrix.h. */
#include "traffic/matrix.h"

static enum nb_status file_build(const struct nb_traffic_request *request,
                                 struct nb_traffic *out, struct nb_error *err)
{
    return nb_matrix_add_file(
        nb_specification_text(request->specification, "path"),
        request->topology, request->allow_inadmissible, out, err);
}

static const struct nb_parameter file_parameters[] = {
    NB_PARAMETER(
        "path", PATH, NULL,
        "CSV file; by its ending also JSON (.json) or Noxim (.txt, .tbl, "
        ".noxim)",
        .detail =
            "JSON is {\"size\": N, \"matrix\": [[rate, ...], ...]}, or the "
            "traffic of RapidChiplet by chiplet or by unit: a chiplet is the "
            "router of that name, a unit a terminal of it. A network of SNDlib "
            "(.xml or .txt) has demands between its nodes. Both have units of "
            "their own, so they need not be admissible. Values of CSV may also "
            "be separated by blanks or tabs. A .txt or .tbl file is a matrix "
            "if it has as many rows and columns as there are terminals or "
            "routers and its lines are no flows of Noxim.",
        .is_leading = true),
    { 0 },
};

const struct nb_traffic_kind nb_traffic_file = {
    .kind = { .name = "file",
              .summary = "a permutation or matrix of rates from a file",
              .parameters = file_parameters },
    .examples = "file:data/traffic/ring4-reverse.csv@ring:4 "
                "file:data/traffic/ring4-demands.csv@ring:4 "
                "file:data/traffic/ring4-matrix.csv@ring:4 "
                "file:data/traffic/ring4-matrix.json@ring:4 "
                "file:data/traffic/chiplets-rapidchiplet.json@"
                "file:data/topologies/chiplets.json "
                "file:data/traffic/ring4-flows.noxim@ring:4",
    .build = file_build,
};
