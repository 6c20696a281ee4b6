import type { PriceOrigin, PriceView } from "../../../../server/src/prices/schema.ts"
import { t } from "../../i18n/translate.ts"
import { formatDate } from "../../lib/format.ts"
import { describeUnitPrices, formatTokenPrice } from "../../lib/format-price.ts"
import { Badge } from "../../ui/badge.tsx"
import type { Column } from "../../ui/table.tsx"

const Unknown = () => <span className="text-muted">–</span>

/** What is charged for input, or for what takes its place. */
const InputPrice = ({ price }: { price: PriceView | null }) => {
  if (price?.input !== undefined) return formatTokenPrice(price.input)
  const [first] = price ? describeUnitPrices(price) : []
  return first ?? <Unknown />
}

const TokenPrice = ({ price }: { price: number | undefined }) =>
  price === undefined ? <Unknown /> : formatTokenPrice(price)

/** Columns with prices per million tokens. */
export const priceColumns = <T,>(priceOf: (item: T) => PriceView | null): Column<T>[] => [
  {
    id: "input",
    header: t("prices.input"),
    align: "right",
    cell: (item) => <InputPrice price={priceOf(item)} />,
  },
  {
    id: "cached",
    header: t("prices.cached_input"),
    align: "right",
    wideOnly: true,
    cell: (item) => <TokenPrice price={priceOf(item)?.cached_input} />,
  },
  {
    id: "output",
    header: t("prices.output"),
    align: "right",
    cell: (item) => <TokenPrice price={priceOf(item)?.output} />,
  },
]

export const OriginBadge = ({ origin }: { origin: PriceOrigin | undefined }) => {
  if (origin === undefined) return <Badge tone="warn">{t("prices.noPrice")}</Badge>
  return origin === "custom" ? (
    <Badge tone="accent">{t("prices.custom")}</Badge>
  ) : (
    <Badge>{t("prices.shipped")}</Badge>
  )
}

/** The day from which a price holds; shipped ones have always held. */
export const Since = ({ from }: { from: number }) => (from === 0 ? <Unknown /> : formatDate(from))
