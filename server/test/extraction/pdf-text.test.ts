import { describe, expect, it } from "vitest"
import { useDocumentReader } from "./document-reader.ts"
import { makePdf, type PlacedText } from "./make-pdf.ts"

const readDocument = useDocumentReader()

const read = async (...pages: PlacedText[][]): Promise<string> =>
  (await readDocument("paper.pdf", makePdf(pages))).text

/** Lines below each other, in the order of drawing. */
const lines = (
  texts: readonly string[],
  { x = 50, y = 700, ...rest }: Partial<PlacedText> = {},
): PlacedText[] => texts.map((text, index) => ({ text, x, y: y - 12 * index, ...rest }))

const columns = [50, 200, 400] as const
/** Cells beside each other. */
const row = (y: number, cells: readonly string[]): PlacedText[] =>
  cells.flatMap((text, index) => (text === "" ? [] : [{ text, x: columns[index] ?? 0, y }]))

describe("tables in PDFs", () => {
  it("keeps each row on a line, whatever the order in which its cells are drawn", async () => {
    const rows = [
      ["Smith, Alvaro", "Field director", "37,499.96"],
      ["Kishi, Daniel", "Correspondent", "21,000.00"],
      ["Baker, Erin", "Intern", "446.87"],
    ]
    const drawn = rows.flatMap((cells, index) => row(600 - 14 * index, cells).toReversed())
    expect(await read(drawn)).toBe(
      "Smith, Alvaro | Field director | 37,499.96\n" +
        "Kishi, Daniel | Correspondent | 21,000.00\n" +
        "Baker, Erin | Intern | 446.87",
    )
  })

  it("keeps cells of several lines together", async () => {
    const text = await read([
      ...row(600, ["Pump", "Moves water from", "12 kg"]),
      { text: "the cellar", x: 200, y: 588 },
      ...row(570, ["Valve", "Closes the", ""]),
      { text: "inlet", x: 200, y: 558 },
      { text: "3 kg", x: 400, y: 570 },
      ...row(540, ["Hose", "Rubber", "1 kg"]),
    ])
    expect(text).toBe(
      "Pump | Moves water from the cellar | 12 kg\nValve | Closes the inlet | 3 kg\nHose | Rubber | 1 kg",
    )
  })

  it("separates the words of cells that do not form a table", async () => {
    expect(await read(row(600, ["Total", "", "12.00"]))).toBe("Total 12.00")
  })

  it("reads a turned table", async () => {
    const rows = [
      ["Oats", "Sown", "4 ha"],
      ["Rye", "Fallow", "7 ha"],
      ["Hay", "Cut", "9 ha"],
    ]
    const drawn = rows.flatMap((cells, index) =>
      cells.map((text, column) => ({
        text,
        x: 100 + 14 * index,
        y: 100 + 150 * column,
        angle: 90,
      })),
    )
    expect(await read(drawn)).toBe("Oats | Sown | 4 ha\nRye | Fallow | 7 ha\nHay | Cut | 9 ha")
  })
})

describe("paragraphs in PDFs", () => {
  it("joins lines and words that were broken, and keeps the ends that the author set", async () => {
    const text = await read(
      lines([
        "The harbour master keeps the keys to every single ware-",
        "house and hands them out in the morning. Write an E-Mail-",
        "Adresse on the form, as in the years of 2019-",
        "2020, for the Haupt- and side entrances of the building",
        "close early.",
        "Second entry of the list starts here",
      ]),
    )
    expect(text).toBe(
      "The harbour master keeps the keys to every single warehouse and hands them out in the " +
        "morning. Write an E-Mail-Adresse on the form, as in the years of 2019-2020, for the " +
        "Haupt- and side entrances of the building close early.\nSecond entry of the list starts here",
    )
  })

  it("keeps list items and spaced paragraphs apart", async () => {
    const text = await read([
      ...lines(["Bring the following things with you, all of them:", "1. a rope", "2. a lamp"]),
      { text: "Nothing else is needed.", x: 50, y: 640 },
    ])
    expect(text).toBe(
      "Bring the following things with you, all of them:\n1. a rope\n2. a lamp\n\nNothing else is needed.",
    )
  })

  it("reads columns one after the other, also if they are drawn line by line", async () => {
    const column = (name: string) =>
      Array.from({ length: 10 }, (_line, index) => `The ${name} column has its line ${index}`)
    const [left, right] = [column("left"), column("right")]
    const drawn = left.flatMap((text, index) => [
      { text, x: 50, y: 700 - 12 * index },
      { text: right[index] ?? "", x: 300, y: 700 - 12 * index },
    ])
    const expected = `${left.join(" ")}\n\n${right.join(" ")}`
    expect(await read(drawn)).toBe(expected)
    expect(await read([...lines(left), ...lines(right, { x: 300 })])).toBe(expected)
  })

  it("replaces ligatures", async () => {
    const text = "e\uFB03cient work\uFB02ow"
    expect(await read([{ text, x: 50, y: 700, font: "unicode" }])).toBe("efficient workflow")
  })
})

describe("PDFs in other scripts", () => {
  const reversed = (text: string): string => [...text].toReversed().join("")

  it("reads Arabic in the order of reading, with spaces beside Latin words and numbers", async () => {
    const [first, second] = ["بلغة", "واحدة"]
    const text = await read([
      { text: reversed(first), x: 300, y: 700, font: "unicode" },
      { text: "Python", x: 268, y: 700, font: "unicode" },
      { text: reversed(second), x: 243, y: 700, font: "unicode" },
      { text: "1403", x: 220, y: 700, font: "unicode" },
    ])
    expect(text).toBe(`${first} Python ${second} 1403`)
  })

  it("orders Hebrew words that are drawn from left to right", async () => {
    const words = ["שלום", "לכל", "העולם"]
    const drawn = words
      .map((word, index) => ({ text: reversed(word), x: 300 - 40 * index, y: 700 }))
      .map((placed) => ({ ...placed, font: "unicode" as const }))
    expect(await read(drawn.toReversed())).toBe("שלום לכל העולם")
    expect(await read(drawn)).toBe("שלום לכל העולם")
  })

  it("replaces the forms that Arabic letters take inside of words", async () => {
    const text = reversed("\uFEE3\uFEAE\uFEA3\uFE92\uFE8E")
    expect(await read([{ text, x: 50, y: 700, font: "unicode" }])).toBe("مرحبا")
  })

  it("reads Japanese in fonts that are not embedded, across and down", async () => {
    const [across, down] = ["日本語の文書", "縦書きの文"]
    expect(await read([{ text: across, x: 50, y: 700, font: "japanese" }])).toBe(across)
    const text = await read([
      { text: down, x: 500, y: 700, font: "vertical" },
      { text: "次の行", x: 480, y: 700, font: "vertical" },
    ])
    expect(text.replace("\n", "")).toBe(`${down}次の行`)
  })

  it("puts no spaces between Chinese characters", async () => {
    const text = await read([
      { text: "日本", x: 50, y: 700, font: "japanese" },
      { text: "語", x: 72, y: 700, font: "japanese" },
    ])
    expect(text).toBe("日本語")
  })
})

describe("headers and footers of PDFs", () => {
  const pages = (count: number, header: (page: number) => string): PlacedText[][] =>
    Array.from({ length: count }, (_page, index) => [
      { text: header(index + 1), x: 50, y: 770 },
      { text: `Chapter ${index + 1} tells of the sea.`, x: 50, y: 600 },
      { text: `Page ${index + 1} of ${count}`, x: 280, y: 30 },
    ])

  it("keeps a header once, and no page numbers", async () => {
    const text = await read(...pages(4, () => "Contract 4711-B"))
    expect(text.match(/4711-B/g)).toHaveLength(1)
    expect(text.match(/tells of the sea/g)).toHaveLength(4)
    expect(text).not.toContain("Page")
  })

  it("keeps lines whose numbers are not those of the pages", async () => {
    const text = await read(...pages(4, (page) => `Invoice ${4000 + 17 * page}`))
    expect(text.match(/Invoice 40\d\d/g)).toHaveLength(4)
  })

  it("keeps the lines of two pages", async () => {
    expect((await read(...pages(2, () => "Contract"))).match(/Contract/g)).toHaveLength(2)
  })
})
