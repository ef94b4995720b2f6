"""Projects, their notes, share keys and views; runs linked and moved between them."""

from journey import WORKSPACE, check, finish, project, refuses, section, until

from comet_ml import APIExperiment
from comet_ml.api import API
from comet_ml.api_objects.view import View
from comet_ml.exceptions import CometRestApiException

API_ = API(cache=False)
NAME = project("projects")


def names():
    return API_.get_projects(WORKSPACE)


def account():
    check("the key's workspace is the default", API_.get_default_workspace(), WORKSPACE)
    check("the account has a name", bool(API_.get_account_details()["userName"]))
    check("workspaces are listed", WORKSPACE in API_.get_workspaces())


def life():
    made = API_.create_project(WORKSPACE, NAME, project_description="what for", public=False)
    until("a made project is listed", lambda: NAME in names(), seconds=20)
    row = API_.get_project(WORKSPACE, NAME)
    check("a project's facts", (row["projectId"], row["projectName"], row["projectDescription"], row["workspaceName"]), (made["projectId"], NAME, "what for", WORKSPACE))
    check("a private project is not public", (row["public"], row["isPublic"]), (False, False))
    check("a new project has no runs", row["numberOfExperiments"], 0)
    check("a project is found by its id", API_.get_project_by_id(made["projectId"])["projectName"], NAME)
    API_.update_project(WORKSPACE, NAME, description="changed")
    check("an update changes what it names", API_.get_project(WORKSPACE, NAME)["projectDescription"], "changed")
    check("an update leaves the rest", API_.get_project(WORKSPACE, NAME)["projectId"], made["projectId"])
    API_.update_project_by_id(made["projectId"], new_project_name=NAME + "-new", public=True)
    row = API_.get_project(WORKSPACE, NAME + "-new")
    check("a project can be renamed and published", (row["projectId"], row["public"]), (made["projectId"], True))
    API_.update_project_by_id(made["projectId"], new_project_name=NAME, public=False)
    API_.set_project_owner(made["projectId"], API_.get_account_details()["userName"])
    check("a project's owner can be set", API_.get_project(WORKSPACE, NAME)["ownerUserName"], API_.get_account_details()["userName"])
    check("a project has no notes at first", API_.get_project_notes(WORKSPACE, NAME) in (None, ""))
    API_.set_project_notes(WORKSPACE, NAME, "# notes\nof mine")
    check("notes come back", API_.get_project_notes(WORKSPACE, NAME), "# notes\nof mine")
    share(made["projectId"])
    gone = NAME + "-gone"
    API_.create_project(WORKSPACE, gone)
    APIExperiment(workspace=WORKSPACE, project_name=gone, api=API_)
    API_.delete_project(WORKSPACE, gone, delete_experiments=True)
    until("a deleted project is gone", lambda: gone in names(), expected=False, seconds=20)


def share(identity):
    check("a project has no share keys at first", API_.get_project_share_keys(identity), [])
    key = API_.create_project_share_key(identity)
    check("a share key is listed", key["shareCode"] if isinstance(key, dict) else key, API_.get_project_share_keys(identity)[0])
    API_.delete_project_share_key(identity, API_.get_project_share_keys(identity)[0])
    check("a deleted share key is gone", API_.get_project_share_keys(identity), [])


def views():
    made = API_.create_view(WORKSPACE, NAME, View(name="board", query_state='{"q": [1]}', chart_state='{"c": 2}', table_state='{"t": 3}', v2={"a": 1}))
    check("a view is made", (made.name, made.query_state, made.chart_state, made.table_state, made.v2), ("board", '{"q": [1]}', '{"c": 2}', '{"t": 3}', {"a": 1}))
    check("a view has an id", bool(made.template_id))
    listed = {view.template_id: view for view in API_.get_views(WORKSPACE, NAME)}
    check("a view is listed as it was sent", (listed[made.template_id].query_state, listed[made.template_id].v2), ('{"q": [1]}', {"a": 1}))
    run = APIExperiment(workspace=WORKSPACE, project_name=NAME, api=API_)
    own = run.create_view(View(name="of one run"))
    check("a run's view is of that run", own.experiment_key, run.id)
    check("a run's views hold its own", own.template_id in [view.template_id for view in run.get_views()])
    check("a project's views do not hold a run's", own.template_id in [view.template_id for view in API_.get_views(WORKSPACE, NAME)], False)


def links():
    first, second = NAME + "-first", NAME + "-second"
    run = APIExperiment(workspace=WORKSPACE, project_name=first, api=API_)
    run.log_metric("loss", 1)
    refuses("a link into a missing project is refused", lambda: run.create_symlink(second), kind=CometRestApiException)
    API_.create_project(WORKSPACE, second)
    link = run.create_symlink(second)
    check("a link is below its project", "/%s/" % second in link)
    check("a linked run is listed in both", [[other.id for other in API_.get_experiments(WORKSPACE, name)] for name in (first, second)], [[run.id], [run.id]])
    third = NAME + "-third"
    API_.create_project(WORKSPACE, third)
    API_.move_experiments([run.id], WORKSPACE, third)
    check("a moved run is in its new project", APIExperiment(previous_experiment=run.id, api=API_).project_name, third)
    check("a moved run has left the old one", [other.id for other in API_.get_experiments(WORKSPACE, first)], [])
    check("a moved run keeps its values", float(APIExperiment(previous_experiment=run.id, api=API_).get_metrics_summary("loss")["valueCurrent"]), 1.0)
    API_.move_experiments([run.id], WORKSPACE, first, symlink=True)
    check("moving by link leaves it where it is", APIExperiment(previous_experiment=run.id, api=API_).project_name, third)
    check("moving by link lists it there too", [other.id for other in API_.get_experiments(WORKSPACE, first)], [run.id])


def main():
    for part in (account, life, views, links):
        section(part.__name__, part)
    finish()


main()
