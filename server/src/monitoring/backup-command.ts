import { join } from "node:path"

const quote = (text: string): string =>
  /^[\w/.:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

const script = join(import.meta.dirname, "../backup.ts")

/**
 * A shell command that backs up the embedded database of this gateway from any folder: it needs
 * neither npm nor the gateway's environment.
 */
export const backupCommand = (dataDir: string, date: Date): string => {
  const day = date.toISOString().slice(0, "2026-01-31".length)
  const words = [process.execPath, script, `portico-${day}.db`]
  return [`DATA_DIR=${quote(dataDir)}`, ...words.map(quote)].join(" ")
}
