import { findChild, type XmlElement } from "../ooxml/office-xml.ts"
import { readEquation } from "../ooxml/read-equation.ts"
import { describePicture } from "../picture-description.ts"
import { checkBoxControlValue, formFieldValue } from "./form-fields.ts"
import { isEnabled, readValue, type Styles } from "./styles.ts"
import { replaceSymbols, symbolText } from "./symbol-fonts.ts"

/** What a paragraph refers to, to be shown after it. */
export type AttachedContent =
  | { kind: "footnote" | "endnote" | "comment"; id: string }
  | { kind: "textBox"; element: XmlElement }
  /** A chart or diagram in a part of its own. */
  | { kind: "graphic"; element: XmlElement }
  | { kind: "text"; text: string }

export interface ParagraphContent {
  text: string
  attached: AttachedContent[]
}

interface Field {
  /** The field's code, which is not shown, is followed by its result. */
  isInCode: boolean
  value: string | undefined
}

/** A field code that does not end within this number of paragraphs is broken. */
const maxCodeParagraphs = 20

/** Properties and deletions. */
const unshownElements = ["pPr", "rPr", "sdtPr", "del", "moveFrom"]

/** Reads the paragraphs of one text in order; fields can span paragraphs. */
export class ParagraphReader {
  readonly #styles: Styles
  readonly #markNote: (kind: "footnote" | "endnote", id: string) => string
  #fields: Field[] = []
  #codeDepth = 0
  #codeParagraphs = 0
  #isHidden = false
  #font = ""
  #text = ""
  #attached: AttachedContent[] = []

  /** @param markNote returns the mark of a note in the text */
  constructor(styles: Styles, markNote: (kind: "footnote" | "endnote", id: string) => string) {
    this.#styles = styles
    this.#markNote = markNote
  }

  read(paragraph: XmlElement): ParagraphContent {
    this.#text = ""
    this.#attached = []
    const styleId = readValue(findChild(paragraph, "pPr"), "pStyle")
    this.#isHidden = this.#styles.resolve(styleId).isHidden
    this.#readChildren(paragraph)
    this.#abandonBrokenField()
    return { text: this.#text, attached: this.#attached }
  }

  #abandonBrokenField(): void {
    this.#codeParagraphs = this.#codeDepth > 0 ? this.#codeParagraphs + 1 : 0
    if (this.#codeParagraphs <= maxCodeParagraphs) return
    this.#fields = []
    this.#codeDepth = 0
  }

  #add(text: string): void {
    if (this.#codeDepth === 0 && !this.#isHidden) this.#text += text
  }

  #attach(content: AttachedContent): void {
    if (this.#codeDepth === 0 && !this.#isHidden) this.#attached.push(content)
  }

  #readChildren(parent: XmlElement): void {
    for (const child of parent.children) this.#readElement(child)
  }

  #readElement(element: XmlElement): void {
    const read = ParagraphReader.#readers.get(element.name)
    if (read) read(this, element)
    else this.#readChildren(element)
  }

  /** By the name of the element; others are read for the elements in them. */
  static readonly #readers = new Map(
    Object.entries<(reader: ParagraphReader, element: XmlElement) => void>({
      ...Object.fromEntries(unshownElements.map((name) => [name, () => {}])),
      r: (reader, run) => reader.#readRun(run),
      t: (reader, { text }) =>
        reader.#add(replaceSymbols(text.replaceAll("\u00ad", ""), reader.#font)),
      tab: (reader) => reader.#add("\t"),
      ptab: (reader) => reader.#add("\t"),
      br: (reader) => reader.#add("\n"),
      cr: (reader) => reader.#add("\n"),
      noBreakHyphen: (reader) => reader.#add("-"),
      sym: (reader, { attributes: { "w:font": font = "", "w:char": code = "" } }) =>
        reader.#add(symbolText(font, Number.parseInt(code, 16) || 0)),
      fldChar: (reader, element) => reader.#readFieldCharacter(element),
      oMath: (reader, element) => reader.#add(readEquation(element)),
      sdt: (reader, element) => reader.#readContentControl(element),
      ruby: (reader, element) => reader.#readRuby(element),
      footnoteReference: (reader, element) => reader.#readNoteReference("footnote", element),
      endnoteReference: (reader, element) => reader.#readNoteReference("endnote", element),
      commentReference: (reader, { attributes: { "w:id": id = "" } }) =>
        reader.#attach({ kind: "comment", id }),
      txbxContent: (reader, element) => reader.#attach({ kind: "textBox", element }),
      chart: (reader, element) => reader.#attach({ kind: "graphic", element }),
      relIds: (reader, element) => reader.#attach({ kind: "graphic", element }),
      textpath: (reader, { attributes: { string: text = "" } }) =>
        reader.#attach({ kind: "text", text }),
      docPr: (reader, { attributes: { descr = "" } }) => reader.#describePicture(descr),
    }),
  )

  #readNoteReference(kind: "footnote" | "endnote", { attributes }: XmlElement): void {
    const id = attributes["w:id"] ?? ""
    this.#attach({ kind, id })
    this.#add(this.#markNote(kind, id))
  }

  #readRun(run: XmlElement): void {
    const properties = findChild(run, "rPr")
    const style = readValue(properties, "rStyle")
    const inherited = this.#isHidden
    this.#isHidden =
      isEnabled(properties, "vanish") ??
      (inherited || (style !== undefined && this.#styles.resolve(style).isHidden))
    const fonts = findChild(properties, "rFonts")?.attributes
    this.#font = fonts?.["w:ascii"] ?? fonts?.["w:hAnsi"] ?? ""
    this.#readChildren(run)
    this.#isHidden = inherited
    this.#font = ""
  }

  #readFieldCharacter(element: XmlElement): void {
    const type = element.attributes["w:fldCharType"]
    if (type === "begin") {
      this.#fields.push({ isInCode: true, value: formFieldValue(element) })
      this.#codeDepth++
      return
    }
    const field = type === "end" ? this.#fields.pop() : this.#fields.at(-1)
    if (!field) return
    // A form field's value replaces its result, which not every program writes.
    const isShown = field.value === undefined
    if (type === "separate" && isShown) this.#endCode(field)
    if (type !== "end") return
    this.#endCode(field)
    this.#add(field.value ?? "")
  }

  #endCode(field: Field): void {
    if (field.isInCode) this.#codeDepth--
    field.isInCode = false
  }

  #readContentControl(control: XmlElement): void {
    const value = checkBoxControlValue(control)
    if (value === undefined) this.#readChildren(control)
    else this.#add(value)
  }

  /** Ruby shows the pronunciation above the base text. */
  #readRuby(ruby: XmlElement): void {
    const [base, pronunciation] = [findChild(ruby, "rubyBase"), findChild(ruby, "rt")]
    if (base) this.#readChildren(base)
    this.#add("(")
    if (pronunciation) this.#readChildren(pronunciation)
    this.#add(")")
  }

  #describePicture(alternativeText: string): void {
    const text = describePicture(alternativeText)
    if (text !== "") this.#attach({ kind: "text", text })
  }
}
