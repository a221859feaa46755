"""Compares the package with the program: same questions, same answers."""
import locale
import os
import re
import signal
import subprocess
import threading
import time
from fractions import Fraction
from math import inf
from pathlib import Path

import netbound
import pytest

ROOT = Path(os.environ.get("NETBOUND_ROOT", Path(__file__).resolve().parents[2]))
PROGRAM = os.environ.get("NETBOUND", str(ROOT / "build/netbound"))
REPORTS = Path(os.environ.get("NETBOUND_REPORTS", ROOT / "build/release/reports"))
#: those that make check-all names, or all that make reports wrote
REPORTED = [Path(path) for path in os.environ["REPORTED"].split()] \
    if "REPORTED" in os.environ else sorted(REPORTS.glob("**/*.xml"))
#: models that are asked again
MODELS = ["models/torus-8x8-dor.xml", "models/singh-figure-7.11.xml",
          "models/tables/reorder-depth.xml"]


def program(*arguments):
    return subprocess.run([PROGRAM, *arguments], check=True, text=True,
                          capture_output=True, cwd=ROOT).stdout


def without_making(xml):
    """A report without its program, time and digest."""
    return re.sub(r"(?m)^  <(made|digest) .*\n", "", xml)


@pytest.mark.parametrize("model", MODELS)
def test_models_have_the_program_s_answers(model, monkeypatch):
    monkeypatch.chdir(ROOT)
    theirs = program("run", model, "--format", "xml")
    assert without_making(netbound.run(model).xml()) == without_making(theirs)


@pytest.mark.parametrize("path", REPORTED, ids=lambda path: path.stem)
def test_reports_are_read_whole(path):
    assert netbound.read(path).xml() == path.read_text()


def test_quantities():
    answer = netbound.ask("worst-case", topology="torus:8x8", routing="dor")
    throughput = answer.worst_case_throughput
    assert throughput.exact == Fraction(2, 7)
    assert throughput.lower <= 2 / 7 <= throughput.upper
    assert float(throughput) == pytest.approx(2 / 7)
    assert throughput.source.startswith("TowlesDally2002")
    assert answer["worst_case_throughput"] is throughput
    assert answer.options["unbalanced"] == "no"


def test_tables():
    answer = netbound.ask("worst-case", topology="mesh:3x3")
    permutation = answer["permutation"]
    assert permutation.is_certificate
    assert len(permutation) == 9
    first = next(iter(permutation))
    assert list(first) == permutation.columns
    assert sorted(permutation.column(permutation.columns[1])) == \
        sorted(permutation.column(permutation.columns[0]))


def test_sweeps():
    answer = netbound.ask("buffer", radix=16, sweep={"load": [0.5, 0.7, "0.9"]})
    assert [p.settings["load"] for p in answer] == ["0.5", "0.7", "0.9"]
    depths = [float(q) for q in answer.series("buffer_depth")]
    assert depths == [27, 49, 158]
    with pytest.raises(ValueError, match="3 points"):
        answer.buffer_depth


def test_published_numbers_are_found_from_any_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answer = netbound.ask("ledger", source="Singh2005", of="Table 3.5")
    assert answer.options["data"] == "data/published"


def test_saturation_is_an_answer():
    answer = netbound.ask("buffer", load=1)
    assert answer.buffer_depth.value == inf


@pytest.mark.parametrize("question, options, kind, message", [
    ("worst-case", {"topology": "torus:8y8"}, netbound.InvalidError, "8y8"),
    ("worst-case", {}, netbound.UsageError, "topology"),
    ("worst-case", {"topology": "ring:4", "colour": "red"},
     netbound.NetboundError, "colour"),
    ("worst-cas", {"topology": "ring:4"}, netbound.InvalidError, "worst-cas"),
    ("load", {"topology": "file:none"}, netbound.IOError, "none"),
    ("latncy", {"topology": "ring:4"}, netbound.InvalidError,
     'did you mean "latency"'),
])
def test_refusals(question, options, kind, message):
    with pytest.raises(kind, match=message):
        netbound.ask(question, **options)


@pytest.mark.parametrize("name, value", [
    ("load", "0.5\0001"), ("lo\0ad", "0.5"), ("load", Path("0.5\0001"))])
def test_strings_with_nul_are_refused(name, value):
    with pytest.raises(netbound.InvalidError, match="NUL"):
        netbound.ask("buffer", **{name: value})
    with pytest.raises(netbound.InvalidError, match="NUL"):
        netbound.ask("buffer", sweep={name: [value]})


def test_paths_and_names_with_nul_are_refused():
    for call in (lambda: netbound.ask("buf\0fer"), lambda: netbound.run("a\0b"),
                 lambda: netbound.read("a\0b"), lambda: netbound.verify("a\0b"),
                 lambda: netbound.ask("buffer", load=0.5, checkpoint="a\0b"),
                 lambda: netbound.ask("buffer", load=0.5).export("s\0vg")):
        with pytest.raises(netbound.InvalidError, match="NUL"):
            call()


def test_options_are_given_once():
    twice = {"flits_per_packet": "4", "flits-per-packet": "4"}
    with pytest.raises(netbound.UsageError, match="given twice"):
        netbound.ask("latency", topology="ring:8", **twice)
    with pytest.raises(netbound.UsageError, match="given twice"):
        netbound.ask("latency", topology="ring:8", sweep=twice)
    with pytest.raises(netbound.UsageError, match="lo-ad"):
        netbound.ask("buffer", load=0.5, lo_ad=0.5)
    with pytest.raises(netbound.UsageError, match="both given and swept"):
        netbound.ask("buffer", load=0.5, sweep={"load": "0.5"})
    assert len(netbound.ask("buffer", load=None, sweep={"load": "0.5"})) == 1


#: each takes minutes
LONG = [
    ("simulate", {"topology": "torus:16x16", "routing": "val", "load": 0.5,
                  "cycles": 10**7}),
    ("permutations", {"topology": "torus:16x16", "routing": "dor",
                      "count": 10**7}),
    ("optimum", {"topology": "regular:60,degree=4", "worst_case": True}),
    ("deadlock", {"topology": "regular:800,degree=8", "routing": "minhop"}),
    ("latency", {"topology": "torus:16x16", "routing": "ugal", "load": 0.5}),
    ("load", {"topology": "regular:3000,degree=16", "routing": "minhop"}),
    ("simulate", {"topology": "torus:8x8", "routing": "dor", "cycles": 10**6,
                  "sweep": {"load": "0.1:0.9:0.01"}}),
]


def interrupted(call, is_time=lambda: True):
    """Calls, and returns the time from Ctrl-C to the end of the call."""
    begun = []
    # A shell's background commands ignore Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupt():
        while not is_time():
            time.sleep(0.01)
        begun.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)
    timer = threading.Timer(0.3, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        call()
        timer.join()
    ended = time.monotonic()
    signal.signal(signal.SIGINT, before)
    for thread in threading.enumerate():  # the library's work has ended, too
        if thread is not threading.main_thread():
            thread.join(60)
            assert not thread.is_alive()
    return ended - begun[0]


#: [s] Ctrl-C takes at most a second; on a busy machine a few more.
PROMPT = 5


@pytest.mark.parametrize("question, options", LONG)
def test_an_interrupt_ends_the_call(question, options):
    assert interrupted(lambda: netbound.ask(question, **options)) < PROMPT


SWEEP = {"topology": "torus:4x4", "routing": "dor", "cycles": 2000,
         "replications": 2, "sweep": {"load": "0.1:0.8:0.1"}}


def test_interrupted_work_is_kept(tmp_path):
    """The program and the package go on from the same file."""
    path, copy = tmp_path / "sweep.kept", tmp_path / "copy.kept"
    interrupted(lambda: netbound.ask("simulate", **SWEEP, checkpoint=path),
                lambda: path.exists() and path.stat().st_size > 2000)
    copy.write_bytes(path.read_bytes())
    again = netbound.ask("simulate", **SWEEP, checkpoint=path)
    whole = netbound.ask("simulate", **SWEEP)
    assert without_making(again.xml()) == without_making(whole.xml())
    theirs = subprocess.run(
        [PROGRAM, "simulate", "--topology", "torus:4x4", "--routing", "dor",
         "--cycles", "2000", "--replications", "2", "--sweep",
         "load=0.1:0.8:0.1", "--checkpoint", copy, "--format", "xml"],
        check=True, text=True, capture_output=True)
    assert re.search(r"holds [1-9]\d* finished part", theirs.stderr)
    assert without_making(theirs.stdout) == without_making(whole.xml())
    assert copy.read_bytes() == path.read_bytes()


def test_checkpoints_of_other_questions_are_refused(tmp_path):
    path = tmp_path / "kept"
    netbound.ask("buffer", sweep={"load": "0.5,0.6"}, checkpoint=path)
    assert path.stat().st_size > 0
    with pytest.raises(netbound.InvalidError, match="kept"):
        netbound.ask("buffer", sweep={"load": "0.5,0.7"}, checkpoint=path)


def test_a_checkpoint_that_cannot_be_written_is_reported(tmp_path):
    with pytest.warns(RuntimeWarning, match="none/kept"):
        answer = netbound.ask("buffer", load=0.5,
                              checkpoint=tmp_path / "none/kept")
    assert answer.buffer_depth.value == 27


def test_progress_is_called_in_this_thread():
    seen = []

    def note(what, done, total):
        assert threading.current_thread() is threading.main_thread()
        seen.append((what, done, total))
    netbound.ask("simulate", topology="torus:8x8", routing="dor", load=0.5,
                 cycles=10000, progress=note)
    assert seen and {what for what, *_ in seen} <= {"preparing", "cycles"}
    assert all(0 <= done <= total for _, done, total in seen)


def test_what_progress_raises_ends_the_call():
    class OwnError(Exception):
        pass

    def fail(what, done, total):
        raise OwnError(what)
    question, options = LONG[0]
    begun = time.monotonic()
    with pytest.raises(OwnError):
        netbound.ask(question, **options, progress=fail)
    assert time.monotonic() - begun < PROMPT


def test_points_say_why_they_are_refused():
    answer = netbound.ask("load", topology="mesh:3x3", routing="dor",
                          sweep={"topology.fail": ["none", "0-1"]})
    whole, broken = answer
    assert whole.refused is None and whole.throughput.value > 0
    assert "cannot route" in broken.refused
    with pytest.raises(AttributeError, match="refused: routing dor"):
        broken.throughput
    with pytest.raises(KeyError, match="refused: routing dor"):
        broken["throughput"]
    with pytest.raises(AttributeError, match="did you mean 'throughput'"):
        whole.througput


def test_reports_are_verified(tmp_path):
    path = tmp_path / "report.xml"
    answer = netbound.ask("worst-case", topology="torus:4x4", routing="dor")
    answer.save(path)
    assert "verified" in netbound.verify(path)
    assert netbound.read(path).point == answer.point
    path.write_text(path.read_text().replace('value="0.', 'value="1.', 1))
    with pytest.raises(netbound.RefutedError):
        netbound.verify(path)
    with pytest.raises(netbound.InvalidError, match="digest"):
        netbound.read(path)


def test_a_verdict_has_its_answer():
    with pytest.raises(netbound.RefutedError) as caught:
        netbound.ask("validate", topology="torus:4x4", seed=1,
                     cycles=500, claim="mean_latency=1")
    assert caught.value.answer.point.tables["validation"].rows


def test_pages_and_text():
    answer = netbound.ask("power", topology="torus:4x4")
    assert "<iframe" in answer._repr_html_()
    assert answer.text() == program_text("power", "--topology", "torus:4x4")
    with pytest.raises(netbound.InvalidError):
        answer.export("pdf")


def program_text(*arguments):
    return subprocess.run([PROGRAM, *arguments], check=True, text=True,
                          capture_output=True,
                          env={**os.environ, "NETBOUND_COLUMNS": "aligned"}
                          ).stdout


def test_options_are_those_of_the_program():
    listed = program("list", "commands")
    for question in netbound.questions():
        assert re.search(rf"(?m)^{question}\b", listed)
        assert netbound.options(question)
    with pytest.raises(netbound.UsageError, match="worst-case"):
        netbound.options("none")


def test_frames():
    pandas = pytest.importorskip("pandas")
    single = netbound.ask("buffer", load=0.8)
    assert single.frame.loc["buffer_depth", "value"] == \
        single.buffer_depth.value
    swept = netbound.ask("buffer", sweep={"load": "0.5:0.9:0.2"})
    assert list(swept.frame["load"]) == [0.5, 0.7, 0.9]
    assert isinstance(swept.points[0].tables, dict)
    assert isinstance(single.frame, pandas.DataFrame)


def test_frames_of_ratios():
    pytest.importorskip("pandas")
    table = netbound.ask("load", topology="torus:4x4")["channels"]
    frame = table.frame
    assert frame["load"].dtype == float
    assert list(frame["load"]) == [float(x) for x in table.column("load")]
    assert list(frame["load_exact"]) == table.column("load")
    names = list(frame.columns)
    assert names.index("load_exact") == names.index("load") + 1


def test_plots():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    swept = netbound.ask("buffer", sweep={"radix": "4,8", "load": "0.5:1:0.1"})
    axes = swept.plot("buffer_depth")
    assert len(axes.get_lines()) == 2
    assert axes.get_xlabel() == "load"
    with pytest.raises(ValueError, match="swept"):
        netbound.ask("buffer", load=0.5).plot()


#: a decimal comma; also other letters; other digits
LOCALES = ["de_DE.UTF-8", "tr_TR.UTF-8", "fa_IR.UTF-8"]


@pytest.fixture(scope="module")
def locales(tmp_path_factory):
    """Makes the locales, which few systems have."""
    folder = tmp_path_factory.mktemp("locales")
    for name in LOCALES:
        try:
            subprocess.run(["localedef", "-i", name[:5], "-f", "UTF-8",
                            folder / name], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            pytest.skip("localedef cannot make the locales (Debian: apt-get "
                        "install locales)")
    os.environ["LOCPATH"] = str(folder)
    yield LOCALES
    del os.environ["LOCPATH"]
    locale.setlocale(locale.LC_ALL, "C")


def whole(folder):
    """What the package returns, without the time of computing."""
    answers = [
        netbound.ask("load", topology="ring:8,bandwidth=0.5", rate="0.15"),
        netbound.ask("buffer", load=0.35, overflow=1e-9),
        netbound.ask("latency", topology="torus:4x4", routing="val",
                     sweep={"load": "0.15:0.75:0.3"}),
        netbound.run(ROOT / "models/singh-figure-7.11.xml")]
    parts = [str(netbound.questions()), str(netbound.options("simulate"))]
    for answer in answers:
        answer.save(folder / "report.xml")
        again = netbound.read(folder / "report.xml")
        netbound.verify(folder / "report.xml")
        assert again.points == answer.points
        assert again.xml() == answer.xml()
        parts += [str(answer), answer.csv(), without_making(answer.xml()),
                  str(answer.points), str(answer.options)]
    parts.append(answers[2].export("svg"))
    with pytest.raises(netbound.UsageError) as refused:
        netbound.ask("buffer", load="0,35")
    return parts + [str(refused.value)]


def test_locales_do_not_matter(locales, tmp_path):
    locale.setlocale(locale.LC_ALL, "C")
    expected = whole(tmp_path)
    for name in locales:
        locale.setlocale(locale.LC_ALL, name)
        assert whole(tmp_path) == expected
    is_over = threading.Event()

    def change():
        while not is_over.is_set():
            for name in locales:
                locale.setlocale(locale.LC_ALL, name)
    other = threading.Thread(target=change)
    other.start()
    try:
        assert whole(tmp_path) == expected
    finally:
        is_over.set()
        other.join()
