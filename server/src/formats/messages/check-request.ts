import { type Fields, isObject, objectOf } from "../json-values.ts"
import { isContent } from "../message-content.ts"
import { checkObjects, failWrongType } from "../request-errors.ts"

const roles = new Set<unknown>(["user", "assistant", "system"])

const checkMessage = (message: unknown, at: number): void => {
  const { role, content } = objectOf(message)
  const name = `messages[${at}]`
  if (!roles.has(role)) {
    failWrongType(`${name}.role`, `"user" or "assistant", not ${JSON.stringify(role)}`)
  }
  if (!isContent(content)) {
    failWrongType(`${name}.content`, "a string or an array of content blocks")
  }
}

/** Some of Anthropic's tools have no name; their type is reported as unsupported. */
const isTool = (tool: unknown): boolean =>
  isObject(tool) && (typeof tool.name === "string" || (tool.type ?? "custom") !== "custom")

/**
 * Checks the form of what is converted, which would otherwise be lost without notice. Values that
 * are passed on are left to the provider.
 * @throws {Failure} `bad_request`
 */
export const checkMessagesRequest = (body: Fields): void => {
  const { messages, system, tools } = body
  checkObjects(body, ["thinking", "output_config"])
  if (Array.isArray(messages)) messages.forEach(checkMessage)
  if (!isContent(system ?? "")) failWrongType("system", "a string or an array of content blocks")
  if (!Array.isArray(tools ?? [])) failWrongType("tools", "an array of tools")
  const wrong = Array.isArray(tools) ? tools.findIndex((tool) => !isTool(tool)) : -1
  if (wrong >= 0) failWrongType(`tools[${wrong}]`, "an object with a name")
}
