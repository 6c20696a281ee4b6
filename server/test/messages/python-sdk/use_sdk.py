"""Uses Anthropic's Python SDK: use_sdk.py BASE_URL.

Reads a task, a model and a key from each line, as JSON, and prints the result as a line of JSON.
"""

import json
import sys

import anthropic

hello = {"role": "user", "content": "Hello from Python"}
weather = {
    "name": "weather",
    "description": "Looks up the weather.",
    "input_schema": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    },
}


def whole():
    return client.messages.create(**request).to_dict()


def stream():
    with client.messages.stream(**request) as events:
        text = "".join(events.text_stream)
        return {"text": text, "message": events.get_final_message().to_dict()}


def tools():
    """Calls a tool, streamed, and sends its results."""
    options = {**request, "tools": [weather]}
    with client.messages.stream(**options) as events:
        called = events.get_final_message()
    results = [
        {"type": "tool_result", "tool_use_id": block.id, "content": "Sunny."}
        for block in called.content
        if block.type == "tool_use"
    ]
    turns = [
        hello,
        {"role": "assistant", "content": called.content},
        {"role": "user", "content": results},
    ]
    answer = client.messages.create(**{**options, "messages": turns})
    return {"called": called.to_dict(), "answer": answer.to_dict()}


def thinking():
    """Sends the reasoning of an answer back, whole and streamed."""
    options = {**request, "thinking": {"type": "enabled", "budget_tokens": 2000}}
    first = client.messages.create(**options)
    with client.messages.stream(**options) as events:
        streamed = events.get_final_message()
    turns = [
        hello,
        {"role": "assistant", "content": streamed.content},
        {"role": "user", "content": "And now?"},
    ]
    client.messages.create(**{**options, "messages": turns})
    return {"whole": first.to_dict(), "streamed": streamed.to_dict()}


def count_tokens():
    counted = client.messages.count_tokens(model=model, messages=[hello], tools=[weather])
    return counted.to_dict()


def error():
    """The exceptions of a request and of a stream, which must fail."""
    found = []
    for ask in (whole, stream):
        try:
            ask()
        except anthropic.APIError as failure:
            response = getattr(failure, "response", None)
            found.append(
                {
                    "class": type(failure).__name__,
                    "status": getattr(failure, "status_code", None),
                    "body": failure.body,
                    "retry_after": response.headers.get("retry-after") if response else None,
                }
            )
    return found


tasks = {one.__name__: one for one in (whole, stream, tools, thinking, count_tokens, error)}
for line in sys.stdin:
    task, model, key = map(json.loads(line).get, ("task", "model", "key"))
    client = anthropic.Anthropic(base_url=sys.argv[1], api_key=key, max_retries=0)
    request = {"model": model, "max_tokens": 4000, "messages": [hello]}
    print(json.dumps(tasks[task]()), flush=True)
