import { fail } from "../../errors.ts"
import { type Fields, isObject, objectsIn, ownValue, textOf } from "../json-values.ts"
import { isContent } from "../message-content.ts"
import { checkObjects, failWrongType } from "../request-errors.ts"
import { clientToolsOf } from "./tools.ts"

const isText = (value: unknown): boolean => typeof value === "string"
const isRole = (value: unknown): boolean =>
  ["user", "assistant", "system", "developer"].includes(textOf(value))

const roleMember = ["role", isRole, '"user", "assistant", "system" or "developer"'] as const
const contentMember = ["content", isContent, "a string or an array of parts"] as const
const outputMember = ["output", isContent, "a string or an array of parts"] as const
const nameMember = ["name", isText, "a string"] as const
const callIdMember = ["call_id", isText, "a string"] as const

const isNamedIfCalled = ({ type, name }: Fields): boolean =>
  isText(type) && (isText(name) || (type !== "function" && type !== "custom"))

const isToolList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((tool) => isObject(tool) && isNamedIfCalled(tool))

const toolsMember = ["tools", isToolList, "an array of tools with a type and a name"] as const
const encryptedMember = ["encrypted_content", isText, "a string"] as const

/** The members without which an item cannot be converted. */
const requiredMembers: Record<
  string,
  (readonly [name: string, isValid: (value: unknown) => boolean, expected: string])[]
> = {
  message: [roleMember, contentMember],
  function_call: [nameMember, callIdMember, ["arguments", isText, "a string"]],
  custom_tool_call: [nameMember, callIdMember, ["input", isText, "a string"]],
  function_call_output: [callIdMember, outputMember],
  custom_tool_call_output: [callIdMember, outputMember],
  additional_tools: [toolsMember],
  tool_search_output: [toolsMember],
  agent_message: [contentMember],
  compaction: [encryptedMember],
  compaction_summary: [encryptedMember],
  context_compaction: [encryptedMember],
}

const checkItem = (item: unknown, at: number): void => {
  if (!isObject(item)) {
    failWrongType(`input[${at}]`, "an object")
    return
  }
  for (const [name, isValid, expected] of ownValue(requiredMembers, item.type || "message") ?? []) {
    if (!isValid(item[name])) failWrongType(`input[${at}].${name}`, expected)
  }
}

const checkTool = (tool: unknown, at: number): void => {
  if (!(isObject(tool) && isText(tool.type))) {
    failWrongType(`tools[${at}]`, "an object with a type")
  } else if (!isNamedIfCalled(tool)) failWrongType(`tools[${at}].name`, "a string")
}

/** OpenAI's bounds. */
const maxTools = 128
const maxIncluded = 32
const maxMetadata = { pairs: 16, key: 64, value: 512 }

const failTooMany = (name: string, maximum: number, found: number): never =>
  fail("bad_request", `"${name}" can have at most ${maximum} entries, not ${found}.`, {
    param: name.replace(/\[.*/, ""),
  })

const checkLength = (name: string, value: unknown, maximum: number): void => {
  if (Array.isArray(value) && value.length > maximum) failTooMany(name, maximum, value.length)
}

/** @see https://platform.openai.com/docs/api-reference/responses/create#responses-create-metadata */
const checkMetadata = (metadata: unknown): void => {
  if (!isObject(metadata)) return
  const keys = Object.keys(metadata)
  if (keys.length > maxMetadata.pairs) failTooMany("metadata", maxMetadata.pairs, keys.length)
  for (const key of keys) {
    const isValid =
      key.length <= maxMetadata.key && textOf(metadata[key]).length <= maxMetadata.value
    if (isValid) continue
    const message = `The keys of "metadata" can have at most ${maxMetadata.key} characters, its values ${maxMetadata.value}.`
    fail("bad_request", message, { param: "metadata" })
  }
}

/** Items declare tools too, the same ones with each request of a conversation. */
const checkToolCount = (body: Fields): void => {
  checkLength("tools", body.tools, maxTools)
  const { size } = new Set(clientToolsOf(body).map(({ type, name }) => `${type} ${name}`))
  if (size > maxTools) failTooMany("tools", maxTools, size)
}

/**
 * Checks the size of members that the response repeats in several events.
 * @throws {Failure} `bad_request`
 */
const checkRepeatedMembers = (body: Fields): void => {
  const { metadata, tools, tool_choice, include } = body
  checkMetadata(metadata)
  checkToolCount(body)
  checkLength("include", include, maxIncluded)
  if (isObject(tool_choice)) checkLength("tool_choice", tool_choice.tools, maxTools)
  for (const [at, tool] of objectsIn(tools).entries()) {
    checkLength(`tools[${at}].tools`, tool.tools, maxTools)
  }
}

/** @throws {Failure} `bad_request` unless the input is a text, or items */
export const checkInput = (input: unknown): void => {
  if (isText(input)) return
  if (!Array.isArray(input)) failWrongType("input", "a string or an array of items")
  else input.forEach(checkItem)
}

/**
 * Checks the form of what is converted, which would otherwise be lost without notice. Values that
 * are passed on are left to the provider.
 * @throws {Failure} `bad_request`
 */
export const checkResponsesRequest = (body: Fields): void => {
  const { input, instructions, tools } = body
  checkRepeatedMembers(body)
  checkObjects(body, ["reasoning", "text"])
  checkInput(input)
  if (Array.isArray(input) && input.length === 0)
    failWrongType("input", "a string or at least one item")
  if (!isText(instructions ?? "")) failWrongType("instructions", "a string")
  if (!Array.isArray(tools ?? [])) failWrongType("tools", "an array of tools")
  else if (Array.isArray(tools)) tools.forEach(checkTool)
}
