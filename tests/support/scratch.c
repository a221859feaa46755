#include "scratch.h"

#include <ftw.h>
#include <libxml/parser.h>
#include <libxml/xmlschemas.h>
#include <stdio.h>
#include <stdlib.h>

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
