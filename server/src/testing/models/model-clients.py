"""Calls models through the gateway with the clients that Python agents use. Prints JSON: client → way → answer."""

import json
import os
import sys

group, base_url, key = sys.argv[1:]
# crewai prints messages of its own, from other threads too.
answers = os.dup(1)
os.dup2(2, 1)
os.environ.update(
    OPENAI_API_KEY=key,
    OPENAI_BASE_URL=f"{base_url}/v1",
    ANTHROPIC_API_KEY=key,
    ANTHROPIC_BASE_URL=base_url,
    GEMINI_API_KEY=key,
    GOOGLE_GEMINI_BASE_URL=base_url,
    OLLAMA_API_KEY=key,
    OLLAMA_HOST=base_url,
    CREWAI_DISABLE_TELEMETRY="true",
    CREWAI_TRACING_ENABLED="false",
    OTEL_SDK_DISABLED="true",
)

question = "What is the capital of France?"
messages = [{"role": "user", "content": question}]
schema = {"type": "object", "properties": {"city": {"type": "string"}}}
function = {"name": "weather", "description": "The weather of a city", "parameters": schema}


def openai_chat():
    import openai

    client = openai.OpenAI()
    tools = [{"type": "function", "function": function}]
    with_tools = client.chat.completions.create(model="small", messages=messages, tools=tools)
    stream = client.chat.completions.create(model="small", messages=messages, stream=True)
    return {
        "plain": client.chat.completions.create(model="small", messages=messages).choices[0].message.content,
        "streamed": "".join(chunk.choices[0].delta.content or "" for chunk in stream),
        "tool": with_tools.choices[0].message.tool_calls[0].function.arguments,
    }


def openai_responses():
    import openai

    client = openai.OpenAI()
    tools = [{"type": "function", **function}]
    with_tools = client.responses.create(model="small", input=question, tools=tools)
    stream = client.responses.create(model="small", input=question, stream=True)
    return {
        "plain": client.responses.create(model="small", input=question).output_text,
        "streamed": "".join(event.delta for event in stream if event.type == "response.output_text.delta"),
        "tool": next(item.arguments for item in with_tools.output if item.type == "function_call"),
    }


def anthropic_messages():
    import anthropic

    client = anthropic.Anthropic()
    call = {"model": "claude", "max_tokens": 1000, "messages": messages}
    with_tools = client.messages.create(**call, tools=[{"name": "weather", "input_schema": schema}])
    with client.messages.stream(**call) as stream:
        streamed = "".join(stream.text_stream)
    return {
        "plain": client.messages.create(**call).content[0].text,
        "streamed": streamed,
        "tool": json.dumps(next(block.input for block in with_tools.content if block.type == "tool_use")),
    }


def langchain(model):
    from langchain_core.tools import tool

    @tool
    def weather(city: str) -> str:
        """The weather of a city"""
        return city

    [call] = model.bind_tools([weather]).invoke(question).tool_calls
    return {
        "plain": model.invoke(question).text,
        "streamed": "".join(chunk.text for chunk in model.stream(question)),
        "tool": json.dumps(call["args"]),
    }


def crewai(model):
    from crewai import LLM

    called = []
    tools = [{"type": "function", "function": function}]

    def see(city):
        called.append({"city": city})
        return city

    LLM(model=model).call(question, tools=tools, available_functions={"weather": see})
    return {
        "plain": LLM(model=model).call(question),
        "streamed": LLM(model=model, stream=True).call(question),
        "tool": json.dumps(called[0]),
    }


def newest():
    from langchain_anthropic import ChatAnthropic
    from langchain_openai import ChatOpenAI, OpenAIEmbeddings

    # Otherwise it loads a tokenizer from the network.
    vectors = OpenAIEmbeddings(model="vectors", check_embedding_ctx_length=False)
    return {
        "openai chat": openai_chat(),
        "openai responses": openai_responses(),
        "anthropic": anthropic_messages(),
        "langchain-openai": langchain(ChatOpenAI(model="small")),
        "langchain-openai responses": langchain(ChatOpenAI(model="small", use_responses_api=True)),
        "langchain-anthropic": langchain(ChatAnthropic(model="claude")),
        "langchain embeddings": {"plain": len(vectors.embed_query("Paris")) > 0},
    }


def google_genai():
    import asyncio

    from google import genai
    from google.genai import types

    client = genai.Client()
    tools = [types.Tool(function_declarations=[types.FunctionDeclaration(**function)])]
    with_tools = client.models.generate_content(
        model="flash", contents=question, config=types.GenerateContentConfig(tools=tools)
    )

    async def streamed():
        stream = await client.aio.models.generate_content_stream(model="flash", contents=question)
        return "".join([chunk.text or "" async for chunk in stream])

    try:
        client.models.generate_content(model="other", contents=question)
        refusal = None
    except genai.errors.APIError as error:
        refusal = [error.code, error.status]
    return {
        "plain": client.models.generate_content(model="flash", contents=question).text,
        "streamed": "".join(
            chunk.text or "" for chunk in client.models.generate_content_stream(model="flash", contents=question)
        ),
        "async": asyncio.run(streamed()),
        "tool": json.dumps(with_tools.function_calls[0].args),
        "tokens": client.models.count_tokens(model="flash", contents=question).total_tokens,
        "vectors": len(client.models.embed_content(model="gvectors", contents=["Paris", "Rome"]).embeddings),
        "models": [model.name for model in client.models.list()],
        "refusal": refusal,
    }


def gemini():
    from langchain_google_genai import ChatGoogleGenerativeAI, GoogleGenerativeAIEmbeddings

    vectors = GoogleGenerativeAIEmbeddings(model="gvectors")
    return {
        "google-genai": google_genai(),
        "langchain-google-genai": langchain(ChatGoogleGenerativeAI(model="flash")),
        "langchain-google-genai vectors": {"plain": len(vectors.embed_documents(["Paris", "Rome"])) == 2},
    }


def ollama_client():
    import ollama

    tools = [{"type": "function", "function": function}]
    call = {"model": "llama", "messages": messages}
    try:
        ollama.chat(model="other", messages=messages)
        refusal = None
    except ollama.ResponseError as error:
        refusal = [error.status_code, "may not call" in error.error]
    return {
        "plain": ollama.chat(**call).message.content,
        "streamed": "".join(part.message.content for part in ollama.chat(**call, stream=True)),
        "tool": json.dumps(dict(ollama.chat(**call, tools=tools).message.tool_calls[0].function.arguments)),
        "generated": ollama.generate(model="llama", prompt=question).response,
        "generated as a stream": "".join(
            part.response for part in ollama.generate(model="llama", prompt=question, stream=True)
        ),
        "vectors": len(ollama.embed(model="nomic", input=["Paris", "Rome"]).embeddings),
        "models": [model.model for model in ollama.list().models],
        "shown": ollama.show("llama").capabilities,
        "refusal": refusal,
    }


def ollamas():
    from langchain_ollama import ChatOllama, OllamaEmbeddings

    return {
        "ollama": ollama_client(),
        "langchain-ollama": langchain(ChatOllama(model="llama", validate_model_on_init=True)),
        "langchain-ollama vectors": {"plain": len(OllamaEmbeddings(model="nomic").embed_query("Paris")) > 0},
    }


def crews():
    # crewai knows only the names of the vendors.
    return {name: crewai(name) for name in ["openai/gpt-4o-mini", "anthropic/claude-haiku-4-5"]}


groups = {"newest": newest, "gemini": gemini, "ollama": ollamas, "crewai": crews}
os.write(answers, json.dumps(groups[group]()).encode())
