/** Share of the files below which a language is taken as detected by mistake. */
const minShare = 0.02

/**
 * The languages of files, the most frequent first.
 * @param max the most that are returned
 */
export const fileLanguagesOf = (
  files: readonly { id: string; language?: string | null }[],
  max: number,
): string[] => {
  const languages = files.flatMap(({ language }) => language ?? [])
  return [...Map.groupBy(languages, (language) => language)]
    .filter(([, { length }]) => length >= languages.length * minShare)
    .toSorted(([, a], [, z]) => z.length - a.length)
    .map(([language]) => language)
    .slice(0, max)
}
