import { describe, expect, it } from "vitest"
import { catalogue } from "../../../server/src/i18n/catalogue.ts"
import { translatable, withText } from "../../../server/src/i18n/message.ts"
import { serverMessages } from "./de/server-messages.ts"
import { translateMessage } from "./server-messages.ts"

const namesOfValues = (entry: unknown): string[] => {
  const [, names = ""] = /^\(\{([^}]*)\}\)/.exec(String(entry)) ?? []
  return typeof entry === "function" ? names.split(",").map((name) => name.trim()) : []
}

const toGerman = (id: string, values = {}): string | null =>
  translateMessage({ id, values }, serverMessages)
const toEnglish = (id: string, values = {}): string => withText({ id, values }).text

describe.each(Object.entries({ English: toEnglish, German: toGerman }))("in %s", (_, show) => {
  const rows = Object.entries(catalogue).map(([id, entry]) => [id, namesOfValues(entry)] as const)

  it.each(rows)("%s quotes values unchanged", (id, names) => {
    // Neither HTML, nor what patterns and templates interpret, has a meaning in a value.
    const hostile = (name: string): string => `<b onclick="x">$& $1 \${${name}} {${name}} %s</b>`
    const text = show(id, Object.fromEntries(names.map((name) => [name, `[${name}]`])))
    const expected = names.reduce(
      (filled, name) => filled?.replaceAll(`[${name}]`, () => hostile(name)),
      text ?? undefined,
    )
    expect(text).toMatch(/\S/)
    expect(text).not.toContain("undefined")
    expect(show(id, Object.fromEntries(names.map((name) => [name, hostile(name)])))).toBe(expected)
  })
})

describe("messages of the gateway", () => {
  it("are translated with their values", () => {
    expect(toGerman("name_required")).toBe("Geben Sie einen Namen ein.")
    expect(toGerman("field_too_few_characters", { min: 8 })).toBe(
      "Verwenden Sie mindestens 8 Zeichen.",
    )
    expect(toGerman("source_template_without_sources")).toContain("{{sources}}")
  })

  it("are translated with the messages that they quote", () => {
    const address = "http://127.0.0.1:9/v1"
    const reason = translatable("connection_refused")
    const unreachable = translatable("endpoint_unreachable", { address, reason })
    expect(unreachable.text).toBe(
      "Can't reach http://127.0.0.1:9/v1: connection refused. Check the address and that the server is running.",
    )
    expect(translateMessage(unreachable, serverMessages)).toBe(
      "http://127.0.0.1:9/v1 ist nicht erreichbar: Verbindung abgelehnt. Prüfen Sie die Adresse und ob der Server läuft.",
    )
    const provider = translatable("provider_named", { name: "Local" })
    expect(toGerman("provider_timeout", { provider })).toBe(
      "Der Anbieter „Local“ hat nicht rechtzeitig geantwortet.",
    )
  })

  it.each(["removed_message", "constructor", "__proto__", ""])("have no translation: %s", (id) => {
    expect(toGerman(id)).toBeNull()
    expect(toGerman("provider_timeout", { provider: { id, values: {} } })).toBeNull()
  })
})
