import { afterAll, beforeAll, expect, it } from "vitest"
import { comment, createFormPdf, widget } from "../extraction/make-form-pdf.ts"
import { makePdf } from "../extraction/make-pdf.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { upload } from "../knowledge/collections.ts"
import { type LargeDocument, largeOfficeDocuments } from "./large-office-documents.ts"
import { createOutlookItem, wrapRtf } from "./make-outlook-item.ts"
import { varied } from "./varied-words.ts"

/** Ten times what each takes on an idle machine; with quadratic time, it would be hours. */
const seconds = 60

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway({
    EXTRACTION_TIMEOUT: `${seconds}s`,
    EXTRACTION_MEMORY: "1GB",
    EXTRACTION_CONCURRENCY: "2",
  })
})
afterAll(() => gateway.stop())

const mail = (head: string, body: string): string =>
  `Message-ID: <a@b>\nMIME-Version: 1.0\n${head}\n\n${body}`

/** Lets all streams of this name begin where the first one does, with its size. */
const shareStreams = (file: Buffer, name: string): Buffer => {
  const encoded = Buffer.from(name, "utf16le")
  const first = file.indexOf(encoded)
  for (let at = first; at >= 0; at = file.indexOf(encoded, at + 128))
    file.copy(file, at + 116, first + 116, first + 128)
  return file
}

const manyTexts = Array.from({ length: 20_000 }, (_, at): [x: number, y: number, text: string] => [
  at % 500,
  700,
  `x${at}`,
])

const documents: LargeDocument[] = [
  ...largeOfficeDocuments,
  [
    "a heading with spaces before a line separator",
    "h.md",
    () => `# ${" ".repeat(20)}a${" ".repeat(200_000)}\u2028b`,
  ],
  ["spaces within a paragraph", "s.txt", () => `a${" ".repeat(1_000_000)}b`],
  ["text without spaces", "n.txt", () => "x".repeat(9_000_000)],
  [
    "a line in an unknown code page",
    "u.txt",
    () => Buffer.from("\xfc\xe9 \x81\x40;\xb3A".repeat(500_000), "latin1"),
  ],
  [
    "fonts of many code pages",
    "f.rtf",
    () => `{\\rtf1${"{\\f1\\fcharset128 \\'93\\f2\\'fa}".repeat(150_000)}`,
  ],
  ["a row of unclosed cells", "c.html", () => `<table><tr>${"<td>x".repeat(300_000)}`],
  [
    "a PDF page with one line of many words in two directions",
    "l.pdf",
    () => {
      const words = Array.from({ length: 60_000 }, (_, at) => ({
        text: at % 2 === 0 ? "\u05D0\u05D1" : "ab",
        x: 20 * at,
        y: 700,
        font: "unicode" as const,
      }))
      return makePdf([words], { width: 2_000_000 })
    },
  ],
  [
    "PDF pages with many hyphenated lines, cells and columns",
    "p.pdf",
    () => {
      const line = { text: "ab cd ef gh-", x: 20 }
      const pages = [
        Array.from({ length: 60_000 }, (_, at) => ({ ...line, y: 700_000 - 11 * at })),
        Array.from({ length: 60_000 }, (_, at) => ({
          ...line,
          x: 300 * (at % 2),
          y: 700_000 - 6 * at + (at % 3),
        })),
      ]
      return makePdf(pages, { height: 800_000 })
    },
  ],
  [
    "separated values with many quotes",
    "q.csv",
    () => varied(300_000, (word) => `${word},"${word}\n`),
  ],
  [
    "a form with many fields on the same line of many texts",
    "f.pdf",
    () =>
      createFormPdf({
        pages: [
          {
            text: manyTexts,
            annotations: manyTexts.map(([x], at) =>
              widget(`${x} 690 ${x + 50} 710`, `f${at}`, `/FT/Tx/V(value ${at})`),
            ),
          },
        ],
      }),
  ],
  [
    "comments that each answer the one before",
    "a.pdf",
    () =>
      createFormPdf({
        pages: [
          {
            text: manyTexts,
            annotations: manyTexts.map((_text, at) =>
              comment("Text", "50 690 400 710", `note number ${at}`, `/IRT ${19 + at} 0 R`),
            ),
          },
        ],
      }),
  ],
  [
    "an email with many recipients",
    "t.eml",
    () => mail(`To: ${"a <a@b.c>, ".repeat(60_000)}`, "Hello."),
  ],
  [
    "a mailbox with many lines that begin with From",
    "f.mbox",
    () => `From - 11:30\nSubject: a\n\n${"From a 1:00\n".repeat(75_000)}`,
  ],
  [
    "a mailbox with many empty messages",
    "e.mbox",
    () => "From - 11:30\nSubject: a\n\n".repeat(300_000),
  ],
  [
    "an Outlook message with RTF of many groups",
    "r.msg",
    () =>
      createOutlookItem({
        properties: {
          subject: "a",
          compressedRtf: wrapRtf(
            `{\\rtf1\\fromhtml1 ${"{\\*\\htmltag <p>}{\\f1 x}".repeat(150_000)}}`,
          ),
        },
      }),
  ],
  [
    "a calendar with many folded lines",
    "f.ics",
    () => `BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:a${"\n b".repeat(1_500_000)}\nEND:VEVENT`,
  ],
  [
    "an email with many parts",
    "p.eml",
    () => mail("Content-Type: multipart/mixed; boundary=b", "--b\n\nx\n".repeat(20_000)),
  ],
]

it.each(documents)(
  "reads %s in linear time",
  async (_what, name, content) => {
    const query = "?process_in_background=false"
    const { body } = await upload(gateway, name, content(), { query })
    expect(body.data).toMatchObject({ status: "completed", error: null })
  },
  2 * seconds * 1000,
)

const deep: LargeDocument[] = [
  ["JSON", "d.json", () => `${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`],
  ["XML", "d.xml", () => `<?xml version="1.0"?>${"<a>".repeat(1_000_000)}`],
  ["HTML", "d.html", () => `<html>${"<b>".repeat(1_000_000)}`],
  ["RTF", "d.rtf", () => `{\\rtf1 ${"{".repeat(1_000_000)}`],
  [
    "an email",
    "d.eml",
    () =>
      mail("Subject: x", "").trimEnd() +
      Array.from(
        { length: 3000 },
        (_, at) => `\nContent-Type: multipart/mixed; boundary="b${at}"\n\n--b${at}`,
      ).join(""),
  ],
]

it.each(deep)(
  "rejects %s as nested too deeply",
  async (_what, name, content) => {
    const query = "?process_in_background=false"
    const { body } = await upload(gateway, name, content(), { query })
    expect(body.data).toMatchObject({ status: "failed" })
    expect(body.data.error).toMatch(/nested too deeply/)
    expect(body.data.error).not.toMatch(/RangeError/)
  },
  2 * seconds * 1000,
)

it("reads no sector of an Outlook message again and again", async () => {
  const attachmentData = Buffer.from(varied(500_000, (word) => word))
  const attachments = Array.from({ length: 3000 }, () => ({ attachmentData: Buffer.alloc(8) }))
  const message = createOutlookItem({
    properties: { subject: "a", body: "b" },
    attachments: [{ attachmentData }, ...attachments],
  })
  const hostile = shareStreams(message, "__substg1.0_37010102")
  const query = "?process_in_background=false"
  const { body } = await upload(gateway, "a.msg", hostile, { query })
  expect(body.data).toMatchObject({ status: "failed", error_code: "damaged" })
})
