"""Tries the `anthropic` package for Python; see ../sdk-programs.ts."""

import anthropic

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

client = anthropic.Anthropic(base_url=url, api_key=key, max_retries=0)
hello = [{"role": "user", "content": "Hello"}]
weather = {
    "name": "weather",
    "description": "Looks up the weather.",
    "input_schema": weather_input,
}


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


def send_whole(**body):
    return client.messages.create(model=model, max_tokens=100, **body)


def send_streamed(**body):
    with client.messages.stream(model=model, max_tokens=100, **body) as stream:
        return stream.get_final_message()


def call_tool(send, question):
    messages = [{"role": "user", "content": question}]
    first = send(messages=messages, tools=[weather])
    assert first.stop_reason == "tool_use"
    call = next(block for block in first.content if block.type == "tool_use")
    assert call.name == "weather"
    assert call.input == {"city": "Lima"}
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "21 degrees"}
    messages.append({"role": "assistant", "content": first.content})
    messages.append({"role": "user", "content": [result]})
    second = send(messages=messages, tools=[weather])
    assert "The tool returned: 21 degrees" in text_of(second), text_of(second)
    reasoning = "".join(block.thinking for block in first.content if block.type == "thinking")
    return reasoning, text_of(second)


def ask_about(kind, media_type, data):
    source = {"type": "base64", "media_type": media_type, "data": data}
    content = [{"type": kind, "source": source}, {"type": "text", "text": "What is this?"}]
    return text_of(send_whole(messages=[{"role": "user", "content": content}]))


def text():
    message = send_whole(messages=hello)
    assert text_of(message) == plain_answer
    assert message.usage.output_tokens == 10


def stream():
    with client.messages.stream(model=model, max_tokens=100, messages=hello) as stream:
        pieces = list(stream.text_stream)
        assert text_of(stream.get_final_message()) == plain_answer
    assert "".join(pieces) == plain_answer
    assert len(pieces) > 1, "the text did not arrive in pieces"


def structured_output():
    message = client.messages.parse(
        model=model, max_tokens=100, messages=hello, output_format=Weather
    )
    assert message.parsed_output == Weather(city="Lima", degrees=21)


def images():
    assert ask_about("image", "image/png", pixel) == "I see image/png."


def documents():
    assert ask_about("document", "application/pdf", pdf) == "I see application/pdf."


def errors():
    try:
        client.messages.create(model="no-such-model", max_tokens=100, messages=hello)
    except anthropic.NotFoundError:
        return
    raise AssertionError("an unknown model is not an error")


tools, reasoning = create_tool_tests(call_tool, [send_whole, send_streamed])
run_features(text, stream, tools, reasoning, structured_output, images, documents, errors)
