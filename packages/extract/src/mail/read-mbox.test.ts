import { expect, it } from "vitest"
import { extractBlocks } from "../extract-blocks.ts"
import { DocumentContext } from "../reading-context.ts"
import { readEmlx } from "./read-eml.ts"
import { readMbox } from "./read-mbox.ts"

const createContext = () =>
  new DocumentContext({ limits, recognizer: null, extendTime: () => undefined }, () => ({
    format: "text",
    blocks: [],
  }))

const limits = { characters: 1_000_000, unpacked: 1_000_000, pages: 10, passages: 1000 }

const read = (messages: readonly string[], characters = limits.characters) => {
  const bytes = Buffer.from(
    messages.map((text) => `From - Mon May  4 11:30:00 2026\nSubject: a\n\n${text}\n\n`).join(""),
  )
  const source = { bytes, filename: "a.mbox", contentType: "" }
  return extractBlocks(source, {
    limits: { ...limits, characters },
    recognizer: null,
    extendTime: () => undefined,
  })
}

it("reads as many messages as the limits allow, and says so", async () => {
  const { blocks, warnings } = await read(["one", "two ".repeat(100), "three"], 100)
  expect(blocks.map(({ text }) => text.trim())).toEqual(["Subject: a", "one"])
  expect(warnings).toEqual([{ id: "document_messages_skipped", values: { read: 1, total: 3 } }])
})

it("reads no more than 10,000 messages", async () => {
  const { blocks, warnings } = await read(Array.from({ length: 10_001 }, () => "x"))
  expect(blocks).toHaveLength(20_000)
  expect(warnings).toEqual([
    { id: "document_messages_skipped", values: { read: 10_000, total: 10_001 } },
  ])
})

it("passes over a message that fails for whatever reason", async () => {
  const context = createContext()
  context.readAttachment = () => Promise.reject(new RangeError("Invalid array length"))
  const attachment = `From - Mon May  4 11:30:00 2026\nContent-Type: application/pdf; name=a.pdf\nContent-Disposition: attachment\n\nx\n\n`
  const bytes = Buffer.from(`${attachment}From - Mon May  4 11:30:00 2026\nSubject: a\n\none\n`)
  const blocks = await readMbox({ bytes }, context)
  expect(blocks.map(({ text }) => text)).toEqual(["Subject: a", "one"])
  expect(context.warnings).toEqual([
    { id: "document_messages_skipped", values: { read: 1, total: 2 } },
  ])
})

it("reads a message of Apple Mail in the encoding that the user states", async () => {
  const message = Buffer.from("Subject: a\n\n\xcc\xb8\xe4\n", "latin1")
  const bytes = Buffer.concat([Buffer.from(`${message.length}\n`), message])
  const blocks = await readEmlx({ bytes, encoding: "windows-1251" }, createContext())
  expect(blocks.at(-1)?.text).toBe("Мёд")
})
