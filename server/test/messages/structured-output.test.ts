import { expect, it } from "vitest"
import { chatModel, requestTo, testbed, useMessagesTestbed } from "./messages-testbed.ts"

useMessagesTestbed()

const text = { type: "string" }
const closed = (properties: object, fields: object = {}) => ({
  ...{ type: "object", properties, required: Object.keys(properties) },
  ...{ additionalProperties: false, ...fields },
})
const reference = { a: { $ref: "#/$defs/a" } }

it.each([
  [true, closed({ a: text, b: closed({}, { type: ["object", "null"] }) })],
  [true, closed({ a: { type: "array", items: { anyOf: [text, { type: "null" }] } } })],
  [true, closed(reference, { $defs: { a: closed({ b: { enum: ["x", 1] } }) } })],
  [false, closed({ a: text, b: text }, { required: ["a"] })],
  [false, closed({ a: text }, { additionalProperties: true })],
  [false, { type: "object", properties: { a: text } }],
  [false, closed({ a: { type: "array", items: closed({ b: text }, { required: [] }) } })],
  [false, closed(reference, { $defs: { a: closed({ b: text }, { required: [] }) } })],
  [false, closed({ a: { type: "string", format: "uri" } })],
  [false, closed({ a: { type: "string", default: "x" } })],
  [false, closed({ a: { allOf: [text] } })],
  [false, closed({ a: {} })],
  [false, { anyOf: [closed({}), text] }],
  [false, { type: "array", items: text }],
])(
  "requests the strict mode only for schemas that it accepts: %s for %j",
  async (strict, schema) => {
    for (const format of [
      { output_config: { format: { type: "json_schema", schema } } },
      { output_format: { type: "json_schema", schema } },
    ]) {
      expect((await testbed.send({ ...requestTo(chatModel), ...format })).status).toBe(200)
      expect(testbed.lastChatBody().response_format).toEqual({
        type: "json_schema",
        json_schema: { name: "output", schema, strict },
      })
    }
  },
)
