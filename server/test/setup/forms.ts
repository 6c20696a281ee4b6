import { runsBrowserTests } from "../../../web/e2e/chromium.ts"
import { isLongForm } from "../harness/test-size.ts"

/** Files that run in the long form only: what they promise takes long to show. */
const longFormOnly = [
  "server/test/knowledge/full-collections.test.ts",
  "server/test/db/full-tables.test.ts",
  "server/test/gateway/kill.test.ts",
  "server/test/gateway/noisy-neighbors.test.ts",
  "web/e2e/account.test.ts",
  "web/e2e/admin.test.ts",
  "web/e2e/audit.test.ts",
  "web/e2e/chat-crash.test.ts",
  "web/e2e/chat-more.test.ts",
  "web/e2e/chat-sources.test.ts",
  "web/e2e/guide.test.ts",
  "web/e2e/models.test.ts",
  "web/e2e/release.test.ts",
  "web/e2e/semantic-search.test.ts",
  "web/e2e/sign-on.test.ts",
]

/** What vitest's `exclude` needs for the form that runs. */
export const excludedFiles = [
  ...(isLongForm ? [] : longFormOnly),
  ...(runsBrowserTests ? [] : ["web/e2e/**"]),
]

const nameOf = (path: string): string => path.replace(/^.*\/(.*)\.test\.ts$/, "$1")

const shortened = `
 This was the short form. Shortened:
   databases    each file ran on one of SQLite and PostgreSQL, not on both
   repetitions  chaos, chaos-clients, api-fuzz, http-fuzz, scim-fuzz, at-once, ingest-crash,
                resumable-crash, every-page (axe), keyboard, start (installation)
   browser      one journey each of start, chat-page, chat-files, knowledge and functions
   left out     ${longFormOnly.map(nameOf).join(", ")}
 Everything, as CI runs it: npm run test:all
`
const withoutBrowser =
  "\n No Chromium: browser tests were left out (install it, or set TEST_CHROMIUM)\n"

/** What this run left out, and how to run all of it; empty for a complete run. */
export const summaryOfOmissions = `${runsBrowserTests ? "" : withoutBrowser}${isLongForm ? "" : shortened}`
