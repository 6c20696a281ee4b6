/** A word of a POSIX shell command; in quotes only if it needs them. */
export const quotePosix = (value: string): string =>
  /^[\w@%+:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`

/** A verbatim PowerShell string. PowerShell also treats typographic single quotes as quotes. */
export const quotePowerShell = (value: string): string =>
  `'${value.replaceAll(/['\u2018-\u201b]/g, "$&$&")}'`

/**
 * A double-quoted string that JSON, JavaScript, Python, TOML and YAML read alike. TOML and YAML do
 * not accept the control characters that JSON leaves unescaped.
 */
export const quoteString = (value: string): string =>
  JSON.stringify(value).replaceAll(
    /[\u007f-\u009f]/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
  )
