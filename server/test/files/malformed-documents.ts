import type { UnreadableCode } from "@portico/extract"
import { createCompoundFile } from "./make-compound-file.ts"
import { createDocx, createPdf, createZip } from "./make-documents.ts"

/** A malicious or broken document, and the error that it must cause. */
export interface MalformedDocument {
  what: string
  name: string
  content: () => string | Uint8Array
  says: RegExp
  code: UnreadableCode
}

const packedBomb = createDocx({ "word/document.xml": Buffer.alloc(400_000_000, "a") })
export const bomb = () => packedBomb
const entities = `<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><l>&b;</l>`
const ole = (stream: string) => createCompoundFile({ [stream]: Buffer.from("content") })
const documents: [string, string, () => string | Uint8Array, RegExp, UnreadableCode][] = [
  ["an archive bomb", "b.docx", bomb, /archive bomb/, "unsafe"],
  [
    "a password-protected PDF",
    "l.pdf",
    () => createPdf(["x"], { encrypted: true }),
    /password/,
    "protected",
  ],
  [
    "a password-protected Office document",
    "l.docx",
    () => ole("EncryptedPackage"),
    /password/,
    "protected",
  ],
  [
    "an encrypted archive",
    "z.docx",
    () => createZip({ "word/document.xml": "x" }, { encrypted: true }),
    /password/,
    "protected",
  ],
  ["a pre-2007 document", "o.doc", () => ole("WordDocument"), /before 2007/, "unsupported"],
  ["a scan", "s.pdf", () => createPdf(["", ""]), /text recognition/, "scanned"],
  ["a broken PDF", "k.pdf", () => "%PDF-1.4\nnothing more", /damaged/, "damaged"],
  ["a broken archive", "k.docx", () => createDocx().subarray(0, 200), /damaged/, "damaged"],
  ["a plain ZIP archive", "a.zip", () => createZip({ "a.txt": "hello" }), /ZIP archive/, "archive"],
  [
    "an archive with path traversal",
    "p.docx",
    () => createDocx({ "../../evil.txt": "x" }),
    /invalid path/,
    "unsafe",
  ],
  ["an XML entity bomb", "e.xml", () => entities, /entities/, "unsafe"],
  [
    "an entity bomb in a DOCX file",
    "e.docx",
    () => createDocx({ "word/document.xml": entities }),
    /entities/,
    "unsafe",
  ],
  ["10,000 pages", "t.pdf", () => createPdf(Array(10_000).fill("x")), /10000 pages/, "too_large"],
  ["too much text", "m.txt", () => "word ".repeat(2_100_000), /Split it/, "too_large"],
]

export const malformedDocuments: MalformedDocument[] = documents.map(
  ([what, name, content, says, code]) => ({
    what,
    name,
    content,
    says,
    code,
  }),
)
