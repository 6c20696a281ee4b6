import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { expect, it } from "vitest"

const root = join(import.meta.dirname, "../../..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")

const decisions = readdirSync(join(root, "docs/decisions")).sort()
const documents = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(root, "docs")).flatMap((name) =>
    name.endsWith(".md") ? `docs/${name}` : [],
  ),
  ...decisions.map((name) => `docs/decisions/${name}`),
]

/** The anchors of a page's headings: `## Back up and restore` is `#back-up-and-restore`. */
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  )

it.each(documents)("%s has no broken links", (document) => {
  const text = read(document)
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link)
  for (const link of links.filter((target) => !/^[a-z]+:/.test(target))) {
    const [path = "", anchor] = link.split("#")
    const target = path === "" ? document : relative(root, join(root, dirname(document), path))
    expect(existsSync(join(root, target)), link).toBe(true)
    if (anchor) expect(anchorsOf(read(target)), link).toContain(anchor)
  }
})

it("every decision has a unique number", () => {
  const numbers = decisions.map((name) => /^(\d{4})-[a-z0-9-]+\.md$/.exec(name)?.[1])
  expect(numbers).not.toContain(undefined)
  expect(new Set(numbers).size).toBe(numbers.length)
})

it("docs/api.md lists every error code under its status", () => {
  const source = read("server/src/errors.ts")
  const codes = [...source.matchAll(/^ {2}([a-z_]+): (\d{3}),$/gm)]
  expect(codes.length).toBeGreaterThan(20)
  const rows = read("docs/api.md").split("\n")
  const missing = codes.filter(
    ([, code, status]) =>
      !rows.some((row) => row.startsWith(`| ${status} |`) && row.includes(`\`${code}\``)),
  )
  expect(missing.map(([, code, status]) => `${status} ${code}`)).toEqual([])
})
