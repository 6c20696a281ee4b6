import { fail } from "../../errors.ts"
import { type Fields, isObject, objectOf, objectsIn, parseJson, textOf } from "../json-values.ts"
import { cacheControlOf } from "../message-content.ts"
import { shortenToolName } from "../tool-names.ts"

/** A tool of the client's request, as it is named in the answer's items. */
export interface ClientTool {
  /** `custom`: its input is any text, instead of JSON. `tool_search`: its result is more tools. */
  kind: "function" | "custom" | "tool_search"
  name: string
  namespace: string | undefined
}

export interface ConvertedTools {
  /** For the canonical prompt. */
  tools: Fields[]
  /** By the function's name in the canonical prompt, and by the name that chat models know. */
  toolByName: ReadonlyMap<string, ClientTool>
}

/** The name of the function that stands for the client's search for tools. */
export const toolSearchName = "tool_search"

/** Items that declare tools of the client. */
const declaringItems = new Set<unknown>(["additional_tools", "tool_search_output"])

/** The client's tools, wherever a request declares them. */
export const clientToolsOf = ({ tools, input }: Fields): Fields[] => [
  ...objectsIn(tools),
  ...objectsIn(input).flatMap((item) =>
    declaringItems.has(item.type) ? objectsIn(item.tools) : [],
  ),
]

/** What of a tool the answer depends on. */
export const toNamedTool = ({ type, name, execution, tools }: Fields): Fields => ({
  ...{ type, name, execution },
  ...(type === "namespace" && { tools: objectsIn(tools).map(toNamedTool) }),
})

/** The one parameter of a function that stands for a custom tool. */
const inputParameter = "input"

const customParameters = {
  type: "object",
  properties: { [inputParameter]: { type: "string" } },
  required: [inputParameter],
  additionalProperties: false,
}

/** @param item a tool, or an item that calls one */
export const functionNameOf = ({ name, namespace }: Fields): string =>
  typeof namespace === "string" ? `${namespace}__${textOf(name)}` : textOf(name)

const failUnsupportedTool = ({ type, name }: Fields): never => {
  const named = typeof name === "string" ? ` "${name}"` : ""
  const tool = `the tool${named} of type "${textOf(type)}"`
  const solution = "Remove the tool, or choose a model whose provider offers it."
  const message = `This model does not support ${tool}. ${solution}`
  return fail("unsupported_by_model", message, { param: "tools" })
}

const describeTool = ({ name, namespace }: ClientTool): string =>
  namespace === undefined ? `"${name}"` : `"${name}" in the namespace "${namespace}"`

const failSameName = (one: ClientTool, other: ClientTool): never => {
  const tools = `the tools ${describeTool(one)} and ${describeTool(other)}`
  const message = `This model cannot distinguish ${tools}. Rename one of them.`
  return fail("unsupported_by_model", message, { param: "tools" })
}

/** The grammar of a custom tool cannot be enforced, so its description contains it. */
const customDescription = ({ description, format }: Fields): string => {
  const { definition, syntax } = objectOf(format)
  const grammar =
    typeof definition === "string"
      ? `The input must match this grammar (${textOf(syntax) || "lark"}):\n${definition}`
      : ""
  return [textOf(description), grammar].filter(Boolean).join("\n\n")
}

const toFunction = (tool: Fields, name: string): Fields => {
  if (tool.type === "custom") {
    const declared = { name, description: customDescription(tool), parameters: customParameters }
    return { type: "function", function: declared, ...cacheControlOf(tool) }
  }
  const { description, parameters, strict } = tool
  const declared = {
    name,
    description: description ?? undefined,
    parameters: parameters ?? undefined,
  }
  return {
    type: "function",
    function: { ...declared, ...(typeof strict === "boolean" && { strict }) },
    ...cacheControlOf(tool),
  }
}

/** A search that the provider would run is none of the client's tools. */
const kindOf = ({ type, execution }: Fields): ClientTool["kind"] | null => {
  if (type === "function" || type === "custom") return type
  return type === "tool_search" && execution === "client" ? type : null
}

/**
 * Converts the tools of a request. Of several with the same name, the last one counts: clients that
 * send their tools with every request repeat those of the history.
 * @throws {Failure} `unsupported_by_model`
 */
export const convertTools = (tools: unknown): ConvertedTools => {
  const functionByName = new Map<string, Fields>()
  const toolByName = new Map<string, ClientTool>()
  const convert = (tool: Fields, namespace?: string): void => {
    const kind = kindOf(tool) ?? failUnsupportedTool(tool)
    const ownName = kind === "tool_search" ? toolSearchName : tool.name
    const name = functionNameOf({ name: ownName, namespace })
    const declared: ClientTool = { kind, name: textOf(ownName), namespace }
    const other = toolByName.get(name)
    if (other && other.namespace !== namespace) failSameName(other, declared)
    for (const known of [name, shortenToolName(name)]) toolByName.set(known, declared)
    functionByName.set(name, toFunction(tool, name))
  }
  for (const tool of objectsIn(tools)) {
    if (tool.type !== "namespace") convert(tool)
    else for (const inner of objectsIn(tool.tools)) convert(inner, textOf(tool.name))
  }
  return { tools: [...functionByName.values()], toolByName }
}

/** The arguments of a function that stands for a custom tool. */
export const toCustomArguments = (input: unknown): string =>
  JSON.stringify({ [inputParameter]: textOf(input) })

const isScalar = (value: unknown): boolean => typeof value !== "object" || value === null

/** The only text among an object's members; undefined if one of them may contain more of it. */
const findOnlyText = (fields: Fields): string | undefined => {
  const values = Object.values(fields)
  const texts = values.filter((value) => typeof value === "string" && value !== "")
  const [text, ...others] = texts
  return values.every(isScalar) && others.length === 0 ? textOf(text) || undefined : undefined
}

/** The input in arguments of the declared form, which a model may have encoded twice. */
const declaredInputOf = (args: unknown): string | undefined => {
  if (!isObject(args) || Object.keys(args).length !== 1) return undefined
  const input = args[inputParameter]
  return typeof input === "string" ? input : undefined
}

/**
 * The input of a custom tool, from the arguments of its function. Models do not always name the
 * parameter as it is declared. What cannot be distinguished reaches the tool as it came: it may
 * understand it, or tell the model what is wrong.
 */
export const toCustomInput = (args: string): string => {
  const parsed = parseJson(args)
  if (typeof parsed === "string") return declaredInputOf(parseJson(parsed)) ?? parsed
  if (!isObject(parsed)) return args
  const input = parsed[inputParameter]
  const isOnly = Object.keys(parsed).length === 1
  if (typeof input === "string" && (input !== "" || isOnly)) return input
  return findOnlyText(parsed) ?? args
}

/** The arguments of a search for tools, which are not a text. */
export const toSearchArguments = (args: string): unknown =>
  args === "" ? {} : (parseJson(args) ?? args)
