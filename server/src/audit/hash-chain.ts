import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import type { Selectable } from "kysely"
import type { AuditBlockRow, AuditEventRow } from "../db/audit-tables.ts"
import type { ChainHead } from "./state-store.ts"

export type AuditEventRecord = Selectable<AuditEventRow>
export type AuditBlockRecord = Selectable<AuditBlockRow>

/** The `previous` hash of the first block. */
export const genesisHash = "0".repeat(64)

/**
 * Bytes of each event's digest that are stored with the block: enough to identify an altered event.
 */
const digestPrefixBytes = 16
const digestPrefixLength = 22

/** Serializes the whole event, identically on every database. */
const serializeEvent = (row: AuditEventRecord): string =>
  JSON.stringify([
    row.id,
    row.at,
    row.actor_type,
    row.actor_id,
    row.key_id,
    row.address,
    row.action,
    row.target_type,
    row.target_id,
    row.changed,
    row.ignored,
    row.before,
    row.after,
    row.outcome,
    row.status,
    row.count,
    row.request_id,
  ])

const digestOf = (row: AuditEventRecord): Buffer =>
  createHash("sha256").update(serializeEvent(row)).digest()

const encodeDigestPrefix = (digest: Buffer): string =>
  digest.toString("base64url", 0, digestPrefixBytes)

/** Splits the stored digest prefixes of a block's events, in order. */
export const splitDigestPrefixes = (digests: string): string[] =>
  digests.match(new RegExp(`.{${digestPrefixLength}}`, "g")) ?? []

export const digestPrefixOf = (row: AuditEventRecord): string => encodeDigestPrefix(digestOf(row))

interface BlockContent {
  number: number
  previous: string
  sealed_at: number
  rows: readonly AuditEventRecord[]
}

/** Hashes a block: its number, the previous block's hash, and its events ordered by id. */
export const hashBlock = ({ number, previous, sealed_at, rows }: BlockContent) => {
  const hash = createHash("sha256")
  hash.update(`portico audit block\n${number}\n${previous}\n${sealed_at}\n${rows.length}\n`)
  let digests = ""
  for (const row of rows) {
    const digest = digestOf(row)
    hash.update(digest)
    digests += encodeDigestPrefix(digest)
  }
  return { hash: hash.digest("hex"), digests }
}

/**
 * Signs with a key that is not in the database: write access to the database alone is not enough to
 * reseal the chain.
 */
export const createAuditSigner = (key: Buffer) => {
  const sign = (purpose: string, text: string): string =>
    createHmac("sha256", key).update(`${purpose}\n${text}`).digest("hex")
  const equal = (left: string, right: string): boolean =>
    left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right))
  const headText = ({ number, hash }: Omit<ChainHead, "signature">): string => `${number} ${hash}`
  return {
    keyId: sign("key", "").slice(0, 12),
    seal: (hash: string): string => sign("block", hash),
    isSealValid: ({ hash, seal }: Pick<AuditBlockRecord, "hash" | "seal">): boolean =>
      equal(seal, sign("block", hash)),
    signHead: (number: number, hash: string): ChainHead => ({
      number,
      hash,
      signature: sign("head", headText({ number, hash })),
    }),
    isHeadValid: (head: ChainHead): boolean => equal(head.signature, sign("head", headText(head))),
  }
}

export type AuditSigner = ReturnType<typeof createAuditSigner>
