import type { Block } from "../blocks.ts"
import { findChildren, type XmlElement } from "../ooxml/office-xml.ts"
import { walkSubtrees } from "../ooxml/xml-subtrees.ts"
import { isPageNumber } from "../page-number.ts"
import type { Zip } from "../zip/zip.ts"
import { type StoryContext, StoryReader } from "./story-reader.ts"

const pageKinds = ["first", "default", "even"]

/** Headers and footers, each text once. */
export class HeadersAndFooters {
  readonly #zip: Zip
  readonly #relationships: ReadonlyMap<string, { target: string }>
  readonly #context: (part: string) => StoryContext
  readonly #readParts = new Set<string>()
  readonly #seen = new Set<string>()

  constructor(
    zip: Zip,
    relationships: ReadonlyMap<string, { target: string }>,
    context: (part: string) => StoryContext,
  ) {
    this.#zip = zip
    this.#relationships = relationships
    this.#context = context
  }

  /** @param section `w:sectPr` */
  readHeaders(section: XmlElement): Block[] {
    return this.#read(section, "headerReference")
  }

  /** @param section `w:sectPr` */
  readFooters(section: XmlElement): Block[] {
    return this.#read(section, "footerReference")
  }

  #read(section: XmlElement, name: string): Block[] {
    const references = findChildren(section, name).map(({ attributes }) => attributes)
    return pageKinds.flatMap((kind) =>
      references
        .filter(({ "w:type": type = "default" }) => type === kind)
        .flatMap(({ "r:id": id = "" }) =>
          this.#readPart(this.#relationships.get(id)?.target ?? ""),
        ),
    )
  }

  #readPart(part: string): Block[] {
    if (this.#readParts.has(part)) return []
    this.#readParts.add(part)
    const reader = new StoryReader(this.#context(part))
    walkSubtrees(this.#zip.readText(part), new Set(["hdr", "ftr"]), {
      subtree: (story) => reader.readContent(story),
    })
    return reader.blocks.filter(({ text }) => {
      const isNew = !this.#seen.has(text) && !isPageNumber(text)
      this.#seen.add(text)
      return isNew
    })
  }
}
