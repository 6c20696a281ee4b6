import { afterAll, beforeAll, expect, it } from "vitest"
import { jsonResponse } from "../fakes/responses.ts"
import { type FakeUpstream, startFakeUpstream } from "../fakes/upstream.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { createCollection, upload } from "./collections.ts"
import { isRewriting, streamed } from "./rewriting-upstream.ts"

const subjects = [
  ...["Anreise", "Arbeitszeit", "Dienstreisen", "Elternzeit", "Fortbildung", "Gehalt", "Kantine"],
  ...["Krankmeldung", "Kündigung", "Parkplätze", "Pausen", "Probezeit", "Schlüssel", "Spesen"],
  ...["Telefon", "Überstunden", "Umzug", "Urlaub", "Versicherung", "Weihnachten", "Zeugnis"],
]
const handbook = subjects
  .map((subject) => {
    const text = `Dieses Kapitel der Betriebsordnung regelt den Gegenstand ${subject} für alle Angestellten des Hauses. `
    return `# ${subject}\n\n${text.repeat(16)}`
  })
  .join("\n\n")

const german = "Wie viel Urlaub steht den Angestellten zu?"
const question = "How much time off do employees get each year?"
const answer = {
  standalone: question,
  translations: { de: german, fr: "Combien de jours ?", en: "Another one?" },
}

let gateway: TestGateway
let upstream: FakeUpstream
let collection: string

beforeAll(async () => {
  upstream = await startFakeUpstream({
    respond: ({ path }) =>
      path === "/v1/models"
        ? jsonResponse(200, { data: [{ id: "writer" }] })
        : streamed(JSON.stringify(answer)),
  })
  const settings = { query_rewriting_timeout_ms: 20_000 }
  const env = { OPENAI_API_BASE_URLS: `${upstream.origin}/v1` }
  gateway = await startGateway(env, { defaultSettings: settings })
  await waitForModels(gateway, ["writer"])
  const query = "?process_in_background=false"
  const { body } = await upload(gateway, "ordnung.md", handbook, { query })
  collection = await createCollection(gateway, "Ordnung", [body.id])
})
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
})

const search = async (text: string) => {
  const path = `/api/v1/knowledge/${collection}/query`
  const { body } = await gateway.call("POST", path, { query: text, model: "writer", k: 100 })
  const passages: { text: string; used: boolean; found_by: string | null }[] = body.passages
  return { rewriting: body.rewriting, passages }
}

it("translates a question into the languages of the files, and finds what they say", async () => {
  const { rewriting, passages } = await search(question)
  expect(rewriting).toMatchObject({
    outcome: "used",
    queries: [{ kind: "translation", text: german, language: "de" }],
  })
  const found = passages.find(({ text }) => text.includes("Gegenstand Urlaub"))
  expect(found).toMatchObject({ used: true, found_by: german })
  const request = upstream.requests.filter(isRewriting).at(-1)?.body.toString() ?? ""
  expect(request).toContain("except for the question's own language: de.")
})

it("does not rewrite a complete question in the language of the files", async () => {
  const count = upstream.requests.length
  const { rewriting } = await search("Wie viel Urlaub haben die Angestellten im ersten Jahr?")
  expect(rewriting).toMatchObject({ outcome: "not_needed", queries: [], model: null })
  expect(upstream.requests).toHaveLength(count)
})
