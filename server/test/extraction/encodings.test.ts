import { expect, it } from "vitest"
import { useDocumentReader } from "./document-reader.ts"

const read = useDocumentReader()
const latin1 = (text: string): Buffer => Buffer.from(text, "latin1")
const chinese = "下次会议将在星期二上午举行。请带上所有的发票和合同，并提前十分钟到达。"

/** Bytes as Python's codecs give them. */
it.each([
  ["cp1252 as Excel writes it", "kunden.csv", latin1("Kunde;Ort\r\nM\xfcller;K\xf6ln"), "Müller"],
  [
    "Shift-JIS in a table",
    "table.csv",
    latin1(
      "\x96\xbc\x91O,\x94N\x97\xee,\x8fZ\x8f\x8a\r\n\x8d\xb2\x93\xa1\x91\xbe\x98Y,30,\x93\x8c\x8b\x9e",
    ),
    "佐藤太郎",
  ],
  ["Chinese UTF-16 without a mark", "notes.txt", Buffer.from(chinese, "utf16le"), chinese],
  ["ISO-2022-JP", "letter.txt", latin1("\x1b$B$3$s$K$A$O\x1b(B"), "こんにちは"],
  [
    "KOI8-R that a page states",
    "page.html",
    latin1('<html><meta charset="koi8-r"><p>\xf0\xd2\xc9\xd7\xc5\xd4</p></html>'),
    "Привет",
  ],
])("reads %s", async (_kind, filename, bytes, expected) => {
  const { status, text } = await read(filename, bytes)
  expect(status).toBe(200)
  expect(text).toContain(expected)
})

const fonts = String.raw`{\fonttbl{\f0\fcharset0 Times;}{\f1\fcharset204 Times CYR;}{\f2\fcharset128 Mincho;}{\f3\fnil\fcharset238 Arial CE;}{\f4\fcharset134 SimSun;}}`

it.each([
  ["in its Western code page", String.raw`{\rtf1\ansi\ansicpg1252 Gr\'fc\'dfe}`, "Grüße"],
  [
    "in a Cyrillic code page",
    String.raw`{\rtf1\ansi\ansicpg1251 \'cf\'f0\'e8\'e2\'e5\'f2}`,
    "Привет",
  ],
  ["of Mac OS", String.raw`{\rtf1\mac caf\'8e}`, "café"],
  ["of DOS", String.raw`{\rtf1\pca M\'81ller}`, "Müller"],
  ["in Cyrillic fonts", String.raw`{\rtf1\ansi${fonts}\f1 \'cc\'e8\'f0\f0 , \'fc}`, "Мир, ü"],
  ["in groups", String.raw`{\rtf1\ansi${fonts}\f0{\f3 \'b3\'f3d\'9f} \'b3}`, "łódź ³"],
  [
    "in two-byte code pages",
    String.raw`{\rtf1\ansi${fonts}\f2 \'93\'fa\'83A\'83\'43 \f4\'d6\'d0}`,
    "日アイ 中",
  ],
  [
    "with Unicode",
    String.raw`{\rtf1\ansi\ansicpg932\uc2 \u26085\'93\'fa\u21487\'89\'c2 x}`,
    "日可 x",
  ],
])("reads RTF %s", async (_kind, source, expected) => {
  const { text } = await read("letter.rtf", latin1(source))
  expect(text).toBe(expected)
})
