import type { PriceView } from "../../../../server/src/prices/schema.ts"
import { t } from "../../i18n/translate.ts"
import { describeUnitPrices, formatTokenPrice } from "../../lib/format-price.ts"
import { commonTokenPrices, otherTokenPrices } from "./price-values.ts"

type Prices = Pick<
  PriceView,
  (typeof commonTokenPrices)[number] | (typeof otherTokenPrices)[number]
>

/** "Input $2.50, Output $15.00". */
const describeTokenPrices = (prices: Prices): string[] =>
  [...commonTokenPrices, ...otherTokenPrices].flatMap((name) => {
    const price = prices[name]
    return price === undefined ? [] : `${t(`prices.${name}`)} ${formatTokenPrice(price)}`
  })

interface Tier {
  name: string
  prices: string
}

const tiersOf = ({ tiers = [], service_tiers = {} }: Partial<PriceView>): Tier[] => {
  const longer = (above: number) => t("prices.above", { count: above })
  const ownTiers = tiers.map(({ above, ...prices }) => ({
    name: longer(above),
    prices: describeTokenPrices(prices).join(" · "),
  }))
  const services = Object.entries(service_tiers).flatMap(([service, prices]) => [
    {
      name: t("prices.service", { name: service }),
      prices: [...describeTokenPrices(prices), ...describeUnitPrices(prices)].join(" · "),
    },
    ...(prices.tiers ?? []).map(({ above, ...rest }) => ({
      name: `${t("prices.service", { name: service })}, ${longer(above)}`,
      prices: describeTokenPrices(rest).join(" · "),
    })),
  ])
  return [...ownTiers, ...services]
}

interface PriceTiersProps {
  price: Partial<PriceView>
  /** In a form, which cannot change them. */
  isKept?: boolean
}

/** Other prices of long inputs and of service tiers. */
export const PriceTiers = ({ price, isKept = false }: PriceTiersProps) => {
  const tiers = tiersOf(price)
  if (tiers.length === 0) return null
  return (
    <div className="flex flex-col gap-2 text-sm">
      {isKept && <p className="text-muted">{t("prices.tiersKept")}</p>}
      <dl className="flex flex-col gap-2">
        {tiers.map(({ name, prices }) => (
          <div key={name}>
            <dt className="text-xs text-muted">{name}</dt>
            <dd className="tabular">{prices}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
