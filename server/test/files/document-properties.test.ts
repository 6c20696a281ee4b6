import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { upload } from "../knowledge/collections.ts"
import { createDocx, createEpub, createOdf, createPdf, createZip } from "./make-documents.ts"

const core = (modified: string, created: string) => ({
  "docProps/core.xml": `<cp:coreProperties xmlns:dcterms="t"><dcterms:created>${created}</dcterms:created><dcterms:modified>${modified}</dcterms:modified></cp:coreProperties>`,
})
const mail = (date: string, subject = "Bees"): string =>
  `From: Ada <ada@example.com>\nSubject: ${subject}\nDate: ${date}\nMessage-ID: <1@example.com>\n\nFeed them.\n`
const mailbox = [
  `From ada Thu Feb 1 10:00:00 2024\n${mail("Thu, 1 Feb 2024 10:00:00 +0000")}`,
  `From ada Fri Mar 1 10:00:00 2024\n${mail("Fri, 1 Mar 2024 10:00:00 +0000")}`,
  `From ada Mon Jan 1 10:00:00 2024\n${mail("Mon, 1 Jan 2024 10:00:00 +0000")}`,
].join("\n")
const meta = (elements: string) => `<office:document-meta><office:meta>${elements}</office:meta>`
const flatOdt = `<?xml version="1.0"?><office:document office:mimetype="application/vnd.oasis.opendocument.text"><office:meta><dc:date>2024-04-01T08:00:00</dc:date></office:meta><office:body><office:text><text:p>Flat.</text:p></office:text></office:body></office:document>`
const epub = createZip({
  mimetype: "application/epub+zip",
  "META-INF/container.xml": `<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>`,
  "b.opf": `<package><metadata><dc:date>2019-01-01</dc:date><meta property="dcterms:modified">2020-02-03T04:05:06Z</meta></metadata><manifest><item id="a" href="1.xhtml"/></manifest><spine><itemref idref="a"/></spine></package>`,
  "1.xhtml": "<p>One chapter.</p>",
})
const withAttachment = `From: Ada <ada@example.com>
Subject: Minutes
Date: Tue, 4 Jun 2024 10:00:00 +0200
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="b"

--b
Content-Type: text/plain

See the attachment.
--b
Content-Type: message/rfc822

${mail("Wed, 5 Jun 2024 10:00:00 +0000", "Older")}
--b--
`

const cases: readonly (readonly [string, string | Buffer, string | null])[] = [
  ["a.docx", createDocx(core("2024-05-01T10:00:00Z", "2020-01-01T00:00:00Z")), "2024-05-01T10:00"],
  ["b.docx", createDocx(core("", "2020-01-01T08:00:00+02:00")), "2020-01-01T06:00"],
  ["c.docx", createDocx(core("2099-01-01T00:00:00Z", "2020-01-01T00:00:00Z")), "2020-01-01T00:00"],
  ["d.docx", createDocx({ "docProps/core.xml": "<a".repeat(9000) }), null],
  ["e.docx", createDocx({ "docProps/core.xml": "<a>".repeat(9000) }), null],
  ["f.docx", createDocx(), null],
  [
    "a.odt",
    createOdf("text", { "meta.xml": meta("<dc:date>2023-03-04T05:06:07.89</dc:date>") }),
    "2023-03-04T05:06",
  ],
  [
    "b.odt",
    createOdf("text", { "meta.xml": meta("<meta:creation-date>2023-03-04</meta:creation-date>") }),
    "2023-03-04T12:00",
  ],
  ["a.fodt", flatOdt, "2024-04-01T08:00"],
  ["a.epub", epub, "2020-02-03T04:05"],
  ["b.epub", createEpub(), null],
  [
    "a.pdf",
    createPdf(["Page."], { info: "/ModDate(D:20220304050607+01'00')/CreationDate(D:20210101)" }),
    "2022-03-04T04:06",
  ],
  ["b.pdf", createPdf(["Page."], { info: "/CreationDate(D:20210101)" }), "2021-01-01T12:00"],
  ["c.pdf", createPdf(["Page."]), null],
  ["a.eml", mail("Tue, 2 Jan 2024 03:04:05 -0500"), "2024-01-02T08:04"],
  ["b.eml", withAttachment, "2024-06-04T08:00"],
  ["a.mbox", mailbox, "2024-03-01T10:00"],
  [
    "a.html",
    `<html><head><meta property="article:published_time" content="2021-02-03T00:00:00Z"><meta name="DCTERMS.modified" content="2022-02-03T00:00:00Z"></head><body>Text.</body></html>`,
    "2022-02-03T00:00",
  ],
  [
    "a.rtf",
    String.raw`{\rtf1{\info{\creatim\yr2019\mo1\dy2}{\revtim\yr2020\mo11\dy9\hr8}}Text.\par}`,
    "2020-11-09T12:00",
  ],
  ["a.txt", "Version of 2024-05-01", null],
]

describe.each(chooseDatabases())("the properties of a document on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let gateway: TestGateway
  beforeAll(async () => {
    database = await createDatabase()
    gateway = await startGateway(database.env)
  })
  afterAll(async () => {
    await gateway.stop()
    await database.remove()
  })

  const add = async (name: string, content: string | Buffer) => {
    const query = "?process_in_background=false"
    const { status, body } = await upload(gateway, name, content, { query })
    expect([status, body.data.error]).toEqual([200, null])
    return body
  }
  const toMinute = (seconds: number | null): string | null =>
    seconds === null ? null : new Date(seconds * 1000).toISOString().slice(0, 16)

  it.each(cases)("include the date in the metadata of %s", async (name, content, expected) => {
    expect(toMinute((await add(name, content)).meta.document_date)).toBe(expected)
  })

  it.each([
    ["de.txt", "Der Urlaub wird mindestens vier Wochen vor dem ersten freien Tag beantragt.", "de"],
    ["en.md", "# Leave\n\nAsk for leave at least four weeks before the first free day.", "en"],
    ["numbers.csv", "4711,12.5\n4712,13.5\n", null],
  ])("include the language of %s", async (name, content, language) => {
    expect((await add(name, content)).meta.language).toBe(language)
  })

  it("are those of a file with the same content, and appears when an old file is read again", async () => {
    const content = createDocx(core("2024-07-01T10:00:00Z", ""))
    const one = await add("one.docx", content)
    const copy = await add("two.docx", content)
    expect(copy.meta.document_date).toBe(one.meta.document_date)
    const { db } = gateway.gateway
    await db.transact(async (tx) => {
      const old = { document_date: null, reader_version: 2, attempted_reader_version: 2 }
      await tx.updateTable("files").set(old).where("id", "in", [one.id, copy.id]).execute()
    })
    await gateway.stop()
    gateway = await startGateway(database.env)
    const dates = () =>
      Promise.all(
        [one.id, copy.id].map(async (id) => {
          const { body } = await gateway.call("GET", `/api/v1/files/${id}`)
          return toMinute(body.meta.document_date)
        }),
      )
    await expect.poll(dates).toEqual(["2024-07-01T10:00", "2024-07-01T10:00"])
  })
})
