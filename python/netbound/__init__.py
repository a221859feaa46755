"""Throughput, delay and buffer bounds of interconnection networks, with proofs.

    >>> import netbound
    >>> answer = netbound.ask("worst-case", topology="torus:8x8", routing="dor")
    >>> answer.worst_case_throughput
    worst_case_throughput = 2/7 fraction of capacity

Every number comes from the library: `ask` answers any question of the command
line (``netbound help``), with the same options.
"""
from .answer import Answer, Point, Quantity, Table
from .calls import (InvalidError, IOError, NetboundError, RefutedError,
                      UsageError, ask, options, questions, read, run, verify)

__all__ = ["Answer", "InvalidError", "IOError", "NetboundError", "Point",
           "Quantity", "RefutedError", "Table", "UsageError", "ask", "options",
           "questions", "read", "run", "verify"]
