"""The commands that come with the unmodified client: what they take out, put in and move is all there afterwards."""

import os
import subprocess
import sys
import tempfile

from opik import Opik, track
from opik.evaluation import evaluate
from opik.evaluation.metrics import Equals

from journey import check, finish, project, section

SHOP = project("shop")
COPY = project("copy")
ORDERS = project("orders")
GREETING = project("greeting")
EXACT = 12345678901234567890
COMMAND = os.path.join(os.path.dirname(sys.executable), "opik")


def run(folder, *arguments):
    """Runs a command to its end; gives its exit code, and what it said where that is not 0."""
    done = subprocess.run([COMMAND, *arguments], cwd=folder, capture_output=True, text=True, timeout=100)
    return (done.returncode, "" if done.returncode == 0 else (done.stdout + done.stderr)[-800:])


@track(project_name=SHOP)
def step(number):
    return {"twice": number * 2, "exact": EXACT}


@track(project_name=SHOP)
def call(number):
    return step(number)


def fill(client):
    for number in range(3):
        call(number)
    orders = client.create_dataset(ORDERS, project_name=SHOP)
    orders.insert([{"input": f"q{number}", "expected": f"a{number}"} for number in range(5)])
    client.create_prompt(GREETING, "Hello {{who}}", project_name=SHOP)
    prompt = client.create_prompt(GREETING, "Hi {{who}}", project_name=SHOP)
    evaluate(
        dataset=orders,
        task=lambda item: {"output": item["expected"], "reference": item["expected"]},
        scoring_metrics=[Equals()],
        experiment_name=project("evaluation"),
        prompts=[prompt],
        verbose=0,
    )
    orders.insert([{"input": "late", "expected": "a"}])
    orders.delete([orders.get_items()[0]["id"]])
    client.flush()


def exporting(client, folder):
    workspace = os.environ["OPIK_WORKSPACE"]
    check("a project is exported", run(folder, "export", workspace, SHOP, "all", "--path", "out"), (0, ""))
    files = [name for _, _, names in os.walk(folder) for name in names]
    check("every trace has its file", len([name for name in files if name.startswith("trace_")]), 8)
    text = "".join(
        open(os.path.join(where, name)).read()
        for where, _, names in os.walk(folder)
        for name in names
        if name.startswith("trace_")
    )
    check("numbers keep every digit", str(EXACT) in text, True)
    check("an export is imported", run(folder, "import", workspace, SHOP, "all", "--path", "out", "--force"), (0, ""))
    check("traces are there twice", len(client.search_traces(project_name=SHOP, max_results=100)), 16)


def migrating(client, folder):
    client.rest_client.projects.create_project(name=COPY)
    before = [item["input"] for item in client.get_dataset(ORDERS, project_name=SHOP).get_items()]
    check("a dataset moves with its experiments", run(folder, "migrate", "dataset", ORDERS, f"--to-project={COPY}"), (0, ""))
    moved = client.get_dataset(ORDERS, project_name=COPY)
    check("items come in their order", [item["input"] for item in moved.get_items()], before)
    # Those of the experiment, and of the one that was imported from it.
    check("the traces of its experiments follow", len(client.search_traces(project_name=COPY)), 10)
    check("a prompt moves with its versions", run(folder, "migrate", "prompt", GREETING, f"--to-project={COPY}"), (0, ""))
    history = client.get_prompt_history(GREETING, project_name=COPY)
    check("the newest version comes first", [one.prompt for one in history], ["Hi {{who}}", "Hello {{who}}"])


def healthy(folder):
    check("the server is healthy", run(folder, "healthcheck")[0], 0)
    check("what the caller may do is told", run(folder, "healthcheck", "--check-permissions", os.environ["OPIK_WORKSPACE"]), (0, ""))


client = Opik(project_name=SHOP)
with tempfile.TemporaryDirectory() as place:
    section("filling", fill, client)
    section("export and import", exporting, client, place)
    section("migration", migrating, client, place)
    section("health", healthy, place)
client.end()
finish()
