# Logs a folder of many small files as one artifact, and prints what it took of this process.
import json
import os
import resource
import sys
import tempfile

import comet_ml

count = int(sys.argv[1])
folder = tempfile.mkdtemp()
for i in range(count):
    os.makedirs(os.path.join(folder, f"part-{i % 100}"), exist_ok=True)
    with open(os.path.join(folder, f"part-{i % 100}", f"file-{i}.txt"), "w") as file:
        file.write(f"the content of file {i}\n" * 20)

experiment = comet_ml.Experiment(project_name="bench", log_env_details=False, log_code=False, parse_args=False, auto_output_logging=False, display_summary_level=0)
before = resource.getrusage(resource.RUSAGE_SELF)
artifact = comet_ml.Artifact("small-files", "dataset")
artifact.add(folder)
logged = experiment.log_artifact(artifact)
experiment.end()
after = resource.getrusage(resource.RUSAGE_SELF)
took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
print(json.dumps({"workspace": logged.workspace, "name": logged.name, "version": str(logged.version), "ms": took * 1000}))
