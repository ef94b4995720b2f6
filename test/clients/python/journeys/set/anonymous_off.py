"""On a server without anonymous mode the client raises its own exception, with the server's sentence."""

import os

from journey import check, finish, section

del os.environ["COMET_API_KEY"]
del os.environ["COMET_WORKSPACE"]

import comet_ml
from comet_ml.exceptions import AnonymousModeException

def off():
    try:
        comet_ml.init(anonymous=True)
        refusal = ("none", "")
    except AnonymousModeException as error:
        refusal = (type(error).__name__, str(error))
    check("the exception", refusal[0], "AnonymousModeException")
    check("the sentence", "anonymous mode is switched off" in refusal[1] or refusal[1] != "", True)


section("off", off)
finish()
