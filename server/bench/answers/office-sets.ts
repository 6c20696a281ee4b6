import { readFileSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import type { Archive } from "./listings.ts"
import {
  addDistractor,
  type GoldPassage,
  type Question,
  type QuestionSet,
  type SourceFile,
  type Targets,
} from "./question-set.ts"

const folder = join(import.meta.dirname, "../data/office")

const OfficeSet = z.object({
  files: z.array(
    z.object({
      name: z.string(),
      text: z.string(),
      /** What questions call the file; needed if several have the same name. */
      id: z.string().optional(),
      /** The document states this date; without one, the file is plain text. */
      date: z.iso.date().optional(),
      later: z.boolean().optional(),
    }),
  ),
  questions: z.array(
    z.object({
      row: z.string(),
      q: z.string(),
      previous: z.string().optional(),
      file: z.string(),
      /** Verbatim in the file's text. */
      answer: z.string(),
      /** The same statement in earlier versions of the file. */
      outdated: z.array(z.object({ file: z.string(), answer: z.string() })).optional(),
    }),
  ),
})
type OfficeSet = z.output<typeof OfficeSet>

const readJson = <T>(file: string, schema: z.ZodType<T>): T =>
  schema.parse(JSON.parse(readFileSync(join(folder, file), "utf8")))

const createPassageLookup = (set: OfficeSet, files: readonly SourceFile[]) => {
  const fileById = new Map(set.files.map(({ id, name }, at) => [id ?? name, files[at]]))
  return (id: string, answer: string): GoldPassage => {
    const file = fileById.get(id)
    const start = file?.text.indexOf(answer) ?? -1
    if (!file || start < 0) throw new Error(`${id} does not contain "${answer}"`)
    return { file, range: { start, end: start + answer.length } }
  }
}

/** Reads a set as one question set for each row that its questions name. */
const readOfficeSet = (file: string, targets: Record<string, Targets> = {}): QuestionSet[] => {
  const set = readJson(file, OfficeSet)
  const older = new Set(
    set.questions.flatMap(({ outdated = [] }) => outdated.map(({ file }) => file)),
  )
  const files: SourceFile[] = set.files.map(({ id, name, text, date, later }) => ({
    name,
    text,
    date,
    isLater: later,
    isOlder: older.has(id ?? name),
  }))
  const passageOf = createPassageLookup(set, files)
  const questionOf = (one: OfficeSet["questions"][number]): Question => ({
    text: one.q,
    ...(one.previous && { previous: one.previous }),
    gold: passageOf(one.file, one.answer),
    outdated: one.outdated?.map((older) => passageOf(older.file, older.answer)),
  })
  const rows = Map.groupBy(set.questions, ({ row }) => row)
  return [...rows].map(([name, questions]) => ({
    name,
    files,
    questions: questions.map(questionOf),
    targets: targets[name] ?? {},
  }))
}

const identifierTarget: Targets = { recall: 0.97 }

/** Sets of company documents: identifiers in sentences, and two languages in one collection. */
export const readOfficeSets = (manual: SourceFile): QuestionSet[] => [
  ...readOfficeSet("fault-codes.json", { "Fault codes": identifierTarget }),
  ...readOfficeSet("house-identifiers.json", {
    "Part numbers": identifierTarget,
    "Clause numbers": identifierTarget,
    "Room codes": identifierTarget,
  }),
  ...readOfficeSet("ferry-two-languages.json").map((set) => addDistractor(set, manual)),
]

/** Documents in several versions, and documents of one template that are not versions. */
export const readVersionSets = (): QuestionSet[] => readOfficeSet("versions.json")

const ArchiveFile = z.object({ files: z.array(z.object({ name: z.string(), text: z.string() })) })
const copiedFiles = 5

/** The files of an archive; nothing is asked but what they are. */
export const readArchive = (): Archive => {
  const { files } = readJson("archive-400-files.json", ArchiveFile)
  return { files, copies: files.slice(0, copiedFiles).map((file) => ({ ...file })) }
}
