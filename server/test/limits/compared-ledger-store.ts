import { expect } from "vitest"
import type { Database } from "../../src/db/database.ts"
import type { ClaimReply, ClaimRequest } from "../../src/limits/ledger/ledger-store.ts"
import { createSqlLedgerStore } from "../../src/limits/ledger/sql-ledger-store.ts"
import { StoreFault } from "./ledger-scenario.ts"
import { createMemoryLedgerStore } from "./memory-ledger-store.ts"

interface Options {
  db: Database
  /** Whether one of a claim's statements fails, or the reply to its commit is lost. */
  chooseFault: () => "statement" | "reply" | null
}

/** Fails one of the statements of a transaction. */
const failStatement = (db: Database, at: number): Database => {
  let statements = 0
  const transact: Database["transact"] = (work) =>
    db.essential.transact((tx) =>
      work(
        tx.withPlugin({
          transformQuery: ({ node }) => {
            if (++statements > at) throw new StoreFault("a statement failed")
            return node
          },
          transformResult: async ({ result }) => result,
        }),
      ),
    )
  return { ...db, essential: { ...db.essential, transact } }
}

const slicesOf = ({ slices, wasClosed }: ClaimReply) => ({ slices, wasClosed })

/** Creates a store in memory that compares each answer with that of the store in the database. */
export const createComparedStores = ({ db, chooseFault }: Options) => {
  const stored = createSqlLedgerStore(db)
  let claims = 0

  const readAccounts = () => db.read.selectFrom("limit_accounts").selectAll().execute()

  const createStore: typeof createMemoryLedgerStore = (deps) => {
    const memory = createMemoryLedgerStore(deps)
    return {
      ...memory,
      claim: async (request: ClaimRequest) => {
        const fault = chooseFault()
        // Later ones succeed, as if there were no fault.
        const failing = fault === "statement" ? failStatement(db, claims % 12) : db
        const actual = await createSqlLedgerStore(failing).claim(request)
        const expected = await memory.claim(request)
        claims++
        expect(slicesOf(actual)).toEqual(slicesOf(expected))
        if (fault === "reply") throw new StoreFault("the reply was lost")
        return expected
      },
      closeLeases: async (holder) => {
        const isClosed = await memory.closeLeases(holder)
        expect(await stored.closeLeases(holder)).toBe(isClosed)
        return isClosed
      },
    }
  }

  /** Compares the accounts of all limits that exist. */
  const compareAccounts = async (
    accounts: ReturnType<ReturnType<typeof createStore>["accounts"]>,
  ): Promise<void> => {
    const rows = await readAccounts()
    const actual = rows.map(({ limit_id, period, spent, written_off, granted }) => [
      ...[`${limit_id} ${period}`, spent, written_off, granted],
    ])
    const existing = new Set(rows.map(({ limit_id }) => limit_id))
    const expected = accounts
      .filter(({ limitId }) => existing.has(limitId))
      .map(({ limitId, period, spent, writtenOff, granted }) => [
        ...[`${limitId} ${period.key}`, spent, writtenOff, granted],
      ])
    expect(actual.toSorted()).toEqual(expected.toSorted())
  }

  return { createStore, compareAccounts, claimCount: () => claims }
}
