"""The parts of an answer."""
from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from fractions import Fraction
from html import escape
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterator, Optional, Union

if TYPE_CHECKING:
    import matplotlib.axes
    import pandas

Cell = Union[int, float, Fraction, str, None]


@dataclass(frozen=True)
class Quantity:
    """A number between lower and upper: certainly, or with the probability that
    method states."""
    name: str
    value: float
    lower: float
    upper: float
    exact: Optional[Fraction]  #: None: not known as a ratio
    unit: str
    method: str
    source: str

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        if self.exact is not None:
            number = str(self.exact)
        elif self.lower == self.upper:
            number = f"{self.value:g}"
        else:
            number = f"{self.value:g} in [{self.lower:g}, {self.upper:g}]"
        return f"{number} {self.unit}".rstrip()

    def __repr__(self) -> str:
        return f"{self.name} = {self}"


@dataclass(frozen=True)
class Table:
    name: str
    is_certificate: bool  #: evidence that `verify` reads
    columns: list[str]
    units: list[str]
    rows: list[list[Cell]]
    ratios: list[bool]  #: whether the column's cells are ratios

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Cell]]:
        return (dict(zip(self.columns, row)) for row in self.rows)

    def column(self, name: str) -> list[Cell]:
        at = self.columns.index(name)
        return [row[at] for row in self.rows]

    @property
    def frame(self) -> "pandas.DataFrame":
        """The rows. A column NAME of ratios has numbers, NAME_exact after it
        the ratios, as in CSV; "exact" beside "lower" stays one column."""
        import pandas
        found: dict[str, list[Cell]] = {}
        for name, is_ratio in zip(self.columns, self.ratios):
            cells = self.column(name)
            found[name] = cells
            if is_ratio and not (name == "exact" and "lower" in self.columns):
                found[name] = [float("nan") if cell is None else float(cell)
                               for cell in cells]
                found[f"{name}_exact"] = cells
        return pandas.DataFrame(found)


@dataclass(frozen=True)
class Point:
    """The answer at one point of the sweeps; the only one without sweeps."""
    settings: dict[str, str]
    quantities: dict[str, Quantity]
    notes: list[tuple[str, str]]
    tables: dict[str, Table]

    def __getattr__(self, name: str) -> Quantity:
        try:
            return self.__dict__["quantities"][name]
        except KeyError:
            raise AttributeError(self._missing(name)) from None

    def __getitem__(self, name: str) -> Union[Quantity, Table]:
        if name in self.quantities:
            return self.quantities[name]
        if name in self.tables:
            return self.tables[name]
        raise KeyError(self._missing(name))

    @property
    def refused(self) -> Optional[str]:
        """Why a point of a sweep has no answer; None if it has one."""
        notes = self.__dict__.get("notes", [])
        return next((text for key, text in notes if key == "refused"), None)

    def _missing(self, name: str) -> str:
        if self.refused is not None:
            return f"no quantity {name!r}: the point is refused: {self.refused}"
        known = list(self.__dict__.get("quantities", {}))
        near = get_close_matches(name, known, 1)
        meant = f": did you mean {near[0]!r}?" if near else ""
        return f"no quantity {name!r}{meant} (there are: {', '.join(known)})"


def _number(text: str) -> Union[float, str]:
    try:
        return float(Fraction(text))
    except (ValueError, ZeroDivisionError):
        return text


@dataclass(frozen=True)
class Answer:
    """The answer to a question: one point, or several with a sweep.

    If there is one point, its quantities are attributes: ``answer.capacity``.
    """
    question: str
    options: dict[str, str]  #: including defaults
    sweeps: dict[str, str]
    program: str
    points: list[Point]
    _write: Callable[[str, Optional[str]], str] = field(repr=False)

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    @property
    def point(self) -> Point:
        """The only point."""
        if len(self.points) != 1:
            raise ValueError(f"{len(self.points)} points, not one: use .points "
                             "or .frame")
        return self.points[0]

    def __getattr__(self, name: str) -> Quantity:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.point, name)

    def __getitem__(self, name: str) -> Union[Quantity, Table]:
        return self.point[name]

    def series(self, name: str) -> list[Quantity]:
        """A quantity at every point that has it."""
        return [point.quantities[name] for point in self.points
                if name in point.quantities]

    @property
    def frame(self) -> "pandas.DataFrame":
        """The quantities. One point: one row per quantity. A sweep: one row per
        point, the swept options first and then one column per quantity."""
        import pandas
        if not self.sweeps:
            return pandas.DataFrame(
                [(q.value, q.lower, q.upper, q.exact, q.unit, q.method,
                  q.source) for q in self.point.quantities.values()],
                index=pandas.Index(self.point.quantities, name="quantity"),
                columns=["value", "lower", "upper", "exact", "unit", "method",
                         "source"])
        return pandas.DataFrame(
            [{**{k: _number(v) for k, v in point.settings.items()},
              **{name: q.value for name, q in point.quantities.items()}}
             for point in self.points])

    def plot(self, quantity: Optional[str] = None,
             ax: "Optional[matplotlib.axes.Axes]" = None
             ) -> "matplotlib.axes.Axes":
        """Plots a quantity (default: the first) over the last sweep, with one
        line per setting of the other sweeps and lower to upper as a band."""
        from matplotlib import pyplot
        if not self.sweeps:
            raise ValueError("nothing is swept: there is nothing to plot")
        if ax is None:
            ax = pyplot.gca()
        swept = list(self.sweeps)[-1]
        name = quantity or next(iter(self.points[0].quantities))
        lines: dict[str, list[tuple[Any, Quantity]]] = {}
        for point in self.points:
            label = ", ".join(f"{k}={v}" for k, v in point.settings.items()
                              if k != swept)
            if name in point.quantities:
                lines.setdefault(label, []).append(
                    (_number(point.settings[swept]), point.quantities[name]))
        if not lines:
            raise KeyError(name)
        unit = ""
        for label, line in lines.items():
            shown = [(x, q) for x, q in line if isfinite(q.value)]
            x = [x for x, _ in shown]
            ax.plot(x, [q.value for _, q in shown], marker="o",
                    label=label or None)
            ax.fill_between(
                x, [q.lower for _, q in shown],
                [q.upper if isfinite(q.upper) else q.value for _, q in shown],
                alpha=0.2)
            unit = line[0][1].unit
        ax.set_xlabel(swept)
        ax.set_ylabel(f"{name} [{unit}]" if unit else name)
        if len(lines) > 1:
            ax.legend()
        return ax

    def text(self, table: Optional[str] = None) -> str:
        """The text that the command line prints."""
        return self._write("text", table)

    def csv(self, table: Optional[str] = None) -> str:
        return self._write("csv", table)

    def xml(self) -> str:
        """The report as XML, which `verify` reads."""
        return self._write("xml", None)

    def export(self, style: str) -> str:
        """The answer as "html", "latex", "markdown", "svg" or "ipynb"."""
        return self._write(style, None)

    def save(self, path: Union[str, Path]) -> None:
        """Writes the report as XML."""
        Path(path).write_text(self.xml(), encoding="utf-8")

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        # A page of its own, so that its styles stay with it.
        return ('<iframe style="width:100%;height:40em;border:0" srcdoc="'
                f'{escape(self.export("html"))}"></iframe>')
