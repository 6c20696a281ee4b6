import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { serverMessages } from "./de/server-messages.ts"
import { createMessageTranslator } from "./server-messages.ts"

const root = join(import.meta.dirname, "../../..")
const sourceFolders = [join(root, "server/src"), join(root, "packages")]

describe("translated messages of the gateway", () => {
  const source = sourceFolders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
    )
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .map((path) => readFileSync(path, "utf8"))
    .join("\n")

  it("fill in values from the message", () => {
    const translate = createMessageTranslator(serverMessages)
    expect(translate("Enter a name.")).toBe("Geben Sie einen Namen ein.")
    expect(translate("Use at least 8 characters.")).toBe("Verwenden Sie mindestens 8 Zeichen.")
    expect(translate("ada@example.com is already in use.")).toBe(
      "ada@example.com wird bereits verwendet.",
    )
    const placeholder = "Include {{sources}} where the passages go, or leave this empty."
    expect(translate(placeholder)).toContain("{{sources}}")
  })

  it("translate values that are messages", () => {
    const translate = createMessageTranslator(serverMessages)
    expect(
      translate(
        "Can't reach http://127.0.0.1:9/v1: connection refused. Check the address and that the server is running.",
      ),
    ).toBe(
      "http://127.0.0.1:9/v1 ist nicht erreichbar: Verbindung abgelehnt. Prüfen Sie die Adresse und ob der Server läuft.",
    )
    expect(translate('The provider "Local" did not respond in time.')).toBe(
      "Der Anbieter „Local“ hat nicht rechtzeitig geantwortet.",
    )
  })

  it("include what each provider is called and where its base URL ends", () => {
    const texts = [...source.matchAll(/^ {2}(?:apiLabel|baseUrlHint): "(.+)",$/gm)].map(
      ([, text = ""]) => text,
    )
    expect(texts.length).toBeGreaterThan(5)
    // A name such as "Ollama" is the same in every language.
    const sentences = texts.filter((text) => text.includes(" "))
    expect(sentences.filter((text) => serverMessages[text] === undefined)).toEqual([])
  })

  it("stay as they are without a translation", () => {
    const translate = createMessageTranslator(serverMessages)
    expect(translate("The disk is full.")).toBe("The disk is full.")
  })

  it("exist in the gateway, word for word", () => {
    // The gateway puts these together from the provider's name, what it did, and a period.
    const providerMessage = /^The provider "\{name\}" (.+)\.$/
    const parts = Object.keys(serverMessages)
      .map((template) => template.replace(providerMessage, "$1"))
      .flatMap((template) => template.split(/\{\w+\}/))
    expect(parts.filter((part) => part.length > 3 && !source.includes(part))).toEqual([])
  })

  it("end with the period that the gateway sends", () => {
    const ends = Object.keys(serverMessages)
      .map((template) => template.split(/\{\w+\}/).at(-1) ?? "")
      .filter((end) => end !== "" && !end.endsWith("."))
    expect(ends.filter((end) => source.includes(`${end}.`))).toEqual([])
  })

  it("are translated once", () => {
    const templates = Object.keys(serverMessages)
    const shadowed = templates.filter((template) => {
      const translated = createMessageTranslator(serverMessages)(template)
      return translated !== serverMessages[template]
    })
    expect(shadowed).toEqual([])
  })
})
