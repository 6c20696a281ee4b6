"""Tries the `openai` package for Python with the Responses API; see ../sdk-programs.ts."""

import json

import openai

from features import (
    Weather,
    create_tool_tests,
    key,
    model,
    pdf,
    pixel,
    plain_answer,
    run_features,
    url,
    weather_input,
)

client = openai.OpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0)
weather = {
    "type": "function",
    "name": "weather",
    "description": "Looks up the weather.",
    "parameters": weather_input,
    "strict": False,
}


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
    summaries = [item.summary for item in first.output if item.type == "reasoning"]
    reasoning = "".join(part.text for summary in summaries for part in summary)
    return reasoning, second.output_text


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


tools, reasoning = create_tool_tests(call_tool, [send_whole, send_streamed])
run_features(text, stream, tools, reasoning, structured_output, images, documents, errors)
