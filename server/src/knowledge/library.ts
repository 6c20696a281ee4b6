import type { Audit } from "../audit/audit.ts"
import type { Bus } from "../bus/bus.ts"
import type { Config } from "../config.ts"
import type { Database } from "../db/database.ts"
import { createFiles } from "../files/files.ts"
import { createWorkshop } from "../files/workshop.ts"
import type { Grants } from "../grants/grants.ts"
import { createQueue } from "../jobs/queue.ts"
import { createCiting } from "./citing.ts"
import { createCollections } from "./collections.ts"
import { createExplaining } from "./explaining.ts"
import { createRetrieval } from "./retrieval.ts"
import { createSearcher } from "./searcher.ts"
import { createCollectionStore } from "./store.ts"

interface Needs {
  config: Config
  db: Database
  bus: Bus
  audit: Audit
  grants: Grants
  newId: () => string
  now: () => number
  report: (error: Error) => void
}

/** Everything about files and collections, built in order. */
export const createLibrary = async (needs: Needs) => {
  const { config, db, bus, audit, grants, newId, now, report } = needs
  const alone = config.DATABASE_URL === undefined
  const collectionStore = createCollectionStore({ db, grants })
  const workshop = createWorkshop({ config, db, bus, now, searchable: async () => false })
  const { passages, objects } = workshop
  const queue = createQueue({ db, kinds: { read: workshop.reading }, alone, report })
  const files = createFiles({
    db,
    bus,
    audit,
    store: workshop.store,
    passages,
    objects,
    queue,
    newId,
    now,
    sharedWith: collectionStore.shares,
  })
  const collections = createCollections({
    db,
    bus,
    audit,
    store: collectionStore,
    files,
    fileStore: workshop.store,
    newId,
    now,
  })
  const searcher = createSearcher({ bus, passages, vectorsOf: async () => [] })
  const retrieval = createRetrieval({
    passages,
    searcher,
    meaningOf: async () => null,
    rescore: async (_meaning, _ids, hits) => hits,
  })

  files.sweep(alone).catch(report)
  await queue.start()

  return {
    files,
    objects,
    collections,
    explaining: createExplaining({ collections, retrieval }),
    citing: createCiting({ files, collections, retrieval }),
    close: async (): Promise<void> => {
      await queue.close()
      workshop.close()
      await searcher.close()
    },
  }
}

export type Library = Awaited<ReturnType<typeof createLibrary>>
