"""Calls of the shared library."""
from __future__ import annotations

import os
import threading
import warnings
from fractions import Fraction
from typing import Any, Callable, Iterable, Mapping, Optional, Union

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
Path = Union[str, "os.PathLike[str]"]
#: called with the name of a stage, what is done of it, and its total
Progress = Callable[[str, int, int], object]

_STEP = 0.2  #: [s] between two calls of a progress function
_PATIENCE = 0.7  #: [s] for which a call that is to end is waited for


def _text(value: Any) -> str:
    return _ffi.string(value).decode() if value != _ffi.NULL else ""


def _ending(text: bytes) -> bytes:
    """For C, where a string ends at its first NUL."""
    if b"\0" in text:
        raise InvalidError(f"{text.decode(errors='replace')!r} contains NUL "
                           "(permitted: any other character)")
    return text


def _plain(value: str) -> bytes:
    return _ending(value.encode())


def _path(path: Path) -> bytes:
    return _ending(os.fsencode(path))


def _bytes(value: Value) -> bytes:
    if isinstance(value, bool):
        return b"yes" if value else b"no"
    if isinstance(value, os.PathLike):
        return _path(value)
    return _plain(str(value))


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
         for r in range(table.row_count)],
        [kind == _c.NB_CELL_RATIO for kind in kinds])


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
                _plain(table) if table is not None else _ffi.NULL, text, error)
        else:
            exhibit = _ffi.new("struct nb_exhibit *", {"report": report})
            status = _c.nb_export_write(_plain(style), exhibit, 1, text, error)
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


def _finish(call: Callable[[Any], int], threads: Optional[int],
            progress: Optional[Progress],
            checkpoint: Optional[Path] = None) -> int:
    """Runs a call of the library in another thread, so that this one notices
    Ctrl-C and calls progress. What either raises ends the call."""
    stop, lost = _ffi.new("int *"), _ffi.new("struct nb_error *")
    watch, stage = _ffi.new("struct watch *"), _ffi.new("struct stage *")
    file = _ffi.new("char[]", _path(checkpoint)) \
        if checkpoint is not None else _ffi.NULL
    run = _ffi.new("struct nb_run *", {
        "threads": threads or 0, "stop": stop, "lost": lost,
        "checkpoint": file, "progress_context": watch})
    _c.watch_init(watch)
    if progress is not None:
        run.progress = _ffi.addressof(_c, "watch_note")
    result: list[int] = []
    is_over = threading.Event()

    def work(run: Any, *_used: Any) -> None:
        try:
            result.append(call(run))
        finally:
            is_over.set()

    # The thread owns what the library uses: it may outlive this function.
    thread = threading.Thread(target=work, daemon=True,
                              args=(run, stop, lost, watch, file))
    try:
        thread.start()
        while not is_over.wait(_STEP if progress is not None else None):
            before = bytes(_ffi.buffer(stage))
            _c.watch_read(watch, stage)
            if progress is not None and bytes(_ffi.buffer(stage)) != before:
                progress(_text(stage.what), stage.done, stage.total)
    except BaseException:
        stop[0] = 1
        is_over.wait(_PATIENCE)
        raise
    if lost.status != _c.NB_OK:
        warnings.warn(f"{_text(lost.message)}; the answer is computed without "
                      "it", RuntimeWarning, stacklevel=4)
    return result[0]


def _report() -> Any:
    return _ffi.gc(_ffi.new("struct nb_report *"), _c.nb_report_release)


def _ask(model: Any, threads: Optional[int], checkpoint: Optional[Path],
         progress: Optional[Progress], error: Any) -> Answer:
    report = _report()
    status = _finish(lambda run: _c.nb_ask(model, run, report, error),
                     threads, progress, checkpoint)
    if status != _c.NB_REFUTED:
        _check(status, error)
        return _answer(report)
    refuted = RefutedError(_text(error.message))
    refuted.answer = _answer(report)
    raise refuted


def _option(name: str, given: set[str]) -> bytes:
    """The option's name for the library; refuses one given before."""
    option = name.replace("_", "-")
    if option in given:
        raise UsageError(f"option {name!r} is given twice (permitted: once, as "
                         f"{option.replace('-', '_')!r})")
    given.add(option)
    return _plain(option)


def ask(question: str, *,
        sweep: Optional[Mapping[str, Union[str, Iterable[Value]]]] = None,
        threads: Optional[int] = None, checkpoint: Optional[Path] = None,
        progress: Optional[Progress] = None,
        **options: Optional[Value]) -> Answer:
    """Answers a question.

    question    such as "worst-case"; `questions` lists them
    sweep       values of each option: "0.1:0.9:0.1", or a list
    threads     None: all that the machine offers
    checkpoint  file for finished work: the same question, asked again, goes on
                from there
    progress    called now and then, in this thread: progress(what, done, total)
    options     those of the command line, with _ for -: ``flits_per_packet=4``;
                None: not given

    Ctrl-C, and an exception that progress raises, end the call within a second.

    Errors: UsageError, InvalidError and others; each is a NetboundError.
    """
    error = _ffi.new("struct nb_error *")
    model = _ffi.gc(_ffi.new("struct nb_model *"), _c.nb_model_release)
    given: set[str] = set()
    swept: set[str] = set()
    _check(_c.nb_model_begin(model, _plain(question), error), error)
    for name, value in options.items():
        if value is not None:
            _check(_c.nb_model_set(model, _option(name, given), _bytes(value),
                                   error), error)
    for name, values in (sweep or {}).items():
        listed = _plain(values) if isinstance(values, str) else \
            b",".join(_bytes(value) for value in values)
        _check(_c.nb_model_add_sweep(model, _option(name, swept), listed,
                                     error), error)
    return _ask(model, threads, checkpoint, progress, error)


def run(model: Path, threads: Optional[int] = None,
        checkpoint: Optional[Path] = None,
        progress: Optional[Progress] = None) -> Answer:
    """Answers the question of a model file; the rest is as in `ask`."""
    error = _ffi.new("struct nb_error *")
    asked = _ffi.gc(_ffi.new("struct nb_model *"), _c.nb_model_release)
    _check(_c.nb_ask_read(_path(model), asked, error), error)
    return _ask(asked, threads, checkpoint, progress, error)


def read(path: Path) -> Answer:
    """Reads a report from an XML file. Errors: InvalidError, also if the digest
    does not fit."""
    error, report = _ffi.new("struct nb_error *"), _report()
    is_right = _ffi.new("bool *")
    _check(_c.nb_report_read_file(_path(path), report, is_right, error),
           error)
    if not is_right[0]:
        raise InvalidError(f"{os.fspath(path)}: the digest does not fit: the "
                           "file was changed")
    return _answer(report)


def verify(path: Path, threads: Optional[int] = None,
           inputs: Optional[Path] = None,
           progress: Optional[Progress] = None) -> str:
    """Checks a report's certificates and the numbers that follow from them.
    Reads only files below the report's folder and the folder inputs.
    Returns a list of what was checked. Ctrl-C and progress: as in `ask`.

    Errors: RefutedError if a check fails."""
    error = _ffi.new("struct nb_error *")
    said = _ffi.gc(_ffi.new("struct nb_text *"), _c.nb_text_release)
    file = _path(path)
    folder = _path(inputs) if inputs is not None else _ffi.NULL
    _check(_finish(lambda run: _c.nb_verify_file(file, folder, run, _ffi.NULL,
                                                 said, error),
                   threads, progress), error)
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
