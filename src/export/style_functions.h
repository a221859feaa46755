/* Style functions: what style sheets call beyond XPath, as
 * xmlns:nb="urn:netbound:style". */
#ifndef NB_EXPORT_STYLE_FUNCTIONS_H
#define NB_EXPORT_STYLE_FUNCTIONS_H

#include <libxslt/xsltInternals.h>
/* nb:json(text), nb:latex(text), nb:markdown(text), nb:python(text): escaped
 * as escape.h says. Within nb_run_apart. */
void nb_style_functions_register(xsltTransformContextPtr context);

#endif
