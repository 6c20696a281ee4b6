import { expect, it } from "vitest"
import { useDocumentReader } from "./document-reader.ts"

const read = useDocumentReader()

const message = (subject: string, body: string): string =>
  `From - Mon May  4 11:30:00 2026
X-Mozilla-Status: 0001
From: Ada <ada@example.com>
Date: Mon, 4 May 2026 11:30:00 +0200
Subject: ${subject}

${body}

`

it.each(["archive.mbox", "Inbox"])("splits %s into messages", async (name) => {
  const mailbox = message("Offer", "Twelve hives.") + message("Order", "Thank you.")
  const { text, format } = await read(name, mailbox)
  expect(format).toBe("mbox")
  const head = "From: Ada <ada@example.com>\nDate: 2026-05-04T09:30:00.000Z"
  expect(text).toBe(
    `Subject: Offer\n${head}\n\nTwelve hives.\n\nSubject: Order\n${head}\n\nThank you.`,
  )
})

it("does not take a text that begins with From for a mailbox", async () => {
  const terms = "From our terms\nNote: prices are net\n\nFrom 10:30 on\nNote: closed"
  const { text, format } = await read("notes.md", terms)
  expect(format).toBe("markdown")
  expect(text).toContain("From our terms")
  expect(text).toContain("Note: closed")
})

it("does not split a message where a line begins with From", async () => {
  const body = "We have news.\nFrom now on: honey.\n>From Friday on, wax.\n\nFrom there, we go on."
  const { text } = await read("a.mbox", message("News", body))
  expect(text.match(/^Subject:/gm)).toHaveLength(1)
  expect(text).toContain("From now on: honey.\nFrom Friday on, wax.\n\nFrom there, we go on.")
})

it("reads messages without headers", async () => {
  const mailbox = `From ada Mon Jun 01 10:00:00 2026\n\nTwelve hives.\n\nFrom eve Mon Jun 01 11:00:00 2026\n\nThank you.\n`
  expect((await read("a.mbox", mailbox)).text).toBe("Twelve hives.\n\nThank you.")
})

it("reads attachments in their messages, and passes over what it cannot read", async () => {
  const part = (type: string, name: string, content: string): string =>
    `--x\nContent-Type: ${type}; name="${name}"\nContent-Transfer-Encoding: base64\n\n${Buffer.from(content).toString("base64")}\n`
  const mailbox = `From - Mon May  4 11:30:00 2026
Subject: Offer
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=x

${part("text/plain", "notes.txt", "By the back gate.")}${part("application/zip", "a.zip", "PK\x03\x04broken")}--x--

${message("Order", "Thank you.")}`
  const { text } = await read("a.mbox", mailbox)
  expect(text).toContain("By the back gate.")
  expect(text).toContain("Thank you.")
})
