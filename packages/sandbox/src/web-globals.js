// Web APIs that authors expect and QuickJS lacks. Text encoding and URL parsing are done by the
// host, whose answers are JSON.
;(host) => {
  const { parse, stringify } = JSON
  const { defineProperty } = Object
  const { apply } = Reflect
  const { charCodeAt, toWellFormed: wellFormed } = String.prototype
  const { fromCharCode } = String
  const { subarray } = Object.getPrototypeOf(Uint8Array.prototype)
  const { min } = Math
  const text = String

  // Bytes are passed as a string with one character each, which is cheaper than a JSON array.
  const bytesOf = (binary) => {
    const bytes = new Uint8Array(binary.length)
    for (let at = 0; at < bytes.length; at++) bytes[at] = apply(charCodeAt, binary, [at])
    return bytes
  }
  const portion = 4096
  const binaryOf = (bytes) => {
    let binary = ""
    for (let at = 0; at < bytes.length; at += portion) {
      const end = min(at + portion, bytes.length)
      binary += apply(fromCharCode, null, apply(subarray, bytes, [at, end]))
    }
    return binary
  }

  globalThis.TextEncoder = class TextEncoder {
    encode(value = "") {
      return bytesOf(host("encode", apply(wellFormed, text(value), [])))
    }
  }
  globalThis.TextDecoder = class TextDecoder {
    decode(bytes = new Uint8Array()) {
      const { buffer, byteOffset, byteLength } = ArrayBuffer.isView(bytes)
        ? bytes
        : new Uint8Array(bytes)
      return host("decode", binaryOf(new Uint8Array(buffer, byteOffset, byteLength)))
    }
  }

  const pairsOf = (given) => {
    if (given === undefined || given === null) return []
    if (typeof given !== "object") return parse(host("query", apply(wellFormed, text(given), [])))
    const pairs = typeof given[Symbol.iterator] === "function" ? given : Object.entries(given)
    return Array.from(pairs, ([name, value]) => [text(name), text(value)])
  }

  class URLSearchParams {
    #pairs
    #changed
    constructor(given, changed) {
      this.#pairs = pairsOf(given)
      this.#changed = changed
    }
    #put(pairs) {
      this.#pairs = pairs
      this.#changed?.(this.toString())
    }
    get size() {
      return this.#pairs.length
    }
    get(name) {
      return this.#pairs.find(([known]) => known === name)?.[1] ?? null
    }
    getAll(name) {
      return this.#pairs.filter(([known]) => known === name).map(([, value]) => value)
    }
    has(name) {
      return this.#pairs.some(([known]) => known === name)
    }
    append(name, value) {
      this.#put([...this.#pairs, [text(name), text(value)]])
    }
    set(name, value) {
      const first = this.#pairs.findIndex(([known]) => known === name)
      const pair = [text(name), text(value)]
      if (first < 0) return this.#put([...this.#pairs, pair])
      const kept = this.#pairs.map((known, at) => (at === first ? pair : known))
      this.#put(kept.filter(([known], at) => known !== name || at === first))
    }
    delete(name) {
      this.#put(this.#pairs.filter(([known]) => known !== name))
    }
    forEach(callback) {
      for (const [name, value] of this.#pairs) callback(value, name, this)
    }
    *entries() {
      for (const [name, value] of this.#pairs) yield [name, value]
    }
    *keys() {
      for (const [name] of this.#pairs) yield name
    }
    *values() {
      for (const [, value] of this.#pairs) yield value
    }
    [Symbol.iterator]() {
      return this.entries()
    }
    toString() {
      return host("pairs", stringify(this.#pairs))
    }
  }
  globalThis.URLSearchParams = URLSearchParams

  let partOf
  let change
  class URL {
    #parts
    #searchParams
    static {
      partOf = (url, name) => url.#parts[name]
      change = (url, name, value) => {
        url.#take({ address: url.#parts.href, name, value: text(value) })
        if (name !== "params") url.#searchParams = undefined
      }
    }
    constructor(address, base) {
      this.#take({ address: text(address), ...(base !== undefined && { base: text(base) }) })
    }
    static canParse(address, base) {
      try {
        return Boolean(new URL(address, base))
      } catch {
        return false
      }
    }
    #take(requested) {
      const parts = parse(host("url", stringify(requested)))
      if (parts === null) throw new TypeError("Invalid URL")
      this.#parts = parts
    }
    get origin() {
      return this.#parts.origin
    }
    get searchParams() {
      const changed = (query) => change(this, "params", query)
      this.#searchParams ??= new URLSearchParams(this.#parts.search, changed)
      return this.#searchParams
    }
    toString() {
      return this.#parts.href
    }
    toJSON() {
      return this.#parts.href
    }
  }
  const settable = "href protocol username password host hostname port pathname search hash"
  for (const name of settable.split(" ")) {
    defineProperty(URL.prototype, name, {
      get() {
        return partOf(this, name)
      },
      set(value) {
        change(this, name, value)
      },
    })
  }
  globalThis.URL = URL
}
