/* Parts of a test program: the files tests/FOLDER/test_*.c, each with the main
 * of a cmocka program of its own. */
#ifndef NB_TEST_PARTS_H
#define NB_TEST_PARTS_H

struct nb_test_part {
    const char *name; /* of the file, without "test_" and ".c" */
    int (*main)(void);
};

/* In the order of their names; the last one has none. The build writes it. */
extern const struct nb_test_part nb_test_parts[];

#endif
