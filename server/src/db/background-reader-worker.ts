import type { SQLInputValue } from "node:sqlite"
import { workerData } from "node:worker_threads"
import { serveRequests } from "../background/worker-client.ts"
import { lowerThreadPriority } from "../concurrency/thread-priority.ts"
import type { BackgroundQuery } from "./background-reader.ts"
import { registerContainsFolded } from "./contains-folded.ts"
import { openSqliteFile } from "./sqlite-file.ts"

/** Worker thread that runs the queries of `background-reader.ts`. */
lowerThreadPriority(10)
const { path } = workerData as { path: string }
const database = openSqliteFile(path, true)
registerContainsFolded(database)

serveRequests(({ sql, parameters }: BackgroundQuery) =>
  database.prepare(sql).all(...(parameters as SQLInputValue[])),
)
