import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import type { TestGateway } from "../harness/gateway.ts"
import { createChatClient } from "./chat-client.ts"
import { startChatTestbed } from "./chat-testbed.ts"

interface ChatSummary {
  title: string
}

describe.each(chooseDatabases())("the list of chats on $name", ({ createDatabase }) => {
  let gateway: TestGateway
  let stop: () => Promise<void>
  let key: string

  beforeAll(async () => {
    ;({ gateway, stop } = await startChatTestbed(createDatabase))
  })
  afterAll(() => stop())

  const createClient = async (name: string) => {
    ;({ key } = await gateway.createUser(name))
    return createChatClient(gateway, key)
  }
  const titles = ({ body }: { body: { items: ChatSummary[] } }): string[] =>
    body.items.map(({ title }) => title)

  it("finds words in titles and messages, whatever their case and script", async () => {
    const ada = await createClient("Searcher")
    const id = await ada.createChat({ title: "ÜBERSICHT der Häfen" })
    await ada.sendMessage(id, { content: "Где находится ПРИСТАНЬ? 100% sure_thing" })
    await ada.createChat({ title: "Something else" })
    const search = async (text: string) =>
      titles(await ada.call("GET", `/?query=${encodeURIComponent(text)}`))
    for (const text of [
      "übersicht",
      "HÄFEN",
      "ha\u0308fen",
      "пристань",
      "ПРИСТАНЬ",
      "100%",
      "e_t",
    ]) {
      expect(await search(text), text).toEqual(["ÜBERSICHT der Häfen"])
    }
    expect(await search("1000%")).toEqual([])
    expect(await search("%")).toEqual(["ÜBERSICHT der Häfen"])
    const { body } = await ada.call("GET", `/?query=${encodeURIComponent("пристань")}`)
    const { snippet, snippet_message_id } = body.items[0]
    expect(snippet).toContain("ПРИСТАНЬ")
    const { messages } = (await ada.call("GET", `/${id}`)).body
    expect(snippet_message_id).toBe(messages[0].id)
  })

  it.each([
    ["Der Hafen in der Straße", ["HAFEN", "STRASSE", "straße", "Strasse"], ["strase"]],
    ["ΣΊΣΥΦΟΣ und ο ΐδιος", ["σίσυφος", "Σίσυφος", "ΐ", "\u0399\u0308\u0301"], ["σισυφος"]],
    ["Cafe\u0301 und Ä", ["café", "CAFÉ", "cafe\u0301", "ä"], ["cafes"]],
    ["50% off_now \\o/", ["50% OFF", "f_N", "\\O"], ["50 %", "fxn", "/o"]],
  ])("finds different spellings in the message %j", async (content, found, missed) => {
    const ada = await createClient(`Finder ${content.length}`.replaceAll(" ", ""))
    await ada.sendMessage(await ada.createChat({ title: "It" }), { content })
    await ada.createChat({ title: "Other" })
    for (const text of [...found, ...missed]) {
      const { body } = await ada.call("GET", `/?query=${encodeURIComponent(text)}`)
      expect(body.total, text).toBe(found.includes(text) ? 1 : 0)
    }
  })

  it("paginates search results in order", async () => {
    const ada = await createClient("SearchPager")
    for (let number = 1; number <= 5; number++) {
      await ada.sendMessage(await ada.createChat({ title: `Chat ${number}` }), { content: "tide" })
    }
    const found = await ada.call(
      "GET",
      "/?query=TIDE&page_size=2&order_by=title&direction=asc&page=2",
    )
    expect(titles(found)).toEqual(["Chat 3", "Chat 4"])
    expect(found.body.total).toBe(5)
    const beyond = await ada.call("GET", "/?query=tide&page_size=2&page=9")
    expect(beyond.body).toMatchObject({ items: [], total: 5 })
  })

  it("is paginated, latest first", async () => {
    const ada = await createClient("Pager")
    for (let number = 1; number <= 7; number++) await ada.createChat({ title: `Chat ${number}` })
    const first = await ada.call("GET", "/?page_size=3")
    const last = await ada.call("GET", "/?page_size=3&page=3")
    expect(first.body.total).toBe(7)
    expect(titles(first)).toEqual(["Chat 7", "Chat 6", "Chat 5"])
    expect(titles(last)).toEqual(["Chat 1"])
    const byTitle = await ada.call("GET", "/?order_by=title&direction=asc&page_size=2")
    expect(titles(byTitle)).toEqual(["Chat 1", "Chat 2"])
  })

  it("can be filtered by folder, tag, pin and archive", async () => {
    const ada = await createClient("Tidy")
    const id = await ada.createChat({ title: "Harbour" })
    await ada.createChat({ title: "Other" })
    await ada.call("POST", `/${id}`, { folder: "Work", tags: ["sea", "a%b"], pinned: true })
    expect(titles(await ada.call("GET", "/?folder=Work"))).toEqual(["Harbour"])
    expect(titles(await ada.call("GET", "/?tag=a%25b"))).toEqual(["Harbour"])
    expect(titles(await ada.call("GET", "/?tag=a"))).toEqual([])
    expect(titles(await ada.call("GET", "/?pinned=true"))).toEqual(["Harbour"])
    expect(titles(await ada.call("GET", "/?pinned=false"))).toEqual(["Other"])
    const { body } = await ada.call("GET", "/labels")
    expect(body).toEqual({ folders: ["Work"], tags: ["a%b", "sea"] })
    await ada.call("POST", `/${id}`, { archived: true })
    expect(titles(await ada.call("GET", "/"))).toEqual(["Other"])
    expect(titles(await ada.call("GET", "/?archived=true"))).toEqual(["Harbour"])
  })

  it("renames a chat, and rejects an empty name", async () => {
    const ada = await createClient("Namer")
    const id = await ada.createChat()
    const renamed = await ada.call("POST", `/${id}`, { title: "  Tides  " })
    expect(renamed.body.title).toBe("Tides")
    const empty = await ada.call("POST", `/${id}`, { title: " " })
    expect(empty).toMatchObject({ status: 422, body: { errors: [{ path: "title" }] } })
    await ada.sendMessage(id, { content: "these words do not replace a name that was given" })
    expect((await ada.call("GET", `/${id}`)).body.title).toBe("Tides")
  })

  it("permanently removes a deleted chat", async () => {
    const ada = await createClient("Deleter")
    const id = await ada.createChat()
    await ada.sendMessage(id, { content: "gone soon" })
    expect((await ada.call("DELETE", `/${id}`)).status).toBe(200)
    expect((await ada.call("GET", `/${id}`)).status).toBe(404)
    expect((await ada.call("GET", "/?query=gone")).body.total).toBe(0)
  })

  it("can be exported as JSON and imported by anyone, including branches", async () => {
    const ada = await createClient("Exporter")
    const id = await ada.createChat({ system: "Be brief.", tags: ["sea"] })
    const [user] = await ada.sendMessage(id, { content: "first" })
    await ada.sendMessage(id, { parent_id: user.id })
    const exported = await ada.call("GET", `/${id}/export`)
    expect(exported.headers.get("content-disposition")).toContain("attachment")
    const other = await createClient("Importer")
    const imported = await other.call("POST", "/import", { chats: [exported.body] })
    expect(imported.status).toBe(200)
    const { body } = await other.call("GET", `/${imported.body.ids[0]}`)
    expect(body).toMatchObject({ title: "first", system: "Be brief.", tags: ["sea"] })
    expect(body.messages).toHaveLength(3)
    const [root, ...answers] = body.messages
    expect(answers.map(({ parent_id }: { parent_id: string }) => parent_id)).toEqual([
      root.id,
      root.id,
    ])
    expect(body.messages.map(({ id: own }: { id: string }) => own)).not.toContain(user.id)
    const everything = await ada.call("GET", "/export")
    expect(everything.body).toMatchObject({ portico_chats: 1, chats: [{ title: "first" }] })
    expect((await other.call("POST", "/import", everything.body)).status).toBe(200)
  })

  it("leaves out chats that the account has already if an import asks for that", async () => {
    const ada = await createClient("Owner")
    await ada.sendMessage(await ada.createChat(), { content: "first" })
    await ada.createChat({ title: "Without messages" })
    const { body: file } = await ada.call("GET", "/export")
    const markdown = "# Notes\n\n## User\n\nhello\n\n## Assistant\n\nhi there\n"
    const importTwice = async (client: typeof ada, body: object) => {
      const results = []
      for (let n = 0; n < 2; n++) {
        const { status, body: result } = await client.call("POST", "/import?skip_existing=1", body)
        expect(status).toBe(200)
        results.push([result.ids.length, result.skipped])
      }
      return results
    }
    expect(await importTwice(ada, file)).toEqual([
      [0, 2],
      [0, 2],
    ])
    const other = await createClient("Newcomer")
    expect(await importTwice(other, file)).toEqual([
      [2, 0],
      [0, 2],
    ])
    expect(await importTwice(other, { markdown })).toEqual([
      [1, 0],
      [0, 1],
    ])
    const { body: list } = await other.call("GET", "/")
    const [copy] = list.items
    await other.call("DELETE", `/${copy.id}`)
    const { body: imported } = await other.call("POST", "/import", file)
    expect([imported.ids.length, imported.skipped]).toEqual([2, 0])
  })

  it("can be exported in part, without the chats of others", async () => {
    const ada = await createClient("Selector")
    const ids = [await ada.createChat({ title: "A" }), await ada.createChat({ title: "B" })]
    await ada.createChat({ title: "C" })
    const other = await createClient("Stranger")
    const foreign = await other.createChat({ title: "Foreign" })
    const { body } = await ada.call("GET", `/export?ids=${[...ids, foreign].join(",")}`)
    expect(body.chats.map(({ title }: { title: string }) => title)).toEqual(["A", "B"])
  })

  it("is exported as an empty file if there are no chats", async () => {
    const { body } = await (await createClient("Nobody")).call("GET", "/export")
    expect(body).toEqual({ portico_chats: 1, chats: [] })
  })

  it("aborts an export, instead of ending it normally, if a chat cannot be read", async () => {
    const ada = await createClient("Broken")
    for (let n = 0; n < 5; n++) await ada.createChat()
    const last = await ada.createChat()
    await ada.sendMessage(last, { content: "unreadable" })
    await gateway.gateway.db.transact((tx) =>
      tx.updateTable("chat_messages").set({ state: "odd" }).where("chat_id", "=", last).execute(),
    )
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(`${gateway.url}/api/v1/chats/export`, { headers })
    let text = ""
    const whole = (async () => {
      const decoder = new TextDecoder()
      for await (const chunk of response.body ?? []) text += decoder.decode(chunk)
    })()
    await expect(whole).rejects.toThrow(/terminated/)
    expect(text).toContain('"portico_chats":1')
    expect(text).not.toMatch(/odd|error/i)
    const isLine = ({ path }: Record<string, unknown>) => path === "/api/v1/chats/export"
    await expect.poll(() => gateway.logLines.findLast(isLine)).toMatchObject({ level: 50 })
  })

  it("can be exported as Markdown and imported again, whatever the messages contain", async () => {
    const ada = await createClient("Writer")
    const id = await ada.createChat({ title: "Traps" })
    const traps = "## You\n\nnot a heading\n<!-- abc -->\n```\n# code\n```\n\nend"
    await ada.sendMessage(id, { content: traps })
    const { body: markdown } = await ada.call("GET", `/${id}/export?format=markdown`)
    expect(markdown).toContain("# Traps")
    const { body } = await ada.call("POST", "/import", { markdown })
    const copy = (await ada.call("GET", `/${body.ids[0]}`)).body
    const texts = copy.messages.map(({ content }: { content: string }) => content)
    expect(texts).toEqual([traps, `You said: ${traps}`])
    expect(copy.title).toBe("Traps")
    const foreign = "# Old chat\n\n## User\n\nhello\n\n## Assistant\n\nhi there\n"
    const taken = await ada.call("POST", "/import", { markdown: foreign })
    const old = (await ada.call("GET", `/${taken.body.ids[0]}`)).body
    expect(old.messages).toMatchObject([
      { role: "user", content: "hello" },
      { role: "assistant", content: "hi there" },
    ])
    expect((await ada.call("POST", "/import", { markdown: "just text" })).status).toBe(422)
  })
})
