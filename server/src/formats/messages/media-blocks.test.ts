import { describe, expect, it } from "vitest"
import type { Fields } from "../json-values.ts"
import { toDocumentBlock, toImageBlock } from "./media-blocks.ts"

const png = "iVBORw0KGgo="
const jpeg = "/9j/4AAQ"
const gif = Buffer.from("GIF89a").toString("base64")
const webp = Buffer.from("RIFF\0\0\0\0WEBPVP8 ").toString("base64")
const pdf = "JVBERi0xLjQ="
const hello = "aGVsbG8="

const base64 = (media_type: string, data: string) => ({ type: "base64", media_type, data })
const image = (media_type: string, data: string) => ({
  type: "image",
  source: base64(media_type, data),
})
const document = (source: Fields, title?: string) => ({
  ...{ type: "document", source },
  ...(title !== undefined && { title }),
})
const text = (data: string) => ({ type: "text", media_type: "text/plain", data })
const pdfSource = base64("application/pdf", pdf)

describe("an image of a chat completion", () => {
  it.each<[string, unknown, Fields]>([
    ["a data: URL", { url: `data:image/png;base64,${png}` }, image("image/png", png)],
    ["the usual misnomer", { url: `data:image/jpg;base64,${jpeg}` }, image("image/jpeg", jpeg)],
    [
      "a misnomer of unknown bytes",
      { url: "data:image/jpg;base64,AAAA" },
      image("image/jpeg", "AAAA"),
    ],
    ["a wrong type", { url: `data:image/png;base64,${jpeg}` }, image("image/jpeg", jpeg)],
    ["a type in capitals", { url: `DATA:IMAGE/GIF;BASE64,${gif}` }, image("image/gif", gif)],
    [
      "parameters",
      { url: `data:image/webp;name=a.webp;base64,${webp}` },
      image("image/webp", webp),
    ],
    ["no type", { url: `data:;base64,${png}` }, image("image/png", png)],
    [
      "a general type",
      { url: `data:application/octet-stream;base64,${gif}` },
      image("image/gif", gif),
    ],
    ["base64 alone", { url: png }, image("image/png", png)],
    ["base64 in lines", { url: `data:image/png;base64,iVBO\r\nRw0KGgo=` }, image("image/png", png)],
    [
      "base64 in the alphabet of addresses",
      { url: "data:image/png;base64,iVBORw0KGgr_-w==" },
      image("image/png", "iVBORw0KGgr/+w=="),
    ],
    ["a text", `data:image/png;base64,${png}`, image("image/png", png)],
    [
      "an address",
      { url: "https://example.com/a.png" },
      { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
    ],
    [
      "an address that is a text",
      "https://example.com/a.png",
      { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
    ],
    ["a PDF document", { url: `data:application/pdf;base64,${pdf}` }, document(pdfSource)],
  ])("is sent as the provider accepts it: %s", (_what, image_url, block) => {
    expect(toImageBlock({ image_url })).toEqual(block)
  })

  it.each([
    ["data:image/svg+xml;base64,PHN2Zz4=", "unsupported_by_model", "image/svg+xml"],
    ["data:image/svg+xml,%3Csvg%3E", "unsupported_by_model", "image/svg+xml"],
    ["data:image/tiff;base64,SUkqAA==", "unsupported_by_model", "image/tiff"],
    ["data:audio/wav;base64,UklGRgAAAABXQVZF", "unsupported_by_model", "audio/wav"],
    ["file:///etc/passwd", "bad_request", "https:"],
    ["ftp://example.com/a.png", "bad_request", "https:"],
    ["a.png", "bad_request", "https:"],
    ["data:image/png;base64", "bad_request", "https:"],
    ["", "bad_request", "https:"],
  ])("is refused by name: %s", (url, code, name) => {
    const refusal = { code, message: expect.stringContaining(name) }
    expect(() => toImageBlock({ image_url: { url } })).toThrow(expect.objectContaining(refusal))
  })
})

describe("a file of a chat completion", () => {
  it.each<[string, Fields, Fields]>([
    [
      "a PDF document as base64",
      { filename: "a.pdf", file_data: pdf },
      document(pdfSource, "a.pdf"),
    ],
    ["without a name", { file_data: `data:application/pdf;base64,${pdf}` }, document(pdfSource)],
    [
      "of a general type",
      { filename: "b.pdf", file_data: "data:application/octet-stream;base64,AAAA" },
      document(base64("application/pdf", "AAAA"), "b.pdf"),
    ],
    [
      "an address",
      { file_data: "https://example.com/a.pdf" },
      document({ type: "url", url: "https://example.com/a.pdf" }),
    ],
    [
      "text",
      { filename: "notes.txt", file_data: `data:text/plain;base64,${hello}` },
      document(text("hello"), "notes.txt"),
    ],
    [
      "Markdown with parameters",
      { filename: "a.md", file_data: `data:text/markdown;charset=utf-8;base64,${hello}` },
      document(text("hello"), "a.md"),
    ],
    ["JSON", { file_data: "data:application/json;base64,e30=" }, document(text("{}"))],
    [
      "text without a type",
      { filename: "a.csv", file_data: hello },
      document(text("hello"), "a.csv"),
    ],
    ...["application/csv", "application/vnd.ms-excel", "application/x-python"].map(
      (type): [string, Fields, Fields] => [
        `text of the type ${type}`,
        { filename: "a.csv", file_data: `data:${type};base64,${hello}` },
        document(text("hello"), "a.csv"),
      ],
    ),
    [
      "an image at an address",
      { file_data: "https://example.com/a.PNG?b=c.pdf" },
      { type: "image", source: { type: "url", url: "https://example.com/a.PNG?b=c.pdf" } },
    ],
    ["text in percent encoding", { file_data: "data:text/plain,a%20b" }, document(text("a b"))],
    ["an image", { filename: "a.png", file_data: png }, image("image/png", png)],
  ])("is sent as the provider accepts it: %s", (_what, file, block) => {
    expect(toDocumentBlock(file)).toEqual(block)
  })

  const word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

  it.each([
    [`data:${word};base64,UEsDBA==`, "unsupported_by_model", "wordprocessingml"],
    ["data:text/plain;base64,/v8AYQ==", "unsupported_by_model", "text/plain"],
    ["UEsDBBQABgAIAAAAIQDfpNJs", "unsupported_by_model", "unknown"],
    ["data:text/plain,%E0%A4%A", "bad_request", "https:"],
    ["file-1.pdf", "bad_request", "https:"],
  ])("is refused by name: %s", (file_data, code, name) => {
    const refusal = { code, message: expect.stringContaining(name) }
    expect(() => toDocumentBlock({ file_data })).toThrow(expect.objectContaining(refusal))
  })
})
