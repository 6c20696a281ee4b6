import { readFileSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import {
  addDistractor,
  type Question,
  type QuestionSet,
  type SourceFile,
  type Targets,
} from "./question-set.ts"

const folder = join(import.meta.dirname, "../data/retrieval")

const FileSet = z.object({
  files: z.array(z.object({ name: z.string(), text: z.string() })),
  questions: z.array(z.object({ q: z.string(), gold: z.string() })),
})
const Manual = z.object({ name: z.string(), passages: z.array(z.string()) })
const ManPages = z.array(
  z.object({ name: z.string(), q: z.string(), passages: z.array(z.string()) }),
)
const FollowUps = z.array(
  z.object({
    kind: z.enum(["dep", "shift"]),
    previous: z.string(),
    q: z.string(),
    gold: z.string(),
  }),
)
const Prompts = z.array(z.object({ kind: z.enum(["small", "whole"]), q: z.string() }))
const Unanswerable = z.array(z.string())

const readJson = <T>(name: string, schema: z.ZodType<T>): T =>
  schema.parse(JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")))

const fileNamed = (files: readonly SourceFile[], name: string): SourceFile => {
  const file = files.find((one) => one.name === name)
  if (!file) throw new Error(`The set has no file named ${name}`)
  return file
}

const readFileSet = (name: string): { files: SourceFile[]; questions: Question[] } => {
  const { files, questions } = readJson(name, FileSet)
  return {
    files,
    questions: questions.map(({ q, gold }) => ({
      text: q,
      gold: { file: fileNamed(files, gold), range: null },
    })),
  }
}

/** The Python language reference, a distractor that answers none of the questions. */
export const readManual = (passages?: number): SourceFile => {
  const manual = readJson("manual", Manual)
  return { name: manual.name, text: manual.passages.slice(0, passages).join("\n\n") }
}

export const readOneFact = () => readFileSet("onefact")

const readManPages = (): QuestionSet => {
  const pages = readJson("apropos", ManPages).map(({ name, q, passages }) => ({
    file: { name, text: passages.join("\n\n") },
    question: q,
  }))
  return {
    name: "Man pages by their one-line descriptions",
    files: pages.map(({ file }) => file),
    questions: pages.map(({ file, question }) => ({
      text: question,
      gold: { file, range: null },
    })),
    targets: { recall: 0.98 },
  }
}

/** The sets on which the retrieval constants were tuned. */
export const readRetrievalSets = (manual: SourceFile): QuestionSet[] => {
  const facts = readOneFact()
  const oneFact: QuestionSet = { name: "One fact a file", ...facts, targets: { recall: 0.95 } }
  const identifiers: QuestionSet = {
    name: "Identifiers",
    ...readFileSet("identifiers"),
    targets: { recall: 1 },
  }
  const besideManual = (name: string, questions: Question[], targets: Targets): QuestionSet =>
    addDistractor({ name, files: facts.files, questions, targets }, manual, targets)
  const withoutAnswer = (texts: readonly string[]): Question[] =>
    texts.map((text) => ({ text, gold: null }))

  const followUps = readJson("followups", FollowUps)
  const turnsOf = (kind: "dep" | "shift"): Question[] =>
    followUps
      .filter((turn) => turn.kind === kind)
      .map(({ q, previous, gold }) => ({
        text: q,
        previous,
        gold: { file: fileNamed(facts.files, gold), range: null },
      }))

  return [
    oneFact,
    addDistractor(oneFact, manual, { recall: 0.93 }),
    besideManual("Follow-ups", turnsOf("dep"), { recall: 0.9 }),
    besideManual("Changes of topic", turnsOf("shift"), { recall: 0.85 }),
    identifiers,
    addDistractor(identifiers, manual, { recall: 1 }),
    { name: "Invoices by number", ...readFileSet("identifiers-hard"), targets: { recall: 1 } },
    readManPages(),
    besideManual(
      "No answer in the files",
      withoutAnswer(readJson("unanswerable", Unanswerable)),
      {},
    ),
    besideManual(
      "Small talk, whole documents",
      withoutAnswer(readJson("prompts", Prompts).map(({ q }) => q)),
      {},
    ),
  ]
}
