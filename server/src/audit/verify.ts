import { sql } from "kysely"
import { z } from "zod"
import type { Reader } from "../db/database.ts"
import {
  type BlockRow,
  beginning,
  type EventRow,
  hashBlock,
  keptDigestOf,
  keptDigests,
  type Signer,
} from "./chain.ts"
import { HeadState, headName, readState } from "./state-store.ts"

const blocksPerPage = 50

/** A block recorded elsewhere, which must be in the chain. */
export interface Expected {
  number: number
  hash: string
}

export interface Verdict {
  blocks: number
  /** Number of sealed events that were checked. */
  events: number
  unsealed: number
  /** The last block pruned by retention; 0 if none. */
  prunedThrough: number
  last: Expected | null
  /** Problems found, one sentence each. */
  problems: string[]
}

const Pruned = z.object({ through_block: z.int() })

const named = ({ id, action, at }: EventRow): string =>
  `event ${id} (${action}, ${new Date(at * 1000).toISOString()})`

/** Explains how the events of a block differ from its digests. */
const differences = (block: BlockRow, rows: readonly EventRow[]): string[] => {
  const place = `Block ${block.number}`
  const sealed = keptDigests(block.digests)
  const left = new Set(sealed)
  const strange = rows.filter((row) => !left.delete(keptDigestOf(row)))
  if (strange.length === 0 && left.size === 0) return [`${place}: the seal was altered`]
  const gone = sealed.length - rows.length
  if (gone > 0 && strange.length === 0) return [`${place} is missing ${gone} of its events`]
  const verb = gone < 0 ? "was added or altered" : "was altered"
  const found = strange.map((row) => `${place}: ${named(row)} ${verb} after it was sealed`)
  return gone > 0 ? [...found, `${place} is missing ${gone} of its events`] : found
}

const checkEvents = (block: BlockRow, rows: readonly EventRow[]): string[] => {
  const { hash, digests } = hashBlock({ ...block, rows })
  if (hash !== block.hash) return differences(block, rows)
  return digests === block.digests ? [] : [`Block ${block.number}: the seal was altered`]
}

const checkSeal = (block: BlockRow, signers: readonly Signer[]): string[] => {
  const signer = signers.find(({ keyId }) => keyId === block.key_id)
  if (!signer) return [`Block ${block.number} was sealed with a SECRET_KEY that was not provided`]
  return signer.sealed(block) ? [] : [`Block ${block.number}: the seal was altered`]
}

const gapBefore = (number: number, next: number): string =>
  number - 1 === next
    ? `Block ${next} of the chain was removed`
    : `Blocks ${next} to ${number - 1} of the chain were removed`

/** Walks the chain from its start and collects `problems`. */
const createFollower = (signers: readonly Signer[], expected: Expected | undefined) => {
  const problems: string[] = []
  let last: Expected = { number: 0, hash: beginning }
  let prunedThrough = 0
  let toldThrough = 0
  let expectedFound = expected === undefined

  const checkPlace = ({ number, previous }: BlockRow): void => {
    const next = last.number + 1
    if (number !== next) {
      problems.push(gapBefore(number, next))
    } else if (previous !== last.hash) {
      problems.push(
        `Block ${number} does not match the hash of the previous block: one of them was altered`,
      )
    }
  }

  const checkPruned = ({ number, pruned_at }: BlockRow): void => {
    if (pruned_at === null) return
    if (prunedThrough < last.number) {
      problems.push(`Block ${number} is marked as pruned, but an older block is not`)
    }
    prunedThrough = number
  }

  /** Retention records an event for what it prunes. */
  const hear = (rows: readonly EventRow[]): void => {
    for (const { action, actor_type, after } of rows) {
      if (action !== "audit.pruned" || actor_type !== "system" || after === null) continue
      toldThrough = Math.max(toldThrough, Pruned.parse(JSON.parse(after)).through_block)
    }
  }

  return {
    problems,
    hear,
    at: (): Expected => last,
    prunedThrough: (): number => prunedThrough,

    step: (block: BlockRow, rows: readonly EventRow[]): void => {
      const { number, hash } = block
      checkPlace(block)
      checkPruned(block)
      problems.push(...checkSeal(block, signers))
      if (block.pruned_at === null) {
        problems.push(...checkEvents(block, rows))
        hear(rows)
      }
      if (expected?.number === number) expectedFound = expected.hash === hash
      last = { number, hash }
    },

    end: (): void => {
      if (prunedThrough > 0 && prunedThrough !== toldThrough) {
        const told = toldThrough === 0 ? "none" : `${toldThrough}`
        problems.push(
          `Blocks up to ${prunedThrough} are marked as pruned, but the log records pruning up to ${told}`,
        )
      }
      if (!expectedFound) {
        problems.push(`Block ${expected?.number} does not match the expected hash`)
      }
    },
  }
}

/** Finds events that refer to missing blocks. */
const checkStrays = async (reader: Reader): Promise<string[]> => {
  const strays = await reader
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
  return strays.map(
    ({ block, events }) => `Block ${block} was removed, but ${events} events refer to it`,
  )
}

const checkHead = async (
  reader: Reader,
  last: Expected,
  signers: readonly Signer[],
): Promise<string[]> => {
  const head = await readState(reader, headName, HeadState)
  if (!head) return last.number === 0 ? [] : ["The signed end of the chain was removed"]
  if (!signers.some((signer) => signer.signedHead(head))) {
    return ["The signed end of the chain was altered, or signed with another SECRET_KEY"]
  }
  const same = head.number === last.number && head.hash === last.hash
  return same
    ? []
    : [`The chain ends at block ${last.number}, but should end at block ${head.number}`]
}

const eventsOf = async (
  reader: Reader,
  blocks: readonly BlockRow[],
): Promise<Map<number | null, EventRow[]>> => {
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
export const verifyTrail = async (
  reader: Reader,
  { signers, expected }: { signers: readonly Signer[]; expected?: Expected | undefined },
): Promise<Verdict> => {
  const follower = createFollower(signers, expected)
  let blocks = 0
  let events = 0
  for (;;) {
    const page = await reader
      .selectFrom("audit_blocks")
      .selectAll()
      .where("number", ">", follower.at().number)
      .orderBy("number")
      .limit(blocksPerPage)
      .execute()
    if (page.length === 0) break
    const rowsByBlock = await eventsOf(reader, page)
    for (const block of page) {
      const rows = rowsByBlock.get(block.number) ?? []
      follower.step(block, rows)
      blocks++
      if (block.pruned_at === null) events += rows.length
    }
  }
  const fresh = await reader
    .selectFrom("audit_events")
    .selectAll()
    .where("block", "is", null)
    .execute()
  follower.hear(fresh)
  follower.end()
  const last = follower.at()
  const { problems } = follower
  problems.push(...(await checkStrays(reader)), ...(await checkHead(reader, last, signers)))
  const prunedThrough = follower.prunedThrough()
  const end = last.number === 0 ? null : last
  return { blocks, events, unsealed: fresh.length, prunedThrough, last: end, problems }
}
