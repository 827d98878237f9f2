"""A graph whose author traces it already, into a provider and a file of their own."""

import json
import os

from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from openinference.instrumentation.langchain import LangChainInstrumentor
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult


class ToFile(SpanExporter):
    def export(self, spans) -> SpanExportResult:
        with open(os.environ["OWN_SPANS"], "a") as file:
            for span in spans:
                file.write(json.dumps(span.name) + "\n")
        return SpanExportResult.SUCCESS


def own_provider() -> TracerProvider:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(ToFile()))
    return provider


when = os.environ["WHEN"]
if when == "at import":
    trace.set_tracer_provider(own_provider())
if when == "not global":
    LangChainInstrumentor().instrument(tracer_provider=own_provider())

model = ChatOpenAI(model="m")


def ask(state: MessagesState) -> dict:
    if when == "in a run":
        trace.set_tracer_provider(own_provider())
    with trace.get_tracer("own").start_as_current_span("own step"):
        return {"messages": [model.invoke("ask")]}


builder = StateGraph(MessagesState)
builder.add_node(ask)
builder.add_edge(START, "ask")
graph = builder.compile()
