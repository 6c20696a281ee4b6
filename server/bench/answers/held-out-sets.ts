import { readFileSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import type { GoldPassage, QuestionSet } from "./question-set.ts"

const folder = join(import.meta.dirname, "../data/held-out")

const HeldOutSet = z.object({
  files: z.array(z.object({ name: z.string(), passages: z.array(z.string()) })),
  questions: z.array(z.object({ q: z.string(), gold: z.string(), passage: z.int() })),
})

const separator = "\n\n"

const readHeldOutSet = (file: string, name: string): QuestionSet => {
  const set = HeldOutSet.parse(JSON.parse(readFileSync(join(folder, file), "utf8")))
  const texts = new Map(
    set.files.map(({ name, passages }) => [name, { name, text: passages.join(separator) }]),
  )
  const goldOf = (name: string, passage: number): GoldPassage => {
    const source = texts.get(name)
    const passages = set.files.find((one) => one.name === name)?.passages
    const text = passages?.[passage]
    if (!source || text === undefined) throw new Error(`${file}: no passage ${passage} of ${name}`)
    const before = passages?.slice(0, passage).map((one) => one + separator) ?? []
    const start = before.join("").length
    return { file: source, range: { start, end: start + text.length } }
  }
  return {
    name,
    files: [...texts.values()],
    questions: set.questions.map(({ q, gold, passage }) => ({
      text: q,
      gold: goldOf(gold, passage),
    })),
    targets: {},
  }
}

/** Held-out sets: never used for tuning, and never changed. */
export const readHeldOutSets = (): QuestionSet[] => [
  readHeldOutSet("vineyard.en.json", "Held out: a vineyard, English"),
  readHeldOutSet("clinic.es.json", "Held out: a clinic, Spanish"),
]
