import { hash } from "node:crypto"
import type { InstallableModel } from "../../src/knowledge/embedding/built-in/model-descriptions.ts"

/** Words of one group have the same vector. */
const meanings = [
  ["vacation", "leave"],
  ["days", "much"],
  ["soup", "lunch"],
  ["canteen", "kitchen"],
]
const specialTokens = ["<s>", "<pad>", "</s>", "<unk>"]
const dimensions = 16

/** A field of a protocol buffer: a number as a varint, bytes with their length. */
const field = (number: number, value: number | string | Uint8Array): Buffer => {
  if (typeof value === "number") return Buffer.from([...varint(number << 3), ...varint(value)])
  const bytes = Buffer.from(value)
  return Buffer.concat([
    Buffer.from([...varint((number << 3) | 2), ...varint(bytes.length)]),
    bytes,
  ])
}

const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)]

const message = (...fields: Buffer[]): Buffer => Buffer.concat(fields)

const types = { float: 1, int64: 7 }

/** ONNX's `ValueInfoProto` of a tensor with these dimensions; a string is a name for any size. */
const tensorInfo = (name: string, type: number, shape: (string | number)[]): Buffer => {
  const dims = shape.map((size) =>
    field(1, typeof size === "string" ? field(2, size) : field(1, size)),
  )
  const tensor = message(field(1, type), field(2, message(...dims)))
  return message(field(1, name), field(2, field(1, tensor)))
}

/** An ONNX model that looks up each token's row of a table. */
const createWeights = (rows: readonly Float32Array[]): Buffer => {
  const table = message(
    ...[field(1, rows.length), field(1, dimensions), field(2, types.float), field(8, "table")],
    field(9, Buffer.concat(rows.map((row) => new Uint8Array(row.buffer)))),
  )
  const lookup = message(
    ...[field(1, "table"), field(1, "input_ids"), field(2, "last_hidden_state")],
    field(4, "Gather"),
  )
  const graph = message(
    ...[field(1, lookup), field(2, "tiny"), field(5, table)],
    field(11, tensorInfo("input_ids", types.int64, ["batch", "sequence"])),
    field(12, tensorInfo("last_hidden_state", types.float, ["batch", "sequence", dimensions])),
  )
  return message(field(1, 8), field(7, graph), field(8, message(field(1, ""), field(2, 13))))
}

const createVector = (axis: number, length: number): Float32Array => {
  const vector = new Float32Array(dimensions)
  vector[axis] = length
  return vector
}

const letters = Array.from("abcdefghijklmnopqrstuvwxyz.?:\u2581")
const words = meanings.flat().map((word) => `\u2581${word}`)
const pieces = [...specialTokens, ...letters, ...words]
const meaningOf = (piece: string): number =>
  meanings.findIndex((group) => group.some((word) => piece === `\u2581${word}`))

const weights = createWeights(
  pieces.map((piece) => {
    const meaning = meaningOf(piece)
    return meaning === -1 ? createVector(dimensions - 1, 0.01) : createVector(meaning, 1)
  }),
)

const tokenizer = Buffer.from(
  JSON.stringify({
    added_tokens: specialTokens.map((content, id) => ({ id, content })),
    model: {
      type: "Unigram",
      unk_id: 3,
      vocab: pieces.map((piece) => [piece, meaningOf(piece) === -1 ? -5 : -1]),
    },
  }),
)

const describeFile = (name: string, bytes: Buffer) => ({
  ...{ name, size: bytes.length },
  sha256: hash("sha256", bytes),
})

/** A model of a few kilobytes that is installed and run like a large one. */
export const tinyModel: InstallableModel = {
  ...{ id: "built-in/tiny", dimensions, windowTokens: 100, maxWindows: 4 },
  prefixes: { query: "query: ", passage: "passage: " },
  tokenizerType: "unigram",
  weights: describeFile("model_quantized.onnx", weights),
  tokenizer: describeFile("tokenizer.json", tokenizer),
  source: {
    ...{ repository: "test/tiny", revision: "abc123", license: "MIT" },
    paths: { "model_quantized.onnx": "onnx/model_quantized.onnx" },
  },
}

/** The model's files by their paths on a hub. */
export const tinyModelFiles: Readonly<Record<string, Buffer>> = {
  "/test/tiny/resolve/abc123/onnx/model_quantized.onnx": weights,
  "/test/tiny/resolve/abc123/tokenizer.json": tokenizer,
}
