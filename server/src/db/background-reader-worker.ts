import type { SQLInputValue } from "node:sqlite"
import { workerData } from "node:worker_threads"
import { giveWay } from "../limits/thread-priority.ts"
import type { Query } from "./background-reader.ts"
import { addContainsFolded } from "./contains-folded.ts"
import { openFile } from "./sqlite-file.ts"
import { answerWith } from "./worker-client.ts"

/** Worker thread that runs the queries of `background-reader.ts`. */
giveWay(10)
const { path } = workerData as { path: string }
const database = openFile(path, true)
addContainsFolded(database)

answerWith(({ sql, parameters }: Query) =>
  database.prepare(sql).all(...(parameters as SQLInputValue[])),
)
