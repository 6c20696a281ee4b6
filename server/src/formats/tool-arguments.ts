import { randomUUID } from "node:crypto"
import { JsonCompleteness } from "./json-completeness.ts"
import { parseObject } from "./json-values.ts"
import { MalformedResponse } from "./malformed-response.ts"

/** For calls without an id. */
export const createCallId = (): string => `call_${randomUUID()}`

/** Arguments as a text; some servers send their value, or null. */
export const argumentsTextOf = (value: unknown): string => {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? null)
  return text === "null" ? "" : text
}

/** What may follow complete arguments without a meaning. */
const surplus = /^[\s}\]]+/

/** Arguments are parsed on the event loop. More values than a model writes in its longest answers. */
const maxCommas = 100_000

interface ReadArguments {
  /** What belongs to this call. */
  own: string
  /** The beginning of another call of the same tool: some servers do not keep parallel calls apart. */
  rest: string
}

/** Reads the arguments of one call, which arrive in pieces. */
export class ToolArguments {
  readonly #completeness = new JsonCompleteness()
  #text = ""
  #stage: "reading" | "ended" | "not JSON" = "reading"

  /** Whether nothing is missing, so that another block may follow. */
  get isComplete(): boolean {
    return this.#stage === "ended"
  }

  get isEmpty(): boolean {
    return this.#text === ""
  }

  /** @throws {MalformedResponse} if there are too many values */
  push(text: string): ReadArguments {
    if (this.#text === "" && text.trim() === "") return { own: "", rest: "" }
    if (this.#stage === "ended") return this.#readSurplus("", text)
    const length = this.#stage === "reading" ? this.#completeness.push(text) : text.length
    const own = text.slice(0, length)
    this.#text += own
    if (this.#completeness.commas > maxCommas)
      throw new MalformedResponse("it has a call whose arguments have too many values")
    if (this.#stage === "reading" && this.#completeness.isComplete)
      this.#stage = parseObject(this.#text) ? "ended" : "not JSON"
    if (length === text.length) return { own, rest: "" }
    return this.#readSurplus(own, text.slice(length))
  }

  #readSurplus(own: string, text: string): ReadArguments {
    const rest = text.replace(surplus, "")
    if (this.#stage === "ended" && (rest === "" || rest.startsWith("{"))) return { own, rest }
    this.#stage = "not JSON"
    this.#text += text
    return { own: own + text, rest: "" }
  }

  /** @throws {MalformedResponse} if the arguments of this tool are no JSON object */
  check(name: string): void {
    if (this.#stage === "ended" || this.#text.trim() === "" || parseObject(this.#text)) return
    throw new MalformedResponse(
      `its call of "${name.slice(0, 100)}" has arguments that are not JSON`,
    )
  }
}

/** The arguments of one call or several, of which the first begins the text. */
export const splitArguments = (text: string): { text: string; args: ToolArguments }[] => {
  const calls: { text: string; args: ToolArguments }[] = []
  let remaining = text
  do {
    const args = new ToolArguments()
    const { own, rest } = args.push(remaining)
    calls.push({ text: own, args })
    remaining = rest
  } while (remaining !== "")
  return calls
}
