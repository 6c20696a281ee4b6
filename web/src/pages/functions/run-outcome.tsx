import { type MessageKey, t } from "../../i18n/translate.ts"
import { Status } from "../../ui/badge.tsx"

const labels: Record<string, MessageKey> = {
  ok: "run.ok",
  timeout: "run.timeout",
  out_of_memory: "run.out_of_memory",
  threw: "label.failed",
  denied: "run.denied",
  cancelled: "run.cancelled",
  worker_lost: "run.worker_lost",
  running: "run.running",
}

const toneOf = (result: string) => {
  if (result === "ok") return "ok"
  return result === "cancelled" || result === "running" ? "plain" : "danger"
}

/** The outcome of a run. */
export const RunOutcome = ({ result }: { result: string }) => {
  const word = labels[result]
  return <Status tone={toneOf(result)}>{word ? t(word) : result}</Status>
}
