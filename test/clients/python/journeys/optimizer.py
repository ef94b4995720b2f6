"""The three ways of searching parameters, each to its end."""

from journey import WORKSPACE, check, finish, found, project, refuses, section

import comet_ml
from comet_ml import APIExperiment, Optimizer
from comet_ml.api import API

PROJECT = project("optimizer")
QUIET = {"workspace": WORKSPACE, "project_name": PROJECT, "log_code": False, "log_env_details": False, "log_git_metadata": False, "log_git_patch": False, "parse_args": False, "auto_output_logging": False}
PARAMETERS = {
    "x": {"type": "integer", "min": -5, "max": 5, "scalingType": "uniform"},
    "rate": {"type": "float", "min": 0.001, "max": 0.1, "scalingType": "loguniform"},
    "kind": {"type": "categorical", "values": ["adam", "sgd"]},
    "size": {"type": "discrete", "values": [16, 32]},
}


def inside(given):
    return -5 <= given["x"] <= 5 and isinstance(given["x"], int) and 0.001 <= given["rate"] <= 0.1 and given["kind"] in ("adam", "sgd") and given["size"] in (16, 32)


def make(algorithm, **spec):
    return Optimizer({"algorithm": algorithm, "parameters": PARAMETERS, "spec": {"metric": "loss", **spec}}, verbose=0)


def loss(given):
    return given["x"] ** 2 + (0 if given["kind"] == "adam" else 3)


def walk(optimizer):
    """Takes every set of parameters, telling the score of each as an ending run does."""
    taken = []
    for given in optimizer.get_parameters():
        taken.append(given)
        score = loss(given["parameters"])
        optimizer._api.optimizer_update(optimizer.id, given["pid"], given["trial"], "completed", score)
    return taken


def random():
    optimizer = make("random", maxCombo=12, seed=7)
    taken = walk(optimizer)
    check("random gives as many sets as asked for", len(taken), 12)
    check("random stays within the bounds", [given["parameters"] for given in taken if not inside(given["parameters"])], [])
    check("every set has its own id", len({given["pid"] for given in taken}), 12)
    check("an ended search is completed", optimizer.status()["status"], "completed")
    twin = walk(make("random", maxCombo=12, seed=7))
    check("the same seed gives the same sets", [given["parameters"] for given in twin], [given["parameters"] for given in taken])


def grid():
    parameters = {"a": {"type": "integer", "min": 1, "max": 3, "scalingType": "linear"}, "b": ["x", "y"], "c": [True and 1, 2]}
    optimizer = Optimizer({"algorithm": "grid", "parameters": parameters, "spec": {"metric": "loss", "gridSize": 3}}, verbose=0)
    taken = [tuple(sorted(given["parameters"].items())) for given in optimizer.get_parameters()]
    check("a grid gives every combination", len(set(taken)) >= 8 and {dict(given)["b"] for given in taken} == {"x", "y"})
    check("a grid gives no combination twice", len(set(taken)), len(taken))
    found(grid=len(taken))
    trials = Optimizer({"algorithm": "grid", "parameters": {"b": ["x", "y"]}, "trials": 3, "spec": {"metric": "loss"}}, verbose=0)
    given = [(row["parameters"]["b"], row["trial"]) for row in trials.get_parameters()]
    check("each set is given as often as there are trials", sorted(name for name, _ in given), ["x"] * 3 + ["y"] * 3)
    check("trials of a set have their own numbers", len(set(given)), 6)


def bayes():
    optimizer = make("bayes", maxCombo=30, objective="minimize", seed=1)
    taken = walk(optimizer)
    check("bayes gives as many sets as asked for", len(taken), 30)
    check("bayes stays within the bounds", [given["parameters"] for given in taken if not inside(given["parameters"])], [])
    scores = [loss(given["parameters"]) for given in taken]
    check("bayes learns: its later half is better than its first", sum(scores[15:]) < sum(scores[:15]))
    found(bayes_first=sum(scores[:15]), bayes_second=sum(scores[15:]))


def runs():
    optimizer = make("random", maxCombo=2, seed=3)
    keys = []
    for run in optimizer.get_experiments(**QUIET):
        given = {name: run.get_parameter(name) for name in PARAMETERS}
        run.log_metric("loss", loss(given), step=1)
        keys.append(run.get_key())
        run.end()
    check("a search gives runs", len(keys), 2)
    reader = APIExperiment(previous_experiment=keys[0], api=API(cache=False))
    others = {row["name"]: row["valueCurrent"] for row in reader.get_others_summary()}
    check("a run tells its search", others.get("optimizer_id"), optimizer.get_id())
    check("a run tells the metric", others.get("optimizer_metric"), "loss")
    check("a run tells the objective", others.get("optimizer_objective"), "minimum")
    check("a run's metadata names the search", reader.get_metadata()["optimizationId"], optimizer.get_id())
    check("a run has the parameters given", set(PARAMETERS) <= {row["name"] for row in reader.get_parameters_summary()})


def reopen():
    optimizer = make("random", maxCombo=4, seed=5)
    first = optimizer.next_data()
    again = Optimizer(optimizer.get_id(), verbose=0)
    second = again.next_data()
    check("a search is shared by its id", (first["pid"] == second["pid"], first["count"] == second["count"]), (False, False))
    status = again.status()
    check("the status holds what was sent", (status["algorithm"], status["parameters"], status["trials"]), ("random", PARAMETERS, 1))
    ranges = {"p%d" % at: {"type": "float", "min": 0, "max": 1, "scalingType": "uniform"} for at in range(12)}
    refuses("a grid of more sets than can be counted is refused", lambda: Optimizer({"algorithm": "grid", "parameters": ranges, "spec": {"metric": "loss", "gridSize": 1000}}, verbose=0))
    refuses("a grid of a million values of a range is refused", lambda: Optimizer({"algorithm": "grid", "parameters": {"x": ranges["p0"]}, "spec": {"metric": "loss", "gridSize": 1_000_000}}, verbose=0))
    refuses("an unknown algorithm is refused", lambda: make("no-such"))
    refuses("an unknown search is refused", lambda: Optimizer("no-such-search", verbose=0))
    algorithms = optimizer._api.optimizer_algorithms()
    check("three algorithms are known", {"bayes", "random", "grid"} <= {row["name"] if isinstance(row, dict) else row for row in algorithms})


def aborted():
    optimizer = Optimizer({"algorithm": "grid", "parameters": {"b": ["x"]}, "spec": {"metric": "loss", "retryLimit": 1}}, verbose=0)
    first = optimizer.next_data()
    optimizer._api.optimizer_update(optimizer.id, first["pid"], first["trial"], "aborted", None)
    again = optimizer.next_data()
    check("an aborted set is given again", again and again["parameters"], {"b": "x"})


def main():
    for part in (random, grid, bayes, runs, reopen, aborted):
        section(part.__name__, part)
    finish()


main()
