"""Both ways of asking for runs give the runs that Python itself would pick, for every operator and combination."""

import datetime

from journey import WORKSPACE, check, finish, found, project, section, until

from comet_ml import APIExperiment
from comet_ml.api import API
from comet_ml.query import Environment, Metadata, Metric, Other, Parameter, Tag

PROJECT = project("search")
API_ = API(cache=False)
# The client sends the digits as they are; the server reads them as UTC.
SECOND_NOON = datetime.datetime.fromtimestamp(1700000000 + 86400 * 1.5, datetime.timezone.utc).replace(tzinfo=None)
# The body of API.query cannot hold an OR over a side that is an AND of several sources: the client flattens it.
SEARCH_ONLY = ("or of and", "three deep")
ROWS = [
    {"loss": 0.1, "rate": 1, "optimizer": "adam", "note": "first run", "tags": ["red", "big"]},
    {"loss": 0.2, "rate": 2, "optimizer": "adamw", "note": "second run", "tags": ["red"]},
    {"loss": 0.3, "rate": 3, "optimizer": "sgd", "note": "", "tags": ["blue", "big"]},
    {"loss": 0.4, "rate": 10, "optimizer": "Sgd", "tags": []},
    {"rate": 20, "optimizer": "rms%_prop", "note": "FIRST run", "tags": ["blue"]},
]


def make():
    keys = []
    for index, row in enumerate(ROWS):
        run = APIExperiment(workspace=WORKSPACE, project_name=PROJECT, experiment_name="run %d" % index, api=API_)
        if "loss" in row:
            run.log_metric("loss", 9.0, step=1)
            run.log_metric("loss", row["loss"], step=2)
        run.log_parameter("rate", row["rate"])
        run.log_parameter("optimizer", row["optimizer"])
        if "note" in row:
            run.log_other("note", row["note"])
        if row["tags"]:
            run.add_tags(row["tags"])
        run.set_os("Linux" if index % 2 else "Windows")
        run.set_start_time(1700000000000 + index * 86400000)
        run.set_end_time(1700000000000 + index * 86400000 + (index + 1) * 10000)
        keys.append(run.id)
    return keys


def loss(row):
    return row.get("loss", float("nan"))


def questions():
    """Rule, expression, and which rows Python picks."""
    metric, rate, optimizer, note = Metric("loss"), Parameter("rate"), Parameter("optimizer"), Other("note")
    return [
        ("metric <", lambda: metric < 0.3, lambda row: loss(row) < 0.3),
        ("metric <=", lambda: metric <= 0.3, lambda row: loss(row) <= 0.3),
        ("metric >", lambda: metric > 0.2, lambda row: loss(row) > 0.2),
        ("metric >=", lambda: metric >= 0.2, lambda row: loss(row) >= 0.2),
        ("metric ==", lambda: metric == 0.2, lambda row: loss(row) == 0.2),
        ("metric between", lambda: metric.between(0.2, 0.3), lambda row: 0.2 <= loss(row) <= 0.3),
        ("metric is none", lambda: metric == None, lambda row: "loss" not in row),  # noqa: E711
        ("metric is not none", lambda: metric != None, lambda row: "loss" in row),  # noqa: E711
        ("numbers are compared as numbers, not as text", lambda: rate > 3, lambda row: row["rate"] > 3),
        ("parameter ==", lambda: rate == 2, lambda row: row["rate"] == 2),
        ("parameter between", lambda: rate.between(2, 10), lambda row: 2 <= row["rate"] <= 10),
        ("text ==", lambda: optimizer == "adam", lambda row: row["optimizer"] == "adam"),
        ("text is compared letter by letter", lambda: optimizer == "sgd", lambda row: row["optimizer"] == "sgd"),
        ("text !=", lambda: optimizer != "adam", lambda row: row["optimizer"] != "adam"),
        ("contains", lambda: optimizer.contains("dam"), lambda row: "dam" in row["optimizer"]),
        ("wildcards are letters", lambda: optimizer.contains("%_"), lambda row: "%_" in row["optimizer"]),
        ("starts with", lambda: optimizer.startswith("adam"), lambda row: row["optimizer"].startswith("adam")),
        ("ends with", lambda: optimizer.endswith("prop"), lambda row: row["optimizer"].endswith("prop")),
        ("not contains", lambda: ~optimizer.contains("dam"), lambda row: "dam" not in row["optimizer"]),
        ("not starts with", lambda: ~optimizer.startswith("adam"), lambda row: not row["optimizer"].startswith("adam")),
        ("not ends with", lambda: ~optimizer.endswith("prop"), lambda row: not row["optimizer"].endswith("prop")),
        ("not less", lambda: ~(rate < 3), lambda row: row["rate"] >= 3),
        ("not between", lambda: ~rate.between(2, 10), lambda row: not 2 <= row["rate"] <= 10),
        ("other ==", lambda: note == "first run", lambda row: row.get("note") == "first run"),
        ("other is none", lambda: note == None, lambda row: "note" not in row),  # noqa: E711
        ("tag", lambda: Tag("red"), lambda row: "red" in row["tags"]),
        ("not tag", lambda: ~Tag("red"), lambda row: "red" not in row["tags"]),
        ("two tags", lambda: Tag("red") & Tag("big"), lambda row: {"red", "big"} <= set(row["tags"])),
        ("either tag", lambda: Tag("red") | Tag("blue"), lambda row: bool({"red", "blue"} & set(row["tags"]))),
        ("environment", lambda: Environment("os") == "Linux", lambda row: ROWS.index(row) % 2 == 1),
        ("name", lambda: Other("Name") == "run 2", lambda row: ROWS.index(row) == 2),
        ("duration", lambda: Metadata("duration") > 25, lambda row: (ROWS.index(row) + 1) * 10 > 25),
        ("start", lambda: Metadata("start_server_timestamp") > SECOND_NOON, lambda row: ROWS.index(row) > 1),
        ("and, one source", lambda: (rate > 1) & (rate < 10), lambda row: 1 < row["rate"] < 10),
        ("and, two sources", lambda: (rate > 1) & (metric < 0.35), lambda row: row["rate"] > 1 and loss(row) < 0.35),
        ("or, one source", lambda: (rate == 1) | (rate == 20), lambda row: row["rate"] in (1, 20)),
        ("or, two sources", lambda: (rate == 20) | (metric < 0.15), lambda row: row["rate"] == 20 or loss(row) < 0.15),
        ("and of or", lambda: ((rate == 1) | (rate == 2)) & (optimizer == "adam"), lambda row: row["rate"] in (1, 2) and row["optimizer"] == "adam"),
        ("or of and", lambda: ((rate > 2) & (metric > 0.35)) | Tag("red"), lambda row: (row["rate"] > 2 and loss(row) > 0.35) or "red" in row["tags"]),
        ("three deep", lambda: ((Tag("red") | Tag("blue")) & (rate > 1)) | (metric < 0.15), lambda row: (bool({"red", "blue"} & set(row["tags"])) and row["rate"] > 1) or loss(row) < 0.15),
        ("not of or", lambda: ~((rate == 1) | (rate == 2)), lambda row: row["rate"] not in (1, 2)),
        ("empty", lambda: note == "", lambda row: row.get("note") == ""),
    ]


def ask(keys):
    variables = {repr(variable) for variable in API_.get_query_variables(WORKSPACE, PROJECT)}
    logged = {"Metric('loss')", "Parameter('rate')", "Parameter('optimizer')", "Other('note')", "Other('Name')", "Tag('red')", "Metadata('duration')"}
    check("logged names are variables", logged - variables, set())
    asked = 0
    for rule, expression, pick in questions():
        expected = sorted(index for index, row in enumerate(ROWS) if pick(row))
        for way, call in (("query", API_.query), ("search", API_.search)):
            if way == "query" and rule in SEARCH_ONLY:
                continue
            section(
                "%s: %s" % (way, rule),
                lambda: check("%s: %s" % (way, rule), sorted(keys.index(run.id) for run in call(WORKSPACE, PROJECT, expression())), expected),
            )
            asked += 1
    both = lambda: ~((Parameter("rate") > 1) & (Parameter("rate") < 10))  # noqa: E731
    check("search: not of and", sorted(keys.index(run.id) for run in API_.search(WORKSPACE, PROJECT, both())), [0, 3, 4])
    found(asked=asked)


def pages(keys):
    every = Parameter("rate") > 0
    got = [run.id for number in (1, 2, 3) for run in API_.search(WORKSPACE, PROJECT, every, page=number, page_size=2)]
    check("pages of a search hold every run once", (len(got), set(got)), (5, set(keys)))
    API_.archive_experiment(keys[0])
    check("archived runs are not found", keys[0] in [run.id for run in API_.query(WORKSPACE, PROJECT, Parameter("rate") > 0)], False)
    check("archived runs are found among the archived", [run.id for run in API_.query(WORKSPACE, PROJECT, Parameter("rate") > 0, archived=True)], [keys[0]])
    check("a search in the archive", [run.id for run in API_.search(WORKSPACE, PROJECT, Parameter("rate") > 0, archived=True)], [keys[0]])
    API_.restore_experiment(keys[0])
    check("an unknown variable finds nothing", API_.query(WORKSPACE, PROJECT, Metric("unknown") > 0), [])


def main():
    keys = section("making runs", make)
    if keys:
        section("asking", ask, keys)
        section("pages", pages, keys)
    finish()


main()
