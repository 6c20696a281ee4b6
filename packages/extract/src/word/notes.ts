import { formatComment } from "../format-comment.ts"
import { formatListNumber } from "../list-number-format.ts"
import type { XmlElement } from "../ooxml/office-xml.ts"
import { walkSubtrees } from "../ooxml/xml-subtrees.ts"
import { readStory, type StoryContext } from "./story-reader.ts"

interface Note {
  text: string
  /** Its number, once it is referred to. */
  number: string
}

/** Separators between the text and its notes. */
const isSeparator = ({ attributes }: XmlElement): boolean =>
  /separator|notice/i.test(attributes["w:type"] ?? "")

const readStoryText = (context: StoryContext, story: XmlElement): string =>
  readStory(context, story)
    .map(({ text }) => text)
    .join("\n")

/** Footnotes or endnotes, each taken once, when the text refers to it. */
export class Notes {
  readonly #notes = new Map<string, Note>()
  readonly #numberFormat: string
  #count = 0

  constructor(source: string, numberFormat: string, context: StoryContext) {
    this.#numberFormat = numberFormat
    walkSubtrees(source, new Set(["footnote", "endnote", "p"]), {
      subtree: (element) => {
        if (isSeparator(element)) return
        const isParagraph = element.name === "p"
        const story = isParagraph ? { ...element, children: [element] } : element
        const id = isParagraph
          ? `paragraph ${this.#notes.size}`
          : (element.attributes["w:id"] ?? "")
        const text = readStoryText(context, story)
        if (text !== "") this.#notes.set(id, { text, number: "" })
      },
    })
  }

  /** @returns the mark of the note in the text, such as `[^1]` */
  mark(id: string): string {
    const note = this.#notes.get(id)
    if (!note) return ""
    note.number ||= formatListNumber(++this.#count, this.#numberFormat)
    return `[^${note.number}]`
  }

  /** @returns empty if there is no such note or it was taken before */
  take(id: string): string {
    const note = this.#notes.get(id)
    if (!note) return ""
    this.#notes.delete(id)
    return note.number === "" ? note.text : `[^${note.number}]: ${note.text}`
  }

  /** Takes the notes that the text does not refer to. */
  takeRest(): string[] {
    return [...this.#notes.keys()].map((id) => this.take(id))
  }
}

/** Comments, each taken once. */
export class Comments {
  readonly #comments = new Map<string, string>()

  constructor(source: string, context: StoryContext) {
    walkSubtrees(source, new Set(["comment"]), {
      subtree: (comment) => {
        const { "w:id": id = "", "w:author": author = "" } = comment.attributes
        const text = readStoryText(context, comment)
        if (text !== "") this.#comments.set(id, formatComment({ author, text }))
      },
    })
  }

  /** @returns empty if there is no such comment or it was taken before */
  take(id: string): string {
    const comment = this.#comments.get(id) ?? ""
    this.#comments.delete(id)
    return comment
  }

  /** Takes the comments that the text does not refer to. */
  takeRest(): string[] {
    return [...this.#comments.keys()].map((id) => this.take(id))
  }
}
