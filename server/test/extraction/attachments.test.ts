import { expect, it } from "vitest"
import { createPdf } from "../files/make-documents.ts"
import { useDocumentReader } from "./document-reader.ts"

const read = useDocumentReader()

it("reads what is attached to a message", async () => {
  const boundary = "x"
  const message = [
    "Subject: Offer",
    "From: ada@example.com",
    "MIME-Version: 1.0",
    "Message-ID: <1@example.com>",
    `Content-Type: multipart/mixed; boundary=${boundary}`,
    "",
    `--${boundary}`,
    "Content-Type: text/plain",
    "",
    "See the offer.",
    `--${boundary}`,
    'Content-Type: application/pdf; name="offer.pdf"',
    "Content-Transfer-Encoding: base64",
    "",
    createPdf(["Twelve hives for 900 euros."]).toString("base64"),
    `--${boundary}--`,
  ].join("\r\n")
  const { text } = await read("offer.eml", message)
  expect(text).toContain("See the offer.")
  expect(text).toContain("Twelve hives for 900 euros.")
})
