import { expect, it } from "vitest"
import { createDocx, createPdf } from "../files/make-documents.ts"
import { useDocumentReader } from "./document-reader.ts"

const read = useDocumentReader()

const head = `From: Ada <ada@example.com>
To: Eve <eve@example.com>
Cc: Bob <bob@example.com>
Date: Mon, 4 May 2026 11:30:00 +0200
Message-ID: <1@example.com>
MIME-Version: 1.0
Subject: Offer
`

const base64 = (content: string | Uint8Array): string => Buffer.from(content).toString("base64")

/** A message of several parts, each with its headers. */
const multipart = (type: string, ...parts: string[]): string =>
  `${head}Content-Type: multipart/${type}; boundary=x\n\n--x\n${parts.join("\n--x\n")}\n--x--\n`

const plainPart = (content: string): string =>
  `Content-Type: text/plain; charset=utf-8\n\n${content}`
const htmlPart = (content: string): string => `Content-Type: text/html; charset=utf-8\n\n${content}`
const attachment = (type: string, filename: string, content: string | Uint8Array): string =>
  `Content-Type: ${type}\nContent-Disposition: attachment; filename="${filename}"\nContent-Transfer-Encoding: base64\n\n${base64(content)}`

const body = "Twelve hives, as agreed."
const expectedHead = `Subject: Offer
From: Ada <ada@example.com>
To: Eve <eve@example.com>
Cc: Bob <bob@example.com>
Date: 2026-05-04T09:30:00.000Z`

it("reads text, PDF and Office attachments", async () => {
  const message = multipart(
    "mixed",
    plainPart(body),
    attachment("text/plain", "notes.txt", "Deliver by the back gate."),
    attachment("application/pdf", "offer.pdf", createPdf(["900 euros in all."])),
    attachment("application/octet-stream", "a.docx", createDocx()),
  )
  const { text } = await read("offer.eml", message)
  expect(text).toContain(`${expectedHead}\nAttachments: notes.txt, offer.pdf, a.docx\n\n${body}`)
  expect(text).toContain("Deliver by the back gate.")
  expect(text).toContain("900 euros in all.")
  expect(text.length).toBeGreaterThan(300)
})

it("reads an attached message as a message", async () => {
  const inner = `From: Eve <eve@example.com>\nSubject: =?iso-2022-jp?B?GyRCSypMKhsoQg==?=\nContent-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: base64\n\n${Buffer.from([0xed, 0xa3, 0xc4]).toString("base64")}\n`
  const message = multipart("mixed", plainPart(body), `Content-Type: message/rfc822\n\n${inner}`)
  const { text } = await read("forwarded.eml", message)
  expect(text).toContain("Subject: 蜂蜜\nFrom: Eve <eve@example.com>")
  expect(text).toContain("Мёд")
})

it.each([
  ["images", attachment("image/png", "photo.png", "\x89PNG\r\n\x1a\n")],
  ["signatures", attachment("application/pkcs7-signature", "smime.p7s", "\x30\x82")],
])("needs no text in %s", async (_what, part) => {
  const { text, data } = await read("offer.eml", multipart("mixed", plainPart(body), part))
  expect(text).toContain(body)
  expect(data.warnings ?? []).toEqual([])
})

it("does not list the pictures in the text", async () => {
  const picture = `Content-Type: image/png; name="image001.png"\nContent-ID: <1@x>\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=`
  const message = multipart("related", htmlPart(`<p>${body}</p><img src="cid:1@x">`), picture)
  expect((await read("offer.eml", message)).text).toBe(`${expectedHead}\n\n${body}`)
})

/** A message in the format of Exchange ([MS-OXTNEF]). */
const createTnef = (...attributes: [id: number, data: string][]): Buffer => {
  const encoded = attributes.map(([id, data]) => {
    const bytes = Buffer.alloc(11 + data.length)
    bytes.writeUInt32LE(id, 1)
    bytes.writeUInt32LE(data.length, 5)
    bytes.write(data, 9, "latin1")
    return bytes
  })
  return Buffer.concat([Buffer.from("789f3e220100", "hex"), ...encoded])
}

it("reads the text and the attachments in winmail.dat", async () => {
  const winmail = createTnef(
    [0x0002800c, "Twelve hives, by Exchange.\0"],
    [0x00069002, "\0".repeat(14)],
    [0x00018010, "notes.txt\0"],
    [0x0006800f, "Deliver by the back gate."],
  )
  const part = attachment("application/ms-tnef", "winmail.dat", winmail)
  const { text } = await read("offer.eml", multipart("mixed", part))
  expect(text).toBe(
    `${expectedHead}\nAttachments: notes.txt\n\nTwelve hives, by Exchange.\n\nDeliver by the back gate.`,
  )
  const both = await read("both.eml", multipart("mixed", plainPart(body), part))
  expect(both.text).toContain(body)
  expect(both.text).not.toContain("by Exchange")
  expect((await read("winmail.dat", winmail)).format).toBe("tnef")
})

it("prefers the alternative that says more", async () => {
  const rich = htmlPart(`<h1>News</h1><p>${body} We deliver them on Friday.</p>`)
  const short = await read("a.eml", multipart("alternative", plainPart("View in browser"), rich))
  expect(short.text).toContain("We deliver them on Friday.")
  expect(short.text).not.toContain("View in browser")
  const plain = await read(
    "b.eml",
    multipart("alternative", plainPart(`${body} Regards`), htmlPart(body)),
  )
  expect(plain.text).toContain("Regards")
})

it("reads invitations and contacts", async () => {
  const event = `BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Harvest\\, first\r\nDTSTART;TZID=Europe/Berlin:20260601T090000\r\nLOCATION:Or\r\n chard\r\nUID:1\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`
  const contact = `BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Eve Miller\r\nTEL;TYPE=work:+43 1 234\r\nEND:VCARD\r\n`
  const message = multipart(
    "mixed",
    plainPart(body),
    `Content-Type: text/calendar; charset=utf-8; method=REQUEST\n\n${event}`,
    attachment("text/vcard", "eve.vcf", contact),
  )
  const { text } = await read("invitation.eml", message)
  expect(text).toContain(
    "Summary: Harvest, first\nStart: 2026-06-01 09:00 (Europe/Berlin)\nLocation: Orchard",
  )
  expect(text).toContain("Name: Eve Miller\nPhone: +43 1 234")
})

it.each([
  ["UTF-16 with a mark", Buffer.from(`\ufeff${head}\nTwölf`, "utf16le"), "Twölf"],
  ["UTF-16 without a mark", Buffer.from(`${head}\nTwölf`, "utf16le"), "Twölf"],
  [
    "a length before it",
    `${Buffer.byteLength(head) + 7}\n${head}\nTwölf<?xml version="1.0"?>`,
    "Twölf",
  ],
  [
    "UTF-8 declared as ASCII",
    `${head}Content-Type: text/plain; charset=us-ascii\n\nTwölf`,
    "Twölf",
  ],
  [
    "windows-1251",
    Buffer.from(`${head}Content-Type: text/plain; charset=windows-1251\n\n\xcc\xb8\xe4`, "latin1"),
    "Мёд",
  ],
  [
    "GB2312",
    Buffer.from(`${head}Content-Type: text/plain; charset=gb2312\n\n\xb7\xe4\xc3\xdb`, "latin1"),
    "蜂蜜",
  ],
  [
    "ISO-2022-JP",
    `${head}Content-Type: text/plain; charset=iso-2022-jp\n\n\x1b$BK*L*\x1b(B`,
    "蜂蜜",
  ],
])("reads a message with %s", async (_what, message, expected) => {
  const { text, format } = await read("message", message)
  expect(["eml", "emlx"]).toContain(format)
  expect(text.startsWith(expectedHead)).toBe(true)
  expect(text).toContain(expected)
})

it("decodes filenames of RFC 2231", async () => {
  const part = `Content-Type: text/plain\nContent-Disposition: attachment; filename*0*=windows-1251''%CC%B8; filename*1*=%E4.txt\n\nHoney`
  const { text } = await read("offer.eml", multipart("mixed", plainPart(body), part))
  expect(text).toContain("Attachments: Мёд.txt")
})

it("reads a web archive as a page", async () => {
  const page = `From: <Saved by Blink>
Snapshot-Content-Location: https://example.com/
Subject: Hives
MIME-Version: 1.0
Content-Type: multipart/related; type="text/html"; boundary="x"

--x
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: quoted-printable

<html><body><h1>Hives</h1><p>Twelve h=C3=A4ives.</p></body></html>
--x
Content-Type: text/css

p { color: red }
--x--
`
  for (const name of ["page.mht", "page"]) {
    const { text, format } = await read(name, page)
    expect(format).toBe("mhtml")
    expect(text).toBe("Hives\n\nTwelve häives.")
  }
})
