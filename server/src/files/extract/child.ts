import { readFile } from "node:fs/promises"
import { packWords } from "../index-segment.ts"
import { Unreadable } from "./blocks.ts"
import { extract, type Limits } from "./formats.ts"
import { split } from "./passages.ts"

/** Request from the parent process. */
export interface Task {
  path: string
  filename: string
  contentType: string
  limits: Limits
}

/** Messages to the parent, in this order; chunked, so that no single message blocks it for long. */
export type Told =
  | { type: "text"; text: string }
  | {
      type: "passages"
      passages: { starts: number; ends: number; place: string }[]
    }
  | { type: "words"; words: Uint8Array }
  | { type: "done"; format: string; pages: number | null }
  | { type: "unreadable"; message: string }
  | { type: "broke" }

const piece = 250_000
const passagesAtOnce = 500

const tell = (told: Told): Promise<void> =>
  new Promise((resolve, reject) => {
    process.send?.(told, undefined, {}, (error) => (error ? reject(error) : resolve()))
  })

const run = async ({ path, filename, contentType, limits }: Task): Promise<void> => {
  const bytes = await readFile(path)
  const { blocks, format, pages } = await extract({ bytes, filename, contentType }, limits)
  const { text, passages } = split(blocks, limits)
  if (passages.length === 0) throw new Unreadable("No readable text in this file.")
  const indexed = passages.map(({ starts, ends, place }) =>
    [...(place.heading ?? []), place.sheet ?? "", text.slice(starts, ends)].join("\n"),
  )
  const words = packWords(indexed)
  for (let at = 0; at < text.length; at += piece) {
    await tell({ type: "text", text: text.slice(at, at + piece) })
  }
  for (let at = 0; at < passages.length; at += passagesAtOnce) {
    const some = passages.slice(at, at + passagesAtOnce)
    const told = some.map((passage) => ({ ...passage, place: JSON.stringify(passage.place) }))
    await tell({ type: "passages", passages: told })
  }
  await tell({ type: "words", words })
  await tell({ type: "done", format, pages: pages ?? null })
}

/** Recursive parsers overflow the stack on deeply nested documents. */
const isTooDeep = (error: unknown): boolean =>
  error instanceof RangeError && error.message.includes("call stack")

process.on("message", (task: Task) => {
  run(task).catch((error: unknown) => {
    if (error instanceof Unreadable) return tell({ type: "unreadable", message: error.message })
    if (!isTooDeep(error)) return tell({ type: "broke" })
    return tell({ type: "unreadable", message: "This file is nested too deeply." })
  })
})
process.on("disconnect", () => process.exit(0))
