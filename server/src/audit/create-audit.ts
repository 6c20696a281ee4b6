import type { Logger } from "pino"
import type { Config } from "../config/config.ts"
import { isOutage } from "../db/connection-errors.ts"
import type { Database } from "../db/database.ts"
import type { ScheduledDeletionOptions } from "../jobs/scheduled-deletion.ts"
import type { Audit } from "./audit.ts"
import { createAuditForwarder } from "./forwarding.ts"
import { createAuditSigner } from "./hash-chain.ts"
import { createAuditReader } from "./reader.ts"
import { createAuditRetention } from "./retention.ts"
import type { AuditStatus } from "./schema.ts"
import { type AuditSealerOptions, createAuditSealer } from "./sealer.ts"
import { createCollectorSink, createLogSink } from "./sinks.ts"

interface Deps extends AuditSealerOptions, ScheduledDeletionOptions {
  config: Pick<Config, "AUDIT_STREAM" | "AUDIT_STREAM_AUTHORIZATION">
  db: Database
  audit: Audit
  /** Key that seals the chain; derived from SECRET_KEY. */
  auditKey: Buffer
  /** Retention in seconds; 0 keeps everything. */
  maxAge: () => number
  isClockTrusted: () => boolean
  now: () => number
  log: Logger
}

/**
 * Builds everything that happens to events after they are written: reading, sealing, forwarding and
 * pruning.
 */
export const createAuditProcessing = (deps: Deps) => {
  const { config, db, auditKey, now, log } = deps
  const report = (error: unknown): void => {
    // Outages are reported elsewhere, and processing resumes after them.
    if (!isOutage(error)) log.error({ err: error }, "Failed to process the audit log")
  }
  const reader = createAuditReader(db)
  const sealer = createAuditSealer({ ...deps, signer: createAuditSigner(auditKey), report })
  const retention = createAuditRetention({ ...deps, sealer })
  const { AUDIT_STREAM: streamTarget, AUDIT_STREAM_AUTHORIZATION: authorization } = config
  const sink =
    streamTarget &&
    (streamTarget === "stdout"
      ? createLogSink(log)
      : createCollectorSink(streamTarget, authorization))
  const stream = sink ? createAuditForwarder({ db, reader, sink, now, report }) : null

  return {
    reader,
    sealer,
    retention,

    status: async (): Promise<AuditStatus> => ({
      ...(await reader.sealStatus()),
      stream: stream && (await stream.status()),
    }),

    close: async (): Promise<void> => {
      retention.close()
      await sealer.close()
      await stream?.close()
    },
  }
}
