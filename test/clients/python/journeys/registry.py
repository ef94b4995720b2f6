"""Models registered from a live run and through the API; versions, tags, statuses, history, downloads and what is refused."""

import os
import tempfile
import zipfile

from journey import WORKSPACE, by_name, check, finish, project, refuses, section

import comet_ml
from comet_ml import APIExperiment
from comet_ml.api import API
from comet_ml.exceptions import CometRestApiException

PROJECT = project("registry")
MODEL = project("My Model")
QUIET = comet_ml.ExperimentConfig(log_code=False, log_env_details=False, log_git_metadata=False, parse_args=False, auto_output_logging=False)
FILES = {"weights.bin": bytes(range(256)) * 1000, os.path.join("config", "deep", "settings é.json"): b'{"layers": 3}', "empty.txt": b""}
NAMES = sorted(name.replace(os.sep, "/") for name in FILES)


def api():
    return API(cache=False)


def write_folder():
    folder = tempfile.mkdtemp()
    for name, content in FILES.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
    return folder


def read_folder(folder):
    read = {}
    for root, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(root, name)
            with open(path, "rb") as file:
                read[os.path.relpath(path, folder)] = file.read()
    return read


def fetched(version):
    """A version's files, read one by one as `Model.download` does."""
    folder = tempfile.mkdtemp()
    api().get_model(WORKSPACE, MODEL).download(version, output_folder=folder)
    return read_folder(folder)


def unpacked(**choice):
    """A version's files, from its archive."""
    folder = tempfile.mkdtemp()
    api().download_registry_model(WORKSPACE, MODEL, output_path=folder, **choice)
    return read_folder(folder)


def log(run):
    """Logs a model in a live run and registers it there."""
    run.log_model("net", write_folder(), prepend_folder_name=False)
    run.register_model(
        "net", version="1.0.0", registry_name=MODEL, description="a net", comment="the first", tags=["first", "shared"], status="Development", metadata={"depth": 3, "nested": {"a": {"b": [1, None]}}},
        status_configuration={"status": "Production", "is_review_required": True, "status_configuration_items": [{"key": "deployment", "value": "enabled"}], "comment": "please"}, sync=True, timeout=60,
    )
    run.end()


def overview(run):
    check("the name stays as it was given", MODEL in api().get_registry_model_names(WORKSPACE))
    (row,) = [row for row in api()._client.get_registry_models(WORKSPACE) if row["modelName"] == MODEL]
    latest = row["latestVersion"]
    check("an overview tells the latest version", (latest["version"], latest["comment"], latest["stages"]), ("1.0.0", "the first", ["first", "shared"]))
    check("an overview tells the model", (row["numberOfVersions"], row["isPublic"], row["description"]), (1, False, "a net"))
    check("an overview tells the metadata", {one["key"]: one["value"] for one in latest["metadata"]}.get("depth"), 3)
    details = api().get_registry_model_details(WORKSPACE, MODEL)
    (version,) = details["versions"]
    model = version["experimentModel"]
    check("details name the model of the run", (model["experimentModelName"], model["modelName"], model["experimentKey"]), ("net", "net", run.id))
    check("details hold every file", sorted(asset["fileName"] for asset in version["assets"]), NAMES)
    check("details of a version are those of the model", api().get_registry_model_details(WORKSPACE, MODEL, "1.0.0"), version)
    check("a version that is not there is none", api().get_registry_model_details(WORKSPACE, MODEL, "7.0.0"), None)
    (listed,) = api()._client.get_experiment_models(run.id)
    check("the run's model tells where it is registered", [(one["registryModelName"], one["version"], one["registryModelItemId"], one["registryModelId"]) for one in listed["registryRecords"]], [(MODEL, "1.0.0", version["registryModelItemId"], details["registryModelId"])])


def grow(run):
    """Further versions, through the API and through the older calls."""
    experiment = APIExperiment(previous_experiment=run.id, api=api())
    experiment.register_model("net", registry_name=MODEL.upper())
    check("a version without a number comes after the highest, of the model under any spelling", api().get_registry_model_versions(WORKSPACE, MODEL), ["2.0.0", "1.0.0"])
    for version in ("2.9.0", "2.10.0", "10.0.0-rc.1", "2.10.0-beta"):
        experiment.register_model("net", version=version, registry_name=MODEL, tags=["shared"], comment=version)
    check("versions sort as versions", api().get_registry_model_versions(WORKSPACE, MODEL), ["10.0.0-rc.1", "2.10.0", "2.10.0-beta", "2.9.0", "2.0.0", "1.0.0"])
    client, older = api()._client, "older " + MODEL
    reply = client.register_model(experiment_id=run.id, model_name="net", version="0.1.0", workspace=WORKSPACE, registry_name=older, public=True, description="older", comment="c", stages=["production"]).json()
    check("the older call makes a model", sorted(key for key in reply if key.startswith("registryModel")), ["registryModelId", "registryModelItemId"])
    client.register_model(experiment_id=run.id, model_name="net", version="0.2.0", workspace=WORKSPACE, registry_name=older, public=None, description=None, comment=None, stages=None)
    versions = by_name(api().get_registry_model_details(WORKSPACE, older)["versions"], "version")
    check("the older call adds a version, without stages when none are given", (versions["0.1.0"]["stages"], versions["0.2.0"]["stages"]), (["production"], []))


def latest():
    def version(**choice):
        return [one["version"] for one in api().get_latest_registry_model_version_details(WORKSPACE, MODEL, **choice)["versions"]]

    check("the latest is the highest", version(), ["10.0.0-rc.1"])
    check("the latest of a stage", version(stage="first"), ["1.0.0"])
    check("the latest of a major", version(version_major=2), ["2.10.0"])
    check("the latest of a minor", version(version_major=2, version_minor=9), ["2.9.0"])
    refuses("no version of a stage", lambda: version(stage="nobody's"), status=400, code=42008, kind=CometRestApiException)
    model = api().get_model(WORKSPACE, MODEL)
    check("versions are found by the beginning of their number", model.find_versions(version_prefix="2.1"), ["2.10.0", "2.10.0-beta"])
    check("versions are found by tag", model.find_versions(tag="first"), ["1.0.0"])
    check("versions are found by status", model.find_versions(status="Development"), ["1.0.0"])


def edit():
    model = api().get_model(WORKSPACE, MODEL)
    details = model.get_details("1.0.0")
    check("details of one version", [details[key] for key in ("version", "status", "tags", "comment", "pendingStatus")], ["1.0.0", "Development", ["first", "shared"], "the first", "Production"])
    model.add_tag("1.0.0", "added é")
    check("an added tag is the last", model.tags("1.0.0"), ["first", "shared", "added é"])
    refuses("a tag that is there", lambda: api().add_registry_model_version_stage(WORKSPACE, MODEL, "1.0.0", "shared"), status=400, kind=CometRestApiException)
    model.delete_tag("1.0.0", "shared")
    check("a deleted tag is gone", model.tags("1.0.0"), ["first", "added é"])
    refuses("a tag that is not there", lambda: model.delete_tag("1.0.0", "shared"), status=400, kind=CometRestApiException)
    api().update_registry_model_version(WORKSPACE, MODEL, "1.0.0", comment="changed", stages=["only"])
    check("sent stages replace the list", (model.tags("1.0.0"), model.get_details("1.0.0")["comment"]), (["only"], "changed"))
    api().update_registry_model_version(WORKSPACE, MODEL, "1.0.0", stages=["again"])
    check("an omitted comment stays", model.get_details("1.0.0")["comment"], "changed")
    check("statuses that are allowed", api().model_registry_allowed_status_values(WORKSPACE), ["None", "Development", "Staging", "QA", "Production", "Archived"])
    model.set_status("1.0.0", "Staging")
    check("a status that was set", model.status("1.0.0"), "Staging")
    refuses("a status that is not allowed", lambda: model.set_status("1.0.0", "Nowhere"), status=400, kind=CometRestApiException)
    api().update_registry_model_notes(WORKSPACE, MODEL.lower(), "# notes\n é")
    check("notes", api().get_registry_model_notes(WORKSPACE, MODEL), "# notes\n é")


def describe():
    model = api().get_model(WORKSPACE, MODEL)

    def metadata():
        return {row["key"]: row["value"] for row in model.get_registry_model_metadata("1.0.0")}

    before = metadata()
    model.update_registry_model_metadata({"depth": 4, "more": "x"}, version="1.0.0")
    check("set keys change, others stay", metadata(), {**before, "depth": 4, "more": "x"})
    configuration = model.get_registry_model_status_configuration("1.0.0")
    check("a status configuration comes back as sent", (configuration.status, configuration.is_review_required, [(item.key, item.value) for item in configuration.status_configuration_items]), ("Production", True, [("deployment", "enabled")]))
    check("a version without one has none", model.get_registry_model_status_configuration("2.9.0"), None)


def download(run):
    assets = api().get_model(WORKSPACE, MODEL).get_assets("1.0.0")
    check("every file has a link with its run", all("experimentKey=%s" % run.id in asset["link"] for asset in assets))
    check("every file lies in its model's folder", {asset["dir"] for asset in assets}, {"models/net"})
    check("a model is downloaded byte for byte", fetched("1.0.0") == FILES)
    check("an unpacked archive is equal byte for byte", unpacked(version="1.0.0") == FILES)
    check("without a choice the archive is that of the latest", unpacked() == FILES)
    ((_, archive),) = unpacked(stage="again", expand=False).items()
    with tempfile.TemporaryFile() as file:
        file.write(archive)
        check("the archive of a stage holds the files", sorted(zipfile.ZipFile(file).namelist()), NAMES)
    listed = api().get_model_registry_version_assets(WORKSPACE, MODEL, "1.0.0")["assets"]
    check("the API's assets are those of the version", sorted(asset["assetId"] for asset in listed), sorted(asset["assetId"] for asset in assets))


def history():
    days = api().get_model(WORKSPACE, MODEL).get_version_history("1.0.0")
    entries = [entry for day in days.values() for entry in day]
    actions = [entry["actionType"] for entry in entries]
    check("the history begins with the making", actions[-1], "MODEL_VERSION_CREATED")
    check("the history tells of downloads", actions.count("MODEL_VERSION_DOWNLOADED") >= 3)
    (asked,) = [entry for entry in entries if entry["actionType"] == "MODEL_VERSION_STATUS_REQUEST_CHANGE"]
    check("the history tells of a request", (asked["previousValue"], asked["newValue"], asked["comment"]), ({"registryModelStatus": "Development"}, {"registryModelStatus": "Production"}, "please"))
    changed = [(entry["previousValue"]["registryModelStatus"], entry["newValue"]["registryModelStatus"]) for entry in entries if entry["actionType"] == "MODEL_VERSION_STATUS_CHANGED"]
    check("the history tells of changes, the newest first", changed, [("Development", "Staging"), ("None", "Development")])
    check("an entry names its version", (asked["registryModelName"], asked["registryModelItemVersion"], bool(asked["userName"])), (MODEL, "1.0.0", True))


def errors(run):
    experiment = APIExperiment(previous_experiment=run.id, api=api())
    refuses("a version that is not semantic", lambda: experiment.register_model("net", version="first", registry_name=MODEL), kind=ValueError)
    refuses("a version that is there", lambda: experiment.register_model("net", version="1.0.0", registry_name=MODEL), status=400, kind=CometRestApiException)
    refuses("a model that the run has not logged", lambda: experiment.register_model("nothing", registry_name=MODEL), status=400, kind=CometRestApiException)
    refuses("a model that is not registered", lambda: api().get_model(WORKSPACE, "no such model"), status=400, code=42008, kind=CometRestApiException)
    refuses("notes of a model that is not registered", lambda: api().get_registry_model_notes(WORKSPACE, "no such model"), status=400, code=42008, kind=CometRestApiException)
    refuses("a count of an unknown workspace", lambda: api().get_registry_model_count("no-such-workspace"), status=400, kind=CometRestApiException)


def keep(run):
    """What a version keeps outlives what the run has."""
    reader = APIExperiment(previous_experiment=run.id, api=api())
    (weights,) = [asset for asset in reader.get_asset_list("model-element") if asset["fileName"] == "weights.bin"]
    reader.delete_asset(weights["assetId"])
    check("a deleted asset is still in its version", fetched("2.9.0") == FILES)
    api().delete_experiment(run.id)
    check("a deleted run's model is still in its version", fetched("2.9.0") == FILES)
    check("and in its archive", unpacked(version="2.9.0") == FILES)


def remove():
    count, renamed = api().get_registry_model_count(WORKSPACE), "New " + MODEL
    api().update_registry_model(WORKSPACE, MODEL, new_name=renamed, description="renamed", public=True)
    details = api().get_registry_model_details(WORKSPACE, renamed.lower())
    check("a renamed model", (details["modelName"], details["description"], details["isPublic"]), (renamed, "renamed", True))
    refuses("the old name", lambda: api().get_registry_model_details(WORKSPACE, MODEL), status=400, code=42008, kind=CometRestApiException)
    api().delete_registry_model_version(WORKSPACE, renamed, "10.0.0-rc.1")
    check("after a deleted version the next highest is the latest", api().get_latest_registry_model_version_details(WORKSPACE, renamed)["versions"][0]["version"], "2.10.0")
    api().delete_registry_model(WORKSPACE, renamed)
    check("a deleted model is not counted", api().get_registry_model_count(WORKSPACE), count - 1)
    refuses("a deleted model", lambda: api().delete_registry_model(WORKSPACE, renamed), status=400, code=42008, kind=CometRestApiException)


def main():
    run = comet_ml.start(workspace=WORKSPACE, project_name=PROJECT, experiment_config=QUIET)
    section("log", log, run)
    section("overview", overview, run)
    section("grow", grow, run)
    section("latest", latest)
    section("edit", edit)
    section("describe", describe)
    section("download", download, run)
    section("history", history)
    section("errors", errors, run)
    section("keep", keep, run)
    section("remove", remove)
    finish()


main()
