"""An account that somebody makes without having one, where the server lets them; the same questions where it does not."""

import comet_ml
from comet_ml import APIExperiment
from comet_ml.api import API
from comet_ml.connection.connection_factory import get_comet_api_client
from comet_ml.exceptions import CometRestApiException
from journey import WORKSPACE, check, finish, project, refuses, section

NAME = project("newcomer")
EMAIL = "%s@people.example" % NAME


def with_sign_up(client):
    check("an unknown e-mail is unknown", client.check_email(EMAIL, "test"), 204)
    made = client.create_user(EMAIL, NAME, "journey")
    check("the account has the name", made["cometUserName"], NAME)
    check("it has a key and a token", sorted(made), ["apiKey", "cometUserName", "token"])
    check("its e-mail is known from then on", client.check_email(EMAIL, "test"), 200)
    config = comet_ml.ExperimentConfig(disabled=False, log_code=False, log_graph=False, log_env_details=False, log_git_metadata=False, parse_args=False, auto_output_logging=False)
    run = comet_ml.start(api_key=made["apiKey"], workspace=NAME, project_name="first", experiment_config=config)
    run.log_metric("loss", 0.5, step=1)
    run.end()
    read = APIExperiment(previous_experiment=run.get_key(), api=API(api_key=made["apiKey"], cache=False))
    check("it logs into a workspace of its own", [point["metricValue"] for point in read.get_metrics("loss")], ["0.5"])
    refuses("its e-mail makes no second account", lambda: client.create_user(EMAIL, NAME + "x", "journey"), status=400, kind=CometRestApiException)


def without_sign_up(client):
    check("an e-mail is unknown", client.check_email(EMAIL, "test"), 204)
    refuses("nobody makes an account", lambda: client.create_user(EMAIL, NAME, "journey"), status=403, kind=CometRestApiException)


def signup():
    (with_sign_up if WORKSPACE == "open" else without_sign_up)(get_comet_api_client())


section("sign-up", signup)
finish()
