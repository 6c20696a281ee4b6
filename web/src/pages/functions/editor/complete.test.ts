import { readFileSync } from "node:fs"
import { CompletionContext } from "@codemirror/autocomplete"
import { javascript } from "@codemirror/lang-javascript"
import { EditorState } from "@codemirror/state"
import { describe, expect, it, vi } from "vitest"
import { completions } from "./complete.ts"
import { knownFrom } from "./known.ts"
import { seen } from "./problems.ts"

const path = "../../../../../server/src/functions/portico.d.ts"
const known = knownFrom(readFileSync(new URL(path, import.meta.url), "utf8"))

const stateOf = (doc: string): EditorState =>
  EditorState.create({ doc, extensions: [javascript({ typescript: true })] })

/** A state whose parser hits its time limit immediately, as on a busy machine. */
const createUnparsed = (doc: string): EditorState => {
  let now = 0
  const clock = vi.spyOn(Date, "now").mockImplementation(() => (now += 1000))
  const state = stateOf(doc)
  clock.mockRestore()
  return state
}

/** Labels of the completions offered at the `|`. */
const offered = async (text: string, create = stateOf): Promise<string[]> => {
  const at = text.indexOf("|")
  const state = create(text.replace("|", ""))
  const labels: string[] = []
  for (const source of completions(known)) {
    const result = await source(new CompletionContext(state, at, true))
    labels.push(...(result?.options ?? []).map(({ label }) => label))
  }
  return labels
}

const inReply = (body: string): string =>
  `export async function* reply({ messages, tools }, context) {\n  ${body}\n}`

describe("completion", () => {
  it.each([
    ["what the context has", inReply("context.|"), ["user", "search", "chat", "store"]],
    ["what is begun already", inReply("context.se|"), ["settings", "search"]],
    ["what a part of it has", inReply("context.user.|"), ["email", "groups"]],
    ["a type written in place", inReply("context.store.|"), ["get", "keys"]],
    ["types joined", inReply("context.log.|"), ["debug", "error"]],
    ["an element", inReply("messages.at(-1).|"), ["role", "content"]],
    ["an element by its place", inReply("messages[0].|"), ["role", "content"]],
    ["each of a list", inReply("for (const one of messages) { one.| }"), ["role", "content"]],
    [
      "what is waited for",
      inReply("const found = await context.search('a', 'b')\n found.|"),
      ["passages", "sources"],
    ],
    ["the form that is waited for", inReply("(await context.chat({ model: 'a' })).|"), ["choices"]],
    [
      "pieces as they come",
      inReply("for await (const piece of context.chat({ stream: true })) piece.|"),
      ["content"],
    ],
    ["what is taken apart", inReply("const { user: asker } = context\n asker.|"), ["email"]],
    ["names in a pattern", "export function reply({ m| }, context) {}", ["messages", "model"]],
    ["an annotation", "const told = (message: Message) => message.|", ["role"]],
    ["arrow functions", "export const before = (request, context) => { request.| }", ["messages"]],
    ["names of the module", "const harbour = 1\nexport const tide = har|", ["harbour"]],
    ["whole functions", "rep|", ["reply", "before"]],
  ])("offers %s", async (_name, text, labels) => {
    expect(await offered(text)).toEqual(expect.arrayContaining(labels))
  })

  it.each([
    ["members", inReply("context.user.|"), ["email", "groups"]],
    ["names of the module", "const harbour = 1\nexport const tide = har|", ["harbour"]],
  ])("offers %s before the editor has parsed that far", async (_name, text, labels) => {
    expect(await offered(text, createUnparsed)).toEqual(expect.arrayContaining(labels))
  })

  it("offers nothing of what it does not know", async () => {
    expect(await offered("const tide = fetchTide()\ntide.|")).toEqual([])
    expect(await offered(inReply("context.settings.|"))).toEqual([])
  })
})

describe("names that do not exist", () => {
  const words = { unknownMember: (name: string, type: string) => `${type}: ${name}`, syntax: "?" }
  const found = (text: string, create = stateOf): string[] =>
    seen(create(text), known, words).map(({ message }) => message)

  it("are told", () => {
    expect(found(inReply("yield context.serch('a', 'b')"))).toEqual(["Context: serch"])
    expect(found(inReply("const { user } = context\n yield user.nmae"))).toHaveLength(1)
    expect(found(inReply("yield context.serch('a')"), createUnparsed)).toEqual(["Context: serch"])
  })

  it.each([
    ["names that exist", "yield context.search('a', 'b')"],
    ["types that are open to any name", "yield messages.at(-1).harbour"],
    ["lists and texts", "yield messages.map(({ content }) => content.length).join()"],
    ["what is not known", "yield globalThis.harbour.pilot(tools.length)"],
    ["settings", "yield context.settings.harbour"],
  ])("are not told of %s", (_name, body) => {
    expect(found(inReply(body))).toEqual([])
  })

  it.each(["guide", "router", "redact", "proxy", "panel"])("are none in the example %s", (name) => {
    const url = new URL(`../../../../../server/src/functions/examples/${name}.ts`, import.meta.url)
    expect(found(readFileSync(url, "utf8"))).toEqual([])
  })
})
