import { t } from "../../../i18n/translate.ts"
import { Tooltip } from "../../../ui/tooltip.tsx"
import type { Citations } from "../citations.ts"

interface CitationProps {
  number: number
  citations: Citations
}

/** A citation such as [2]; opens its passage. */
export const Citation = ({ number, citations }: CitationProps) => {
  const label = t("sources.one", { number, name: citations.nameOf(number) ?? "" })
  return (
    <Tooltip label={label}>
      <button
        type="button"
        aria-label={label}
        onClick={() => citations.open(number)}
        className="citation"
      >
        {number}
      </button>
    </Tooltip>
  )
}
