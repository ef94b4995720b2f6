"""Prompts and environments as the unmodified client makes them."""

from opik import Opik
from opik.rest_api.core.api_error import ApiError

from journey import check, finish, project, refuses, section

PROJECT = project("library")


def environments(client):
    name = project("production")
    made = client.create_environment(name, description="live", color="#00FF00")
    check("an environment is read back", (made.name, made.description, made.color), (name, "live", "#00FF00"))
    client.update_environment(name, description="changed")
    shown = {one.name: one for one in client.get_environments()}
    check("an environment is changed", (shown[name].description, shown[name].color), ("changed", "#00FF00"))
    refuses("an environment has a name of its own", lambda: client.create_environment(name), kind=Exception)
    client.delete_environment(name)
    check("an environment is deleted", name in {one.name for one in client.get_environments()}, False)


def prompts(client):
    name = project("prompt")
    first = client.create_prompt(name, "Hello {{who}}", metadata={"z": [None], "a": 0.1}, project_name=PROJECT)
    same = client.create_prompt(name, "Hello {{who}}", metadata={"z": [None], "a": 0.1}, project_name=PROJECT)
    check("the same text makes no version", same.commit, first.commit)
    second = client.create_prompt(name, "Bye {{who}}", project_name=PROJECT)
    check("another text makes a version", (second.commit == first.commit, second.format(who="you")), (False, "Bye you"))
    again = client.create_prompt(name, "Bye {{who}}", project_name=PROJECT)
    check("no metadata stays none", again.commit, second.commit)
    check("a version is found by its commit", client.get_prompt(name, commit=first.commit, project_name=PROJECT).metadata, {"z": [None], "a": 0.1})
    history = client.get_prompt_history(name, project_name=PROJECT)
    check("the newest version comes first", [one.commit for one in history], [second.commit, first.commit])
    check("an unknown prompt is none", client.get_prompt(project("none"), project_name=PROJECT), None)
    tagged = client.create_prompt(project("tagged"), "x", tags=["t"], description="words", project_name=PROJECT)
    found = client.search_prompts('tags contains "t"', project_name=PROJECT)
    check("prompts are found by their tags", [one.name for one in found], [tagged.name])


def versions(client):
    name = project("moving")
    production, staging = project("production"), project("staging")
    for environment in (production, staging):
        client.create_environment(environment)
    first = client.create_prompt(name, "one", project_name=PROJECT)
    second = client.create_prompt(name, "two", project_name=PROJECT)
    client.set_prompt_environments(name, [production, staging], version="v1", project_name=PROJECT)
    client.set_prompt_environments(name, [staging], version="v2", project_name=PROJECT)
    at = lambda environment: client.get_prompt(name, environment=environment, project_name=PROJECT, no_cache=True)
    check("a version is found by its environment", (at(production).commit, at(staging).commit), (first.commit, second.commit))
    refuses(
        "an environment must be registered",
        lambda: client.set_prompt_environments(name, [project("unknown")], version="v1", project_name=PROJECT),
        kind=Exception,
    )
    client.set_prompt_environments(name, [], version="v1", project_name=PROJECT)
    check("environments are cleared", at(production), None)
    for environment in (production, staging):
        client.delete_environment(environment)


client = Opik(project_name=PROJECT)
section("environments", environments, client)
section("prompts", prompts, client)
section("versions", versions, client)
client.end()
finish()
