import { describe, expect, it } from "vitest"
import { parsePriceFile } from "./price-file.ts"

const parse = (name: string, value: unknown) =>
  parsePriceFile({ name, text: typeof value === "string" ? value : JSON.stringify(value) })

describe("a file with prices", () => {
  const entry = { model: "m", input: 1, output: 2 }

  it("is recognized by its name or contents", () => {
    const text = "model,input,output\nm,1,2"
    expect(parse("prices.CSV", text)).toEqual({ format: "csv", text })
    const exported = { format: "json", prices: [entry] }
    expect(parse("prices.json", exported)).toEqual(exported)
    expect(parse("prices.json", [entry])).toEqual(exported)
    const models = { "gpt-5": { input_cost_per_token: 1e-6 } }
    expect(parse("model_prices.json", models)).toEqual({ format: "litellm", prices: models })
  })

  it.each(["", "<html>", "5", "null"])("is refused if it contains %j", (text) => {
    expect(() => parse("prices.json", text)).toThrow()
  })
})
