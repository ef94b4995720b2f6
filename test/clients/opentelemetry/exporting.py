"""An agent that calls a model and a tool, exported by the unmodified OpenTelemetry SDK."""

import journey
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor


def run() -> None:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter()))
    tracer = provider.get_tracer("my-agent")
    with tracer.start_as_current_span("agent") as root:
        root.set_attribute("gen_ai.conversation.id", "talk 7")
        root.set_attribute("input.value", '{"ask":"weather"}')
        with tracer.start_as_current_span("chat") as llm:
            llm.set_attributes(
                {
                    "gen_ai.system": "openai",
                    "gen_ai.request.model": "gpt-4o-mini",
                    "gen_ai.usage.input_tokens": 12,
                    "gen_ai.usage.output_tokens": 3,
                    "gen_ai.prompt": "What is the weather?",
                    "gen_ai.completion": "Sunny",
                    "gen_ai.request.temperature": 0.5,
                }
            )
            try:
                with tracer.start_as_current_span("lookup") as tool:
                    tool.set_attribute("gen_ai.tool.call.arguments", '{"city":"Bern"}')
                    raise TypeError("no such city")
            except TypeError:
                pass
    journey.check("flushes all it has", provider.force_flush())
    provider.shutdown()


run()
journey.finish()
