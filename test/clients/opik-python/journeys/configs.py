"""Configurations of agents and dashboards as the unmodified client makes them."""

import threading
import typing

import opik
from opik import Opik, agent_config_context, track
from opik.api_objects.agent_config.config import ConfigManager
from opik.api_objects.dashboard.types import DashboardSection
from opik.rest_api.core.api_error import ApiError

from journey import check, finish, project, refuses, section


class Tuning(opik.Config):
    temperature: float = 0.7
    steps: int = 3
    model: str = "gpt-4o-mini"
    eager: bool = True
    hint: typing.Any = None


def read(client, name, fallback=None, **selector):
    """What an agent gets that asks for its configuration."""

    got = []

    @track(name="agent", project_name=name)
    def agent():
        config = client.get_or_create_config(fallback=fallback, project_name=name, **selector)
        got.append((config, config._state.blueprint_version, config.is_fallback))

    agent()
    return got[0]


def refused(rule, name, call, status):
    error = refuses(rule, call, kind=ApiError)
    check(rule + " (status)", error and error.status_code, status)


def configs(client):
    name = project("tuned")
    config, version, is_fallback = read(client, name, Tuning())
    check("the fallback begins a configuration", (version, is_fallback), ("v1", False))
    again, version, _ = read(client, name, Tuning(temperature=0.1))
    check("and is found again", (version, again.temperature, again.steps, again.eager, again.hint), ("v1", 0.7, 3, True, None))
    without, _, _ = read(client, name)
    check("values have the types that were written", (without.temperature, without.steps, without.eager, without.model), (0.7, 3, True, "gpt-4o-mini"))

    check("a change is another version", client.create_config(Tuning(temperature=0.2), project_name=name, description="colder"), "v2")
    check("the newest one", read(client, name, Tuning(), version="latest")[0].temperature, 0.2)
    check("the one in production stays", read(client, name, Tuning())[0].temperature, 0.7)
    check("one by its name", read(client, name, Tuning(), version="v1")[0].temperature, 0.7)
    client.set_config_env(project_name=name, version="v2", env="prod")
    client.set_config_env(project_name=name, version="v1", env="staging")
    check("an environment is moved", read(client, name, Tuning())[1], "v2")
    check("another is made", read(client, name, Tuning(), env="staging")[1], "v1")
    refuses("a version that is not there", lambda: read(client, name, Tuning(), version="v9"), kind=opik.ConfigNotFound)
    refuses("an environment that is not there", lambda: read(client, name, Tuning(), env="none"), kind=opik.ConfigNotFound)
    refuses("a project without a configuration", lambda: read(client, project("none")), kind=opik.ConfigNotFound)

    class Wider(opik.Config):
        more: str = "x"

    refuses("a field that no version has", lambda: read(client, name, Wider()), kind=opik.ConfigMismatch)
    names = []
    writers = [
        threading.Thread(target=lambda n=n: names.append(client.create_config(Tuning(steps=n), project_name=name))) for n in range(4)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    check("writers at once make a version each", sorted(names), ["v3", "v4", "v5", "v6"])


def first_writers(client):
    name = project("first")
    names = []
    writers = [
        threading.Thread(target=lambda n=n: names.append(client.create_config(Tuning(steps=n), project_name=name))) for n in range(4)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    check("writers at once begin one configuration", sorted(names), ["v1", "v2", "v3", "v4"])


def masks(client):
    name = project("masked")
    client.create_config(Tuning(), project_name=name)
    manager = ConfigManager(project_name=name, rest_client_=client.rest_client)
    mask = manager.create_mask(parameters={"temperature": 0.9, "extra": "e"}, description="bold")
    with agent_config_context(mask):
        config, version, _ = read(client, name, Tuning())
        check("a mask lies over the version", (version, config.temperature, config.steps), ("v1", 0.9, 3))
    with agent_config_context(None, blueprint_name="v1"):
        check("a name of the context", read(client, name, Tuning())[1], "v1")
    check("a mask is no version", manager.get_blueprint().name, "v1")
    under = manager.get_blueprint(name="v1", mask_id=mask)
    check("a mask adds keys", (under["extra"], under["temperature"]), ("e", 0.9))

    configs, project_id = client.rest_client.agent_configs, client.rest_client.projects.retrieve_project(name=name).id
    configs.create_blueprint_from_mask(project_id, mask)
    applied = configs.get_latest_blueprint(project_id)
    check("a mask is applied", (applied.name, applied.description), ("v2", "bold"))
    check("deltas of it", sorted(one.key for one in configs.get_delta_by_id(applied.id).values), ["extra", "temperature"])
    configs.remove_config_keys(keys=["extra"], project_name=name)
    configs.remove_config_keys(keys=["extra"], project_name=name)
    history = configs.get_blueprint_history(project_id, page=1, size=2)
    check("history", (history.total, [one.name for one in history.content]), (3, ["v3", "v2"]))
    check("a removed key is gone", "extra" in {one.key for one in configs.get_latest_blueprint(project_id).values}, False)
    check("and was there", "extra" in {one.key for one in configs.get_blueprint_by_name(project_id, "v2").values})
    configs.set_env_by_blueprint_name("test", project_id, blueprint_name="v2")
    check("an environment by name", configs.get_blueprint_by_env("test", project_id).envs, ["test"])
    configs.delete_env("test", project_id)
    configs.delete_env("test", project_id)
    refused("an ended environment", name, lambda: configs.get_blueprint_by_env("test", project_id), 404)
    refused("a mask is no blueprint", name, lambda: configs.get_blueprint_by_id(mask), 404)


def prompts(client):
    name = project("prompted")
    first = client.create_prompt(project("system"), "Be {{how}}", project_name=name)
    chat = client.create_chat_prompt(project("chat"), [{"role": "user", "content": "{{what}}"}], project_name=name)

    class Prompted(opik.Config):
        system: typing.Any = None
        talk: typing.Any = None

    read(client, name, Prompted(system=first, talk=chat))
    config, version, _ = read(client, name, Prompted(system=first, talk=chat))
    check("a prompt is resolved by its commit", (version, config.system.commit, config.system.format(how="kind")), ("v1", first.commit, "Be kind"))
    check("a chat prompt too", config.talk.format({"what": "why?"}), [{"role": "user", "content": "why?"}])
    second = client.create_prompt(first.name, "Be very {{how}}", project_name=name)
    newest, version, _ = read(client, name, Prompted(system=first, talk=chat), version="latest")
    check("the newest version has the newest prompt", (version, newest.system.commit), ("v2", second.commit))
    check("production keeps its own", read(client, name, Prompted(system=first, talk=chat))[0].system.commit, first.commit)
    elsewhere = client.create_prompt(project("elsewhere"), "x", project_name=project("other"))
    refuses(
        "a prompt of another project",
        lambda: client.create_config(Prompted(system=elsewhere, talk=chat), project_name=name),
        kind=opik.ConfigMismatch,
    )


def dashboards(client):
    name, title = project("charted"), project("costs")
    made = client.create_dashboard(title, type="multi_project", description="what it costs", project_name=name)
    check("a dashboard is made", (made.name, made.description, made.type, made.scope), (title, "what it costs", "multi_project", "workspace"))
    check("in its project", made.project_id, client.rest_client.projects.retrieve_project(name=name).id)
    note = {"type": "text_markdown", "title": "Note", "config": {"content": "größe"}}
    widget = made.add_widget(note)
    made.update_widget(widget, title="Renamed")
    other = made.add_section("More")
    read_back = client.get_dashboard(made.id)
    check("widgets", [(one.id, one.title) for one in read_back.sections[0].widgets], [(widget, "Renamed")])
    check("sections", [one.id for one in read_back.sections][1:], [other])
    check("the configuration is as it was sent", read_back.config, made.config)
    made.remove_widget(widget)
    made.rename(title + "-2")
    made.set_description("other words")
    read_back.reload()
    check("changes are read", (read_back.name, read_back.description, read_back.sections[0].widgets), (title + "-2", "other words", []))
    whole = client.create_dashboard(title, sections=[DashboardSection(title="One")])
    check("one of the workspace", (whole.project_id, whole.sections[0].title), (None, "One"))
    refuses("a name is taken", lambda: client.create_dashboard(title), kind=ApiError)
    found = client.get_dashboards(name=title.upper())
    check("dashboards are found by name", [one.id for one in found], [whole.id, made.id])
    check("and by project", [one.id for one in client.get_dashboards(project_id=made.project_id)], [made.id])
    sorting = '[{"field": "created_at", "direction": "ASC"}]'
    filters = '[{"field": "name", "operator": "contains", "value": "%s"}]' % title
    check("sorted and filtered", [one.id for one in client.get_dashboards(sorting=sorting, filters=filters)], [made.id, whole.id])
    page = client.rest_client.projects.find_dashboards_by_project(made.project_id)
    check("of a project", [one.id for one in page.content], [made.id])
    view = client.rest_client.insights_views.create_insights_view(name=title, config={"sections": []})
    check("a view of insights", (view.scope, view.slug.startswith("costs-")), ("insights", True))
    check("is no dashboard", view.id in {one.id for one in client.get_dashboards()}, False)
    client.rest_client.insights_views.delete_insights_views_batch(ids=[view.id])
    made.delete()
    client.delete_dashboard(made.id)
    client.delete_dashboard(whole.id)
    refuses("a deleted dashboard", made.reload, kind=ApiError)


client = Opik(project_name=project("configs"))
section("configs", configs, client)
section("first writers", first_writers, client)
section("masks", masks, client)
section("prompts", prompts, client)
section("dashboards", dashboards, client)
client.end()
finish()
