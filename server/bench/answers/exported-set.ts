import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import {
  CollectionQuestion,
  ExportedQuestionSet,
  ImportedQuestions,
  type QuestionRun,
  QuestionSetStatus,
} from "../../src/knowledge/question-sets/schema.ts"
import { type AnswersGateway, forEachConcurrently } from "./gateway.ts"

const pollMs = 500
const pageSize = 200
const maxLength = 70

interface ExportedSetOptions {
  gateway: Pick<AnswersGateway, "call" | "createCollection" | "waitForIndex">
  /** A set as exported from a collection's page or over the API. */
  setPath: string
  /** The folder with its documents, which may be in subfolders. */
  documents: string
  say: (line: string) => void
}

const WithId = z.object({ id: z.string() })
const QuestionPage = z.object({ items: z.array(CollectionQuestion), total: z.int() })

const documentsIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()

const shorten = (text: string): string =>
  text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text

const formatQuestion = ({ question, filename, result }: CollectionQuestion): string => {
  const cells = [question, filename, result?.reached ? "yes" : "no", result?.rank ?? ""]
  const texts = [...cells, result?.reason ?? ""].map((cell) => String(cell).replaceAll("|", "\\|"))
  return `| ${texts.map((text) => shorten(text.replace(/\s+/g, " "))).join(" | ")} |`
}

/** The figures and questions of a run, as on the collection's page. */
export const formatRun = (run: QuestionRun, questions: readonly CollectionQuestion[]): string => {
  const recall = run.total === 0 ? 0 : run.reached / run.total
  const model = run.embedding_model ?? "none"
  return [
    `Recall ${recall.toFixed(3)} (${run.reached} of ${run.total}), mean rank ${run.mean_rank?.toFixed(1) ?? "–"}, ` +
      `${run.token_budget} tokens, embedding model: ${model}`,
    "",
    "| Question | File | Reaches the model | Rank | Reason |",
    "| --- | --- | --- | ---: | --- |",
    ...questions.map(formatQuestion),
  ].join("\n")
}

/** Runs an exported question set on a fresh gateway. @returns whether all passages are reached */
export const measureExportedSet = async (options: ExportedSetOptions): Promise<boolean> => {
  const { gateway, setPath, documents, say } = options
  const set = ExportedQuestionSet.parse(JSON.parse(readFileSync(setPath, "utf8")))
  const paths = documentsIn(documents)
  const ids: string[] = []
  await forEachConcurrently(paths, async (path) => {
    const form = new FormData()
    const name = relative(documents, path).split(/[\\/]/).at(-1) ?? path
    form.append("file", new Blob([new Uint8Array(readFileSync(path))]), name)
    ids.push((await gateway.call(WithId, "/api/v1/files/", form)).id)
  })
  say(`${ids.length} documents uploaded`)
  const id = await gateway.createCollection("Exported set", "hybrid", ids)
  await gateway.waitForIndex(id)
  const path = `/api/v1/knowledge/${id}/questions`
  const imported = await gateway.call(ImportedQuestions, `${path}/import`, set)
  for (const name of imported.unknown_files) say(`${documents} has no file named ${name}`)
  await gateway.call(QuestionSetStatus, `${path}/run`, {})
  let status = await gateway.call(QuestionSetStatus, `${path}/runs`)
  while (status.status !== "idle") {
    await sleep(pollMs)
    status = await gateway.call(QuestionSetStatus, `${path}/runs`)
  }
  const questions: CollectionQuestion[] = []
  for (let page = 1; questions.length < status.total; page++) {
    const query = `page=${page}&page_size=${pageSize}`
    questions.push(...(await gateway.call(QuestionPage, `${path}?${query}`)).items)
  }
  const [run] = status.runs
  if (!run) throw new Error("The questions were not run")
  say(`\n${formatRun(run, questions)}\n`)
  return run.reached === run.total
}
