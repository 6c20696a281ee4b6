import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"

const folder = join(import.meta.dirname, "../data/rewrites")

/** What a rewriting model answered; see the gateway's rewriting prompt. */
const Rewrite = z.object({
  standalone: z.string().optional(),
  paraphrase: z.string().optional(),
  translations: z.record(z.string(), z.string()).optional(),
})
type Rewrite = z.output<typeof Rewrite>

const RecordedRewrites = z.record(z.string(), Rewrite)

/** Recorded rewrites by question. */
export type Rewrites = ReadonlyMap<string, Rewrite>

const readFile = (path: string): [string, Rewrite][] =>
  Object.entries(RecordedRewrites.parse(JSON.parse(readFileSync(path, "utf8"))))

/** @param file `off` for none; by default, all files of the project are read */
export const readRewrites = (file: string | undefined): Rewrites => {
  if (file === "off") return new Map()
  if (file) return new Map(readFile(file))
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"))
  return new Map(files.flatMap((name) => readFile(join(folder, name))))
}

/** The rewrite of the longest recorded question in the message, or in its <question> if it has one. */
export const findRewrite = (rewrites: Rewrites, message: string): Rewrite | undefined => {
  const tagged = message.slice(Math.max(0, message.lastIndexOf("<question>")))
  const questions = [...rewrites.keys()].filter((question) => tagged.includes(question))
  const longest = questions.toSorted((a, z) => z.length - a.length)[0]
  return longest === undefined ? undefined : rewrites.get(longest)
}
