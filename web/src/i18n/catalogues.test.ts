import { describe, expect, it } from "vitest"
import type { Message } from "./catalogue.ts"
import { administration as administrationDe } from "./de/administration.ts"
import { de as commonDe } from "./de.ts"
import { administration as administrationEn } from "./en/administration.ts"
import { en as commonEn } from "./en.ts"

const en = { ...commonEn, ...administrationEn }
const de = { ...commonDe, ...administrationDe }

const forms = (message: Message): string[] =>
  typeof message === "string" ? [message] : [message.one, message.other]

const placeholders = (message: Message): string[] =>
  [...new Set(forms(message).flatMap((text) => text.match(/\{\w+\}/g) ?? []))].sort()

describe.each(Object.entries({ de }))("the catalogue %s", (_language, catalogue) => {
  const keys = Object.keys(en) as (keyof typeof en)[]

  it("has every message, with the same placeholders", () => {
    const wrong = keys.filter(
      (key) => String(placeholders(en[key])) !== String(placeholders(catalogue[key])),
    )
    expect(wrong).toEqual([])
    expect(Object.keys(catalogue).sort()).toEqual([...keys].sort())
  })

  it("has no empty messages and no exclamation marks", () => {
    const all = [...Object.values(en), ...Object.values(catalogue)].flatMap(forms)
    expect(all.filter((text) => text.trim() === "" || text.includes("!"))).toEqual([])
  })
})
