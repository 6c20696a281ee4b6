import { beforeEach, describe, expect, it, vi } from "vitest"

const createGate = () => {
  let resolve = (): void => {}
  const promise = new Promise<void>((open) => {
    resolve = open
  })
  return { promise, resolve }
}

const load = async () => await import("./translate.ts")

describe("texts of the administration", () => {
  let texts: Awaited<ReturnType<typeof load>>

  beforeEach(async () => {
    vi.resetModules()
    vi.stubGlobal("document", { documentElement: {} })
    texts = await load()
    return () => {
      vi.unstubAllGlobals()
      // The next file in this thread would get these modules, with their language.
      vi.resetModules()
    }
  })

  it("are keys once they are loaded", async () => {
    expect(texts.isMessageKey("event.user.created")).toBe(false)
    expect(texts.isMessageKey("chat.new")).toBe(true)
    await texts.loadAdministrationTexts()
    expect(texts.isMessageKey("event.user.created")).toBe(true)
    expect(texts.isMessageKey("event.user.toString")).toBe(false)
    expect(texts.isMessageKey("chat.new")).toBe(true)
    expect(texts.t("users.add")).toBe("Add user")
  })

  it("follow changes of the language", async () => {
    await texts.chooseLanguage("de")
    expect(texts.isMessageKey("users.add")).toBe(false)
    await texts.loadAdministrationTexts()
    expect(texts.t("users.add")).toBe("Benutzer hinzufügen")
    await texts.chooseLanguage("en")
    expect(texts.t("users.add")).toBe("Add user")
    expect(texts.t("chat.new")).toBe("New chat")
  })

  it.each([0, 1, 3])("are those of a language chosen %s turns later", async (turns) => {
    const choose = async (): Promise<void> => {
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
      await texts.chooseLanguage("de")
    }
    await Promise.all([texts.loadAdministrationTexts(), choose()])
    expect(texts.t("users.add")).toBe("Benutzer hinzufügen")
    expect(texts.t("chat.new")).toBe("Neuer Chat")
    await Promise.all([texts.chooseLanguage("en"), texts.loadAdministrationTexts()])
    expect(texts.t("users.add")).toBe("Add user")
  })

  it("stay those of a language chosen before they arrive", async () => {
    const arrival = createGate()
    vi.doMock("./en/administration.ts", async (original) => {
      await arrival.promise
      return await original()
    })
    const loaded = texts.loadAdministrationTexts()
    await texts.chooseLanguage("de")
    arrival.resolve()
    await loaded
    vi.doUnmock("./en/administration.ts")
    expect(texts.t("users.add")).toBe("Benutzer hinzufügen")
  })
})
