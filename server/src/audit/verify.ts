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

/** A block that was written down elsewhere, and has to be in the chain. */
export interface Expected {
  number: number
  hash: string
}

export interface Verdict {
  blocks: number
  /** Sealed events that are there, and whose seals were checked. */
  events: number
  unsealed: number
  /** Up to which block events were pruned by age; 0 for none. */
  prunedThrough: number
  last: Expected | null
  /** What is wrong, a sentence each. */
  problems: string[]
}

const Pruned = z.object({ through_block: z.int() })

const named = ({ id, action, at }: EventRow): string =>
  `event ${id} (${action}, ${new Date(at * 1000).toISOString()})`

/** What became of the events of a block whose hash is not theirs. */
const differences = (block: BlockRow, rows: readonly EventRow[]): string[] => {
  const place = `Block ${block.number}`
  const sealed = keptDigests(block.digests)
  const left = new Set(sealed)
  const strange = rows.filter((row) => !left.delete(keptDigestOf(row)))
  if (strange.length === 0 && left.size === 0) return [`${place}: its own seal was changed`]
  const gone = sealed.length - rows.length
  if (gone > 0 && strange.length === 0) return [`${place}: ${gone} of its events were removed`]
  const verb = gone < 0 ? "was added or changed" : "was changed"
  const found = strange.map((row) => `${place}: ${named(row)} ${verb} after it was sealed`)
  return gone > 0 ? [...found, `${place}: ${gone} of its events were removed`] : found
}

const checkEvents = (block: BlockRow, rows: readonly EventRow[]): string[] => {
  const { hash, digests } = hashBlock({ ...block, rows })
  if (hash !== block.hash) return differences(block, rows)
  return digests === block.digests ? [] : [`Block ${block.number}: its own seal was changed`]
}

const checkSeal = (block: BlockRow, signers: readonly Signer[]): string[] => {
  const signer = signers.find(({ keyId }) => keyId === block.key_id)
  if (!signer) return [`Block ${block.number} was sealed under a SECRET_KEY that is not given`]
  return signer.sealed(block) ? [] : [`Block ${block.number}: its own seal was changed`]
}

const gapBefore = (number: number, next: number): string =>
  number - 1 === next
    ? `Block ${next} of the chain was removed`
    : `Blocks ${next} to ${number - 1} of the chain were removed`

/** Follows the chain from its beginning; what is found goes to `problems`. */
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
      problems.push(`Block ${number} does not follow the block before it: one of them was changed`)
    }
  }

  const checkPruned = ({ number, pruned_at }: BlockRow): void => {
    if (pruned_at === null) return
    if (prunedThrough < last.number) {
      problems.push(`Block ${number} counts as pruned by age, but an older one does not`)
    }
    prunedThrough = number
  }

  /** Retention writes down what it prunes. */
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
          `Blocks up to ${prunedThrough} count as pruned by age, but the trail tells of ${told}`,
        )
      }
      if (!expectedFound) {
        problems.push(`Block ${expected?.number} is not the one that was written down`)
      }
    },
  }
}

/** Events of blocks that are not there. */
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
  return strays.map(({ block, events }) => `Block ${block} was removed; ${events} events name it`)
}

const checkHead = async (
  reader: Reader,
  last: Expected,
  signers: readonly Signer[],
): Promise<string[]> => {
  const head = await readState(reader, headName, HeadState)
  if (!head) return last.number === 0 ? [] : ["The mark of the chain's end was removed"]
  if (!signers.some((signer) => signer.signedHead(head))) {
    return ["The mark of the chain's end was changed, or made under another SECRET_KEY"]
  }
  const same = head.number === last.number && head.hash === last.hash
  return same ? [] : [`The chain ends at block ${last.number}, and has to end at ${head.number}`]
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

/** Reads the whole trail and finds what is not as it was sealed. */
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
