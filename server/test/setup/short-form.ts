import { runsBrowserTests } from "../../../web/e2e/chromium.ts"
import { isLongForm } from "../harness/short-and-long-form.ts"

/** Files that run only in the long form, because they are slow. */
const longFormOnly = [
  "server/test/knowledge/collection-limits.test.ts",
  "server/test/db/full-tables.test.ts",
  "server/test/clients/clients.test.ts",
  "server/test/db/frozen-connections.test.ts",
  "server/test/gateway/api-fuzz.test.ts",
  "server/test/gateway/chaos-clients.test.ts",
  "server/test/gateway/chaos-upstreams.test.ts",
  "server/test/gateway/kill.test.ts",
  "server/test/gateway/large-conversions.test.ts",
  "server/test/gateway/large-streams.test.ts",
  "server/test/gateway/noisy-neighbors.test.ts",
  "server/test/gateway/process-failover.test.ts",
  "server/test/knowledge/paraphrased-questions.test.ts",
  "server/test/ownership/large-account.test.ts",
  "web/e2e/account.test.ts",
  "web/e2e/admin-overview.test.ts",
  "web/e2e/admin.test.ts",
  "web/e2e/audit.test.ts",
  "web/e2e/chat-crash.test.ts",
  "web/e2e/chat-features.test.ts",
  "web/e2e/chat-sources.test.ts",
  "web/e2e/forms.test.ts",
  "web/e2e/guide.test.ts",
  "web/e2e/hostile-text.test.ts",
  "web/e2e/models.test.ts",
  "web/e2e/pdf-viewer.test.ts",
  "web/e2e/release-email.test.ts",
  "web/e2e/semantic-search.test.ts",
  "web/e2e/sign-on.test.ts",
  "web/e2e/typing-while-loading.test.ts",
]

/** Files named on the command line run in either form. */
const isNamed = (file: string): boolean =>
  process.argv.slice(2).some((name) => name.includes("/") && file.includes(name))

/** Vitest's `exclude` for the form that is running. */
export const excludedFiles = [
  ...(isLongForm ? [] : longFormOnly.filter((file) => !isNamed(file))),
  ...(runsBrowserTests ? [] : ["web/e2e/**"]),
]

const nameOf = (path: string): string => path.replace(/^.*\/(.*)\.test\.ts$/, "$1")

const shortFormSummary = `
 This was the short form. It reduced:
   databases    each file ran on either SQLite or PostgreSQL, not on both
   repetitions  http1/fuzz, scim/fuzz, concurrent-uploads-and-queries, processing-crash, resumable-crash,
                stop-half-sent, every-page (axe), keyboard, first-run (installation)
   browser      one test each of first-run, chat-page, chat-files, knowledge and functions
   skipped      ${longFormOnly.map(nameOf).join(", ")}
 To run everything, as CI does: CI=true npm test
`
const noBrowserSummary =
  "\n Chromium was not found, so the browser tests were skipped. Install it, or set TEST_CHROMIUM.\n"

/** What this run omits, and how to run everything; empty for a complete run. */
export const summaryOfOmissions = `${runsBrowserTests ? "" : noBrowserSummary}${isLongForm ? "" : shortFormSummary}`
