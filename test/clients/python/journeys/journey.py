"""What every journey shares: the server it drives, and checks that name the rule they hold."""

import json
import math
import os
import sys
import time

# What the client would otherwise find out about this machine's user, or print between the findings.
os.environ.setdefault("COMET_LOGGING_CONSOLE", "error")
os.environ.setdefault("COMET_DISABLE_ANNOUNCEMENT", "1")

BASE = os.environ.get("COMET_URL_OVERRIDE", "").rsplit("clientlib", 1)[0]
KEY = os.environ.get("COMET_API_KEY", "")
WORKSPACE = os.environ.get("COMET_WORKSPACE", "")

_found = {}
_broken = []


def project(name):
    """A project name no other journey uses."""
    return "%s-%d-%d" % (name, os.getpid(), int(time.time() * 1000))


def check(rule, actual, expected=True):
    """Holds `rule`: `actual` is what the server made of it. All broken rules are told at the end, not the first alone."""
    if not _same(actual, expected):
        _broken.append("%s: expected %r, got %r" % (rule, expected, actual))


def _same(actual, expected):
    if isinstance(actual, float) and isinstance(expected, float) and math.isnan(expected):
        return math.isnan(actual)
    return type(actual) is type(expected) and actual == expected or (not isinstance(expected, bool) and actual == expected)


def until(rule, ask, expected=True, seconds=30):
    """Asks again until the answer is the expected one; the last answer is judged when the time is over."""
    deadline = time.monotonic() + seconds
    while True:
        actual = ask()
        if _same(actual, expected) or time.monotonic() > deadline:
            return check(rule, actual, expected)
        time.sleep(0.1)


def refuses(rule, call, *, status=None, code=None, kind=Exception):
    """Holds that `call` is refused, with that HTTP status and that `sdk_error_code`."""
    try:
        call()
    except kind as error:
        if status is not None:
            check(rule + " (status)", error.response.status_code, status)
        if code is not None:
            check(rule + " (code)", error.response.json().get("sdk_error_code"), code)
        return error
    except Exception as error:
        _broken.append("%s: expected %s, got %r" % (rule, kind, error))
        return None
    _broken.append("%s: was accepted" % rule)
    return None


def section(name, part, *arguments):
    """Runs one part of a journey; what it throws is one more broken rule, and the parts after it still run."""
    import traceback

    try:
        return part(*arguments)
    except Exception:
        _broken.append("%s: threw %s" % (name, traceback.format_exc(limit=-4)))
        return None


def found(**facts):
    """Facts for the line of findings."""
    _found.update(facts)


def finish():
    """Prints the findings as the last line, or every broken rule, and ends with the matching status."""
    for broken in _broken:
        print("BROKEN " + broken, file=sys.stderr)
    print(json.dumps({"found": _found, "broken": _broken}), flush=True)
    sys.exit(1 if _broken else 0)


def by_name(rows, key="name"):
    return {row[key]: row for row in rows}
