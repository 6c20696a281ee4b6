import { readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import { Page } from "../../src/http/pagination.ts"
import {
  CollectionQuestion,
  ExportedQuestionSet,
  ImportedQuestions,
  type QuestionRun,
  QuestionSetStatus,
} from "../../src/knowledge/question-sets/schema.ts"
import {
  type AnswersGateway,
  forEachConcurrently,
  plainSettings,
  startAnswersGateway,
} from "./gateway.ts"

const pollMs = 500
const pageSize = 200
const maxLength = 70

interface ExportedSetOptions {
  /** A set as exported from a collection's page or over the API. */
  setPath: string
  /** The folder with its documents, which may be in subfolders. */
  documents: string | undefined
  say: (line: string) => void
}

const WithId = z.object({ id: z.string() })
const QuestionPage = Page(CollectionQuestion)

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
const formatRun = (run: QuestionRun, questions: readonly CollectionQuestion[]): string => {
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

/** @returns ids of the uploaded documents */
const uploadDocuments = async (gateway: AnswersGateway, documents: string): Promise<string[]> => {
  const ids: string[] = []
  await forEachConcurrently(documentsIn(documents), async (path) => {
    const form = new FormData()
    form.append("file", new Blob([new Uint8Array(readFileSync(path))]), basename(path))
    ids.push((await gateway.call(WithId, "/api/v1/files/", form)).id)
  })
  return ids
}

/** @param path of the questions' routes @returns the latest run */
const waitForRun = async (gateway: AnswersGateway, path: string): Promise<QuestionRun> => {
  let status = await gateway.call(QuestionSetStatus, `${path}/run`, {})
  while (status.status !== "idle") {
    await sleep(pollMs)
    status = await gateway.call(QuestionSetStatus, `${path}/runs`)
  }
  const [run] = status.runs
  if (!run || run.outcome === "failed") throw new Error("The questions were not run")
  return run
}

const readQuestions = async (
  gateway: AnswersGateway,
  path: string,
): Promise<CollectionQuestion[]> => {
  const questions: CollectionQuestion[] = []
  for (let page = 1; ; page++) {
    const query = `page=${page}&page_size=${pageSize}`
    const { items } = await gateway.call(QuestionPage, `${path}?${query}`)
    questions.push(...items)
    if (items.length < pageSize) return questions
  }
}

/** Runs an exported question set on a fresh gateway. @returns whether all passages are reached */
export const measureExportedSet = async (options: ExportedSetOptions): Promise<boolean> => {
  const { setPath, documents, say } = options
  if (documents === undefined)
    throw new Error("Pass the folder of the documents: --documents FOLDER")
  const set = ExportedQuestionSet.parse(JSON.parse(readFileSync(setPath, "utf8")))
  const gateway = await startAnswersGateway({})
  try {
    const ids = await uploadDocuments(gateway, documents)
    say(`${ids.length} documents uploaded`)
    const id = await gateway.createCollection("Exported set", plainSettings, ids)
    await gateway.waitForIndex(id)
    const path = `/api/v1/knowledge/${id}/questions`
    const imported = await gateway.call(ImportedQuestions, `${path}/import`, set)
    for (const name of imported.unknown_files) say(`${documents} has no file named ${name}`)
    const run = await waitForRun(gateway, path)
    say(`\n${formatRun(run, await readQuestions(gateway, path))}\n`)
    return run.reached === run.total
  } finally {
    await gateway.stop()
  }
}
