/* Style functions: what style sheets call beyond XPath, as
 * xmlns:nb="urn:netbound:style". */
#ifndef NB_EXPORT_STYLE_FUNCTIONS_H
#define NB_EXPORT_STYLE_FUNCTIONS_H

#include <libxslt/xsltInternals.h>
#include <stdbool.h>

/*
 * nb:json(text), nb:latex(text), nb:markdown(text), nb:python(text): escaped
 * as escape.h says.
 *
 * has_failed  set when there is no memory for a text
 */
void nb_style_functions_register(xsltTransformContextPtr context,
                                 bool *has_failed);

#endif
