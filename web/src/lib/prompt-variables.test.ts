import { describe, expect, it } from "vitest"
import { fillVariables, findVariables, isAutomatic } from "./prompt-variables.ts"

const variable = (name: string, defaultValue = "", options: string[] = []) => ({
  name,
  defaultValue,
  options,
})

describe("the variables of a prompt", () => {
  it.each([
    ["{{name}}", [variable("name")]],
    ["{{ first name }}", [variable("first name")]],
    ["{{tone|friendly}}", [variable("tone", "friendly")]],
    ["{{url|https://a.example/?b=1}}", [variable("url", "https://a.example/?b=1")]],
    ["{{tone: formal, friendly}}", [variable("tone", "formal", ["formal", "friendly"])]],
    ["{{Größe}} {{größe}}", [variable("Größe"), variable("größe")]],
    ["{{a}} and {{a|again}}", [variable("a")]],
    ["{{{a}}}", [variable("a")]],
    ["{{}} {{ }} {{|x}} {{a:}} {{a:,}} {{a\nb}} {{a.b}} {a} {{a", []],
    [`{{${"a".repeat(51)}}} {{a|${"b".repeat(600)}}}`, []],
  ])("of %j", (text, expected) => {
    expect(findVariables(text)).toEqual(expected)
  })

  it("are at most twenty; what follows stays as it is", () => {
    const text = Array.from({ length: 25 }, (_, n) => `{{v${n}}}`).join("")
    expect(findVariables(text)).toHaveLength(20)
    expect(fillVariables(text, {})).toBe("{{v20}}{{v21}}{{v22}}{{v23}}{{v24}}")
  })

  it("are replaced everywhere, by their defaults if they have no value", () => {
    const text = "Dear {{name}}, {{tone|hi}} {{name}}! {{pick:x,y}} {{not a.variable}}"
    expect(fillVariables(text, { name: "{{tone}}" })).toBe(
      "Dear {{tone}}, hi {{tone}}! x {{not a.variable}}",
    )
    expect(fillVariables("{{tone|hi}}", { tone: "" })).toBe("")
    expect(fillVariables("{{constructor}}", {})).toBe("")
  })

  it("named date and user are automatic", () => {
    const all = findVariables("{{date}} {{user}} {{name}}")
    expect(all.map(isAutomatic)).toEqual([true, true, false])
    expect(findVariables("{{date:today,tomorrow}}").map(isAutomatic)).toEqual([false])
  })

  it("are found in linear time in hostile texts", () => {
    for (const text of ["{{".repeat(10_000), "{{a|".repeat(5000), "{{a:,".repeat(4000)]) {
      expect(findVariables(text)).toEqual([])
    }
  })
})
