import { describe, expect, it } from "vitest"
import { maxQueryLength, parseRewriting } from "./parse-rewriting.ts"

const question = "And in winter?"
const languages = ["de", "pt"]
const parse = (answer: string) => parseRewriting(answer, { question, languages })
const textsOf = (answer: string) => parse(answer)?.map(({ text }) => text)

describe("a rewriting model's answer", () => {
  it("has a query of each kind", () => {
    const answer = {
      standalone: "When is the pool open in winter?",
      paraphrase: "pool opening hours winter",
      translations: { de: "Wann ist das Bad im Winter offen?", "pt-BR": "Quando abre no inverno?" },
    }
    expect(parse(JSON.stringify(answer))).toEqual([
      { kind: "standalone", text: answer.standalone, language: null },
      { kind: "paraphrase", text: answer.paraphrase, language: null },
      { kind: "translation", text: answer.translations.de, language: "de" },
      { kind: "translation", text: answer.translations["pt-BR"], language: "pt" },
    ])
  })

  it.each([
    ["fenced", '```json\n{"standalone": "A pool?"}\n```'],
    ["after a sentence with braces", 'As {JSON}: {"standalone": "A pool?"}'],
    ["between sentences", 'Sure! {"standalone": "A pool?"} Anything else?'],
    ["with white space", '{"standalone": "  A\\n pool?\\u0000 "}'],
  ])("is read if it is %s", (_name, answer) => {
    expect(textsOf(answer)).toEqual(["A pool?"])
  })

  it.each([
    ["", null],
    ["I don't know.", null],
    ["}{", null],
    ['["standalone"]', null],
    ['{"standalone": 1, "paraphrase": "", "translations": "de"}', null],
    [JSON.stringify({ standalone: "x".repeat(maxQueryLength + 1) }), null],
    ['{"translations": {"fr": "Et en hiver ?"}}', null],
    ['{"standalone": "and in WINTER"}', []],
    ['{"standalone": "A pool?", "paraphrase": "a pool"}', ["A pool?"]],
  ])("%j has the queries %j", (answer, texts) => {
    expect(textsOf(answer) ?? null).toEqual(texts)
  })

  it("is read in time in proportion to its length", () => {
    const start = performance.now()
    expect(parse(`${"{".repeat(100_000)}${"}".repeat(100_000)}`)).toBe(null)
    expect(performance.now() - start).toBeLessThan(1000)
  })
})
