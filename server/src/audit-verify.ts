import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { createAuditSigner } from "./audit/hash-chain.ts"
import { type AuditVerification, type BlockReference, verifyAuditLog } from "./audit/verify.ts"
import { invocationDir, readConfig } from "./config/config.ts"
import { readSnapshot } from "./db/read-snapshot.ts"
import { keyFilePath } from "./secrets/key-file.ts"
import { createSecrets } from "./secrets/secrets.ts"

const maxShown = 20

const readKey = (path: string): string => readFileSync(path, "utf8").trim()

const signerOf = (secretKey: string) => createAuditSigner(createSecrets(secretKey).auditKey)

const expectedOf = (text: string): BlockReference => {
  const [, number, hash] = /^(\d+):([0-9a-f]{64})$/.exec(text) ?? []
  if (!hash) throw new Error("--expect takes a block as it was printed before: NUMBER:HASH")
  return { number: Number(number), hash }
}

const printLines = (lines: readonly string[]): void =>
  void process.stdout.write(`${lines.join("\n")}\n`)

const printVerdict = ({
  blocks,
  events,
  unsealed,
  prunedThrough,
  last,
  problems,
}: AuditVerification): void => {
  const numbers = [
    `${blocks} blocks, ${events} sealed events, ${unsealed} not sealed yet.`,
    ...(prunedThrough > 0
      ? [`Events of blocks 1 to ${prunedThrough} were deleted when their retention period ended.`]
      : []),
    ...(last ? [`Last block: ${last.number}:${last.hash}`] : []),
  ]
  if (problems.length === 0) {
    printLines(["The audit log is intact.", ...numbers])
    return
  }
  const more = problems.length - maxShown
  printLines([
    "The audit log has been tampered with.",
    ...problems.slice(0, maxShown).map((problem) => `  ${problem}.`),
    ...(more > 0 ? [`  … and ${more} more.`] : []),
    ...numbers,
  ])
  process.exitCode = 1
}

try {
  const { values } = parseArgs({
    options: {
      expect: { type: "string" },
      "former-key": { type: "string", multiple: true, default: [] },
    },
  })
  const config = readConfig()
  const former = values["former-key"].map((path) => readKey(resolve(invocationDir(), path)))
  const keys = [config.SECRET_KEY ?? readKey(keyFilePath(config.DATA_DIR)), ...former]
  const expected = values.expect === undefined ? undefined : expectedOf(values.expect)
  const signers = keys.map(signerOf)
  printVerdict(
    await readSnapshot(config, (reader) => verifyAuditLog(reader, { signers, expected })),
  )
} catch (error) {
  process.stderr.write(
    `Could not verify the audit log.\n${error instanceof Error ? error.message : error}\n`,
  )
  process.exitCode = 2
}
