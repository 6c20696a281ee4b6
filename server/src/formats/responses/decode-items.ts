import { fail } from "../../errors.ts"
import { defaultFilename, type ReasoningDetail, type ReportDropped } from "../canonical-request.ts"
import { type Fields, isObject, objectsIn, ownValue, textOf } from "../json-values.ts"
import { cacheControlOf, partsOf, splitToolResult, toContent } from "../message-content.ts"
import { failUnsupported } from "../request-errors.ts"
import { decodeCompaction } from "./compaction.ts"
import { decodeReasoning } from "./reasoning.ts"
import { functionNameOf, toCustomArguments, toolSearchName } from "./tools.ts"

const failUnsupportedInput = (what: string): never => failUnsupported(what, "input")

const toTextPart = ({ text }: Fields): Fields => ({ type: "text", text: textOf(text) })

const partDecoders: Record<string, (part: Fields) => Fields> = {
  ...{ input_text: toTextPart, output_text: toTextPart, text: toTextPart },
  summary_text: toTextPart,
  refusal: ({ refusal }) => ({ type: "text", text: textOf(refusal) }),
  input_image: ({ image_url, detail }) => {
    // Some clients have the form of chat completions.
    const url = isObject(image_url) ? image_url.url : image_url
    if (typeof url !== "string") return failUnsupportedInput('"input_image" without "image_url"')
    const isDetailed = typeof detail === "string" && detail !== "auto"
    return { type: "image_url", image_url: { url, ...(isDetailed && { detail }) } }
  },
  input_file: ({ file_data, file_url, filename }) => {
    const data = textOf(file_data) || textOf(file_url)
    if (data === "") return failUnsupportedInput('"input_file" without "file_data" or "file_url"')
    return {
      type: "file",
      file: { filename: textOf(filename) || defaultFilename, file_data: data },
    }
  },
  input_audio: ({ input_audio }) => ({ type: "input_audio", input_audio }),
}

const toPart = (part: Fields): Fields => {
  const type = textOf(part.type)
  const decode = ownValue(partDecoders, type)
  if (!decode) return failUnsupportedInput(`content of type "${type}"`)
  return { ...decode(part), ...cacheControlOf(part) }
}

const toParts = (content: unknown): Fields[] => partsOf(content).map(toPart)

/**
 * Records of what tools on the provider's servers did, which the client does not have to answer, and
 * changes of options that converted requests do not have.
 */
const droppedItems = new Set([
  ...["web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call"],
  ...["mcp_list_tools", "mcp_call", "configuration_update"],
])

/** A provider that searches for tools itself needs no answer of the client. */
const isHostedSearch = ({ type, execution }: Fields): boolean =>
  (type === "tool_search_call" || type === "tool_search_output") && execution === "server"

/** The names of the tools that were found; their declarations are among the request's tools. */
const listFoundTools = ({ tools }: Fields): string => {
  const names = objectsIn(tools).flatMap(({ type, name, tools: inner }) =>
    type === "namespace"
      ? objectsIn(inner).map((tool) => functionNameOf({ ...tool, namespace: name }))
      : [textOf(name)],
  )
  return names.length === 0 ? "No tools were found." : `Tools: ${names.join(", ")}`
}

interface AssistantTurn {
  text: string
  /** What of the text refuses to answer. */
  refusal: string
  calls: Fields[]
  details: ReasoningDetail[]
  reasoning: string
  /** Where the prompt cache may cut: `cache_control` of one of its messages. */
  cached: Fields
}

/** The content contains a refusal, too: not every server knows its member. */
const toAssistantMessage = (turn: AssistantTurn): Fields => {
  const { text, refusal, calls, details, reasoning, cached } = turn
  return {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    ...(refusal !== "" && { refusal }),
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...cached,
  }
}

/** Such as one of which only reasoning remains that no other provider can read. */
const isEmptyTurn = ({ text, calls, details, reasoning }: AssistantTurn): boolean =>
  text === "" && reasoning === "" && calls.length === 0 && details.length === 0

/** Reasoning follows what the turn already contains. */
const placeDetail = (detail: ReasoningDetail, { text, calls }: AssistantTurn): ReasoningDetail =>
  text === "" && calls.length === 0
    ? detail
    : { ...detail, preceding: { characters: text.length, tool_calls: calls.length } }

/** Providers expect the results of calls right after them; clients may add messages in between. */
const moveResultsToCalls = (messages: readonly Fields[]): Fields[] => {
  const callerById = new Map<unknown, Fields>()
  for (const message of messages) {
    for (const { id } of objectsIn(message.tool_calls)) callerById.set(id, message)
  }
  const callerOf = ({ role, tool_call_id }: Fields): Fields | undefined =>
    role === "tool" ? callerById.get(tool_call_id) : undefined
  const resultsByCaller = Map.groupBy(messages, callerOf)
  return messages
    .filter((message) => callerOf(message) === undefined)
    .flatMap((message) => [message, ...(resultsByCaller.get(message) ?? [])])
}

/**
 * Collects the messages of a canonical prompt. Items of one turn of the assistant (reasoning, texts,
 * calls) become one message; the results of tools follow it directly.
 */
class MessageCollector {
  readonly #report: ReportDropped
  readonly #messages: Fields[] = []
  #turn: AssistantTurn | null = null
  /** Images and files that tools returned, for a message after the last result. */
  #returnedParts: Fields[] = []

  constructor(report: ReportDropped) {
    this.#report = report
  }

  add(item: Fields): void {
    const type = textOf(item.type) || "message"
    const decode = ownValue(this.#decoders, type)
    if (isHostedSearch(item)) this.#report(type)
    else if (decode) decode(item)
    else if (droppedItems.has(type)) this.#report(type)
    else failUnsupportedInput(`items of type "${type}"`)
  }

  end(): Fields[] {
    this.#endTurn()
    this.#endResults()
    return moveResultsToCalls(this.#messages)
  }

  readonly #decoders: Record<string, (item: Fields) => void> = {
    message: (item) => this.#addMessage(item),
    reasoning: (item) => {
      const { detail, text, isForeign } = decodeReasoning(item)
      const turn = this.#currentTurn()
      if (detail) turn.details.push(placeDetail(detail, turn))
      turn.reasoning += text
      if (isForeign) this.#report("reasoning")
    },
    function_call: (item) => this.#addCall(item, textOf(item.arguments)),
    custom_tool_call: (item) => this.#addCall(item, toCustomArguments(item.input)),
    function_call_output: (item) => this.#addResult(item),
    custom_tool_call_output: (item) => this.#addResult(item),
    tool_search_call: (item) => {
      const args = JSON.stringify(item.arguments ?? {})
      this.#addCall({ call_id: item.call_id, name: toolSearchName }, args)
    },
    tool_search_output: (item) => {
      this.#addResult({ call_id: item.call_id, output: listFoundTools(item) })
    },
    // Its tools are among those of the request.
    additional_tools: () => {},
    // The whole request is converted accordingly.
    compaction_trigger: () => {},
    agent_message: ({ author, recipient, content }) => {
      const text = `Message from ${textOf(author)} to ${textOf(recipient)}:`
      this.#addMessage({ role: "user", content: [{ type: "text", text }, ...partsOf(content)] })
    },
    compaction: (item) => this.#addCompaction(item),
    compaction_summary: (item) => this.#addCompaction(item),
    context_compaction: (item) => this.#addCompaction(item),
    item_reference: ({ id }) => {
      const message = `The item "${textOf(id)}" was not found. Send it in full, or store responses.`
      fail("bad_request", message, { param: "input" })
    },
  }

  #addCompaction(item: Fields): void {
    this.#addMessage({ role: "user", content: decodeCompaction(item) })
  }

  #addMessage(item: Fields): void {
    const { role } = item
    const parts = toParts(item.content)
    if (role === "assistant") {
      const turn = this.#currentTurn()
      const marked = [...parts, item].findLast(({ cache_control }) => isObject(cache_control))
      if (marked) turn.cached = cacheControlOf(marked)
      for (const { refusal } of partsOf(item.content)) turn.refusal += textOf(refusal)
      const text = parts.map((part) => textOf(part.text)).join("")
      // Joining a list would copy the whole text for each message.
      if (text !== "") turn.text = turn.text === "" ? text : `${turn.text}\n\n${text}`
      return
    }
    this.#endTurn()
    this.#endResults()
    const isSystem = role === "system" || role === "developer"
    this.#messages.push({
      role: isSystem ? "system" : "user",
      content: toContent(parts),
      ...cacheControlOf(item),
    })
  }

  #addCall(item: Fields, args: string): void {
    const called = { name: functionNameOf(item), arguments: args }
    this.#currentTurn().calls.push({
      ...{ id: item.call_id, type: "function", function: called },
      ...cacheControlOf(item),
    })
  }

  #addResult(item: Fields): void {
    const { call_id, output } = item
    this.#endTurn()
    const parts = toParts(isObject(output) ? JSON.stringify(output) : output)
    const { content, rest } = splitToolResult(parts)
    for (const part of rest) this.#returnedParts.push(part)
    this.#messages.push({ role: "tool", tool_call_id: call_id, content, ...cacheControlOf(item) })
  }

  #currentTurn(): AssistantTurn {
    this.#endResults()
    this.#turn ??= { text: "", refusal: "", calls: [], details: [], reasoning: "", cached: {} }
    return this.#turn
  }

  #endTurn(): void {
    if (this.#turn && !isEmptyTurn(this.#turn)) {
      this.#messages.push(toAssistantMessage(this.#turn))
    }
    this.#turn = null
  }

  #endResults(): void {
    if (this.#returnedParts.length > 0) {
      this.#messages.push({ role: "user", content: this.#returnedParts })
    }
    this.#returnedParts = []
  }
}

/**
 * Converts the input of a request to the messages of a canonical prompt.
 * @param input a text, or items
 * @throws {Failure} `unsupported_by_model` or `bad_request`
 */
export const decodeItems = (input: unknown, report: ReportDropped): Fields[] => {
  if (typeof input === "string") return [{ role: "user", content: input }]
  const collector = new MessageCollector(report)
  for (const item of objectsIn(input)) collector.add(item)
  return collector.end()
}
