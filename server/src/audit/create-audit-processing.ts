import type { Logger } from "pino"
import type { Config } from "../config/config.ts"
import { createAuditForwarder } from "./forwarding.ts"
import { createAuditSigner } from "./hash-chain.ts"
import { createAuditReader } from "./reader.ts"
import { type AuditRetentionDeps, createAuditRetention } from "./retention.ts"
import type { AuditStatus } from "./schema.ts"
import { type AuditSealerDeps, createAuditSealer } from "./sealer.ts"
import { createCollectorSink, createLogSink } from "./sinks.ts"

interface Deps extends Omit<AuditSealerDeps, "signer">, Omit<AuditRetentionDeps, "sealer"> {
  config: Pick<Config, "AUDIT_STREAM" | "AUDIT_STREAM_AUTHORIZATION">
  /** Key that seals the chain; derived from SECRET_KEY. */
  auditKey: Buffer
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
