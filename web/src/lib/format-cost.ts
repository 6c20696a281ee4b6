import { currentLanguage } from "../i18n/translate.ts"

const nanosPerDollar = 1e9
/** Dollars; smaller amounts are shown as less than this. */
const smallestShown = 0.0001

const format = (dollars: number, digits: number): string =>
  new Intl.NumberFormat(currentLanguage(), {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(dollars)

/** "$12.50", "$0.0004", "< $0.0001". @param cost nano-dollars */
export const formatCost = (cost: number): string => {
  const dollars = cost / nanosPerDollar
  if (dollars > 0 && dollars < smallestShown) return `< ${format(smallestShown, 4)}`
  return format(dollars, dollars > 0 && dollars < 0.1 ? 4 : 2)
}
