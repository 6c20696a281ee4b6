import { Failure } from "../errors.ts"
import type { JsonLimits } from "./json-limits.ts"
import { type JsonScan, JsonScanner } from "./json-scanner.ts"

/** A complete JSON request body. */
export interface JsonBody {
  bytes: Buffer
  /** Result of scanning it as it arrived; null for a body small enough to parse directly. */
  scan: JsonScan | null
}

export interface BodyLimits extends JsonLimits {
  maxBytes: number
}

/** Bodies up to this size are parsed synchronously without blocking the event loop noticeably. */
export const smallBodyBytes = 64 * 1024
/** Whether parsing or serializing a body would hold up other requests. */
export const isLarge = ({ length }: Buffer): boolean => length > smallBodyBytes

/** After this many bytes the declared length is allocated in full, because growing means copying. */
const preallocateAfterBytes = 4_000_000

export const bodyTooLarge = (limit: number): Failure =>
  new Failure("body_too_large", `Request body is too large (maximum ${limit} bytes).`)

/**
 * Buffers a body as it arrives. A large body is scanned chunk by chunk and kept in one growing
 * buffer: concatenating all chunks at the end would block the event loop.
 */
export class BodyBuffer {
  readonly #limits: BodyLimits
  /** Content-Length, or the maximum if there is none. */
  readonly #declared: number
  #chunks: Buffer[] = []
  #large: Buffer | null = null
  #scanner: JsonScanner | null = null
  #length = 0

  /** @throws {Failure} `body_too_large` */
  constructor(limits: BodyLimits, declared: number | undefined) {
    if (declared !== undefined && declared > limits.maxBytes) throw bodyTooLarge(limits.maxBytes)
    this.#limits = limits
    this.#declared = declared ?? limits.maxBytes
  }

  get isLarge(): boolean {
    return this.#large !== null
  }

  /** @throws {Failure} as soon as the body is known to be invalid or too large */
  push(chunk: Buffer): void {
    const length = this.#length + chunk.length
    if (length > this.#limits.maxBytes) throw bodyTooLarge(this.#limits.maxBytes)
    if (length <= smallBodyBytes) this.#chunks.push(chunk)
    else this.#pushLarge(chunk)
    this.#length = length
  }

  /** @throws {Failure} `invalid_json` if a large body is incomplete */
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

  /** May allocate more than needed: pages not yet written to use no physical memory. */
  #grow(needed: number): void {
    const before = this.#large ?? Buffer.concat(this.#chunks, this.#length)
    const capacity =
      needed > preallocateAfterBytes
        ? this.#declared
        : Math.min(preallocateAfterBytes, this.#declared)
    this.#large = Buffer.allocUnsafeSlow(Math.max(needed, capacity))
    this.#large.set(before)
    if (this.#scanner) return
    this.#chunks = []
    this.#scanner = new JsonScanner(this.#limits)
    this.#scanner.write(before)
  }
}
