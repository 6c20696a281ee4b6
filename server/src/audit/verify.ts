import { sql } from "kysely"
import { z } from "zod"
import type { Reader } from "../db/database.ts"
import {
  type AuditBlockRecord,
  type AuditEventRecord,
  type AuditSigner,
  digestPrefixOf,
  genesisHash,
  hashBlock,
  splitDigestPrefixes,
} from "./hash-chain.ts"
import { ChainHead, chainHeadStateName, readAuditState } from "./state-store.ts"

const blocksPerPage = 50

/** A block recorded elsewhere, which must be in the chain. */
export interface BlockReference {
  number: number
  hash: string
}

export interface AuditVerification {
  blocks: number
  /** Number of sealed events that were checked. */
  events: number
  unsealed: number
  /** The last block pruned by retention; 0 if none. */
  prunedThrough: number
  last: BlockReference | null
  /** Problems found, one sentence each. */
  problems: string[]
}

const Pruned = z.object({ through_block: z.int() })

const describeEvent = ({ id, action, at }: AuditEventRecord): string =>
  `event ${id} (${action}, ${new Date(at * 1000).toISOString()})`

/** Explains how the events of a block differ from its digests. */
const describeDifferences = (
  block: AuditBlockRecord,
  rows: readonly AuditEventRecord[],
): string[] => {
  const blockLabel = `Block ${block.number}`
  const sealed = splitDigestPrefixes(block.digests)
  const remaining = new Set(sealed)
  const unknownEvents = rows.filter((row) => !remaining.delete(digestPrefixOf(row)))
  if (unknownEvents.length === 0 && remaining.size === 0)
    return [`${blockLabel}: the seal was altered`]
  const removedCount = sealed.length - rows.length
  if (removedCount > 0 && unknownEvents.length === 0)
    return [`${blockLabel} is missing ${removedCount} of its events`]
  const verb = removedCount < 0 ? "was added or altered" : "was altered"
  const alteredEvents = unknownEvents.map(
    (row) => `${blockLabel}: ${describeEvent(row)} ${verb} after it was sealed`,
  )
  return removedCount > 0
    ? [...alteredEvents, `${blockLabel} is missing ${removedCount} of its events`]
    : alteredEvents
}

const checkEvents = (block: AuditBlockRecord, rows: readonly AuditEventRecord[]): string[] => {
  const { hash, digests } = hashBlock({ ...block, rows })
  if (hash !== block.hash) return describeDifferences(block, rows)
  return digests === block.digests ? [] : [`Block ${block.number}: the seal was altered`]
}

const checkSeal = (block: AuditBlockRecord, signers: readonly AuditSigner[]): string[] => {
  const signer = signers.find(({ keyId }) => keyId === block.key_id)
  if (!signer) return [`Block ${block.number} was sealed with a SECRET_KEY that was not provided`]
  return signer.isSealValid(block) ? [] : [`Block ${block.number}: the seal was altered`]
}

const describeGap = (number: number, next: number): string =>
  number - 1 === next
    ? `Block ${next} of the chain was removed`
    : `Blocks ${next} to ${number - 1} of the chain were removed`

/** Walks the chain from its start and collects `problems`. */
const createChainVerifier = (
  signers: readonly AuditSigner[],
  expected: BlockReference | undefined,
) => {
  const problems: string[] = []
  let last: BlockReference = { number: 0, hash: genesisHash }
  let prunedThrough = 0
  let recordedThrough = 0
  let expectedFound = expected === undefined

  const checkPosition = ({ number, previous }: AuditBlockRecord): void => {
    const next = last.number + 1
    if (number !== next) {
      problems.push(describeGap(number, next))
    } else if (previous !== last.hash) {
      problems.push(
        `Block ${number} does not match the hash of the previous block: one of them was altered`,
      )
    }
  }

  const checkPruned = ({ number, pruned_at }: AuditBlockRecord): void => {
    if (pruned_at === null) return
    if (prunedThrough < last.number) {
      problems.push(`Block ${number} is marked as pruned, but an older block is not`)
    }
    prunedThrough = number
  }

  /** Retention records an event for what it prunes. */
  const readPruningEvents = (rows: readonly AuditEventRecord[]): void => {
    for (const { action, actor_type, after } of rows) {
      if (action !== "audit.pruned" || actor_type !== "system" || after === null) continue
      recordedThrough = Math.max(recordedThrough, Pruned.parse(JSON.parse(after)).through_block)
    }
  }

  return {
    problems,
    readPruningEvents,
    lastBlock: (): BlockReference => last,
    prunedThrough: (): number => prunedThrough,

    verifyBlock: (block: AuditBlockRecord, rows: readonly AuditEventRecord[]): void => {
      const { number, hash } = block
      checkPosition(block)
      checkPruned(block)
      problems.push(...checkSeal(block, signers))
      if (block.pruned_at === null) {
        problems.push(...checkEvents(block, rows))
        readPruningEvents(rows)
      }
      if (expected?.number === number) expectedFound = expected.hash === hash
      last = { number, hash }
    },

    finish: (): void => {
      if (prunedThrough > 0 && prunedThrough !== recordedThrough) {
        const recorded = recordedThrough === 0 ? "none" : `${recordedThrough}`
        problems.push(
          `Blocks up to ${prunedThrough} are marked as pruned, but the log records pruning up to ${recorded}`,
        )
      }
      if (!expectedFound) {
        problems.push(`Block ${expected?.number} does not match the expected hash`)
      }
    },
  }
}

/** Finds events that refer to missing blocks. */
const checkOrphanedEvents = async (reader: Reader): Promise<string[]> => {
  const orphans = await reader
    .selectFrom("audit_events")
    .select(["block", sql<number>`count(*)`.as("events")])
    .where("block", "is not", null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("audit_blocks")
            .select("number")
            .whereRef("audit_blocks.number", "=", "audit_events.block"),
        ),
      ),
    )
    .groupBy("block")
    .execute()
  return orphans.map(
    ({ block, events }) => `Block ${block} was removed, but ${events} events refer to it`,
  )
}

const checkHead = async (
  reader: Reader,
  last: BlockReference,
  signers: readonly AuditSigner[],
): Promise<string[]> => {
  const head = await readAuditState(reader, chainHeadStateName, ChainHead)
  if (!head) return last.number === 0 ? [] : ["The signed end of the chain was removed"]
  if (!signers.some((signer) => signer.isHeadValid(head))) {
    return ["The signed end of the chain was altered, or signed with another SECRET_KEY"]
  }
  const same = head.number === last.number && head.hash === last.hash
  return same
    ? []
    : [`The chain ends at block ${last.number}, but should end at block ${head.number}`]
}

const readEventsByBlock = async (
  reader: Reader,
  blocks: readonly AuditBlockRecord[],
): Promise<Map<number | null, AuditEventRecord[]>> => {
  const numbers = blocks.map(({ number }) => number)
  const rows = await reader
    .selectFrom("audit_events")
    .selectAll()
    .where("block", "is not", null)
    .where("block", "in", numbers)
    .orderBy("id")
    .execute()
  return Map.groupBy(rows, ({ block }) => block)
}

/** Verifies the whole audit log against its seals. */
export const verifyAuditLog = async (
  reader: Reader,
  { signers, expected }: { signers: readonly AuditSigner[]; expected?: BlockReference | undefined },
): Promise<AuditVerification> => {
  const verifier = createChainVerifier(signers, expected)
  let blocks = 0
  let events = 0
  for (;;) {
    const page = await reader
      .selectFrom("audit_blocks")
      .selectAll()
      .where("number", ">", verifier.lastBlock().number)
      .orderBy("number")
      .limit(blocksPerPage)
      .execute()
    if (page.length === 0) break
    const rowsByBlock = await readEventsByBlock(reader, page)
    for (const block of page) {
      const rows = rowsByBlock.get(block.number) ?? []
      verifier.verifyBlock(block, rows)
      blocks++
      if (block.pruned_at === null) events += rows.length
    }
  }
  const unsealedEvents = await reader
    .selectFrom("audit_events")
    .selectAll()
    .where("block", "is", null)
    .execute()
  verifier.readPruningEvents(unsealedEvents)
  verifier.finish()
  const last = verifier.lastBlock()
  const { problems } = verifier
  problems.push(...(await checkOrphanedEvents(reader)), ...(await checkHead(reader, last, signers)))
  const prunedThrough = verifier.prunedThrough()
  const end = last.number === 0 ? null : last
  return { blocks, events, unsealed: unsealedEvents.length, prunedThrough, last: end, problems }
}
