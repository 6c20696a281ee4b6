import { expect, it } from "vitest"
import { ChunkDecoder } from "./chunk-decoder.ts"

it.each([
  ["a chunk", 'data: {"choices":[]}\n\n', [{ choices: [] }]],
  ["the end of the stream", "data: [DONE]\n\n", [null]],
  [
    "an error in an array, as Google sends it",
    'data: [{"error":{"code":429}}]\n\n',
    [{ error: { code: 429 } }],
  ],
  ["no event that is not an object", "data: \n\ndata: OK\n\ndata: 1\n\n: ping\n\n", []],
  ["a last event without its blank line", 'data: {"a":1}', [{ a: 1 }]],
])("decodes %s", (_title, text, chunks) => {
  const decoder = new ChunkDecoder()
  expect([...decoder.push(Buffer.from(text)), ...decoder.end()]).toEqual(chunks)
})
