import { describe, expect, it } from "vitest"
import { endOfNested, readMembers, rejectDuplicateMembers, spliceMembers } from "./json-members.ts"

const spliced = (text: string, changes: Record<string, unknown>): string => {
  const bytes = Buffer.from(text)
  const json = Object.entries(changes).map(([key, value]) => [key, JSON.stringify(value)] as const)
  return spliceMembers(bytes, readMembers(bytes), new Map(json)).toString()
}

describe("readMembers", () => {
  it.each([
    ["no members", "{}"],
    ["only whitespace", " \n{ \t}\r\n"],
    ["every kind of value", '{"a":1,"b":-1.5e+10,"c":true,"d":null,"e":"x","f":[],"g":{}}'],
    ["whitespace everywhere", ' {\n "a" :\t1 ,\r\n "b"\n:\n"x" } '],
    ["nesting", '{"a":{"a":[{"a":"}"},["]"]]},"b":[[[]],"{"]}'],
    ["quotes and backslashes", '{"a":"\\"","b":"\\\\","c":"\\\\\\"}","d\\"":1,"e\\\\":2}'],
    ["escaped keys", '{"mod\\u0065l":"x","\\ud83d\\ude00":1,"\\/":2}'],
    ["unicode", '{"ключ":"значение","😀":"👨‍👩‍👧","a":"ü\u2028"}'],
    ["a scalar before the closing brace", '{"a":1}'],
    ["keys of Object.prototype", '{"__proto__":{"x":1},"constructor":2,"toString":3}'],
  ])("finds the same members as JSON.parse in an object with %s", (_what, text) => {
    const bytes = Buffer.from(text)
    const found = readMembers(bytes).map(({ key, valueStart, valueEnd }) => [
      key,
      JSON.parse(bytes.toString("utf8", valueStart, valueEnd)),
    ])
    expect(found).toEqual(Object.entries(JSON.parse(text)))
  })

  it("returns byte offsets of each key and value", () => {
    const bytes = Buffer.from('{ "ä" : "ö" , "b":2}')
    const texts = readMembers(bytes).map((m) => bytes.toString("utf8", m.start, m.valueEnd))
    expect(texts).toEqual(['"ä" : "ö"', '"b":2'])
  })

  it("finds the closing brace of a nested value", () => {
    const bytes = Buffer.from('x{"a":["}",{}]},{}')
    expect(bytes.toString("utf8", 1, endOfNested(bytes, 1))).toBe('{"a":["}",{}]}')
  })
})

describe("spliceMembers", () => {
  it.each([
    [
      "a value in the middle",
      '{"a":1, "model" : "x" ,"b":1e5}',
      { model: "y" },
      '{"a":1, "model" : "y" ,"b":1e5}',
    ],
    ["a nested value", '{"m":{"x":[1,{"m":2}]},"n":{"m":3}}', { m: 0 }, '{"m":0,"n":{"m":3}}'],
    ["an escaped key", '{"mod\\u0065l":"x"}', { model: "y" }, '{"mod\\u0065l":"y"}'],
    ["several values", '{"a":1,"b":2,"c":3}', { c: 30, a: 10 }, '{"a":10,"b":2,"c":30}'],
    ["a new member", '\n{ "a":1 }\n', { s: { t: true } }, '\n{"s":{"t":true}, "a":1 }\n'],
    ["new and existing members", '{"a":1}', { a: 2, b: 3, c: 4 }, '{"b":3,"c":4,"a":2}'],
    ["members of an empty object", "{}", { a: 1, b: 2 }, '{"a":1,"b":2}'],
    ["nothing", '{ "a" : 1.0 }', {}, '{ "a" : 1.0 }'],
    [
      "a value next to Unicode text",
      '{"ü":"\\u00fc😀","model":"é"}',
      { model: "ñ" },
      '{"ü":"\\u00fc😀","model":"ñ"}',
    ],
    ["a key with quotes", "{}", { 'a"b': 1 }, '{"a\\"b":1}'],
  ])("sets %s and keeps every other byte", (_what, text, changes, expected) => {
    expect(spliced(text, changes)).toBe(expected)
    expect(JSON.parse(expected)).toEqual({ ...JSON.parse(text), ...changes })
  })

  it("keeps numbers that JavaScript cannot represent", () => {
    const text = '{"seed":12345678901234567890,"x":1e400,"model":"a","y":0.10000000000000000001}'
    expect(spliced(text, { model: "b" })).toBe(text.replace('"a"', '"b"'))
  })
})

describe("duplicate members", () => {
  it.each([
    ["the same key twice", '{"model":"a","model":"b"}', "model"],
    ["different case", '{"model":"a","x":1,"MODEL":"b"}', "MODEL"],
    ["an escaped spelling", '{"model":"a","mod\\u0065l":"b"}', "model"],
    ["different case, with upper case first", '{"Stream":true,"stream":false}', "stream"],
  ])("are rejected: %s", (_what, text, param) => {
    expect(() => rejectDuplicateMembers(readMembers(Buffer.from(text)))).toThrow(
      expect.objectContaining({ code: "duplicate_parameter", details: { param } }),
    )
  })

  it("are allowed below the top level", () => {
    const text = '{"a":{"b":1,"b":2},"b":[{"a":1,"A":2}],"c":"\\"a\\":1"}'
    expect(() => rejectDuplicateMembers(readMembers(Buffer.from(text)))).not.toThrow()
  })
})
