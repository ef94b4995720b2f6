"""Annotation queues as the unmodified client makes and fills them."""

from opik import Opik

from journey import check, finish, project, refuses, section

PROJECT = project("annotating")


def filled(client):
    for name in ("a", "b", "c"):
        client.trace(name=name, thread_id=f"talk {name}").end()
    client.flush()
    traces = client.search_traces(project_name=PROJECT, wait_for_at_least=3, wait_for_timeout=30)
    return traces, client.search_threads(project_name=PROJECT)


def queue_of_traces(client, traces):
    queue = client.create_traces_annotation_queue(
        project("traces"),
        project_name=PROJECT,
        description="words",
        instructions="how",
        comments_enabled=True,
        feedback_definition_names=["quality"],
    )
    check("a queue begins empty", queue.items_count, 0)
    queue.add_traces(traces)
    queue.add_traces(traces[:1])
    check("traces are added once", queue.items_count, 3)
    check("the traces of a queue come back", {one.id for one in queue.get_items()}, {one.id for one in traces})
    queue.remove_traces(traces[1:])
    check("traces are taken out", (queue.items_count, [one.id for one in queue.get_items()]), (1, [traces[0].id]))
    queue.update(name="changed", instructions="otherwise")
    read = client.get_traces_annotation_queue(queue.id)
    check(
        "a queue is changed, and keeps what was not sent",
        (read.name, read.description, read.instructions, read.comments_enabled, read.feedback_definition_names),
        ("changed", "words", "otherwise", True, ["quality"]),
    )
    shown = client.get_trace_content(traces[0].id).annotation_queues
    check("a trace tells its queues", [(one.id, one.name) for one in shown], [(queue.id, "changed")])
    return queue


def queue_of_threads(client, threads):
    queue = client.create_threads_annotation_queue(project("threads"), project_name=PROJECT)
    queue.add_threads(threads)
    check("threads are added", queue.items_count, 3)
    queue.remove_threads(threads[:1])
    check("threads of a queue come back", {one.id for one in queue.get_items()}, {one.id for one in threads[1:]})
    return queue


def locks(client, queue, traces):
    rest = client.rest_client.annotation_queues
    item = traces[0].id
    taken = rest.lock_annotation_queue_item(queue.id, item)
    check("an item is locked", (taken.acquired, taken.item_id, taken.expires_at is not None), (True, item, True))
    check("a lock is extended", rest.lock_annotation_queue_item(queue.id, item).acquired, True)
    held = rest.get_annotation_queue_locks(queue.id).locks[item]
    check("locks are told", (held.active_locks, held.locked_by), (1, [taken.locked_by]))
    client.log_traces_feedback_scores([{"id": item, "name": "quality", "value": 0.4}], project_name=PROJECT)
    client.flush()
    check("who scores an item lets it go", rest.get_annotation_queue_locks(queue.id).locks, {})
    check("what was scored by enough is not locked", rest.lock_annotation_queue_item(queue.id, item).acquired, False)
    shown = rest.get_annotation_queue_by_id(queue.id)
    check("progress is told", [(one.username, one.status) for one in shown.reviewers], [(taken.locked_by, 1)])
    check("means are told", [(one.name, one.value) for one in shown.feedback_scores], [("quality", 0.4)])
    found = rest.search_annotation_queue_items(queue.id, ids=[one.id for one in traces]).content
    check("membership is told", [(one.id, one.source) for one in found], [(item, "manual")])


def automation(client, traces):
    rest = client.rest_client.annotation_queues
    name, project_id = project("automated"), traces[0].project_id
    condition = {"score_name": "risk", "operator": ">", "value": 0.5}
    rest.create_annotation_queue(
        project_id=project_id,
        name=name,
        scope="trace",
        automation={"enabled": True, "conditions": {"groups": [{"conditions": [condition]}]}, "max_items_in_queue": 5},
    )
    queue = next(one for one in client.get_traces_annotation_queues(project_name=PROJECT) if one.name == name)
    client.log_traces_feedback_scores([{"id": one.id, "name": "risk", "value": at / 2} for at, one in enumerate(traces)], project_name=PROJECT)
    client.flush()
    check("automation adds what matches", [one.id for one in queue.get_items()], [traces[2].id])
    shown = rest.get_annotation_queue_by_id(queue.id).automation
    check("automation is told", (shown.enabled, shown.max_items_in_queue, shown.conditions.groups[0].conditions[0].score_name), (True, 5, "risk"))
    queue.delete()


def deletes(client, queue, talks):
    listed = lambda of: [one.id for one in of(project_name=PROJECT)]
    check("queues of traces are listed", listed(client.get_traces_annotation_queues), [queue.id])
    check("queues of threads are listed", listed(client.get_threads_annotation_queues), [talks.id])
    refuses("a queue of traces is none of threads", lambda: client.get_threads_annotation_queue(queue.id), kind=Exception)
    queue.delete()
    client.delete_annotation_queue(talks.id)
    refuses("a deleted queue is not found", lambda: client.get_traces_annotation_queue(queue.id), kind=Exception)
    check("no queue is left", listed(client.get_threads_annotation_queues), [])


client = Opik(project_name=PROJECT)
traces, threads = filled(client)
queue = queue_of_traces(client, traces)
talks = queue_of_threads(client, threads)
section("locks", locks, client, queue, traces)
section("automation", automation, client, traces)
section("deletes", deletes, client, queue, talks)
client.end()
finish()
