#include "model/element.h"

#include <stddef.h>
#include <string.h>

const char *const nb_model_elements[] = { "topology", "traffic", "routing",
                                          NULL };

bool nb_model_has_element(const char *option)
{
    for (size_t i = 0; nb_model_elements[i] != NULL; i++)
        if (strcmp(nb_model_elements[i], option) == 0)
            return true;
    return false;
}
