"""Uses OpenAI's Python SDK: use_sdk.py BASE_URL.

Reads a task, a model and a key from each line, as JSON, and prints the result as a line of JSON.
"""

import json
import sys

import openai

hello = {"role": "user", "content": "Hello from Python"}
patch = {"type": "custom", "name": "patch", "description": "Edits files."}
now = {"type": "function", "name": "now", "parameters": {"type": "object"}, "strict": False}


def create(**options):
    return client.responses.create(model=model, **options)


def stream(**options):
    with client.responses.stream(model=model, **options) as events:
        numbers = [event.sequence_number for event in events]
        assert numbers == list(range(len(numbers))), numbers
        return events.get_final_response()


def both():
    """The response, whole and as the SDK assembles it from a stream."""
    options = {"input": [hello], "metadata": {"topic": "greeting"}, "temperature": 0.5}
    return [ask(**options).to_dict() for ask in (create, stream)]


def state():
    """Continues a response, reads what is stored, and deletes it."""
    first = stream(input="One")
    second = create(input="Two", previous_response_id=first.id)
    stored = client.responses.retrieve(second.id)
    items = client.responses.input_items.list(second.id, order="asc")
    client.responses.delete(first.id)
    found = []
    for ask in (
        lambda: client.responses.retrieve(first.id),
        lambda: create(input="Three", previous_response_id=first.id),
    ):
        try:
            ask()
        except openai.APIStatusError as failure:
            found.append([failure.status_code, failure.code])
    return {
        "second": second.to_dict(),
        "stored": stored.to_dict(),
        "items": [item.to_dict() for item in items.data],
        "after_deletion": found,
    }


def tools():
    """Calls tools, streamed, and sends their results along with the items."""
    options = {"tools": [patch, now], "parallel_tool_calls": True, "store": False}
    called = stream(input=[hello], **options)
    results = [
        {"type": f"{item.type}_output", "call_id": item.call_id, "output": "Done."}
        for item in called.output
        if item.type.endswith("_call")
    ]
    items = [item.to_dict() for item in called.output]
    answer = create(input=[hello, *items, *results], **options)
    return {"called": called.to_dict(), "answer": answer.to_dict()}


def events():
    """The types of a stream's events, and the last one, however it ends."""
    found = [event.to_dict() for event in create(input=[hello], stream=True)]
    return {"types": [event["type"] for event in found], "last": found[-1]}


def error():
    """The exceptions of a request and of a stream, which must fail."""
    found = []
    for ask in (create, stream):
        try:
            ask(input=[hello])
        except openai.APIStatusError as failure:
            retry_after = failure.response.headers.get("retry-after")
            found.append(
                {
                    "class": type(failure).__name__,
                    "status": failure.status_code,
                    "code": failure.code,
                    "param": failure.param,
                    "retry_after": retry_after,
                }
            )
    return found


tasks = {one.__name__: one for one in (both, state, tools, events, error)}
for line in sys.stdin:
    task, model, key = map(json.loads(line).get, ("task", "model", "key"))
    client = openai.OpenAI(base_url=f"{sys.argv[1]}/v1", api_key=key, max_retries=0)
    print(json.dumps(tasks[task]()), flush=True)
