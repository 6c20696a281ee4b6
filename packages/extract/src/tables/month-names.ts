const languages =
  "en de de-AT fr es it pt ca nl sv da nb fi is pl cs sk hu ro hr tr lt lv et sq el ru uk bg".split(
    " ",
  )
const months = Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(2026, month, 1)))

const normalize = (name: string): string => name.toLowerCase().replace(/\.$/, "")

/** Names of the months by themselves, and as they stand in dates, in full and abbreviated. */
const namesIn = (language: string): string[] =>
  (["long", "short"] as const).flatMap((month) => {
    const options = { month, timeZone: "UTC" } as const
    return [options, { ...options, day: "numeric" } as const].flatMap((form) => {
      const format = new Intl.DateTimeFormat(language, form)
      const parts = months.flatMap((date) => format.formatToParts(date))
      return parts.flatMap(({ type, value }) => (type === "month" ? [normalize(value)] : []))
    })
  })

let names: ReadonlySet<string> | null = null

/** Whether a word is the name of a month, or its abbreviation, in one of the known languages. */
export const isMonthName = (word: string): boolean => {
  names ??= new Set([...languages.flatMap(namesIn), "mrz"])
  return names.has(normalize(word))
}
