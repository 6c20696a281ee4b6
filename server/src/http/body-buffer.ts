import { Failure } from "../errors.ts"
import { type JsonLimits, type JsonScan, JsonScanner } from "./json-scanner.ts"

/** A JSON body that was read. */
export interface JsonBody {
  bytes: Buffer
  /** What was found on its way; null for one so small that it may be parsed as it is. */
  scan: JsonScan | null
}

export interface BodyLimits extends JsonLimits {
  maxBytes: number
}

/** Bodies up to here are parsed at once: that takes no longer than a turn of the event loop may. */
export const smallBytes = 64 * 1024
/** Who has sent as much is given room for all that was announced: growing is copying. */
const earnestBytes = 4_000_000

export const tooLarge = (limit: number): Failure =>
  new Failure(
    "body_too_large",
    `The body has more than ${limit} bytes, which is the most accepted here`,
  )

/**
 * Gathers a body as it arrives. A large one is scanned on its way, and lies in one piece that grows
 * with it: joining its chunks at the end would hold everybody up.
 */
export class BodyBuffer {
  readonly #limits: BodyLimits
  /** Bytes that it was said to have. */
  readonly #declared: number
  #chunks: Buffer[] = []
  #large: Buffer | null = null
  #scanner: JsonScanner | null = null
  #length = 0

  /** @throws {Failure} `body_too_large` */
  constructor(limits: BodyLimits, declared: number | undefined) {
    if (declared !== undefined && declared > limits.maxBytes) throw tooLarge(limits.maxBytes)
    this.#limits = limits
    this.#declared = declared ?? limits.maxBytes
  }

  get isLarge(): boolean {
    return this.#large !== null
  }

  /** @throws {Failure} for what can only be refused, as soon as that is known */
  push(chunk: Buffer): void {
    const length = this.#length + chunk.length
    if (length > this.#limits.maxBytes) throw tooLarge(this.#limits.maxBytes)
    if (length <= smallBytes) this.#chunks.push(chunk)
    else this.#pushLarge(chunk)
    this.#length = length
  }

  /** @throws {Failure} `invalid_json` for a large one that is not whole */
  end(): JsonBody {
    const [only] = this.#chunks
    if (this.#large) {
      return { bytes: this.#large.subarray(0, this.#length), scan: this.#scanner?.end() ?? null }
    }
    const isOne = this.#chunks.length === 1 && only
    return { bytes: isOne ? only : Buffer.concat(this.#chunks, this.#length), scan: null }
  }

  #pushLarge(chunk: Buffer): void {
    const end = this.#length + chunk.length
    if (end > (this.#large?.length ?? 0)) this.#grow(end)
    this.#scanner?.write(chunk)
    this.#large?.set(chunk, this.#length)
  }

  /** Memory that was not written to yet costs nothing. */
  #grow(needed: number): void {
    const before = this.#large ?? Buffer.concat(this.#chunks, this.#length)
    const room = needed > earnestBytes ? this.#declared : Math.min(earnestBytes, this.#declared)
    this.#large = Buffer.allocUnsafeSlow(Math.max(needed, room))
    this.#large.set(before)
    if (this.#scanner) return
    this.#chunks = []
    this.#scanner = new JsonScanner(this.#limits)
    this.#scanner.write(before)
  }
}
