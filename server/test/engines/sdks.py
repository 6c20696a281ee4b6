"""Prints what the Python SDKs of Ollama and OpenAI receive from a gateway. Usage: sdks.py URL KEY"""

import sys

import ollama
import openai

url, key = sys.argv[1:]
client = ollama.Client(host=f"{url}/ollama", headers={"authorization": f"Bearer {key}"})
print(sorted(model.model for model in client.list().models))
print(sum(1 for _ in client.generate("tiny", "hi", stream=True, options={"num_predict": 12})))
print(len(client.embed("all-minilm", ["a", "b"]).embeddings))
print(client.show("tiny").capabilities)
completions = openai.OpenAI(base_url=f"{url}/v1", api_key=key).chat.completions
messages = [{"role": "user", "content": "hi"}]
reply = completions.create(model="tiny:latest", max_tokens=5, messages=messages)
print(reply.usage.completion_tokens)
try:
    client.delete("tiny")
except ollama.ResponseError as error:
    print(error.status_code)
