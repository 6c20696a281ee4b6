import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"
import { z } from "zod"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

const Violations = z.array(
  z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }),
)

/**
 * Violations that axe finds on the current page: the rule and the element.
 * @param except rules that are not checked
 */
export const findViolations = async (
  page: Page,
  { except = [] }: { except?: readonly string[] } = {},
): Promise<string[]> => {
  await page.evaluate(axe)
  // Describing the elements that pass would take most of the time.
  const rules = Object.fromEntries(except.map((rule) => [rule, { enabled: false }]))
  const options = JSON.stringify({ resultTypes: ["violations"], rules })
  const found = await page.evaluate(`axe.run(${options}).then(({ violations }) => violations)`)
  return Violations.parse(found).flatMap(({ id, nodes }) =>
    nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`),
  )
}
