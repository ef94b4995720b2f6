"""Artifacts are logged, read by another run and from outside, labelled, and downloaded byte for byte."""

import hashlib
import io
import os
import tempfile

import requests

from journey import BASE, KEY, WORKSPACE, check, finish, found, project, refuses, section, until

import comet_ml
from comet_ml import APIExperiment, Artifact
from comet_ml.api import API
from comet_ml.exceptions import ArtifactNotFinalException, ArtifactNotFound, LogArtifactException

PROJECT = project("artifacts")
QUIET = comet_ml.ExperimentConfig(log_code=False, log_env_details=False, log_git_metadata=False, parse_args=False, auto_output_logging=False)
NAME = "my data %d" % os.getpid()
REMOTE = "https://example.org/data/part-0.parquet?x=1&y=é"
METADATA = {"rows": 3, "deep": {"é": [1, None, True]}, "split": "train"}


def start(project_name=PROJECT):
    return comet_ml.start(workspace=WORKSPACE, project_name=project_name, mode="create", experiment_config=QUIET)


def api():
    return API(cache=False)


def post(path, body):
    reply = requests.post(BASE + "api/rest/v2/write/" + path, json=body, headers={"Authorization": KEY}, timeout=30)
    return reply.status_code, reply.json()


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def content(root):
    """Every file below a folder, by its relative path."""
    return {os.path.relpath(os.path.join(at, name), root).replace(os.sep, "/"): digest(os.path.join(at, name)) for at, _, names in os.walk(root) for name in names}


def tree():
    root = tempfile.mkdtemp()
    os.makedirs(os.path.join(root, "sub", "deep"))
    for name, data in (("empty", b""), ("a.txt", b"text\n"), ("sub/b b.bin", os.urandom(300_000)), ("sub/deep/é 漢.json", b'{"a": NaN}')):
        with open(os.path.join(root, name), "wb") as file:
            file.write(data)
    return root


def log(root):
    run = start()
    artifact = Artifact(NAME, "dataset", aliases=["prod", "été"], metadata=METADATA, version_tags=["v tag", "b"])
    artifact.add(root)
    artifact.add(os.path.join(root, "a.txt"), logical_path="renamed/a.csv", metadata={"columns": 2})
    artifact.add(io.BytesIO(b"from memory"), logical_path="memory.bin")
    artifact.add_remote(REMOTE, logical_path="remote/part", metadata={"kept": "elsewhere"}, sync_mode=False)
    logged = run.log_artifact(artifact)
    key = run.get_key()
    check("a first version is 1.0.0", str(logged.version), "1.0.0")
    check("a version that is being uploaded tells its labels", (sorted(logged.aliases), sorted(logged.version_tags), dict(logged.metadata)), (["prod", "été"], ["b", "v tag"], METADATA))
    check("a version knows its run and workspace", (logged.source_experiment_key, logged.workspace, logged.name, logged.artifact_type), (key, WORKSPACE, NAME, "dataset"))
    run.end()
    return key


def use(root, maker):
    run = start()
    logged = run.get_artifact("%s/%s:prod" % (WORKSPACE, NAME))
    check("aliases are those given and the latest", sorted(logged.aliases), ["Latest", "prod", "été"])
    check("the size is that of its files", logged.size, sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(root) for name in names) + len(b"text\n") + len(b"from memory"))
    assets = {asset.logical_path: asset for asset in logged.assets}
    below = os.path.basename(root)
    wanted = content(root)
    check("every file is listed", sorted(assets), sorted(list(wanted) + ["renamed/a.csv", "memory.bin", "remote/part"]) if "a.txt" in assets else sorted([below + "/" + name for name in wanted] + ["renamed/a.csv", "memory.bin", "remote/part"]))
    remote = assets["remote/part"]
    check("a remote file is told by its link", (remote.remote, remote.link, remote.size, remote.metadata), (True, REMOTE, 0, {"kept": "elsewhere"}))
    check("a file tells its metadata and type", (assets["renamed/a.csv"].metadata, assets["renamed/a.csv"].asset_type, assets["renamed/a.csv"].link, assets["memory.bin"].metadata), ({"columns": 2}, "unknown", None, None))
    check("the remote files are told apart", [asset.logical_path for asset in logged.remote_assets], ["remote/part"])

    target = tempfile.mkdtemp()
    downloaded = logged.download(target)
    got = content(target)
    check("a download has every byte", {name.replace(below + "/", "", 1): value for name, value in got.items() if name not in ("renamed/a.csv", "memory.bin")}, wanted)
    check("a renamed file and one from memory have every byte", (got.get("renamed/a.csv"), got.get("memory.bin")), (hashlib.sha256(b"text\n").hexdigest(), hashlib.sha256(b"from memory").hexdigest()))
    single = logged.get_asset("memory.bin").download(tempfile.mkdtemp())
    check("a single file is downloaded", digest(single.local_path_or_data), hashlib.sha256(b"from memory").hexdigest())

    downloaded.version = logged.version.next_minor()
    downloaded.aliases = {"prod"}
    downloaded.add(io.BytesIO(b"new"), logical_path="new.bin")
    again = run.log_artifact(downloaded)
    check("a version that was read is logged as the next one", str(again.version), "1.1.0")
    key = run.get_key()
    run.end()

    used, made = APIExperiment(previous_experiment=key), APIExperiment(previous_experiment=maker)
    numbers = lambda experiment, direction, side: [one["artifactVersion"] for one in experiment.get_artifact_lineage(direction)[side]]
    check("a run tells what it used and made", (numbers(used, "all", "inputArtifacts"), numbers(used, "all", "outputArtifacts")), (["1.0.0"], ["1.1.0"]))
    check("its lineage is filtered", (numbers(used, "input", "outputArtifacts"), numbers(used, "output", "inputArtifacts"), numbers(made, "all", "inputArtifacts"), numbers(made, "output", "outputArtifacts")), ([], [], [], ["1.0.0"]))
    return got, below


def read(got):
    details = api().get_artifact_details(WORKSPACE, NAME)
    versions = {one["version"]: one for one in details["versions"]}
    check("details tell the artifact", (details["name"], details["type"], details["project"], details["isPublic"], details["latestVersion"], details["tags"]), (NAME, "dataset", PROJECT, False, "1.1.0", []))
    check("versions are in the order of their numbers", [one["version"] for one in details["versions"]], ["1.0.0", "1.1.0"])
    check("an alias has moved off its former holder", (sorted(versions["1.0.0"]["alias"]), sorted(versions["1.1.0"]["alias"])), (["été"], ["Latest", "prod"]))
    check("the same is found by id", api().get_artifact_details(artifact_id=details["artifactId"]), details)
    check("artifacts of the workspace are listed", NAME in [one["name"] for one in api().get_artifact_list(WORKSPACE)["artifacts"]])
    check("artifacts are listed by type", [NAME in [one["name"] for one in api().get_artifact_list(WORKSPACE, kind)["artifacts"]] for kind in ("dataset", "model")], [True, False])
    by_version, by_alias = api().get_artifact_files(WORKSPACE, NAME, version="1.1.0"), api().get_artifact_files(WORKSPACE, NAME, alias="LATEST")
    check("files are found by version and alias", (len(by_version["files"]), by_alias), (8, by_version))

    newest = api().get_artifact(WORKSPACE, NAME)
    check("the newest is read without a run", (str(newest.version), newest.artifact_tags), ("1.1.0", frozenset()))
    target = tempfile.mkdtemp()
    newest.download(target)
    check("a version that was logged again has every byte", {**got, "new.bin": hashlib.sha256(b"new").hexdigest()}, content(target))
    check("an older one is read by its number", str(api().get_artifact(WORKSPACE, NAME, version="1.0.0").version), "1.0.0")
    refuses("an unknown artifact is not found", lambda: api().get_artifact(WORKSPACE, "no such"), kind=ArtifactNotFound)
    refuses("an unknown version is not found", lambda: api().get_artifact(WORKSPACE, NAME, version="7.0.0"), kind=ArtifactNotFound)
    refuses("an unknown alias is not found", lambda: api().get_artifact(WORKSPACE, NAME, alias="nobody"), kind=ArtifactNotFound)


def label():
    logged = api().get_artifact(WORKSPACE, NAME)
    logged.update_artifact_tags(["tag", "é"])
    logged.update_version_tags(["one"])
    logged.update_aliases(["Latest", "stable"])
    logged._rest_api_client.update_artifact_version(logged._artifact_version_id, version_metadata={"changed": 1})
    again = api().get_artifact(WORKSPACE, NAME, alias="stable")
    check("labels are replaced as a whole", (again.artifact_tags, again.version_tags, again.aliases, dict(again.metadata)), (frozenset(["tag", "é"]), frozenset(["one"]), frozenset(["Latest", "stable"]), {"changed": 1}))
    refuses("an alias that was taken away is not found", lambda: api().get_artifact(WORKSPACE, NAME, alias="prod"), kind=ArtifactNotFound)


def conflict():
    run = start()

    def upsert(version):
        return lambda: run.log_artifact(Artifact(NAME, "dataset", version=version))

    taken = refuses("a version that exists is refused", upsert("1.1.0"), kind=LogArtifactException)
    check("a version that exists has its code", taken is not None and taken.sdk_error_code, 90399)
    logged = upsert("2.0.0")()
    check("a version without files is closed", api().get_artifact(WORKSPACE, NAME, version="2.0.0").version, logged.version)
    opened = post("artifacts/upsert", {"artifactName": NAME, "artifactType": "dataset", "experimentKey": run.get_key()})[1]
    check("the next whole number follows", (opened["currentVersion"], opened["previousVersion"]), ("3.0.0", "2.0.0"))
    refuses("an open version is not read by its number", lambda: run.get_artifact(NAME, version_or_alias="3.0.0"), kind=ArtifactNotFinalException)
    post("artifacts/state", {"artifactVersionId": opened["artifactVersionId"], "experimentKey": run.get_key(), "state": "ERROR"})
    refuses("a failed version is not read", lambda: run.get_artifact(NAME, version_or_alias="3.0.0"), kind=ArtifactNotFinalException)

    check("a version is deleted", post("artifacts/version/delete", {"artifactVersionId": logged._artifact_version_id})[0], 200)
    refuses("a deleted version is not found", lambda: run.get_artifact(NAME, version_or_alias="2.0.0"), kind=ArtifactNotFound)
    used = refuses("the number of a deleted version is not used again", upsert("2.0.0"), kind=LogArtifactException)
    check("a used number has its code", used is not None and used.sdk_error_code, 7000019)
    check("the latest is what is left", str(run.get_artifact(NAME).version), "1.1.0")
    check("a project's artifact is deleted", post("artifacts/delete", {"artifactId": logged._artifact_id})[0], 200)
    refuses("a deleted artifact is not found", lambda: run.get_artifact(NAME), kind=ArtifactNotFound)
    run.end()


def many():
    """More remote files than one batch holds, and many small ones, all in one version."""
    run = start()
    artifact = Artifact("many-%d" % os.getpid())
    for i in range(2500):
        artifact.add_remote("s3://bucket/key-%d" % i, logical_path="remote/%d" % i, sync_mode=False)
    for i in range(60):
        artifact.add(io.BytesIO(b"%d" % i), logical_path="small/%d" % i)
    run.log_artifact(artifact)
    run.end()
    logged = api().get_artifact(WORKSPACE, "many-%d" % os.getpid())
    check("every file of a large version is there once", sorted(asset.logical_path for asset in logged.assets), sorted(["remote/%d" % i for i in range(2500)] + ["small/%d" % i for i in range(60)]))
    check("its links are exact", {asset.link for asset in logged.remote_assets}, {"s3://bucket/key-%d" % i for i in range(2500)})


def journey():
    root = tree()
    maker = log(root)
    got = section("use", use, root, maker)
    if got is not None:
        section("read", read, got[0])
    section("label", label)
    section("conflict", conflict)
    section("many", many)
    found(artifact=NAME)


section("artifacts", journey)
finish()
