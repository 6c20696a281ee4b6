"""Tries the `openai` package for Python with the Responses API; see ../sdk-programs.ts."""

import json

import openai
from pydantic import BaseModel

from features import (
    call_weather,
    key,
    model,
    pdf,
    pixel,
    plain_answer,
    reasoning_returned,
    reasoning_text,
    run_features,
    url,
)

client = openai.OpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0)
weather = {
    "type": "function",
    "name": "weather",
    "description": "Looks up the weather.",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    },
    "strict": False,
}


class Weather(BaseModel):
    city: str
    degrees: float


def send_whole(**body):
    return client.responses.create(model=model, **body)


def send_streamed(**body):
    with client.responses.stream(model=model, **body) as stream:
        for _event in stream:
            pass
        return stream.get_final_response()


def call_tool(send, question):
    items = [{"role": "user", "content": question}]
    body = {"tools": [weather], "store": False, "include": ["reasoning.encrypted_content"]}
    first = send(input=items, **body)
    call = next(item for item in first.output if item.type == "function_call")
    assert call.name == "weather"
    assert json.loads(call.arguments) == {"city": "Lima"}
    items += [item.model_dump(exclude_none=True) for item in first.output]
    items.append(
        {"type": "function_call_output", "call_id": call.call_id, "output": "21 degrees"}
    )
    second = send(input=items, **body)
    assert "The tool returned: 21 degrees" in second.output_text, second.output_text
    return first, second


def check_reasoning(send):
    first, second = call_tool(send, f"Think first. {call_weather}")
    reasoning = next(item for item in first.output if item.type == "reasoning")
    assert reasoning.summary[0].text == reasoning_text
    assert reasoning_returned in second.output_text, "the reasoning did not come back"


def ask_about(file):
    content = [{"type": "input_text", "text": "What is this?"}, file]
    return send_whole(input=[{"role": "user", "content": content}]).output_text


def text():
    response = send_whole(input="Hello")
    assert response.output_text == plain_answer
    assert response.status == "completed"
    assert response.usage.total_tokens == 30


def stream():
    assert send_streamed(input="Hello").output_text == plain_answer
    events = client.responses.create(model=model, input="Hello", stream=True)
    deltas = [event for event in events if event.type == "response.output_text.delta"]
    assert len(deltas) > 1, "the text did not arrive in pieces"


def tools():
    call_tool(send_whole, call_weather)
    call_tool(send_streamed, call_weather)


def reasoning():
    check_reasoning(send_whole)
    check_reasoning(send_streamed)


def structured_output():
    response = client.responses.parse(model=model, input="Hello", text_format=Weather)
    assert response.output_parsed == Weather(city="Lima", degrees=21)


def images():
    url = f"data:image/png;base64,{pixel}"
    assert ask_about({"type": "input_image", "image_url": url}) == "I see image/png."


def documents():
    data = f"data:application/pdf;base64,{pdf}"
    file = {"type": "input_file", "filename": "a.pdf", "file_data": data}
    assert ask_about(file) == "I see application/pdf."


def errors():
    try:
        client.responses.create(model="no-such-model", input="Hello")
    except openai.NotFoundError:
        return
    raise AssertionError("an unknown model is not an error")


run_features(
    {
        "text": text,
        "stream": stream,
        "tools": tools,
        "reasoning": reasoning,
        "structured output": structured_output,
        "images": images,
        "documents": documents,
        "errors": errors,
    }
)
