"""Prompts tried over a dataset by the client of LLM observability, and further items that a model writes."""

import json
import time
import uuid

from opik import Opik
from opik.rest_api.core.api_error import ApiError
from opik.rest_api.types.message import Message
from opik.rest_api.types.prompt_variant import PromptVariant

from journey import check, finish, section
from scripted_model import answering_model

ITEMS = json.dumps({"items": [{"city": "Oslo"}, {"city": "Rome"}]})


def unique(name):
    return "%s-%s" % (name, uuid.uuid4().hex[:8])


asked = []


def answer(request):
    asked.append(request)
    return ITEMS if request.get("response_format") == {"type": "json_object"} else "It is sunny."


def until_done(client, experiment_id):
    for _ in range(300):
        found = client.rest_client.experiments.get_experiment_by_id(experiment_id)
        if found.status != "running":
            return found
        time.sleep(0.1)
    return found


def running(client, dataset, model):
    prompt = PromptVariant(
        model=model,
        messages=[
            Message(role="system", content={"type": "text", "text": "Be brief."}),
            Message(role="user", content={"type": "text", "text": "How is {{city}}?"}),
        ],
        experiment_name=unique("tried"),
    )
    started = client.rest_client.experiments.execute_experiment(
        dataset_name=dataset.name, dataset_id=dataset.id, prompts=[prompt, prompt], project_name=client.project_name
    )
    check("an experiment for each prompt", [one.prompt_index for one in started.experiments], [0, 1])
    check("over every item", started.total_items, 3)
    ids = [one.experiment_id for one in started.experiments]
    done = [until_done(client, one) for one in ids]
    check("each comes to its end", [(one.status, one.trace_count) for one in done], [("completed", 3)] * 2)
    check("with its name", {one.name for one in done}, {prompt.experiment_name})
    check("and its tokens", [one.usage["total_tokens"] for one in done], [10.0] * 2)
    sent = [json.dumps(one["messages"]) for one in asked]
    check("members of items are put in", [any("How is %s?" % city in one for one in sent) for city in ("Bern", "Oslo", "Rome")], [True] * 3)
    experiment = client.get_experiment_by_id(ids[0])
    items = experiment.get_items()
    check("the client reads the answers", [one.evaluation_task_output for one in items], [{"output": "It is sunny."}] * 3)


def refusing(client, dataset):
    before = client.rest_client.experiments.find_experiments(dataset_id=dataset.id).total
    prompt = PromptVariant(model="claude-nobody", messages=[Message(role="user", content={"type": "text", "text": "x"})])
    try:
        client.rest_client.experiments.execute_experiment(dataset_name=dataset.name, dataset_id=dataset.id, prompts=[prompt])
        check("a model without a key", "asked")
    except ApiError as error:
        check("a model without a key", error.status_code, 400)
    after = client.rest_client.experiments.find_experiments(dataset_id=dataset.id).total
    check("leaves no experiment", after, before)


def expanding(client, dataset, model):
    grown = client.rest_client.datasets.expand_dataset(
        dataset.id, model=model, sample_count=2, preserve_fields=["city"], variation_instructions="capitals"
    )
    check("a model writes items", [one.data for one in grown.generated_samples], [{"city": "Oslo"}, {"city": "Rome"}])
    check("counts them", (grown.total_generated, grown.model), (2, model))
    check("and stores none", len(dataset.get_items()), 3)


def main():
    project, name = unique("py-trying"), unique("tried")
    client = Opik(project_name=project, _show_misconfiguration_message=False)
    with answering_model(answer) as address:
        client.rest_client.llm_provider_key.store_llm_provider_api_key(
            provider="custom-llm", provider_name=name, api_key="sk-tried-0123456789", base_url=address
        )
        model = "custom-llm/%s/gpt-4o-mini" % name
        dataset = client.create_dataset(unique("cities"))
        dataset.insert([{"city": city} for city in ("Bern", "Oslo", "Rome")])
        section("prompts over a dataset", running, client, dataset, model)
        section("what is refused", refusing, client, dataset)
        section("further items", expanding, client, dataset, model)
    finish()


if __name__ == "__main__":
    main()
