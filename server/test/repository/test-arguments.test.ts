import { execFileSync } from "node:child_process"
import { expect, it } from "vitest"

const script = new URL("../../../scripts/test-arguments.mjs", import.meta.url).href
const argumentsFor = (line: string): string => {
  const code = `import { withPathsFirst } from ${JSON.stringify(script)}
    console.log(withPathsFirst(${JSON.stringify(line.split(" "))}).join(" "))`
  return execFileSync(process.execPath, ["--input-type=module", "--eval", code], {
    encoding: "utf8",
  }).trim()
}

it.each([
  ["--flag server/test/auth", "server/test/auth --flag"],
  ["--update README.md --silent", "README.md --update --silent"],
  ["server -t text web --bail 1", "server web -t text --bail 1"],
])("runs only the given files whatever option precedes them: %s", (line, expected) => {
  expect(argumentsFor(line)).toBe(expected)
})

it.each(["--project server", "-t web", "--config vitest.config.ts", "no-such-file --flag name"])(
  "leaves the values of options with them: %s",
  (line) => {
    expect(argumentsFor(line)).toBe(line)
  },
)
