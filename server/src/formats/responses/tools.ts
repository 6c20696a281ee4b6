import { fail } from "../../errors.ts"
import { type Fields, isObject, objectsIn, parseObject, textOf } from "../json-values.ts"
import { cacheControlOf } from "../request-parts.ts"
import { shortenToolName } from "../tool-names.ts"

/** A tool of the client's request, as it is named in the answer's items. */
export interface ClientTool {
  /** `custom`: its input is any text, instead of JSON. */
  kind: "function" | "custom"
  name: string
  namespace: string | undefined
}

export interface ConvertedTools {
  /** For the canonical prompt. */
  tools: Fields[]
  /** By the function's name in the canonical prompt, and by the name that chat models know. */
  toolByName: ReadonlyMap<string, ClientTool>
}

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
  const { definition, syntax } = isObject(format) ? format : {}
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

/** Converts the tools of a request. @throws {Failure} `unsupported_by_model` */
export const convertTools = (tools: unknown): ConvertedTools => {
  const toolByName = new Map<string, ClientTool>()
  const convert = (tool: Fields, namespace?: string): Fields[] => {
    const { type } = tool
    if (type === "namespace" && namespace === undefined) {
      return objectsIn(tool.tools).flatMap((inner) => convert(inner, textOf(tool.name)))
    }
    if (type !== "function" && type !== "custom") return failUnsupportedTool(tool)
    const name = functionNameOf({ ...tool, namespace })
    const declared: ClientTool = { kind: type, name: textOf(tool.name), namespace }
    const other = toolByName.get(name)
    if (other && other.namespace !== namespace) failSameName(other, declared)
    for (const known of [name, shortenToolName(name)]) toolByName.set(known, declared)
    return [toFunction(tool, name)]
  }
  return { tools: objectsIn(tools).flatMap((tool) => convert(tool)), toolByName }
}

/** The arguments of a function that stands for a custom tool. */
export const toCustomArguments = (input: unknown): string =>
  JSON.stringify({ [inputParameter]: textOf(input) })

/** The input of a custom tool, from the arguments of its function. */
export const toCustomInput = (args: string): string => {
  const parsed = parseObject(args)
  return parsed ? textOf(parsed[inputParameter]) : args
}
