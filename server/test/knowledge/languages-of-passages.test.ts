import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import { startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"
import { createCollection, uploadTexts } from "./collections.ts"

interface Passage {
  filename: string
  used: boolean
  reserved: string | null
  lexical: { rank: number } | null
}

const english = (at: number): string =>
  `The railway to Zermatt climbs through valley number ${at}. The track is steep and the carriages of the railway are old. Passengers buy their tickets on the train, and the guard explains the way to the hotel. `.repeat(
    4,
  )
const englishFiles = Array.from(
  { length: 40 },
  (_, at) => [`valley-${at}.txt`, english(at)] as const,
)
const german = `Die Bahn nach Zermatt hat eine Zahnstange, weil die Steigung an einigen Stellen 125 Promille beträgt. Die Wagen werden jeden Herbst überholt, und die Fahrgäste steigen in Täsch um.`
const french = `Le chemin de fer de Zermatt est fermé en hiver, quand la neige couvre les voies. Les voyageurs prennent alors le bus depuis la vallée, qui part toutes les heures.`
const question = "How steep is the track of the railway to Zermatt?"

describe.each(chooseDatabases())("languages of passages on $name", ({ createDatabase }) => {
  let gateway: TestGateway
  let englishIds: string[]
  beforeAll(async () => {
    gateway = await startGatewayOnDatabase(createDatabase, { EMBEDDING_MODEL: "none" })
    englishIds = await uploadTexts(gateway, englishFiles)
  })
  afterAll(() => gateway.stop())

  const search = async (files: Record<string, string>, query = question): Promise<Passage[]> => {
    const added = await uploadTexts(gateway, Object.entries(files))
    const id = await createCollection(gateway, "Railways", [...englishIds, ...added])
    const json = { query, k: 300 }
    return (await gateway.call("POST", `/api/v1/knowledge/${id}/query`, json)).body.passages
  }
  const usedOf = (passages: readonly Passage[], name: string) =>
    passages.filter(({ filename, used }) => filename === name && used)

  it("gives the best passages of each language, however many others match in the question's", async () => {
    const passages = await search({ "bahn.txt": german, "train.txt": french })
    for (const name of ["bahn.txt", "train.txt"]) {
      expect(usedOf(passages, name)).toMatchObject([{ reserved: "language" }])
    }
    expect(passages.filter(({ used }) => used).length).toBeGreaterThan(8)
  })

  it("reserves nothing in a collection of one language", async () => {
    const passages = await search({
      "zz.txt": "A steep track in English leads to the railway of Zermatt, in winter only.",
    })
    expect(passages.some(({ reserved }) => reserved === "language")).toBe(false)
  })

  it("reserves nothing for languages that the search finds anyway", async () => {
    const [one, two, three] = ["Im Winter.", "Im Sommer.", "Im Herbst."].map(
      (season) => `${german} ${season}`,
    )
    const files = { "a.txt": one ?? "", "b.txt": two ?? "", "c.txt": three ?? "" }
    const passages = await search(files, "Welche Zahnstange hat die Bahn nach Zermatt?")
    expect(usedOf(passages, "a.txt")).toHaveLength(1)
    expect(passages.some(({ reserved }) => reserved === "language")).toBe(false)
  })
})
