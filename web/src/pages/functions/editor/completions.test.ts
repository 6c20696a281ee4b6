import { readFileSync } from "node:fs"
import { CompletionContext } from "@codemirror/autocomplete"
import { javascript } from "@codemirror/lang-javascript"
import { EditorState } from "@codemirror/state"
import { describe, expect, it, vi } from "vitest"
import { completions } from "./completions.ts"
import { findUnknownMembers } from "./linter.ts"
import { readModuleTypes } from "./module-types.ts"

vi.mock("../../../i18n/translate.ts", () => ({
  t: (key: string, { name, type }: { name?: string; type?: string } = {}) =>
    name === undefined ? `translated ${key}` : `${type}: ${name}`,
}))

const path = "../../../../../server/src/functions/portico.d.ts"
const known = readModuleTypes(readFileSync(new URL(path, import.meta.url), "utf8"))

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

const readDetails = async (text: string): Promise<(string | undefined)[]> => {
  const state = stateOf(text)
  const details: (string | undefined)[] = []
  for (const source of completions(known)) {
    const result = await source(new CompletionContext(state, text.length, true))
    details.push(...(result?.options ?? []).map(({ detail }) => detail))
  }
  return details
}

const inReply = (body: string): string =>
  `export async function* reply({ messages, tools }, context) {\n  ${body}\n}`

describe("completion", () => {
  it("describes templates in the user's language", async () => {
    expect(await readDetails("rep")).toEqual(
      expect.arrayContaining(["translated editor.reply", "translated editor.before"]),
    )
  })

  it.each([
    ["members of the context", inReply("context.|"), ["user", "search", "chat", "store"]],
    ["members that match a prefix", inReply("context.se|"), ["settings", "search"]],
    ["members of a property", inReply("context.user.|"), ["email", "groups"]],
    ["members of an inline type", inReply("context.store.|"), ["get", "keys"]],
    ["members of an intersection type", inReply("context.log.|"), ["debug", "error"]],
    ["an array element", inReply("messages.at(-1).|"), ["role", "content"]],
    ["an element by index", inReply("messages[0].|"), ["role", "content"]],
    ["loop variables", inReply("for (const one of messages) { one.| }"), ["role", "content"]],
    [
      "an awaited value",
      inReply("const found = await context.search('a', 'b')\n found.|"),
      ["passages", "sources"],
    ],
    [
      "the overload that returns a promise",
      inReply("(await context.chat({ model: 'a' })).|"),
      ["choices"],
    ],
    [
      "chunks of an async iteration",
      inReply("for await (const piece of context.chat({ stream: true })) piece.|"),
      ["content"],
    ],
    ["destructured properties", inReply("const { user: asker } = context\n asker.|"), ["email"]],
    [
      "names in a destructuring pattern",
      "export function reply({ m| }, context) {}",
      ["messages", "model"],
    ],
    ["annotated parameters", "const told = (message: Message) => message.|", ["role"]],
    ["arrow functions", "export const before = (request, context) => { request.| }", ["messages"]],
    ["names declared in the module", "const harbour = 1\nexport const tide = har|", ["harbour"]],
    ["function templates", "rep|", ["reply", "before"]],
  ])("offers %s", async (_name, text, labels) => {
    expect(await offered(text)).toEqual(expect.arrayContaining(labels))
  })

  it.each([
    ["members", inReply("context.user.|"), ["email", "groups"]],
    ["names declared in the module", "const harbour = 1\nexport const tide = har|", ["harbour"]],
  ])("offers %s before the editor has parsed that far", async (_name, text, labels) => {
    expect(await offered(text, createUnparsed)).toEqual(expect.arrayContaining(labels))
  })

  it("offers nothing for unknown types", async () => {
    expect(await offered("const tide = fetchTide()\ntide.|")).toEqual([])
    expect(await offered(inReply("context.settings.|"))).toEqual([])
  })
})

describe("unknown member names", () => {
  const found = (text: string, create = stateOf): string[] =>
    findUnknownMembers(create(text), known).map(({ message }) => message)

  it("are reported", () => {
    expect(found(inReply("yield context.serch('a', 'b')"))).toEqual(["Context: serch"])
    expect(found(inReply("const { user } = context\n yield user.nmae"))).toHaveLength(1)
    expect(found(inReply("yield context.serch('a')"), createUnparsed)).toEqual(["Context: serch"])
  })

  it.each([
    ["names that exist", "yield context.search('a', 'b')"],
    ["types with an index signature", "yield messages.at(-1).harbour"],
    ["arrays and strings", "yield messages.map(({ content }) => content.length).join()"],
    ["unknown types", "yield globalThis.harbour.pilot(tools.length)"],
    ["settings", "yield context.settings.harbour"],
  ])("are not reported for %s", (_name, body) => {
    expect(found(inReply(body))).toEqual([])
  })

  it.each(["guide", "router", "redact", "proxy", "panel"])(
    "do not occur in the example %s",
    (name) => {
      const url = new URL(
        `../../../../../server/src/functions/examples/${name}.ts`,
        import.meta.url,
      )
      expect(found(readFileSync(url, "utf8"))).toEqual([])
    },
  )
})
