"""Calls of the shared library."""
from __future__ import annotations

import os
from fractions import Fraction
from typing import Any, Iterable, Mapping, Optional, Union

from . import _library
from .answer import Answer, Cell, Point, Quantity, Table

_c, _ffi = _library.lib, _library.ffi
_c.gsl_set_error_handler_off()


class NetboundError(Exception):
    """A question that cannot be answered: one line with the offending value
    and what is permitted."""


class InvalidError(NetboundError, ValueError):
    pass


class UsageError(NetboundError, TypeError):
    pass


class IOError(NetboundError, OSError):
    pass


class RefutedError(NetboundError):
    """A report or a check that failed. `answer` is the answer of a question that
    judges itself (``validate``, ``ledger``)."""
    answer: Optional[Answer] = None


_ERRORS = {_c.NB_INVALID: InvalidError, _c.NB_USAGE: UsageError,
           _c.NB_IO: IOError, _c.NB_REFUTED: RefutedError,
           _c.NB_NO_MEMORY: MemoryError}

Value = Union[str, bool, int, float, Fraction]


def _text(value: Any) -> str:
    return _ffi.string(value).decode() if value != _ffi.NULL else ""


def _bytes(value: Value) -> bytes:
    if isinstance(value, bool):
        return b"yes" if value else b"no"
    if isinstance(value, os.PathLike):
        return os.fsencode(value)
    return str(value).encode()


def _check(status: int, error: Any) -> None:
    if status != _c.NB_OK:
        kind = _ERRORS.get(status, NetboundError)
        raise kind(_text(error.message) or "the library failed")


def _ratio(ratio: Any) -> Optional[Fraction]:
    if ratio.denominator <= 0:
        return None  # not known, or infinite (see value)
    return Fraction(ratio.numerator, ratio.denominator)


def _quantity(q: Any) -> Quantity:
    return Quantity(_text(q.name), q.value, q.lower, q.upper, _ratio(q.exact),
                    _text(q.unit), _text(q.method), _text(q.source))


def _cell(kind: int, cell: Any) -> Cell:
    if kind == _c.NB_CELL_WHOLE:
        return cell.whole
    if kind == _c.NB_CELL_NUMBER:
        return cell.number
    if kind == _c.NB_CELL_TEXT:
        return _text(cell.text)
    ratio = cell.ratio
    if ratio.denominator == 0 and ratio.numerator > 0:
        return float("inf")
    return _ratio(ratio)


def _table(table: Any) -> Table:
    columns = table.columns[0:table.column_count]
    kinds = [column.type for column in columns]
    width = len(kinds)
    return Table(
        _text(table.name), table.is_certificate,
        [_text(column.name) for column in columns],
        [_text(column.unit) for column in columns],
        [[_cell(kinds[c], table.cells[r * width + c]) for c in range(width)]
         for r in range(table.row_count)])


def _settings(options: Any, count: int) -> dict[str, str]:
    return {_text(options[i].name): _text(options[i].value)
            for i in range(count)}


def _point(point: Any) -> Point:
    quantities = [_quantity(point.quantities[i])
                  for i in range(point.quantity_count)]
    tables = [_table(point.tables[i]) for i in range(point.table_count)]
    return Point(_settings(point.settings, point.setting_count),
                 {q.name: q for q in quantities},
                 [(_text(point.notes[i].name), _text(point.notes[i].text))
                  for i in range(point.note_count)],
                 {t.name: t for t in tables})


_FORMATS = {"text": _c.NB_FORMAT_TEXT, "csv": _c.NB_FORMAT_CSV,
            "xml": _c.NB_FORMAT_XML, "json": _c.NB_FORMAT_JSON}


def _writer(report: Any) -> Any:
    def write(style: str, table: Optional[str]) -> str:
        error = _ffi.new("struct nb_error *")
        text = _ffi.gc(_ffi.new("struct nb_text *"), _c.nb_text_release)
        if style in _FORMATS:
            status = _c.nb_report_write(
                report, _FORMATS[style],
                table.encode() if table is not None else _ffi.NULL, text, error)
        else:
            exhibit = _ffi.new("struct nb_exhibit *", {"report": report})
            status = _c.nb_export_write(style.encode(), exhibit, 1, text, error)
        _check(status, error)
        return _ffi.buffer(text.bytes, text.length)[:].decode()
    return write


def _answer(report: Any) -> Answer:
    model = report.model
    return Answer(_text(model.command),
                  _settings(model.options, model.option_count),
                  _settings(model.sweeps, model.sweep_count),
                  _text(report.program),
                  [_point(report.points[i]) for i in range(report.point_count)],
                  _writer(report))


def _run(threads: Optional[int]) -> Any:
    return _ffi.new("struct nb_run *", {"threads": threads or 0})


def _report() -> Any:
    return _ffi.gc(_ffi.new("struct nb_report *"), _c.nb_report_release)


def _ask(model: Any, threads: Optional[int], error: Any) -> Answer:
    report = _report()
    status = _c.nb_ask(model, _run(threads), report, error)
    if status != _c.NB_REFUTED:
        _check(status, error)
        return _answer(report)
    refuted = RefutedError(_text(error.message))
    refuted.answer = _answer(report)
    raise refuted


def ask(question: str, *,
        sweep: Optional[Mapping[str, Union[str, Iterable[Value]]]] = None,
        threads: Optional[int] = None, **options: Optional[Value]) -> Answer:
    """Answers a question.

    question  such as "worst-case"; `questions` lists them
    sweep     values of each option: "0.1:0.9:0.1", or a list
    threads   None: all that the machine offers
    options   those of the command line, with _ for -: ``flits_per_packet=4``;
              None: not given

    Errors: UsageError, InvalidError and others; each is a NetboundError.
    """
    error = _ffi.new("struct nb_error *")
    model = _ffi.gc(_ffi.new("struct nb_model *"), _c.nb_model_release)
    _check(_c.nb_model_begin(model, question.encode(), error), error)
    for name, value in options.items():
        if value is not None:
            _check(_c.nb_model_set(model, name.replace("_", "-").encode(),
                                   _bytes(value), error), error)
    for name, values in (sweep or {}).items():
        listed = values.encode() if isinstance(values, str) else \
            b",".join(_bytes(value) for value in values)
        _check(_c.nb_model_add_sweep(model, name.replace("_", "-").encode(),
                                     listed, error), error)
    return _ask(model, threads, error)


def run(model: Union[str, "os.PathLike[str]"],
        threads: Optional[int] = None) -> Answer:
    """Answers the question of a model file. Errors: those of `ask`."""
    error = _ffi.new("struct nb_error *")
    asked = _ffi.gc(_ffi.new("struct nb_model *"), _c.nb_model_release)
    _check(_c.nb_ask_read(os.fsencode(model), asked, error), error)
    return _ask(asked, threads, error)


def read(path: Union[str, "os.PathLike[str]"]) -> Answer:
    """Reads a report from an XML file. Errors: InvalidError, also if the digest
    does not fit."""
    error, report = _ffi.new("struct nb_error *"), _report()
    is_right = _ffi.new("bool *")
    _check(_c.nb_report_read_file(os.fsencode(path), report, is_right, error),
           error)
    if not is_right[0]:
        raise InvalidError(f"{os.fspath(path)}: the digest does not fit: the "
                           "file was changed")
    return _answer(report)


def verify(path: Union[str, "os.PathLike[str]"],
           threads: Optional[int] = None,
           inputs: Union[str, "os.PathLike[str]", None] = None) -> str:
    """Checks a report's certificates and the numbers that follow from them.
    Reads only files below the report's folder and the folder inputs.
    Returns a list of what was checked. Errors: RefutedError if a check fails."""
    error = _ffi.new("struct nb_error *")
    said = _ffi.gc(_ffi.new("struct nb_text *"), _c.nb_text_release)
    folder = os.fsencode(inputs) if inputs is not None else _ffi.NULL
    _check(_c.nb_verify_file(os.fsencode(path), folder, _run(threads),
                             _ffi.NULL, said, error), error)
    return _ffi.buffer(said.bytes, said.length)[:].decode()


def questions() -> dict[str, str]:
    """The questions, each with a one-line summary."""
    result = {}
    at = 0
    while _c.nb_questions[at] != _ffi.NULL:
        form = _c.nb_questions[at].form
        result[_text(form.name)] = _text(form.summary)
        at += 1
    return result


def options(question: str) -> dict[str, str]:
    """The options of a question, each with its help."""
    at = 0
    while _c.nb_questions[at] != _ffi.NULL:
        form = _c.nb_questions[at].form
        at += 1
        if _text(form.name) != question:
            continue
        result, row = {}, 0
        while form.options[row].name != _ffi.NULL:
            result[_text(form.options[row].name).replace("-", "_")] = \
                _text(form.options[row].help)
            row += 1
        return result
    raise UsageError(f'no question "{question}" (permitted: '
                     f'{", ".join(questions())})')
