"""Runs tests of features, one after the other, and prints why each failed; null if it works."""

import json
import os
import traceback

from pydantic import BaseModel

url = os.environ["GATEWAY_URL"]
key = os.environ["GATEWAY_KEY"]
model = os.environ["MODEL"]
pixel = os.environ["PIXEL"]
pdf = os.environ["PDF"]

plain_answer = "Hello from the scripted model."
call_weather = 'Call weather with {"city":"Lima"}'
reasoning_text = "The user wants an answer."
reasoning_returned = "I remember why."
# The JSON schema of what the tool `weather` takes.
weather_input = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


# The structured output that the scripted model generates.
class Weather(BaseModel):
    city: str
    degrees: float


def create_tool_tests(call_tool, send_functions):
    """Creates the tests of tools and of reasoning.

    call_tool takes one of send_functions and a prompt, checks that the model calls the tool
    and answers with its result, and returns the model's reasoning and its answer.
    """

    def tools():
        for send in send_functions:
            call_tool(send, call_weather)

    def reasoning():
        for send in send_functions:
            reasoning, answer = call_tool(send, f"Think first. {call_weather}")
            assert reasoning == reasoning_text
            assert reasoning_returned in answer, "the reasoning did not come back"

    return tools, reasoning


def run_features(*tests):
    """Takes functions that have the names of features; see ../client.ts."""
    results = {}
    for test in tests:
        feature = test.__name__.replace("_", " ")
        try:
            test()
            results[feature] = None
        except Exception:
            results[feature] = traceback.format_exc()
    print(json.dumps(results))
