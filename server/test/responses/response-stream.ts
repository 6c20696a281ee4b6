import { expect } from "vitest"
import { createCompletionEncoder } from "../../src/formats/completion-encoder.ts"
import { type Fields, isObject, textOf } from "../../src/formats/json-values.ts"
import type { ResponseConverter } from "../../src/formats/response-converter.ts"
import { createFormatConverter } from "../../src/formats/response-converter.ts"
import { createResponseEncoder } from "../../src/formats/responses/encode-response.ts"
import { plainReading } from "../messages/message-stream.ts"
import { readEvents } from "./responses-testbed.ts"

/** From chat completions to responses. */
export const createResponseConverter = (request: Fields = {}): ResponseConverter =>
  createFormatConverter(
    null,
    createCompletionEncoder(
      createResponseEncoder({ request, sourceMembers: () => ({}) }),
      plainReading,
    ),
  )

interface OpenItem {
  item: Fields
  /** What its deltas add up to, by their types. */
  deltas: Map<string, string>
}

/** What deltas and `done` events of these types contain. */
const contents: Record<string, string> = {
  "response.output_text": "text",
  "response.reasoning_summary_text": "text",
  "response.function_call_arguments": "arguments",
  "response.custom_tool_call_input": "input",
}

const readContentEvent = (event: Fields, { item, deltas }: OpenItem): void => {
  expect(event.item_id).toBe(item.id)
  const [, kind = "", step] = /^(.*)\.(\w+)$/.exec(textOf(event.type)) ?? []
  if (step === "delta") deltas.set(kind, (deltas.get(kind) ?? "") + textOf(event.delta))
  const member = contents[kind]
  if (step !== "done" || member === undefined) return
  const sent = deltas.get(kind) ?? ""
  const isWithoutArguments = member === "arguments" && sent === ""
  expect(event[member]).toBe(isWithoutArguments ? "{}" : sent)
}

/** The texts of a complete item; arguments that are empty need no delta. */
const textsIn = ({ content, summary, arguments: args, input }: Fields): unknown[] => [
  ...(Array.isArray(content) ? content.map((part) => part.text) : []),
  ...(Array.isArray(summary) ? summary.map((part) => part.text) : []),
  ...[args, input].filter((text) => typeof text === "string" && text !== "{}"),
]

const closeItem = (event: Fields, { item, deltas }: OpenItem): Fields => {
  const done = isObject(event.item) ? event.item : {}
  const { type, id, call_id, name } = item
  const called = { ...(call_id !== undefined && { call_id }), ...(name !== undefined && { name }) }
  expect(done).toMatchObject({ type, id, ...called })
  expect([...deltas.values()].filter((text) => text !== "{}")).toEqual(textsIn(done))
  return done
}

/** Assembles the response of a stream, and checks that each event is allowed where it is. */
export const readResponseStream = (text: string): Fields => {
  expect(text.endsWith("\n\n")).toBe(true)
  const [created, inProgress, ...rest] = readEvents(text)
  expect([created?.type, inProgress?.type]).toEqual(["response.created", "response.in_progress"])
  const response = rest.pop()?.response
  if (!isObject(response)) throw new Error("The stream has no last event")
  const output: Fields[] = []
  let open: OpenItem | null = null
  for (const event of rest) {
    expect(event.output_index).toBe(output.length)
    if (event.type === "response.output_item.added") {
      expect(open).toBeNull()
      open = { item: isObject(event.item) ? event.item : {}, deltas: new Map() }
    } else if (!open) throw new Error(`${event.type} without an open item`)
    else if (event.type === "response.output_item.done") {
      output.push(closeItem(event, open))
      open = null
    } else readContentEvent(event, open)
  }
  expect(open).toBeNull()
  expect(response.output).toEqual(output)
  expect(response.id).toBe(Object(created?.response).id)
  return response
}

/** Ids are random, and the time passes. */
export const withoutIds = (response: Fields): unknown =>
  JSON.parse(
    JSON.stringify(response, (key, value) => {
      if (key === "id") return textOf(value).replace(/_.*/, "")
      return key.endsWith("_at") ? 0 : value
    }),
  )
