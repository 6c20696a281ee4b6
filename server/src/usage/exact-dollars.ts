export const nanoPerDollar = 1_000_000_000
const nanoDigits = 9

/** Nano-dollars as dollars, exactly: "0.000400000". */
export const formatExactDollars = (nano: number): string => {
  const fraction = String(nano % nanoPerDollar).padStart(nanoDigits, "0")
  return `${Math.floor(nano / nanoPerDollar)}.${fraction}`
}
