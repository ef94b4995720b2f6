"""Datasets as the unmodified client makes them: 20,000 items in parallel requests, versions, changes and deletion."""

from opik import Opik

from journey import check, finish, project, section, until

PROJECT = project("datasets")
MANY = 20000


def versions(dataset):
    return dataset.get_version_info()


def many(client):
    dataset = client.create_dataset(project("many"), project_name=PROJECT)
    dataset.insert({"n": n, "text": "item %d ü" % n, "list": [n, None]} for n in range(MANY))
    items = dataset.get_items(num_threads=8)
    check("every item is read once", sorted(item["n"] for item in items), list(range(MANY)))
    check("items come back as they were", next(item for item in items if item["n"] == 7)["list"], [7, None])
    version = dataset.get_version_info()
    check("parallel requests make one version", (version.version_name, version.items_total, version.items_added), ("v1", MANY, MANY))
    check("items are counted", client.get_dataset(dataset.name, project_name=PROJECT).dataset_items_count, MANY)
    check("a bound is kept", len(dataset.get_items(nb_samples=3)), 3)
    ids = [item["id"] for item in items]
    check("items come in one order", ids == sorted(ids, reverse=True) or len(set(ids)) == MANY)


def changing(client):
    name = project("changing")
    dataset = client.get_or_create_dataset(name, description="words", project_name=PROJECT)
    dataset.insert([{"q": "one", "a": {"z": 1, "b": [None]}}, {"q": "two"}, {"q": "three"}])
    again = client.get_or_create_dataset(name, project_name=PROJECT)
    again.insert([{"q": "two"}, {"q": "four"}])
    by_text = {item["q"]: item for item in again.get_items()}
    check("what is there is not inserted again", sorted(by_text), ["four", "one", "three", "two"])
    check("a dataset of a name is found", again.id, dataset.id)
    again.update([{**by_text["one"], "q": "new"}])
    again.delete([by_text["two"]["id"]])
    check("items are changed and deleted", sorted(item["q"] for item in again.get_items()), ["four", "new", "three"])
    check("each change is a version", again.get_current_version_name(), "v4")
    first = again.get_version_view("v1")
    check("an older version stays as it was", sorted(item["q"] for item in first.get_items()), ["one", "three", "two"])
    check("an older version says what it holds", (first.items_total, first.is_latest), (3, False))
    found = again.get_items(filter_string='data.q = "new"')
    check("items are found by what they hold", [item["a"] for item in found], [{"z": 1, "b": [None]}])
    again.clear()
    check("a dataset is cleared", again.get_items(), [])
    client.delete_dataset(name, project_name=PROJECT)
    names = [one.name for one in client.get_datasets(project_name=PROJECT)]
    check("a deleted dataset is gone", name in names, False)


def files(client):
    rest = client.rest_client.datasets
    dataset = client.create_dataset(project("files"), project_name=PROJECT)
    rest.create_dataset_items_from_csv(file='q,a\n"one, 1",ü\ntwo,\n', dataset_id=dataset.id)
    rest.create_dataset_items_from_json(file='[{"q": "three", "a": "", "tags": ["t"]}]', dataset_id=dataset.id, format="json")
    found = [(item["q"], item["a"]) for item in client.get_dataset(dataset.name, project_name=PROJECT).get_items()]
    check("files become items", sorted(found), [("one, 1", "ü"), ("three", ""), ("two", "")])
    job = rest.start_dataset_export(dataset.id)
    check("an export is there at once", (rest.get_dataset_export_job(job.id).status, job.dataset_name), ("COMPLETED", dataset.name))
    check("exports are listed", job.id in {one.id for one in rest.get_dataset_export_jobs()})
    text = b"".join(rest.download_dataset_export(job.id)).decode()
    check("an export is CSV", sorted(text.splitlines()), sorted(["q,a", '"one, 1",ü', "two,", "three,"]))
    rest.mark_dataset_export_job_viewed(job.id)
    check("an export is looked at", rest.get_dataset_export_job(job.id).viewed_at is not None)


client = Opik(project_name=PROJECT)
section("many", many, client)
section("changing", changing, client)
section("files", files, client)
client.end()
finish()
