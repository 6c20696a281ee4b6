import { UpstreamError } from "@portico/http1"
import { storageFailureOf } from "../../../db/outages.ts"
import { toError } from "../../../errors.ts"
import { type TranslatableMessage, translatable } from "../../../i18n/message.ts"
import { DownloadRejectedError } from "../../../outbound/download-file.ts"

const maxCodeLength = 200

/** The error's code, such as `EACCES`, or its message if it has none. */
export const errorCodeOf = (thrown: unknown): string => {
  const error = toError(thrown)
  if ("code" in error && typeof error.code === "string") return error.code
  const nested = error instanceof AggregateError ? error.errors[0] : error.cause
  return nested ? errorCodeOf(nested) : error.message.slice(0, maxCodeLength)
}

const describeUpstreamError = (error: UpstreamError): TranslatableMessage => {
  if (error.kind === "unreachable")
    return translatable("download_unreachable", { code: errorCodeOf(error) })
  const isTimeout = error.kind === "timeout" || error.kind === "silence"
  return translatable(isTimeout ? "download_timed_out" : "download_interrupted")
}

const describeReason = (error: unknown): TranslatableMessage => {
  if (error instanceof DownloadRejectedError) return error.reason
  if (error instanceof UpstreamError) return describeUpstreamError(error)
  return translatable("download_broken", { code: errorCodeOf(error) })
}

/** Why an installation failed, and what to do. */
export const describeInstallationProblem = (
  error: unknown,
  { hub, folder }: { hub: string; folder: string },
): TranslatableMessage => {
  const failure = storageFailureOf(error)
  if (failure === "full") return translatable("disk_full")
  if (failure === "broken")
    return translatable("model_folder_unwritable", { folder, code: errorCodeOf(error) })
  const { host } = new URL(hub)
  return translatable("model_download_failed", { host, reason: describeReason(error), folder })
}
