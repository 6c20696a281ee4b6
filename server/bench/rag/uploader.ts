import { parentPort, workerData } from "node:worker_threads"
import { z } from "zod"
import { createWriter } from "../../../packages/search/bench/words.ts"
import { createDocx, createOdf, createPdf } from "../../test/files/make-documents.ts"
import { createRandom } from "../../test/harness/random.ts"

const { url, key, files, rounds } = z
  .object({ url: z.string(), key: z.string(), files: z.int(), rounds: z.int() })
  .parse(workerData)
const atOnce = 4
const write = createWriter(createRandom(3))

const paragraphs = (count: number): string[] => Array.from({ length: count }, () => write(80))
const rows = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${at},${write(3)},${write(5)}`)

/** Typical uploads: mostly text, and some of each office format. */
const kinds: [ending: string, make: (at: number) => string | Buffer][] = [
  ["md", () => `# ${write(4)}\n\n${paragraphs(60).join("\n\n")}`],
  ["txt", () => paragraphs(90).join("\n\n")],
  ["html", () => `<h1>${write(3)}</h1><p>${paragraphs(50).join("</p><p>")}</p>`],
  ["csv", () => ["id,name,what", ...rows(400)].join("\n")],
  ["json", () => JSON.stringify({ paragraphs: paragraphs(40) })],
  ["docx", (at) => createDocx({ "docProps/custom.xml": `<n>${at}</n>` })],
  ["pdf", () => createPdf(Array.from({ length: 20 }, () => write(60)))],
  ["ods", (at) => createOdf("spreadsheet", { "n.txt": String(at) })],
  ["odt", (at) => createOdf("text", { "n.txt": String(at) })],
  [
    "ts",
    () =>
      rows(300)
        .map((row) => `export const row = "${row}"`)
        .join("\n"),
  ],
]

const headers = { authorization: `Bearer ${key}` }
const Uploaded = z.object({ id: z.string() })
const Total = z.object({ total: z.int() })

interface Made {
  name: string
  content: Buffer
}

const made = Array.from({ length: files * rounds }, (_, at): Made => {
  const [ending, make] = kinds[at % kinds.length] ?? ["txt", String]
  return { name: `${at}.${ending}`, content: Buffer.from(make(at)) }
})

const send = async ({ name, content }: Made, query = ""): Promise<string> => {
  const form = new FormData()
  form.append("file", new Blob([new Uint8Array(content)]), name)
  const response = await fetch(`${url}/api/v1/files/${query}`, {
    method: "POST",
    headers,
    body: form,
  })
  if (!response.ok) throw new Error(`an upload failed: ${response.status}`)
  return Uploaded.parse(await response.json()).id
}

const count = async (status: string): Promise<number> => {
  const response = await fetch(`${url}/api/v1/files?page_size=1&status=${status}`, { headers })
  return Total.parse(await response.json()).total
}

const until = (reported: string): Promise<void> =>
  new Promise((resolve) => {
    const received = (message: unknown): void => {
      if (message !== reported) return
      parentPort?.off("message", received)
      resolve()
    }
    parentPort?.on("message", received)
  })

const work = async (waiting: Made[]): Promise<void> => {
  for (let one = waiting.pop(); one; one = waiting.pop()) await send(one)
}

/** Uploads files and waits until `total` files are processed. */
const ingest = async (some: readonly Made[], total: number) => {
  const start = performance.now()
  const waiting = [...some]
  await Promise.all(Array.from({ length: atOnce }, () => work(waiting)))
  const uploaded = performance.now() - start
  while ((await count("completed")) + (await count("failed")) < total) {
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  return { uploaded, completed: performance.now() - start }
}

parentPort?.postMessage({ ready: true })
for (let round = 1; round <= rounds; round++) {
  await until("go")
  const some = made.slice((round - 1) * files, round * files)
  const times = await ingest(some, round * files)
  const bytes = some.reduce((sum, { content }) => sum + content.length, 0)
  parentPort?.postMessage({ bytes, failed: await count("failed"), ...times })
}
await until("alone")
const start = performance.now()
await send(
  { name: "alone.md", content: Buffer.from(paragraphs(60).join("\n\n")) },
  "?process_in_background=false",
)
parentPort?.postMessage({ alone: performance.now() - start })
