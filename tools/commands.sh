#!/bin/sh
# Writes the registry of commands: tools/commands.sh "QUESTION.c..." COMMAND.c...
# Each question is a command, and each COMMAND.c defines nb_command_COMMAND.
set -eu
questions=$1
shift
printf '#include "cli/command.h"\n\n'
for file in $questions; do
    name=$(basename "$file" .c)
    printf 'extern const struct nb_question_kind nb_question_kind_%s;\n' "$name"
    printf 'static const struct nb_command nb_command_%s = {\n' "$name"
    printf '    .form = &nb_question_kind_%s.form,\n' "$name"
    printf '    .question = &nb_question_kind_%s,\n};\n' "$name"
done
for file; do
    printf 'extern const struct nb_command nb_command_%s;\n' "$(basename "$file" .c)"
done
printf '\nconst struct nb_command *const nb_commands[] = {\n'
for file in $questions "$@"; do
    basename "$file" .c
done | LC_ALL=C sort | sed 's/.*/    \&nb_command_&,/'
printf '    0,\n};\n'
