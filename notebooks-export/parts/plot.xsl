<?xml version="1.0" encoding="UTF-8"?>
<!-- The first cell of a notebook: reading its tables and plotting them. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:variable name="plot">import csv
import io
import math
import warnings

import matplotlib.pyplot as plt

csv.field_size_limit(1 &lt;&lt; 30)


def value(text):
    """A cell as a number if it is one: 0.5, p/q, or the last part of a
    setting such as radix=16."""
    numerator, slash, denominator = text.rpartition("=")[2].partition("/")
    try:
        number = float(numerator)
        return number / float(denominator) if slash else number
    except (ValueError, ZeroDivisionError):
        return text


def is_number(cell):
    return isinstance(cell, float) and math.isfinite(cell)


PATIENCE = 60  # seconds: longer questions are not asked again


def ask(question, options, sweep, seconds):
    """The answer of netbound's Python package; None if it is not installed, if
    the answer took too long or if it refuses (a missing file, for example)."""
    try:
        import netbound
    except ImportError:
        print("the report's own numbers: the package netbound is not installed")
        return None
    if seconds > PATIENCE:
        print(f"the report's own numbers: they took {seconds} s")
        return None
    try:
        answer = netbound.ask(question, sweep=sweep, **options)
    except netbound.RefutedError as error:
        answer = error.answer
    except netbound.NetboundError as error:
        print(f"the report's own numbers: {error}")
        return None
    print(f"asked anew: {answer.program}")
    return answer


def read(text, answer, table):
    """The rows of a table (None: the quantities), each a dictionary from column
    to cell; from the answer, or from the report's text."""
    if answer is not None:
        text = answer.csv(table)
    return list(csv.DictReader(io.StringIO(text, newline="")))


def show(rows, most=10):
    """Prints the first rows of a table in columns."""
    if not rows:
        print("no rows")
        return
    lines = [list(rows[0])] + [list(row.values()) for row in rows[:most]]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)))
    if len(rows) > most:
        print(f"... {len(rows)} rows")


def literal(text):
    """Text that matplotlib must not read as mathematics."""
    return text.replace("$", r"\$")


def columns_of(rows, y):
    """(label, rows, column) for each thing to draw: quantities of a report are
    rows, values of other tables are columns."""
    for name in y.split():
        if rows and name in rows[0]:
            yield name, rows, name
        elif rows and "quantity" in rows[0]:
            yield name, [row for row in rows if row["quantity"] == name], "value"


def split(rows, y, series):
    """(label, rows, column) for each line or set of bars."""
    parts = list(columns_of(rows, y))
    for name, own, column in parts:
        keys = {}
        for row in own:
            key = " ".join(row.get(part, "") for part in series.split())
            keys.setdefault(key, []).append(row)
        for key, members in keys.items():
            label = key if len(parts) == 1 and key else f"{name} {key}".strip()
            yield label, members, column


def unit_of(rows, y):
    units = {row["unit"] for row in rows if "unit" in row and row["quantity"] in y.split()}
    return f" [{units.pop()}]" if len(units) == 1 else ""


def draw_lines(axes, rows, x, y, series):
    """Lines with bands between lower and upper; a value that holds from one x
    to another (two columns) is a level line."""
    begin, *end = x.split()
    for label, members, column in split(rows, y, series):
        places = [(value(row[begin]), value(row[column]), row) for row in members]
        places = [place for place in places if is_number(place[0]) and is_number(place[1])]
        if end:
            axes.hlines([place[1] for place in places], [place[0] for place in places],
                        [value(place[2][end[0]]) for place in places], linewidth=3,
                        color=f"C{len(axes.collections) % 10}", label=literal(label))
            continue
        places.sort(key=lambda place: place[0])
        xs = [place[0] for place in places]
        axes.plot(xs, [place[1] for place in places], marker="o", markersize=3,
                  label=literal(label))
        ends = [(value(place[2].get("lower", "")), value(place[2].get("upper", "")))
                for place in places]
        if column == "value" and ends and all(is_number(low) and is_number(high)
                                              for low, high in ends):
            axes.fill_between(xs, [low for low, _ in ends], [high for _, high in ends],
                              alpha=0.2)


def draw_bars(axes, rows, x, y, series):
    """Bars: side by side if x has names, at their values if it has numbers."""
    parts = list(split(rows, y, series))
    names = list(dict.fromkeys(row.get(x, column)
                               for _, members, column in parts for row in members))
    numbers = [value(name) for name in names]
    is_scale = len(names) > 8 and all(is_number(number) for number in numbers)
    places = dict(zip(names, numbers if is_scale else range(len(names))))
    gaps = [b - a for a, b in zip(sorted(numbers), sorted(numbers)[1:])] if is_scale else [1]
    width = 0.8 * min(gaps) / max(len(parts), 1)
    for i, (label, members, column) in enumerate(parts):
        bars = [(places[row.get(x, column)] + i * width, value(row[column]))
                for row in members]
        bars = [bar for bar in bars if is_number(bar[1])]
        axes.bar([bar[0] for bar in bars], [bar[1] for bar in bars], width,
                 align="edge", label=literal(label))
    if is_scale or len(names) > 40:
        return
    axes.set_xticks([k + 0.4 for k in range(len(names))])
    is_short = sum(map(len, names)) &lt; 60
    axes.set_xticklabels([literal(name) for name in names], rotation=0 if is_short else 60,
                         ha="center" if is_short else "right")


def draw_matrix(axes, rows, x, y, of):
    """Who sends to whom; of: the column with the amount."""
    marks = axes.scatter([value(row[x]) for row in rows], [value(row[y]) for row in rows],
                         c=[value(row[of]) for row in rows] if of else None, s=12,
                         marker="s")
    if of:
        axes.figure.colorbar(marks, label=literal(of))
    axes.set_aspect("equal")


def draw_network(axes, rows, y):
    """The loads of a network's channels, the largest first."""
    for label, members, column in columns_of(rows, y):
        loads = sorted(filter(is_number, (value(row[column]) for row in members)),
                       reverse=True)
        axes.step(range(1, len(loads) + 1), loads, where="mid", label=literal(label))


def draw_comparison(axes, rows, x, y, series):
    """Expected and measured values: along a number, one against the other, or
    as bars for each item compared."""
    numbers = all(is_number(value(row[x])) for row in rows)
    if numbers and len(y.split()) == 1:
        for label, members, column in split(rows, y, series):
            axes.plot([value(row[x]) for row in members],
                      [value(row[column]) if is_number(value(row[column])) else math.nan
                       for row in members], "o", markersize=4, label=literal(label))
        if "/" in y:
            axes.axhline(1, color="grey", linewidth=1)
        else:
            axes.axline((1, 1), (2, 2), color="grey", linewidth=1)
    elif numbers:
        draw_lines(axes, rows, x, y, series)
    else:
        draw_bars(axes, rows, x, y, series)


def relative(rows, x, y):
    """The rows with one more column: measured divided by expected."""
    *first, last = y.split()
    expected = first[0] if first else x
    for row in rows:
        numbers = value(row[last]), value(row[expected])
        ratio = numbers[0] / numbers[1] if all(map(is_number, numbers)) and numbers[1] else math.nan
        yield {**row, f"{last}/{expected}": str(ratio)}


def plot(rows, kind, x, y, series="", log_x="no", log_y="no", at=None, of="",
         ratio=False, title=""):
    """Draws columns y of a table over its column x, one line or set of bars
    for each value of the columns series; at: the settings of the rows to
    draw (default: all); ratio: measured divided by expected."""
    figure, axes = plt.subplots(figsize=(8, 5))
    rows = [row for row in rows
            if all(row.get(f"swept_{name}", row.get(name)) == setting
                   for name, setting in (at or {}).items())]
    if ratio and rows:
        rows = list(relative(rows, x, y))
        y = list(rows[0])[-1]
    if kind == "network":
        draw_network(axes, rows, y)
        x = "channels, the most loaded first"
    elif kind == "matrix":
        draw_matrix(axes, rows, x, y, of)
    elif kind == "bars":
        draw_bars(axes, rows, x, y, series)
    elif kind == "comparison":
        draw_comparison(axes, rows, x, y, series)
    else:
        draw_lines(axes, rows, x, y, series)
    if not axes.has_data():
        raise ValueError(f"nothing to draw for {title}")
    if log_x == "yes":
        axes.set_xscale("log")
    if log_y == "yes":
        axes.set_yscale("log")
    axes.set_xlabel(literal(x.replace(" ", " to ") if kind == "lines" else x))
    axes.set_ylabel(literal(y.replace(" ", ", ") + unit_of(rows, y)), wrap=True)
    axes.set_title(literal(title), wrap=True)
    labels = axes.get_legend_handles_labels()[1]
    if 1 &lt; len(labels) &lt; 25:
        axes.legend(fontsize="small" if len(labels) > 8 else None)
    with warnings.catch_warnings():  # fonts lack some characters of names
        warnings.simplefilter("ignore")
        figure.tight_layout()
        plt.show()
</xsl:variable>
</xsl:stylesheet>
