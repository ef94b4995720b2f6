"""Files of traces: attached by the SDK, listed, downloaded, and cut out of what is logged."""

import base64
import os
import pathlib
import time

import journey
import opik
from opik import Attachment
from opik.api_objects import opik_client

project = journey.project("attachments")
client = opik.Opik(project_name=project)

file = pathlib.Path("notes.txt")
content = os.urandom(9 * 1024 * 1024)
file.write_bytes(content)
trace = client.trace(
    name="with a file",
    input={"q": 1},
    attachments=[Attachment(data=str(file), file_name="notes.txt", content_type="text/plain")],
)
trace.end()
journey.check("flushes all it has", client.flush(timeout=60))

found = client.search_traces(project_name=project, wait_for_at_least=1)
journey.check("one trace", len(found), 1)
attachments = client.get_attachment_client()
project_id = found[0].project_id


def listed():
    return attachments.get_attachment_list(
        project_name=project, entity_id=trace.id, entity_type="trace"
    )


journey.until("the file is listed", lambda: len(listed()), 1)
journey.check("its name", listed()[0].file_name, "notes.txt")
journey.check("its size", listed()[0].file_size, len(content))
journey.check("its type", listed()[0].mime_type, "text/plain")
got = b"".join(
    attachments.download_attachment(
        project_name=project,
        entity_type="trace",
        entity_id=trace.id,
        file_name="notes.txt",
        mime_type="text/plain",
    )
)
journey.check("its bytes", got == content)

# A picture that is logged within the input: the SDK cuts it out of what has ended, and it comes back where it stood.
picture = "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + os.urandom(300_000)).decode()


@opik.track(project_name=project, name="shown")
def show(image):
    return {"seen": True}


show(image={"url": picture, "text": "before " + picture[:40]})
opik.flush_tracker()
client.flush(timeout=60)


def logged():
    for row in client.search_traces(
        project_name=project, filter_string='name = "shown"', truncate=False
    ):
        return row.input
    return None


journey.until(
    "a picture comes back character for character",
    lambda: (logged() or {}).get("image", {}).get("url") == picture,
    seconds=20,
)
shown = client.search_traces(project_name=project, filter_string='name = "shown"')[0]
names = [
    one.file_name
    for one in attachments.get_attachment_list(
        project_name=project, entity_id=shown.id, entity_type="trace"
    )
]
journey.check("its file is listed", len(names), 1)
journey.finish()
