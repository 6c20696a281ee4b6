import { ArrowRight } from "lucide-react"
import type { PriceImportResult } from "../../../../server/src/prices/request-schema.ts"
import type { PriceEntry } from "../../../../server/src/prices/schema.ts"
import { t } from "../../i18n/translate.ts"
import { formatDate } from "../../lib/format.ts"
import { formatTokenPrice } from "../../lib/format-price.ts"
import { Badge } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { Section } from "../../ui/page.tsx"
import { type Column, NameCell, Table } from "../../ui/table.tsx"
import { scopeOf } from "./price-scope.ts"

type Change = NonNullable<PriceImportResult["entries"]>[number]

interface ImportPreviewProps {
  result: PriceImportResult
  onApply: () => void
  isApplying: boolean
}

/** What an import would change, what it skips, and the button that carries it out. */
export const ImportPreview = ({ result, onApply, isApplying }: ImportPreviewProps) => {
  const { added, changed, unchanged, skipped, entries = [] } = result
  const count = added + changed
  return (
    <>
      <div className="flex flex-wrap items-center gap-3 rounded border border-line bg-surface px-4 py-3">
        <p role="status" className="min-w-48 flex-1 text-sm">
          {t("prices.previewed", { added, changed, unchanged, skipped: skipped.length })}
        </p>
        <Button variant="primary" busy={isApplying} disabled={count === 0} onClick={onApply}>
          {t("prices.importCount", { count })}
        </Button>
      </div>
      {entries.length > 0 && (
        <Section
          title={t("prices.changes")}
          lead={count > entries.length && t("prices.firstChanges", { count: entries.length })}
        >
          <Table
            label={t("prices.changes")}
            items={entries}
            idOf={({ after }) => JSON.stringify([after.model, scopeOf(after), after.from])}
            columns={columns()}
          />
        </Section>
      )}
      {skipped.length > 0 && <Skipped skipped={skipped} />}
    </>
  )
}

const columns = (): Column<Change>[] => [
  {
    id: "model",
    header: t("label.model"),
    grow: true,
    cell: ({ after }) => (
      <NameCell detail={after.connection ?? after.provider ?? t("prices.ofAll")}>
        {after.model}
      </NameCell>
    ),
  },
  priceColumn("input"),
  priceColumn("output"),
  {
    id: "from",
    header: t("prices.from"),
    align: "right",
    wideOnly: true,
    cell: ({ after }) => formatDate(after.from),
  },
  {
    id: "kind",
    header: t("label.status"),
    belowName: "plain",
    cell: ({ before }) => (
      <Badge tone={before ? "warn" : "ok"}>{t(before ? "prices.changed" : "prices.added")}</Badge>
    ),
  },
]

const priceColumn = (name: "input" | "output"): Column<Change> => ({
  id: name,
  header: t(`prices.${name}`),
  align: "right",
  cell: ({ before, after }) => <ChangedPrice before={before?.[name]} after={after[name]} />,
})

const priceText = (price: PriceEntry["input"]): string =>
  price === undefined ? "–" : formatTokenPrice(price)

const ChangedPrice = ({
  before,
  after,
}: {
  before: PriceEntry["input"]
  after: PriceEntry["input"]
}) =>
  before === undefined || before === after ? (
    priceText(after)
  ) : (
    <span className="inline-flex flex-wrap items-center justify-end gap-1">
      <s className="text-muted">{priceText(before)}</s>
      <ArrowRight role="img" aria-label={t("prices.becomes")} className="size-3 text-muted" />
      {priceText(after)}
    </span>
  )

const maxSkipped = 200

const Skipped = ({ skipped }: { skipped: PriceImportResult["skipped"] }) => (
  <details className="rounded border border-line">
    <summary className="cursor-pointer px-4 py-3 text-sm font-medium">
      {t("prices.skipped", { count: skipped.length })}
    </summary>
    <ul className="flex max-h-80 flex-col gap-1 overflow-y-auto border-t border-line px-4 py-3 text-sm">
      {skipped.slice(0, maxSkipped).map(({ model, reason }) => (
        <li key={`${model} ${reason}`} className="break-words">
          <span className="font-medium">{model}</span> <span className="text-muted">{reason}</span>
        </li>
      ))}
      {skipped.length > maxSkipped && <li className="text-muted">…</li>}
    </ul>
  </details>
)
