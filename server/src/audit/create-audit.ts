import type { Logger } from "pino"
import type { Config } from "../config/config.ts"
import { isOutage } from "../db/connection-errors.ts"
import type { Database } from "../db/database.ts"
import type { Audit } from "./audit.ts"
import { createSigner } from "./chain.ts"
import { createAuditStream } from "./forwarding.ts"
import { createAuditReader } from "./reader.ts"
import { createAuditRetention } from "./retention.ts"
import type { AuditStatus } from "./schema.ts"
import { createSealer, type SealerOptions } from "./sealer.ts"
import { createCollectorSink, createLogSink } from "./sinks.ts"

interface Deps extends SealerOptions {
  config: Pick<Config, "AUDIT_STREAM" | "AUDIT_STREAM_AUTHORIZATION">
  db: Database
  audit: Audit
  /** Seals the chain; derived from SECRET_KEY. */
  auditKey: Buffer
  /** Seconds; 0 keeps all. */
  maxAge: () => number
  now: () => number
  log: Logger
}

/** What becomes of events once they are written: read, sealed, sent on, and in the end pruned. */
export const createTrailKeeping = (deps: Deps) => {
  const { config, db, audit, auditKey, maxAge, now, log } = deps
  const report = (error: unknown): void => {
    // An outage is told of elsewhere, and everything goes on by itself after it.
    if (!isOutage(error)) log.error({ err: error }, "the audit trail is held up")
  }
  const reader = createAuditReader(db)
  const sealer = createSealer({ ...deps, signer: createSigner(auditKey), report })
  const retention = createAuditRetention({ db, audit, sealer, maxAge, now })
  const { AUDIT_STREAM: to, AUDIT_STREAM_AUTHORIZATION: authorization } = config
  const sink = to && (to === "stdout" ? createLogSink(log) : createCollectorSink(to, authorization))
  const stream = sink ? createAuditStream({ db, reader, sink, now, report }) : null

  return {
    reader,
    sealer,
    retention,

    status: async (): Promise<AuditStatus> => ({
      ...(await reader.sealing()),
      stream: stream && (await stream.status()),
    }),

    close: async (): Promise<void> => {
      retention.close()
      await sealer.close()
      await stream?.close()
    },
  }
}
