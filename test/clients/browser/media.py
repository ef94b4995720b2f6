"""A run with what lies where in pictures, and with vectors and their labels, as the Python client logs them."""

import json

import comet_ml
from comet_ml.annotations import Box, Layer, Polygon
from PIL import Image

config = comet_ml.ExperimentConfig(disabled=False, log_code=False, log_graph=False, log_env_details=False, log_git_metadata=False, parse_args=False, auto_output_logging=False)
run = comet_ml.start(project_name="vision", experiment_config=config)
run.set_name("media")

street = Image.new("RGB", (100, 60), (90, 120, 150))
found = Layer(
    boxes=[Box(box=[10, 10, 20, 15], label="car", score=0.9), Box(box=[50, 20, 20, 15], label="car", score=0.4), Box(box=[5, 30, 8, 20], label="<img src=x onerror=\"document.title=1\">", score=0.7)],
    polygons=[Polygon(points=[[30, 50], [70, 50], [60, 30]], label="road", score=0.8)],
    name="found",
)
true = Layer(boxes=[Box(box=[11, 11, 20, 15], label="car")], name="true")
run.log_image(street, name="street", annotations=[found, true], step=1)
run.log_image(street, name="plain", metadata={"boxes": [{"bbox": [1, 2, 30, 20], "category": "sign", "confidence": 0.6}]}, step=1)

vectors = [[at % 3 + 0.01 * at, (at % 3) ** 2, at * 0.1] for at in range(12)]
run.log_embedding(vectors, labels=[["cat", "dog", "eel"][at % 3] for at in range(12)], title="animals")
run.log_embedding(
    vectors,
    labels=[["index", "label"]] + [[at, ["cat", "dog", "eel"][at % 3]] for at in range(12)],
    image_data=[Image.new("RGB", (8, 8), (at * 20, 90, 40)) for at in range(12)],
    image_size=(8, 8),
    title="pictured",
)
run.end()
print(json.dumps({"key": run.get_key()}), flush=True)
