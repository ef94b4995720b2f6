"""Every command of the public client's own command line, as its help tells them."""
import glob
import json
import os
import subprocess
import sys

from journey import WORKSPACE, check, finish, found, project

environment = {**os.environ, "COMET_LOGGING_CONSOLE": "info"}
comet = os.path.join(os.path.dirname(sys.executable), "comet")


def holds(rule, passed, said=""):
    """Tells what a command printed where it did not do what it should."""
    check(rule, True if passed else said, True)


def run(*words, inputs=None, **more):
    ended = subprocess.run([comet, *words], capture_output=True, text=True, timeout=120, input=inputs, env={**environment, **more})
    return ended.returncode, ended.stdout + ended.stderr


with open("train.py", "w") as script:
    script.write(
        "import os, comet_ml\n"
        "opt = comet_ml.Optimizer()\n"
        "for experiment in opt.get_experiments(project_name=os.environ['TUNED']):\n"
        "    experiment.log_metric('loss', experiment.get_parameter('x') ** 2)\n"
        "    experiment.end()\n"
    )
with open("search.json", "w") as search:
    json.dump({"algorithm": "grid", "spec": {"metric": "loss", "objective": "minimize"}, "parameters": {"x": {"type": "discrete", "values": [1, 2, 3]}}}, search)
code, said = run("optimize", "train.py", "search.json", TUNED=project("tuned"))
holds("comet optimize ends with the state of its search", code == 0 and "status: completed" in said and "KeyError" not in said, said[-1500:])

with open("offline.py", "w") as script:
    script.write(
        "import comet_ml\n"
        "experiment = comet_ml.OfflineExperiment(project_name='offline', offline_directory='.')\n"
        "experiment.log_parameter('a', 1)\n"
        "experiment.log_metric('m', 2.5, step=1)\n"
        "experiment.end()\n"
    )
subprocess.run([sys.executable, "offline.py"], check=True, capture_output=True, timeout=120, env=environment)
archives = glob.glob("*.zip")
holds("an offline run leaves one archive", len(archives) == 1, archives)
code, said = run("offline", archives[0])
holds("comet offline describes an archive", code == 0, said[-800:])
code, said = run("offline", "--csv", archives[0])
holds("comet offline turns an archive into a table", code == 0, said[-800:])
code, said = run("upload", archives[0])
holds("comet upload brings an archive", code == 0 and "upload" in said.lower(), said[-1500:])
code, said = run("upload", archives[0])
holds("comet upload of the same archive again says that it is there", "already" in said.lower() or code != 0, said[-1500:])
code, said = run("upload", "--force-reupload", archives[0])
holds("comet upload brings it again when it is told to", code == 0, said[-1500:])

code, said = run("check")
holds("comet check finds every part of the server well", code == 0 and "False" not in said, said[-2500:])

import comet_ml  # noqa: E402

experiment = comet_ml.start(project_name=project("models"))
with open("weights.bin", "wb") as weights:
    weights.write(b"w" * 1000)
experiment.log_model("net", "weights.bin")
experiment.register_model("net", version="1.0.0")
experiment.end()
code, said = run("models", "list", "-w", WORKSPACE)
holds("comet models list names the model", code == 0 and "net" in said, said[-1500:])
code, said = run("models", "download", "-w", WORKSPACE, "--model-name", "net", "--model-version", "1.0.0", "--output", "downloaded")
holds("comet models download brings its bytes", code == 0 and glob.glob("downloaded/**/weights.bin", recursive=True) != [], said[-1500:])

code, said = run("python", "offline.py")
holds("comet python runs a script", code == 0, said[-800:])
code, said = run("bootstrap_dir")
holds("comet bootstrap_dir names its folder", code == 0 and os.path.isdir(said.strip().splitlines()[-1]), said)
code, said = run("--version")
found(version=said.strip())
finish()
