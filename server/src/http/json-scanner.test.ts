import { describe, expect, it } from "vitest"
import { createChooser } from "../../test/harness/random.ts"
import { JsonScanner } from "./json-scanner.ts"

const limits = { maxDepth: 20, maxValues: 1000, maxMembers: 10, maxNestedMembers: 20 }

const scan = (text: string | Buffer, pieceBytes = 1_000_000) => {
  const bytes = Buffer.from(text)
  const scanner = new JsonScanner(limits)
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    scanner.write(bytes.subarray(at, at + pieceBytes))
  }
  return scanner.end()
}

const isJson = (read: () => unknown): boolean => {
  try {
    read()
    return true
  } catch {
    return false
  }
}

const fragments = [
  ...'{}[],:\\"-.eE+0',
  ...['"a":', '"\\u0041"', "\\u00", "12", "0.5", "1e9", "true", "fals", "null", " \n\t\r", "\x01"],
  ...['"longer than the thirty-two bytes that are looked at one by one, é"', "[1,2]", '{"x":1}'],
]

describe("JsonScanner", () => {
  it("accepts exactly what JSON.parse accepts, however the text is chunked", () => {
    const seed = 20_261_122
    const { below, pick } = createChooser(seed)
    let taken = 0
    for (let round = 0; round < 50_000; round++) {
      const count = 1 + below(9)
      const text = Array.from({ length: count }, () => pick(fragments)).join("")
      const expected = isJson(() => JSON.parse(text))
      if (expected) taken++
      const pieceBytes = 1 + below(7)
      const found = isJson(() => scan(text, pieceBytes))
      expect({ seed, round, text, pieceBytes, isJson: found }).toMatchObject({ isJson: expected })
    }
    expect(taken).toBeGreaterThan(1000)
  })

  it.each([1, 2, 3, 31, 64, 1_000_000])("finds members in chunks of %i bytes", (pieceBytes) => {
    const text =
      ' {"ключ" : "значение", "a\\"":[ {"x":[1]}, 2,[{}],{} ], "n":-1.5e+3 ,"o":{"p":[]}}\n'
    const bytes = Buffer.from(text)
    const found = scan(text, pieceBytes).members?.map((member) => [
      JSON.parse(bytes.toString("utf8", member.start, member.keyEnd)),
      JSON.parse(bytes.toString("utf8", member.valueStart, member.valueEnd)),
      [member.elements, member.objects],
    ])
    expect(found).toEqual([
      ["ключ", "значение", [0, 0]],
      ['a"', [{ x: [1] }, 2, [{}], {}], [4, 2]],
      ["n", -1500, [0, 0]],
      ["o", { p: [] }, [0, 0]],
    ])
  })

  it.each(["[]", '"text"', "1", "null", '[{"a":1}]'])("returns no members for %s", (text) => {
    expect(scan(text).members).toBeNull()
  })

  it("finds the end of strings longer than the scan window", () => {
    for (const length of [31, 32, 33, 47, 48, 65_535, 65_536, 65_537, 200_000]) {
      const bytes = Buffer.from(`{"a":"${"x".repeat(length)}","b":"${"é".repeat(length)}\\n"}`)
      const ends = scan(bytes, 65_000).members?.map(
        ({ valueStart, valueEnd }) => valueEnd - valueStart,
      )
      expect([length, ends]).toEqual([length, [length + 2, 2 * length + 4]])
    }
  })

  it.each([
    ["levels", "[".repeat(20), "[".repeat(21), "invalid_json"],
    ["values", `[${"0,".repeat(997)}0`, `[${"0,".repeat(999)}0`, "body_too_large"],
    [
      "top-level members",
      `{${Array.from({ length: 10 }, (_, n) => `"k${n}":0`).join(",")}`,
      `{${Array.from({ length: 11 }, (_, n) => `"k${n}":0`).join(",")}`,
      "bad_request",
    ],
    [
      "members of an inner object",
      `[{${Array.from({ length: 20 }, (_, n) => `"k${n}":{"x":0}`).join(",")}},{"x":0`,
      `[{${Array.from({ length: 21 }, (_, n) => `"k${n}":{"x":0}`).join(",")}`,
      "body_too_large",
    ],
  ])("rejects too many %s before the text ends", (_what, max, more, code) => {
    expect(() => new JsonScanner(limits).write(Buffer.from(max))).not.toThrow()
    expect(() => new JsonScanner(limits).write(Buffer.from(more))).toThrow(
      expect.objectContaining({ code }),
    )
  })
})
