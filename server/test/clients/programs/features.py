"""Runs tests of features, one after the other, and prints why each failed; null if it works."""

import json
import os
import traceback

url = os.environ["GATEWAY_URL"]
key = os.environ["GATEWAY_KEY"]
model = os.environ["MODEL"]
pixel = os.environ["PIXEL"]
pdf = os.environ["PDF"]

plain_answer = "Hello from the scripted model."
call_weather = 'Call weather with {"city":"Lima"}'
reasoning_text = "The user wants an answer."
reasoning_returned = "I remember why."


def run_features(tests):
    """Takes functions by the names of features; see ../client.ts."""
    results = {}
    for feature, test in tests.items():
        try:
            test()
            results[feature] = None
        except Exception:
            results[feature] = traceback.format_exc()
    print(json.dumps(results))
