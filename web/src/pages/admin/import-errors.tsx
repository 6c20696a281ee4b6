import { t, translateServerText } from "../../i18n/translate.ts"
import { ApiError, type FieldError } from "../../lib/api.ts"
import { ErrorNote } from "../../ui/error-note.tsx"

const maxShown = 20

/** "Entry 4, input" for `prices.3.input`, "Line 3, input" for a line of a CSV file. */
const describePlace = ({ path, line }: FieldError): string => {
  const [list, index, ...rest] = path.split(".")
  if (line !== undefined) return [t("prices.line", { line: String(line) }), path].join(", ")
  if (list !== "prices" || index === undefined) return path
  const isEntry = /^\d+$/.test(index)
  const entry = isEntry ? t("prices.entry", { entry: String(Number(index) + 1) }) : index
  return [entry, ...rest].join(", ")
}

/** What is wrong with a file, with its lines or entries. */
export const ImportErrors = ({ error }: { error: unknown }) => {
  if (!(error instanceof ApiError) || error.errors.length === 0) return <ErrorNote error={error} />
  const shown = error.errors.slice(0, maxShown)
  return (
    <div
      role="alert"
      className="flex flex-col gap-2 rounded border border-danger/40 bg-danger-soft px-3 py-2.5 text-sm"
    >
      <p className="font-medium">{t("prices.importRefused")}</p>
      <ul className="flex flex-col gap-1">
        {shown.map((one) => (
          <li key={`${one.path} ${one.line}`} className="break-words">
            <span className="font-medium">{describePlace(one)}:</span>{" "}
            {translateServerText(one.message, one)}
          </li>
        ))}
      </ul>
      {error.errors.length > shown.length && (
        <p>{t("prices.moreErrors", { count: error.errors.length - shown.length })}</p>
      )}
    </div>
  )
}
