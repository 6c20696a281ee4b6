import { expect, it } from "vitest"
import { createPdf } from "../files/make-documents.ts"
import { createOutlookItem, wrapRtf } from "../files/make-outlook-item.ts"
import { useDocumentReader } from "./document-reader.ts"

const read = useDocumentReader()

const people = {
  senderName: "Ada Lovelace",
  senderSmtpAddress: "ada@example.com",
  submitTime: new Date("2026-05-04T09:30:00Z"),
}

it("reads who wrote what to whom, and when", async () => {
  const message = createOutlookItem({
    properties: { ...people, subject: "Offer", body: "Twelve hives, as agreed." },
    recipients: [
      { recipientType: 1, displayName: "Eve", smtpAddress: "eve@example.com" },
      { recipientType: 2, displayName: "bob@example.com", smtpAddress: "bob@example.com" },
    ],
  })
  const { text, format } = await read("offer.msg", message)
  expect(format).toBe("msg")
  expect(text).toBe(
    `Subject: Offer
From: Ada Lovelace <ada@example.com>
To: Eve <eve@example.com>
Cc: bob@example.com
Date: 2026-05-04T09:30:00.000Z

Twelve hives, as agreed.`,
  )
})

it("recognizes a message by its content, whatever its name", async () => {
  const message = createOutlookItem({ properties: { subject: "Offer", body: "Twelve hives." } })
  expect((await read("template.oft", message)).text).toContain("Twelve hives.")
  expect((await read("mail", message)).format).toBe("msg")
})

it("reads large bodies, which are stored apart from small ones", async () => {
  const body = "Twelve hives. ".repeat(5000)
  const message = createOutlookItem({ properties: { subject: "Offer", body } })
  expect((await read("large.msg", message)).text).toContain(body.trim())
})

it.each([
  ["Japanese", 932, "蜂蜜", [0x96, 0x49, 0x96, 0xa8]],
  ["Chinese", 936, "蜂蜜", [0xb7, 0xe4, 0xc3, 0xdb]],
  ["Cyrillic", 1251, "Мёд", [0xcc, 0xb8, 0xe4]],
])("decodes %s in 8-bit strings", async (_language, messageCodePage, expected, bytes) => {
  const message = createOutlookItem({
    properties: { subject: "x", body: "y", messageCodePage },
    encode: () => Buffer.from(bytes),
  })
  expect((await read("8bit.msg", message)).text).toBe(`Subject: ${expected}\n\n${expected}`)
})

it("reads HTML if there is no text, or hardly any", async () => {
  const html = Buffer.from(
    "<html><body><p>Dear Eve,</p><table><tr><td>Hives</td><td>12</td></tr></table><p>We deliver them on Friday, please open the gate.</p></body></html>",
  )
  const plain = { subject: "Offer", html }
  for (const properties of [plain, { ...plain, body: "View in browser" }]) {
    const { text } = await read("html.msg", createOutlookItem({ properties }))
    expect(text).toContain("Hives | 12")
    expect(text).toContain("please open the gate")
    expect(text).not.toContain("View in browser")
  }
})

it("reads HTML that is wrapped in RTF", async () => {
  const rtf = String.raw`{\rtf1\ansi\ansicpg1252\fromhtml1 \deff0{\fonttbl{\f0\fswiss Arial;}{\f1\fnil\fcharset128 MS Gothic;}}{\colortbl\red0\green0\blue0;}
{\*\htmltag64 <p>}\htmlrtf \par \htmlrtf0 Twelve h\'e4ives \'3c 900 \u8364?{\*\htmltag72 </p>}{\*\htmltag64 <p>}\htmlrtf{\f1\htmlrtf0 \'96\'49\'96\'a8\htmlrtf}\htmlrtf0{\*\htmltag72 </p>}}`
  const properties = { subject: "Offer", compressedRtf: wrapRtf(rtf) }
  const { text } = await read("rtf.msg", createOutlookItem({ properties }))
  expect(text).toBe("Subject: Offer\n\nTwelve häives < 900 €\n\n蜂蜜")
})

it("reads compressed RTF", async () => {
  // The example of [MS-OXRTFCP] 4.1.1.
  const compressedRtf = Buffer.from(
    "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0",
    "hex",
  )
  const message = createOutlookItem({ properties: { subject: "Hi", compressedRtf } })
  expect((await read("compressed.msg", message)).text).toBe("Subject: Hi\n\nhello world")
})

it("reads what is attached, and messages in messages", async () => {
  const inner = {
    properties: { subject: "Order", body: "Please send an offer." },
    attachments: [
      {
        attachmentLongFilename: "hives.txt",
        attachmentData: Buffer.from("Six in pine, six in larch."),
      },
    ],
  }
  const message = createOutlookItem({
    properties: { ...people, subject: "Offer", body: "See the offer." },
    attachments: [
      {
        attachmentLongFilename: "offer.pdf",
        attachmentData: createPdf(["Twelve hives for 900 euros."]),
      },
      { attachmentLongFilename: "logo.png", attachmentData: Buffer.from("\x89PNG\r\n\x1a\n") },
      { displayName: "Order", attachmentMethod: 5, item: inner },
    ],
  })
  const { text } = await read("attached.msg", message)
  expect(text).toContain("Attachments: offer.pdf, logo.png, Order")
  expect(text).toContain("Twelve hives for 900 euros.")
  expect(text).toContain("Subject: Order")
  expect(text).toContain("Please send an offer.")
  expect(text).toContain("Six in pine, six in larch.")
})

it("reads the times and the place of an appointment", async () => {
  const message = createOutlookItem({
    properties: { messageClass: "IPM.Appointment", subject: "Harvest", body: "Bring smokers." },
    named: {
      33293: new Date("2026-06-01T07:00:00Z"),
      33294: new Date("2026-06-01T10:00:00Z"),
      33288: "Orchard",
    },
  })
  expect((await read("harvest.msg", message)).text).toBe(
    `Subject: Harvest
Start: 2026-06-01T07:00:00.000Z
End: 2026-06-01T10:00:00.000Z
Location: Orchard

Bring smokers.`,
  )
})

it("reads a contact", async () => {
  const message = createOutlookItem({
    properties: { messageClass: "IPM.Contact", subject: "Eve", displayName: "Eve Miller" },
    named: { 32899: "eve@example.com" },
  })
  const { text } = await read("eve.msg", message)
  expect(text).toBe("Subject: Eve\nName: Eve Miller\nE-mail: eve@example.com")
})
