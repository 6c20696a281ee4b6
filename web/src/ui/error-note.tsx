import { RotateCw, TriangleAlert } from "lucide-react"
import { t, translateServerText } from "../i18n/translate.ts"
import { ApiError, type FieldError } from "../lib/api.ts"
import { Button } from "./button.tsx"

const describeFieldError = ({ path, message, ...reference }: FieldError): string => {
  const text = translateServerText(message, reference)
  return path === "" ? text : `${path}: ${text}`
}

/** What browsers say if a module cannot be downloaded. */
const isDownloadFailure = (error: unknown): boolean =>
  error instanceof TypeError && /dynamically imported module|module script/i.test(error.message)

/** The gateway's message; if it is about several fields, the sentences about each. */
const textOf = ({ message, reference, errors }: ApiError): string =>
  reference === null && errors.some(({ id }) => id !== undefined)
    ? errors.map(describeFieldError).join(" ")
    : translateServerText(message, reference)

/** A message for the user, in their language if it is known. */
export const errorText = (error: unknown): string => {
  if (error instanceof ApiError) {
    if (error.status === 429 && error.retryAfter !== null) {
      return t("error.slow", { seconds: error.retryAfter })
    }
    return textOf(error)
  }
  if (isDownloadFailure(error)) return t("error.notLoaded")
  return error instanceof Error && error.message ? error.message : t("error.unknown")
}

/** An error message with a retry button and the request ID under "Details". */
export const ErrorNote = ({ error, retry }: { error: unknown; retry?: () => void }) => (
  <div
    role="alert"
    className="flex items-start gap-2.5 rounded border border-danger/40 bg-danger-soft px-3 py-2.5 text-sm"
  >
    <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
    <div className="min-w-0 flex-1">
      <p className="break-words">{errorText(error)}</p>
      {error instanceof ApiError && error.requestId && (
        <details className="mt-1 text-xs text-muted">
          <summary>{t("error.details")}</summary>
          <p className="mt-1 break-all">
            {error.status} {error.code} · {t("label.request")} <code>{error.requestId}</code>
          </p>
        </details>
      )}
    </div>
    {retry && (
      <Button icon={RotateCw} onClick={retry}>
        {t("action.retry")}
      </Button>
    )}
  </div>
)
