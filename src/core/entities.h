/* Entities: characters that a text spells, as HTML does. */
#ifndef NB_CORE_ENTITIES_H
#define NB_CORE_ENTITIES_H

/* Replaces &amp; &quot; &apos; &lt; &gt; &#233; and &#xE9; by UTF-8, in place;
 * others stay. */
void nb_entities_decode(char *text);

#endif
