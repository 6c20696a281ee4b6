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

const englishNote = (at: number): string =>
  `Note ${at}: our team plans the release of the software in a meeting. Who takes part in the meeting of the team is written on the board of the software release. `.repeat(
    9,
  )
const germanPlan = (at: number): string =>
  `Das Team bespricht jedes Software Release in einem Meeting, und für das Meeting ${at} gibt es einen Raum und ein Board. `.repeat(
    9,
  )
const germanRule = (clause: string): string =>
  `Vor der Freigabe muss die Geschäftsleitung schriftlich zustimmen, ${clause}, sonst wird die Freigabe verschoben. `.repeat(
    9,
  )
const releaseQuestion = "Who takes part when the team plans the release of the software?"
const germanRelease = "Muss die Geschäftsleitung der Freigabe schriftlich zustimmen?"
const releaseAnswer = {
  standalone: "Who takes part in the meeting of the team about the software release?",
  paraphrase: "The board lists the people in the meeting on the release.",
  translations: { de: germanRelease, fr: "Qui participe à la réunion ?" },
}

let gateway: TestGateway
let upstream: FakeUpstream
let collection: string

beforeAll(async () => {
  upstream = await startFakeUpstream({
    respond: ({ path, body }) =>
      path === "/v1/models"
        ? jsonResponse(200, { data: [{ id: "writer" }] })
        : streamed(JSON.stringify(body.includes(releaseQuestion) ? releaseAnswer : answer)),
  })
  const settings = { query_rewriting_timeout_ms: 20_000 }
  const env = { OPENAI_API_BASE_URLS: `${upstream.origin}/v1` }
  gateway = await startGateway(env, { defaultSettings: settings })
  await waitForModels(gateway, ["writer"])
  collection = await collect({ "ordnung.md": handbook })
})
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
})

const collect = async (texts: Record<string, string>): Promise<string> => {
  const ids: string[] = []
  for (const [name, text] of Object.entries(texts)) {
    const query = "?process_in_background=false"
    ids.push((await upload(gateway, name, text, { query })).body.id)
  }
  return createCollection(gateway, "Rules", ids)
}

interface Passage {
  filename: string
  text: string
  used: boolean
  reserved: string | null
  found_by: string | null
}

const search = async (text: string, id = collection) => {
  const path = `/api/v1/knowledge/${id}/query`
  const { body } = await gateway.call("POST", path, { query: text, model: "writer", k: 300 })
  const passages: Passage[] = body.passages
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

it("finds the best passages of a language with the question's translation", async () => {
  const many = (name: string, textOf: (at: number) => string): Record<string, string> =>
    Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`${name}-${at}.txt`, textOf(at)]))
  const id = await collect({
    ...many("note", englishNote),
    ...many("plan", germanPlan),
    "one.txt": germanRule("bei Fehlern auch die Technik"),
    "two.txt": germanRule("im Sommer auch die Vertretung"),
    "three.txt": germanRule("im Ausland auch die Rechtsabteilung"),
    "fr.txt": "La réunion du matin commence à neuf heures dans la grande salle du bâtiment.",
  })
  await gateway.call("POST", `/api/v1/knowledge/${id}/update`, {
    ...{ search: "lexical", query_rewriting: "on" },
  })
  const { rewriting, passages } = await search(releaseQuestion, id)
  expect(rewriting.queries).toHaveLength(4)
  const rules = passages.filter(({ text }) => text.includes("Geschäftsleitung"))
  expect(rules.map(({ used, found_by }) => ({ used, found_by }))).toEqual(
    Array(3).fill({ used: true, found_by: germanRelease }),
  )
  // Only their English words resemble the question.
  const plans = passages.filter(({ text }) => text.includes("Software Release"))
  expect(plans.some(({ reserved }) => reserved === "language")).toBe(false)
})
