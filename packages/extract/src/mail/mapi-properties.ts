import { decodeCodePage, localeCodePage } from "./code-page.ts"

/** Property types ([MS-OXCDATA] 2.11.1). */
const types = { integer: 0x0003, string8: 0x001e, unicode: 0x001f, time: 0x0040, binary: 0x0102 }

/** Properties that tell in which code page the 8-bit strings are ([MS-OXCMSG]). */
const codePageProperties = { message: 0x3ffd, locale: 0x3ff1, internet: 0x3fde }

/** Milliseconds between 1601, where file times start, and 1970. */
const fileTimeEpochMs = 11_644_473_600_000

/** The values of an item by property tag: the ID and the type. */
export type PropertyValues = (tag: number) => Buffer | null | undefined

/** Properties of an item, a recipient or an attachment of Outlook. */
export class MapiProperties {
  readonly #values: PropertyValues
  readonly #codePages: readonly (number | undefined)[]

  /** @param inheritedCodePages those of the item that this is a part of */
  constructor(values: PropertyValues, inheritedCodePages: readonly (number | undefined)[] = []) {
    this.#values = values
    this.#codePages = [
      this.integer(codePageProperties.message),
      localeCodePage(this.integer(codePageProperties.locale)),
      this.integer(codePageProperties.internet),
      ...inheritedCodePages,
    ]
  }

  /** Those of its 8-bit strings, the likeliest first. */
  get codePages(): readonly (number | undefined)[] {
    return this.#codePages
  }

  /** Of HTML, which is in the encoding that the message was sent in. */
  get htmlCodePages(): readonly (number | undefined)[] {
    return [this.integer(codePageProperties.internet), ...this.#codePages]
  }

  integer(id: number): number | undefined {
    const value = this.#value(id, types.integer)
    return value && value.length >= 4 ? value.readInt32LE(0) : undefined
  }

  /** @returns ISO 8601 */
  time(id: number): string {
    const value = this.#value(id, types.time)
    if (!value || value.length < 8) return ""
    const ms = Number(value.readBigUInt64LE(0) / 10_000n) - fileTimeEpochMs
    const date = new Date(ms)
    return Number.isNaN(date.getTime()) ? "" : date.toISOString()
  }

  string(id: number): string {
    const unicode = this.#value(id, types.unicode)
    if (unicode) return removeEndMark(new TextDecoder("utf-16le").decode(unicode))
    return this.decode(this.#value(id, types.string8) ?? Buffer.alloc(0))
  }

  /** Decodes an 8-bit string that belongs to the item. */
  decode(bytes: Buffer): string {
    return removeEndMark(decodeCodePage(bytes, this.#codePages))
  }

  /** @returns the first that is not empty */
  firstString(...ids: readonly number[]): string {
    for (const id of ids) {
      const value = this.string(id)
      if (value) return value
    }
    return ""
  }

  binary(id: number): Buffer | null {
    return this.#value(id, types.binary)
  }

  #value(id: number, type: number): Buffer | null {
    return this.#values(id * 0x10000 + type) ?? null
  }
}

const removeEndMark = (text: string): string => {
  const end = text.indexOf("\0")
  return end < 0 ? text : text.slice(0, end)
}
