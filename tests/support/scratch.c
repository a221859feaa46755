#include "scratch.h"

#include "model/model.h"

#include <ftw.h>
#include <libxml/parser.h>
#include <libxml/xmlschemas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool nb_scratch_open(char folder[NB_SCRATCH_PATH])
{
    const char *parent = getenv("TMPDIR");
    snprintf(folder, NB_SCRATCH_PATH, "%.300s/netbound-test-XXXXXX",
             parent != NULL ? parent : "/tmp");
    return mkdtemp(folder) != NULL;
}

static int scratch_remove(const char *path, const struct stat *state, int type,
                          struct FTW *place)
{
    (void)state;
    (void)type;
    (void)place;
    return remove(path);
}

void nb_scratch_close(const char *folder)
{
    nftw(folder, scratch_remove, 8, FTW_DEPTH | FTW_PHYS);
}

const char *nb_scratch_path(const char *folder, const char *name,
                            char path[NB_SCRATCH_PATH])
{
    const int length = snprintf(path, NB_SCRATCH_PATH, "%s/%s", folder, name);
    if (length < 0 || length >= NB_SCRATCH_PATH)
        abort();
    return path;
}

void nb_scratch_write(const char *path, const char *bytes, size_t length)
{
    /* Some file systems wait for the disk when a file is emptied. */
    remove(path);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, length, file) != length ||
        fclose(file) != 0) {
        perror(path);
        abort();
    }
}

/* Of the program's group fixtures: cmocka passes their state only to the tests,
 * not to what these call. */
static char scratch_folder[NB_SCRATCH_PATH];

int nb_scratch_setup(void **state)
{
    (void)state;
    return nb_scratch_open(scratch_folder) ? 0 : -1;
}

int nb_scratch_teardown(void **state)
{
    (void)state;
    nb_scratch_close(scratch_folder);
    return 0;
}

const char *nb_scratch_folder(void)
{
    return scratch_folder;
}

const char *nb_scratch_name(const char *name, char path[NB_SCRATCH_PATH])
{
    return nb_scratch_path(scratch_folder, name, path);
}

void nb_scratch_file(char path[NB_SCRATCH_FILE], const char *ending,
                     const char *bytes)
{
    snprintf(path, NB_SCRATCH_FILE, "/tmp/netbound-test-XXXXXX%s", ending);
    const int descriptor = mkstemps(path, (int)strlen(ending));
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    if (file == NULL || fputs(bytes, file) == EOF || fclose(file) != 0) {
        perror(path);
        abort();
    }
}

/* Keeps the first complaint. */
static void scratch_complain(void *context, xmlErrorPtr error)
{
    char *complaint = context;
    if (complaint != NULL && complaint[0] == '\0')
        snprintf(complaint, NB_SCRATCH_COMPLAINT, "%d: %s", error->line,
                 error->message != NULL ? error->message : "");
}

bool nb_schema_accepts(const char *schema, const char *bytes, size_t length,
                       char complaint[NB_SCRATCH_COMPLAINT])
{
    if (complaint != NULL)
        complaint[0] = '\0';
    xmlSchemaParserCtxtPtr reader = xmlSchemaNewParserCtxt(schema);
    xmlSchemaPtr rules = reader != NULL ? xmlSchemaParse(reader) : NULL;
    xmlSchemaValidCtxtPtr checker =
        rules != NULL ? xmlSchemaNewValidCtxt(rules) : NULL;
    if (checker != NULL)
        xmlSchemaSetValidStructuredErrors(checker, scratch_complain, complaint);
    xmlDocPtr document = xmlReadMemory(bytes, (int)length, NULL, NULL, 0);
    const bool is_valid = checker != NULL && document != NULL &&
                          xmlSchemaValidateDoc(checker, document) == 0;
    xmlFreeDoc(document);
    xmlSchemaFreeValidCtxt(checker);
    xmlSchemaFree(rules);
    xmlSchemaFreeParserCtxt(reader);
    return is_valid;
}

void nb_schema_open(const char *name, char path[NB_SCRATCH_PATH])
{
    for (const struct nb_embedded *file = nb_schemas; file->name != NULL;
         file++)
        nb_scratch_write(nb_scratch_name(file->name, path), file->bytes,
                         file->length);
    nb_scratch_name(name, path);
}
