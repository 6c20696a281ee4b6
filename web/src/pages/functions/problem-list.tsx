import { CircleAlert } from "lucide-react"
import type { SourceProblem } from "../../../../server/src/functions/schema.ts"
import { t } from "../../i18n/translate.ts"

interface ProblemListProps {
  problems: readonly SourceProblem[]
  onShow: (line: number | null, column: number | null) => void
}

/** Problems that prevent saving; a click moves the cursor to the position. */
export const ProblemList = ({ problems, onShow }: ProblemListProps) => (
  <ul aria-label={t("functions.problemsTitle")} aria-live="polite" className="flex flex-col gap-1">
    {problems.map(({ message, line, column }) => (
      <li key={`${line}:${column}:${message}`}>
        <button
          type="button"
          onClick={() => onShow(line, column)}
          className="flex w-full items-start gap-2 rounded px-2 py-1 text-left text-sm hover:bg-hover"
        >
          <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
          <span className="min-w-0 flex-1 break-words">{message}</span>
          {line !== null && (
            <span className="text-xs whitespace-nowrap text-muted tabular">
              {t("run.line", { line })}
              {column !== null && `:${column}`}
            </span>
          )}
        </button>
      </li>
    ))}
  </ul>
)
