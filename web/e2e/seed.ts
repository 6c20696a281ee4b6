import { createPdf } from "../../server/test/files/make-documents.ts"
import type { TestGateway } from "../../server/test/harness/gateway.ts"
import { createCollection, upload } from "../../server/test/knowledge/collections.ts"
import { seedFunctions } from "./seed-functions.ts"
import { seedLimits, seedWebhook } from "./seed-limits.ts"
import { seedPrices } from "./seed-prices.ts"
import { seedUsage } from "./seed-usage.ts"
import type { BrowserSession } from "./test-app.ts"

const sampleText = `Tides at **Brest**:

| Hour | Height |
|---|--:|
| 06:00 | 6.9 m |

- [x] flood until *six*
- [ ] ebb until \`noon\`

\`\`\`ts
const tide = (hour: number): number => 4 + 2.9 * Math.cos(hour)
\`\`\`

$$h(t) = h_0 + A \\cos(t)$$`

/** A chat in which two models answered side by side. */
const seedChat = async ({ call }: TestGateway): Promise<string> => {
  const models = ["gpt-fake", "gpt-reason-fake"]
  for (const model of models) {
    await call("PUT", `/api/v1/prices/${model}`, { input: 1800, output: 9000, from: 0 })
  }
  const { id } = (await call("POST", "/api/v1/chats/new", { models, tags: ["sea"] })).body
  const path = `/api/v1/chats/${id}`
  const running = ({ state }: { state: string }): boolean => state === "running"
  for (const [index, content] of [sampleText, "And at Le Havre?"].entries()) {
    await call("POST", `${path}/messages`, { content, models: models.slice(0, 2 - index) })
    while ((await call("GET", path)).body.messages.some(running));
    const [, answer] = (await call("GET", path)).body.messages
    const rating = { value: "up", reason: "Names the source of each time" }
    await call("POST", `${path}/messages/${answer.id}/rating`, rating)
  }
  await call("POST", path, { title: "Tides at Brest", pinned: true })
  return id
}

const handbook = `# Harbour handbook

## Tides

The tide at Brest turns at six in the morning and at noon. Pilots wait for the flood before they bring ships in.

## Safety

Everybody on deck wears a life jacket. The lifeboat of the harbour answers on channel 16.
`

/** Questions of a collection: two that it answers, one that it never did, and one that got worse. */
const seedQuestions = async (gateway: TestGateway, collectionId: string): Promise<void> => {
  const { call } = gateway
  const query = "?process_in_background=false"
  const prices = await upload(gateway, "prices.txt", "A night costs 31 euros.", { query })
  const { id: file_id } = prices.body
  const path = `/api/v1/knowledge/${collectionId}`
  const questions = [
    { question: "When does the tide turn?", filename: "harbour-handbook.md" },
    {
      question: "Which channel does the lifeboat answer on?",
      previous: "Who helps in an emergency?",
      filename: "harbour-handbook.md",
      quotation: "The lifeboat of the harbour answers on channel 16.",
      note: "Asked in every drill",
    },
    { question: "What does a berth cost?", filename: "berths.pdf" },
    { question: "What does a night cost?", filename: "prices.txt", quotation: "31 euros" },
  ]
  const run = async (): Promise<void> => {
    await call("POST", `${path}/questions/run`)
    while ((await call("GET", `${path}/questions/runs`)).body.status !== "idle");
  }
  await call("POST", `${path}/file/add`, { file_id })
  await call("POST", `${path}/questions/import`, { questions })
  await run()
  await call("DELETE", `/api/v1/files/${file_id}`)
  await run()
}

/** A collection with files in every state, and a chat that uses it. */
const seedKnowledge = async (gateway: TestGateway) => {
  const { call } = gateway
  const query = "?process_in_background=false"
  const files = await Promise.all([
    upload(gateway, "harbour-handbook.md", handbook, { query }),
    upload(gateway, "tide-table.csv", "Hour,Height\n06:00,6.9\n12:00,1.1", { query }),
    upload(gateway, "scan-of-1911.pdf", createPdf([""]), { query }),
    upload(gateway, "kept-for-later.txt", "Stored only.", { query: "?process=false" }),
  ])
  const ids = files.map(({ body }) => body.id)
  const collectionId = await createCollection(gateway, "Harbour", ids)
  const description = "Tides, safety and the rules of the port of Brest"
  await call("POST", `/api/v1/knowledge/${collectionId}/update`, { description })
  await seedQuestions(gateway, collectionId)
  await createCollection(gateway, "Translations")
  const { id } = (await call("POST", "/api/v1/chats/new", { models: ["gpt-fake"] })).body
  const path = `/api/v1/chats/${id}`
  const content = "When does the tide at Brest turn [1], and who answers on channel 16 [2]?"
  const attachedFiles = [{ type: "collection", id: collectionId }]
  await call("POST", `${path}/messages`, { content, files: attachedFiles })
  const running = ({ state }: { state: string }): boolean => state === "running"
  while ((await call("GET", path)).body.messages.some(running));
  return { collectionId, fileId: ids[0], sourcedId: String(id) }
}

/** Two prompts; the first has variables. @returns its id */
const seedPrompts = async ({ call }: TestGateway): Promise<string> => {
  const reply = await call("POST", "/api/v1/prompts/create", {
    command: "reply",
    title: "Reply to a ship",
    content:
      "Write a {{tone:formal,friendly}} reply to {{ship}} about {{topic|the tide}} on {{date}}.",
  })
  await call("POST", "/api/v1/prompts/create", {
    command: "summary",
    title: "Summarize",
    content: "Summarize this in three sentences.",
    access_grants: [{ principal_type: "user", principal_id: "*", permission: "read" }],
  })
  return reply.body.id
}

/** A project with a file and a chat. @returns its id */
const seedProject = async ({ call }: TestGateway, fileId: string): Promise<string> => {
  const project = await call("POST", "/api/v1/folders/", {
    name: "Harbour works",
    instructions: "Answer as a harbour pilot.",
    model: "gpt-fake",
    files: [{ type: "file", id: fileId }],
  })
  await call("POST", "/api/v1/chats/new", { title: "New quay", folder: "Harbour works" })
  return project.body.id
}

/** Creates data for every page: users, groups, models, API keys, and usage. */
export const seed = async (gateway: TestGateway) => {
  const { call } = gateway
  const people = ["Grace Hopper", "Alan Turing", "Katherine Johnson", "Edsger Dijkstra"]
  const ids: string[] = []
  for (const [index, name] of people.entries()) {
    const email = `${name.split(" ")[0]?.toLowerCase()}@example.com`
    const role = index === 3 ? "pending" : "user"
    const body = { name, email, password: `${name} has a password`, role }
    ids.push((await call("POST", "/api/v1/auths/add", body)).body.id)
  }
  const group = await call("POST", "/api/v1/groups/create", {
    name: "Harbour pilots",
    description: "Those who bring ships in",
  })
  const groupId: string = group.body.id
  await call("POST", `/api/v1/groups/${groupId}/members/add`, { user_ids: ids.slice(0, 2) })
  await call("POST", `/api/v1/groups/${groupId}/managers/add`, { user_ids: ids.slice(0, 1) })
  const key = await call("POST", `/api/v1/groups/${groupId}/keys`, { name: "Tide display" })
  await call("POST", "/api/v1/groups/create", { name: "Translators" })
  const model = {
    id: "harbour-pilot",
    name: "Harbour pilot",
    base_model_id: "llama3.2:latest",
    meta: { description: "Knows the tides and answers briefly", tags: ["harbour", "tides"] },
    params: { system: "You are a harbour pilot. Answer in one sentence.", temperature: 0.2 },
    access_grants: [{ principal_type: "group", principal_id: groupId, permission: "read" }],
  }
  await call("POST", "/api/v1/models/create", model)
  await call("POST", "/api/v1/models/create", {
    ...model,
    id: "translator",
    name: "Translator",
    meta: { description: "From any language into plain English", tags: [] },
    access_grants: [{ principal_type: "user", principal_id: "*", permission: "read" }],
    is_active: false,
  })
  const own = await call("POST", "/api/v1/auths/api_keys", { name: "Nightly report" })
  await call("POST", "/api/v1/auths/api_keys", {
    name: "Search page",
    expires_at: Math.floor(Date.now() / 1000) + 86_400 * 20,
    allowed_models: ["gpt-fake"],
    allowed_routes: ["/v1/chat/completions"],
  })
  const connection = await call("POST", "/api/v1/connections/create", {
    kind: "openai",
    name: "Unplugged server",
    base_url: "http://127.0.0.1:9/v1",
    api_key: "sk-nothing-here-0123456789",
  })
  await seedUsage(gateway, { days: 40, userIds: ids, groupId })
  await seedPrices(gateway)
  const keyId: string = key.body.id
  const ownKeyId: string = own.body.id
  const connectionId: string = connection.body.id
  const userId = ids[0] ?? ""
  const limited = { userId, groupId, keyId, ownKeyId, connectionId }
  const limitId = await seedLimits(gateway, limited)
  await seedWebhook(gateway)
  await seedFunctions(gateway)
  const promptId = await seedPrompts(gateway)
  const chatId = await seedChat(gateway)
  const events = await call("GET", "/api/v1/audit?action=model.created")
  const eventId: string = events.body.items[0].id
  const knowledge = await seedKnowledge(gateway)
  const projectId = await seedProject(gateway, knowledge.fileId ?? "")
  return {
    ...knowledge,
    userId,
    groupId,
    connectionId,
    keyId,
    ownKeyId,
    limitId,
    chatId,
    eventId,
    promptId,
    projectId,
  }
}

/** Opens the parts of a page that are hidden at first. */
export const expandPage = async ({ page }: BrowserSession, name: string): Promise<void> => {
  if (name === "chat-sources") {
    await page
      .getByRole("button", { name: /^(Source|Quelle) 1/ })
      .first()
      .click()
    await page.locator("mark").waitFor()
  }
  if (name === "limit-new") await page.locator("main summary").click()
  if (name === "key-view") {
    await page.getByRole("button", { name: /^(Add limit|Limit hinzufügen)$/ }).click()
  }
  if (name === "collection-search") {
    await page.locator("main form input").first().fill("tide at Brest")
    await page.keyboard.press("Enter")
    await page.getByText(/^(Keyword search: rank|Stichwortsuche: Rang) 1/).waitFor()
  }
}
