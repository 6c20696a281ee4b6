/** Derives an ID from a name: "Café helper / très bon" → "cafe-helper-tres-bon". */
export const deriveId = (name: string, separator: "-" | "_" = "-"): string =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    // In upper case, "ß" is "SS".
    .toUpperCase()
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .join(separator)

/** Derives a function's ID, which starts with a letter: "3 Harbour Pilots" → "harbour_pilots". */
export const deriveFunctionId = (name: string): string =>
  deriveId(name, "_")
    .replace(/^[^a-z]+/, "")
    .slice(0, 64)
