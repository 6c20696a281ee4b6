import type { Logger } from "pino"
import type { BackgroundTasks } from "../background/background-tasks.ts"
import type { Config } from "../config/config.ts"
import type { Database } from "../db/database.ts"
import type { Audit } from "./audit.ts"
import { createAuditForwarder } from "./forwarding.ts"
import { createAuditSigner } from "./hash-chain.ts"
import { createAuditReader } from "./reader.ts"
import { createAuditRetention } from "./retention.ts"
import type { AuditStatus } from "./schema.ts"
import { type AuditSealerOptions, createAuditSealer } from "./sealer.ts"
import { createCollectorSink, createLogSink } from "./sinks.ts"

interface Deps extends AuditSealerOptions {
  background: BackgroundTasks
  config: Pick<Config, "AUDIT_STREAM" | "AUDIT_STREAM_AUTHORIZATION">
  db: Database
  audit: Audit
  /** Key that seals the chain; derived from SECRET_KEY. */
  auditKey: Buffer
  /** Retention in seconds; 0 keeps everything. */
  maxAge: () => number
  now: () => number
  log: Logger
}

/**
 * Builds everything that happens to events after they are written: reading, sealing, forwarding and
 * pruning.
 */
export const createAuditProcessing = (deps: Deps) => {
  const { config, db, auditKey, log } = deps
  const reader = createAuditReader(db)
  const sealer = createAuditSealer({ ...deps, signer: createAuditSigner(auditKey) })
  const { AUDIT_STREAM: streamTarget, AUDIT_STREAM_AUTHORIZATION: authorization } = config
  const sink =
    streamTarget &&
    (streamTarget === "stdout"
      ? createLogSink(log)
      : createCollectorSink(streamTarget, authorization))
  const stream = sink ? createAuditForwarder({ ...deps, reader, sink }) : null

  return {
    reader,
    sealer,
    deleteExpired: createAuditRetention({ ...deps, sealer }),

    status: async (): Promise<AuditStatus> => ({
      ...(await reader.sealStatus()),
      stream: stream && (await stream.status()),
    }),

    close: async (): Promise<void> => {
      await sealer.close()
      await stream?.close()
    },
  }
}
