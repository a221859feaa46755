/* Traffic as a table of the Noxim simulator: a line "source destination [pir
 * [por [t_on t_off t_period]]]" per flow, comments from a % in column 1. */
#include "traffic/matrix.h"

enum { NOXIM_FIELDS = 7 };

/*
 * A flow's rate. Without pir the simulator injects at its general rate: 1 per
 * unit. With another probability after an injection (por) or a time window
 * the rate is not pir.
 */
static enum nb_status noxim_read_rate(const struct nb_matrix *matrix,
                                      char *const field[], size_t count,
                                      struct nb_ratio *rate,
                                      struct nb_error *err)
{
    struct nb_ratio again;
    enum nb_status status = NB_OK;
    *rate = nb_ratio_one;
    if (count >= 3)
        NB_TRY(nb_matrix_read_rate(matrix, field[2], rate, err));
    if (nb_ratio_compare(*rate, nb_ratio_one) > 0)
        return nb_lines_fail(&matrix->lines, NB_INVALID, err,
                             "pir %.60s is not permitted (permitted: 0 to 1)",
                             field[2]);
    if (count >= 4) {
        NB_TRY(nb_matrix_read_rate(matrix, field[3], &again, err));
        if (nb_ratio_compare(*rate, again) != 0)
            return nb_lines_fail(&matrix->lines, NB_INVALID, err,
                                 "por %.60s is not permitted (permitted: "
                                 "pir, %.60s)",
                                 field[3], field[2]);
    }
done:
    return status;
}

enum nb_status nb_matrix_read_noxim(struct nb_matrix *matrix,
                                    struct nb_error *err)
{
    char *line;
    enum nb_status status = NB_OK;
    nb_matrix_set_level(matrix, true);
    while ((line = nb_lines_next(&matrix->lines)) != NULL) {
        char *field[NOXIM_FIELDS];
        size_t count = 0;
        uint32_t source, target;
        struct nb_ratio rate;
        while (count < NOXIM_FIELDS &&
               (field[count] = nb_lines_word(&line, " \t")) != NULL)
            count++;
        if (count < 2 || count > 4) {
            status =
                nb_lines_fail(&matrix->lines, NB_INVALID, err,
                              "%s%zu values are not permitted "
                              "(permitted: source destination [pir "
                              "[por]]; steady flows, no time windows)",
                              count == NOXIM_FIELDS ? "at least " : "", count);
            goto done;
        }
        NB_TRY(nb_matrix_read_index(matrix, "source", field[0], &source, err));
        NB_TRY(nb_matrix_read_index(matrix, "destination", field[1], &target,
                                    err));
        NB_TRY(noxim_read_rate(matrix, field, count, &rate, err));
        NB_TRY(nb_matrix_add(matrix, source, target, rate, err));
    }
done:
    return status;
}
