import { describe, expect, it } from "vitest"
import type { Fields } from "./json-values.ts"
import { listMessageBlocks } from "./message-blocks.ts"

const think = (text: string, characters = 0, tool_calls = 0) => ({
  ...{ type: "reasoning.text", text, preceding: { characters, tool_calls } },
})
const part = (text: string) => ({ type: "text", text })
const call = { id: "1", type: "function", function: { name: "now", arguments: "{}" } }

/** Texts and reasoning, and the ids of calls. */
const orderOf = (message: Fields): unknown[] =>
  listMessageBlocks(message).map(({ kind, fields }) =>
    kind === "reasoning" ? `(${fields.text})` : (fields.text ?? fields.id),
  )

describe("the blocks of a message", () => {
  it.each<[string, unknown, Fields[], unknown[]]>([
    ["begin with reasoning without a position", "ab", [{ text: "A" }], ["(A)", "ab", "1"]],
    [
      "are pieces of one text",
      "abc",
      [think("A", 1), think("B", 2)],
      ["a", "(A)", "b", "(B)", "c", "1"],
    ],
    ["may be parts", [part("ab"), part("c")], [think("A", 2)], ["ab", "(A)", "c", "1"]],
    ["follow calls", "ab", [think("A", 2), think("B", 2, 1)], ["ab", "(A)", "1", "(B)"]],
    ["follow a call without a text", null, [think("A"), think("B", 0, 1)], ["(A)", "1", "(B)"]],
    ["precede the calls if the text became shorter", "a", [think("A", 7)], ["a", "(A)", "1"]],
    ["do not split a character", "👀👀", [think("A", 1)], ["👀", "(A)", "👀", "1"]],
    [
      "are complete for any position",
      "ab",
      [think("A", 0.5), think("B", -1), think("C", 9, 9)],
      ["a", "(A)", "(B)", "b", "1", "(C)"],
    ],
  ])("%s", (_what, content, reasoning_details, expected) => {
    expect(orderOf({ content, reasoning_details, tool_calls: [call] })).toEqual(expected)
  })
})
