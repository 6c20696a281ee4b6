import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { invocationDir, readConfig } from "./config/config.ts"
import { backUpDatabase } from "./db/backup.ts"

const [target] = process.argv.slice(2)

try {
  const config = readConfig()
  if (!target) throw new Error("Specify a file: npm run backup -- FILE")
  if (config.DATABASE_URL) throw new Error("DATABASE_URL is set. Back up PostgreSQL with pg_dump.")
  const file = resolve(invocationDir(), target)
  if (existsSync(file)) throw new Error(`${file} already exists. Specify a new file.`)
  backUpDatabase(config.DATA_DIR, file)
  process.stdout.write(`Backed up to ${file}\n`)
  if (!config.SECRET_KEY)
    process.stdout.write("Keep the data folder's secret.key together with it.\n")
} catch (error) {
  process.stderr.write(`Backup failed.\n${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
}
