#!/usr/bin/env python3
"""Writes a call of every public function, and what its structs contain, as C:
calls.py HEADER... Headers of the project as src/x/y.h; public are the functions
between NB_PUBLIC_BEGIN and NB_PUBLIC_END. Exit 1 if a parameter has a type that
this script does not know. The types of the output are in contract.h."""
import re
import sys

# How contract.h stores a scalar: C type -> (member of the union, kind).
SCALARS = {
    "bool": ("truth", "BOOL"),
    "int": ("whole", "INT"),
    "int64_t": ("whole", "INT64"),
    "unsigned": ("count", "UINT32"),
    "uint32_t": ("count", "UINT32"),
    "uint64_t": ("count", "UINT64"),
    "size_t": ("count", "UINT64"),
    "double": ("number", "DOUBLE"),
}


def declared(match):
    """The calls that a macro of ask/question.h declares for a question."""
    name = match[2]
    if match[1] == "RECHECK":
        return (f"enum nb_status nb_{name}_recheck("
                f"const struct nb_{name}_question *request, "
                "const struct nb_run *run, const struct nb_point *given, "
                f"struct nb_{name}_answer *out, struct nb_text *said, "
                "struct nb_error *err)")
    return (f"enum nb_status nb_{name}_ask("
            f"const struct nb_{name}_question *request, "
            f"const struct nb_run *run, struct nb_{name}_answer *out, "
            "struct nb_error *err);\n"
            f"void nb_{name}_report(const struct nb_{name}_answer *answer, "
            "struct nb_point *out)")


def read(path):
    """A header without comments, preprocessor lines and attributes."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"^\s*#(.*\\\n)*.*", "", text, flags=re.M)
    text = re.sub(r"\bNB_DECLARE_(QUESTION|RECHECK)\((\w+)\)", declared, text)
    return re.sub(r"__attribute__\(\(.*?\)\)\)?", "", text)


def statements(text):
    """The declarations of a text, and the bodies of its braces."""
    depth, start, body = 0, 0, ""
    for at, letter in enumerate(text):
        if letter == "{":
            if depth == 0:
                head, opened = text[start:at], at + 1
            depth += 1
        elif letter == "}":
            depth -= 1
            if depth == 0:
                body = text[opened:at]
                if "(" in head:  # a function with its body
                    yield " ".join(head.split()), None
                    start, body = at + 1, ""
        elif letter == ";" and depth == 0:
            head = text[start:at] if not body else head
            yield " ".join(head.split()), body
            start, body = at + 1, ""


def base(text):
    """The type of a declaration without const, and its stars."""
    words = re.sub(r"\b(const|static|inline|extern)\b", " ", text)
    return " ".join(words.replace("*", " ").split()), words.count("*")


def fields_of(body):
    """(name, type, stars, array) of the members of a struct."""
    for member, inner in statements(body):
        if inner or "(" in member or ":" in member:
            continue  # unions, functions and bits have no edge values
        kind = re.match(r"((?:const |struct |enum |union |long |unsigned )*\w+)",
                        member).group(1)
        for name in member[len(kind):].split(","):
            found = re.match(r"([*\s]*(?:const\s)?[*\s]*)(\w+)((?:\[.*\])?)$",
                             name.strip())
            if found:
                yield (found.group(2), base(kind)[0],
                       found.group(1).count("*"), found.group(3))


class Calls:
    def __init__(self, headers):
        self.structs, self.functions = {}, []
        for header in headers:
            text = read(header)
            for head, body in statements(
                    re.sub(r"^NB_\w+$", "", text, flags=re.M)):
                found = re.match(r"struct (\w+)$", head)
                if found and body:
                    self.structs[found.group(1)] = list(fields_of(body))
            for block in re.findall(r"^NB_PUBLIC_BEGIN$(.*?)^NB_PUBLIC_END$",
                                    text, flags=re.S | re.M):
                for head, _ in statements(block):
                    if "(" in head and not head.startswith("typedef"):
                        self.functions.append(head)
        self.released = {re.match(r"void (\w+)_release\(", head).group(1)
                         for head in self.functions
                         if re.match(r"void \w+_release\(", head)}

    def flat(self, name, prefix=""):
        """The scalars of a struct as (path, type, stars)."""
        for field, kind, stars, array in self.structs[name]:
            path = prefix + field
            inner = kind.split()[-1]
            if array and kind == "char" or stars > 1:
                continue
            path += "[0]" * array.count("[")
            if kind.startswith("struct ") and stars == 0 and \
                    inner != "nb_ratio":
                if inner in self.structs:
                    yield from self.flat(inner, path + ".")
            else:
                yield path, kind, stars

    def field_rows(self, name):
        for path, kind, stars in self.flat(name):
            of = "NULL"
            if kind == "char" and stars == 1:
                value = "TEXT"
            elif kind.startswith("struct ") and stars == 1 and \
                    kind.split()[1] in self.structs:
                value, of = "OBJECT", f'"{kind.split()[1]}"'
            elif stars:
                continue
            elif kind == "struct nb_ratio":
                value = "RATIO"
            elif kind.startswith("enum "):
                value = "INT"
            elif kind in SCALARS:
                value = SCALARS[kind][1]
            else:
                continue
            yield (f'    {{ "{path}", CONTRACT_{value}, {of}, '
                   f"offsetof(struct {name}, {path}) }},")

    def parameter(self, function, text, number):
        """One row of the table, and the expression of the argument."""
        found = re.match(r"(.*?)(\w+)((?:\[\w*\])*)$", text)
        kind, stars = base(found.group(1))
        stars += found.group(3).count("[")
        name, at = found.group(2), f"value[{number}]"
        is_const = "const" in found.group(1)
        row = {"name": name, "kind": None, "type": "NULL",
               "writes": not is_const and stars > 0}
        if kind == "char" and stars == 1 and is_const:
            row["kind"], argument = "TEXT", f"{at}.text"
        elif kind == "struct nb_ratio" and stars == 0:
            row["kind"], argument = "RATIO", f"{at}.ratio"
        elif kind.startswith("struct ") and stars < 2:
            row["type"] = f'"{kind.split()[1]}"'
            row["kind"], argument = "OBJECT", f"{at}.object"
            if stars == 0:
                row["kind"] = "STRUCT"
                argument = f"*({kind} *){at}.object"
        elif (kind in SCALARS or kind == "char") and stars == 1:
            row["kind"], argument = "ARRAY", f"{at}.object"
        elif kind.startswith("enum ") and stars == 0:
            row["kind"], argument = "INT", f"({kind}){at}.whole"
        elif kind in SCALARS and stars == 0:
            member, row["kind"] = SCALARS[kind]
            if kind == "size_t" and name in ("count", "length"):
                row["kind"] = "COUNT"  # of what another argument points to
            argument = f"({kind}){at}.{member}"
        else:
            sys.exit(f"calls.py: {function}: no values for {text}")
        return row, argument

    def write_structs(self):
        for name in self.structs:
            rows = list(self.field_rows(name))
            if rows:
                print(f"static const struct contract_field fields_{name}[] = {{")
                print(*rows, sep="\n")
                print("    { 0 },\n};")
            if name in self.released:
                print(f"static void release_{name}(void *object)\n{{\n"
                      f"    {name}_release(object);\n}}")
        print("const struct contract_struct contract_structs[] = {")
        for name in self.structs:
            fields = f"fields_{name}" if list(self.field_rows(name)) else "NULL"
            release = f"release_{name}" if name in self.released else "NULL"
            print(f'    {{ "{name}", sizeof(struct {name}), {fields}, '
                  f"{release} }},")
        print("    { 0 },\n};")

    def write_call(self, head):
        """Writes the call of a function; returns its row of the table."""
        found = re.match(r"(.*?)(\w+)\((.*)\)$", head)
        kind, name = found.group(1).strip(), found.group(2)
        texts = [] if found.group(3) == "void" else \
            re.split(r",\s*", found.group(3))
        parameters = [self.parameter(name, text, number)
                      for number, text in enumerate(texts)]
        call = f"{name}({', '.join(argument for _, argument in parameters)})"
        print(f"static int call_{name}(const union contract_value *value)\n"
              "{\n    (void)value;")
        if kind == "enum nb_status":
            print(f"    return (int){call};")
        else:
            reads = f"contract_read_text({call})" if kind == "const char *" \
                else f"(void){call}"
            print(f"    {reads};\n    return CONTRACT_NO_STATUS;")
        print("}")
        print(f"static const struct contract_parameter parameters_{name}[] = {{")
        for row, _ in parameters:
            print(f'    {{ "{row["name"]}", CONTRACT_{row["kind"]}, '
                  f'{row["type"]}, {str(row["writes"]).lower()} }},')
        print("    { 0 },\n};")
        return (f'    {{ "{name}", {len(parameters)}, parameters_{name}, '
                f"call_{name} }},")

    def write(self):
        print('/* Made by tests/contract/calls.py. */\n'
              '#include "support/contract.h"\n#include "netbound.h"\n')
        self.write_structs()
        rows = [self.write_call(head) for head in self.functions]
        print("const struct contract_function contract_functions[] = {")
        print(*rows, sep="\n")
        print("    { 0 },\n};")


Calls(sorted(set(sys.argv[1:]))).write()
