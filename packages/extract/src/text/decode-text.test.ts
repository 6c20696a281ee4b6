import iconv from "iconv-lite"
import { describe, expect, it } from "vitest"
import type { ReadingWarning } from "../reading-context.ts"
import { encodingByLabel } from "./decode-bytes.ts"
import { decodeText } from "./decode-text.ts"
import { textEncodings } from "./text-encodings.ts"

const german =
  "Die Lieferung für die Küche kommt später. Bitte prüfen Sie die Größe der Tür und die Maße."
const french =
  "Le café est fermé à midi. La réunion a été déplacée à jeudi, après le déjeuner de l'équipe."
const spanish =
  "La reunión será mañana a las nueve. El señor Muñoz traerá los números del último año."
const polish =
  "Proszę przesłać fakturę do końca tygodnia. Książka leży na półce, a łóżko stoi pod ścianą."
const czech = "Příští schůzka bude v úterý ráno. Žádáme všechny, aby přinesli své poznámky a účty."
const hungarian =
  "A következő értekezlet kedden lesz. Kérjük, hozza magával az összes szükséges iratot."
const russian = "Следующая встреча будет во вторник утром. Просим принести все счета и договоры."
const ukrainian = "Наступна зустріч буде у вівторок уранці. Її проведе новий керівник відділу."
const greek = "Η επόμενη συνάντηση θα γίνει την Τρίτη το πρωί. Παρακαλούμε φέρτε όλα τα έγγραφα."
const turkish =
  "Gelecek toplantı salı sabahı olacak. Lütfen bütün faturaları ve sözleşmeleri getirin."
const hebrew = "הפגישה הבאה תתקיים ביום שלישי בבוקר. נא להביא את כל החשבוניות."
const arabic = "سيعقد الاجتماع القادم صباح يوم الثلاثاء. يرجى إحضار جميع الفواتير والعقود."
const lithuanian =
  "Kitas susitikimas vyks antradienio rytą. Prašome atsinešti visas sąskaitas ir užrašus."
const japanese = "次の会議は火曜日の朝に行います。請求書と契約書をすべて持ってきてください。"
const korean = "다음 회의는 화요일 아침에 열립니다. 모든 청구서와 계약서를 가져오십시오."
const chinese = "下次会议将在星期二上午举行。请带上所有的发票和合同，并提前十分钟到达。"
const traditional = "下次會議將在星期二上午舉行。請帶上所有的發票和合約，並提前十分鐘到達。"
const thai = "การประชุมครั้งต่อไปจะจัดขึ้นในเช้าวันอังคาร กรุณานำใบแจ้งหนี้ทั้งหมดมาด้วย"
const vietnamese =
  "Cuộc họp tiếp theo sẽ diễn ra vào sáng thứ ba. Vui lòng mang theo tất cả hóa đơn."

const read = async (bytes: Buffer, source: { contentType?: string; encoding?: string } = {}) => {
  const warnings: ReadingWarning[] = []
  const context = { warn: (warning: ReadingWarning) => warnings.push(warning) }
  const text = await decodeText({ bytes, contentType: "", ...source }, context)
  return { text, warnings }
}

describe("an encoding that nothing states", () => {
  it.each([
    ["windows-1252", german],
    ["windows-1252", french],
    ["iso-8859-15", spanish],
    ["cp850", german],
    ["cp437", german],
    ["macintosh", french],
    ["windows-1250", polish],
    ["iso-8859-2", czech],
    ["cp852", polish],
    ["iso-8859-2", hungarian],
    ["windows-1251", russian],
    ["koi8-r", russian],
    ["cp866", russian],
    ["iso-8859-5", russian],
    ["maccyrillic", russian],
    ["koi8-u", ukrainian],
    ["windows-1253", greek],
    ["iso-8859-7", greek],
    ["windows-1254", turkish],
    ["windows-1255", hebrew],
    ["windows-1256", arabic],
    ["iso-8859-6", arabic.replace("،", ",")],
    ["windows-1257", lithuanian],
    ["iso-8859-13", lithuanian],
    ["windows-874", thai],
    ["shift_jis", japanese],
    ["euc-jp", japanese],
    ["euc-kr", korean],
    ["gbk", chinese],
    ["gb18030", chinese],
    ["big5", traditional],
    ["utf-8", vietnamese],
    ["utf-16le", german],
    ["utf-16be", russian],
    ["utf-16le", chinese],
    ["utf-16be", japanese],
    ["utf-16le", korean],
    ["utf-16be", arabic],
  ])("is detected: %s, %s", async (encoding, sentence) => {
    const { text, warnings } = await read(iconv.encode(sentence, encoding))
    expect(text).toBe(sentence)
    expect(warnings).toEqual([])
  })

  it.each([
    ["windows-1252", "Kunde;Ort;Betrag\r\n4711;Müller, Köln;12,50\r\n4712;Voß;8,00"],
    ["windows-1252", "Name;Straße\r\nJürgen;Am Markt 3"],
    ["windows-1252", "10 Blatt à 5 Euro"],
    ["windows-1252", "“Quoted” — 50 °C, 20 € and 3½ metres"],
    ["shift_jis", "名前,年齢,住所\r\n佐藤太郎,30,東京\r\n三木英子,25,大阪"],
    ["shift_jis", "カメラ;1200\r\nテレビ;800\r\nラジオ;300\r\nパソコン;2100"],
  ])("is detected in a short table: %s", async (encoding, table) => {
    expect((await read(iconv.encode(table, encoding))).text).toBe(table)
  })

  it("is detected from the escape sequences of Japanese mail", async () => {
    const mail = Buffer.from("\x1b$B$3$s$K$A$O\x1b(B, world", "latin1")
    expect(await read(mail)).toEqual({ text: "こんにちは, world", warnings: [] })
  })

  it("is detected from comments, far behind code", async () => {
    const code = `${"const answer = compute(42)\n".repeat(2000)}// ${russian}\n`
    expect((await read(iconv.encode(code, "windows-1251"))).text).toBe(code)
  })

  it("is UTF-8 with a warning if a few bytes are damaged", async () => {
    const damaged = Buffer.concat([Buffer.from(russian), Buffer.from([0xd0])])
    const { text, warnings } = await read(damaged)
    expect(text).toBe(`${russian}\ufffd`)
    expect(warnings).toEqual([{ id: "document_encoding_uncertain", values: { encoding: "utf-8" } }])
  })

  it("gives a warning if too little tells it", async () => {
    const { warnings } = await read(Buffer.from("\xe8\xfc", "latin1"))
    expect(warnings).toMatchObject([{ id: "document_encoding_uncertain" }])
  })
})

describe("an encoding that the document states", () => {
  const short = "Ёж"
  it.each([
    ["an HTML page", `<html><meta charset="koi8-r"><p>${short}`],
    ["an XML declaration", `<?xml version="1.0" encoding='KOI8-R'?><a>${short}</a>`],
    ["source code", `# -*- coding: koi8-r -*-\nname = "${short}"`],
    ["a style sheet", `@charset "koi8-r";\na::after { content: "${short}" }`],
    ["LaTeX", `\\usepackage[koi8-r]{inputenc}\n${short}`.replace("koi8-r", "koi8")],
    ["a translation", `"Content-Type: text/plain; charset=KOI8-R\\n"\nmsgstr "${short}"`],
  ])("is used: %s", async (_kind, document) => {
    expect(await read(iconv.encode(document, "koi8-r"))).toEqual({ text: document, warnings: [] })
  })

  it("may stand in the content type", async () => {
    const contentType = "text/plain; charset=KOI8-R"
    expect((await read(iconv.encode(short, "koi8-r"), { contentType })).text).toBe(short)
  })

  it("is ignored if it does not decode", async () => {
    const page = `<meta charset="utf-8"><p>${german}</p>`
    expect((await read(iconv.encode(page, "windows-1252"))).text).toBe(page)
  })

  it("yields to a user's choice", async () => {
    const page = Buffer.from(`<meta charset="koi8-r"><p>\xfc</p>`, "latin1")
    expect((await read(page, { encoding: "windows-1252" })).text).toContain("ü")
  })
})

it.each(textEncodings)("%s is a label of itself and can be chosen", async (encoding) => {
  expect(encodingByLabel(encoding)).toBe(encoding)
  const bytes = encoding.startsWith("utf-16") ? iconv.encode("text", encoding) : Buffer.from("text")
  expect(await read(bytes, { encoding })).toEqual({ text: "text", warnings: [] })
})
