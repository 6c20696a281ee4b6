// `npm run bench:json-strings`: finding the end of a JSON string of 40 MB in WebAssembly, compared
// with a loop over its bytes and with a regular expression over decoded text.
import { findStringDelimiter, scanWindow, scanWindowBytes } from "../src/http/json-string-search.ts"
import { type Mark, passes } from "./measure/line.ts"
import { median } from "./measure/median.ts"
import { formatMarks } from "./measure/table.ts"

const rounds = 31
const stringBytes = 40_000_000
/** A hand-written module is worth it only if it takes at most a third of the time. */
const maxShare = 1 / 3

const quote = 0x22
const backslash = 0x5c
const decoded = Buffer.from(scanWindow.buffer)
// biome-ignore lint/suspicious/noControlCharactersInRegex: they end a JSON string
const delimiter = /["\\\u0000-\u001f]/

/** Each returns the offset of the first delimiter in the window, or `end`. */
const searches = {
  WebAssembly: (end: number) => Math.min(end, findStringDelimiter(0, end)),
  loop: (end: number) => {
    let at = 0
    for (; at < end; at++) {
      const byte = scanWindow[at] ?? 0
      if (byte < 0x20 || byte === quote || byte === backslash) break
    }
    return at
  },
  "regular expression": (end: number) => {
    const at = decoded.toString("latin1", 0, end).search(delimiter)
    return at === -1 ? end : at
  },
}

const text = Buffer.alloc(stringBytes, "base64+text/")

/** CPU time in ms. */
const measure = (search: (end: number) => number): number => {
  const before = process.cpuUsage()
  for (let from = 0; from < text.length; from += scanWindowBytes) {
    const part = text.subarray(from, from + scanWindowBytes)
    scanWindow.set(part)
    if (search(part.length) !== part.length) throw new Error("The text contains a delimiter")
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const timesByName = new Map<string, number[]>()
for (let round = 0; round < rounds; round++) {
  for (const [name, search] of Object.entries(searches)) {
    timesByName.set(name, [...(timesByName.get(name) ?? []), measure(search)])
  }
}
const medianOf = (name: keyof typeof searches): number => median(timesByName.get(name) ?? [])
for (const [name, times] of timesByName) {
  console.log(`${name.padEnd(20)} ${median(times).toFixed(1).padStart(6)} ms CPU`)
}
const fastest = Math.min(medianOf("loop"), medianOf("regular expression"))
const marks: Mark[] = [
  {
    what: "share of the faster plain search",
    value: medianOf("WebAssembly") / fastest,
    unit: "",
    limit: maxShare,
  },
]
console.log(`\n${formatMarks(marks)}`)
process.exitCode = marks.every(passes) ? 0 : 1
