/** Words without a pattern, so that an archive of them does not look like a ZIP bomb. */
export const varied = (count: number, of: (word: string) => string): string =>
  Array.from({ length: count }, (_, at) => of(((at * at * 7919) % 1009).toString(36))).join("")
