import guide from "../../../../server/src/functions/examples/guide.ts?raw"
import panel from "../../../../server/src/functions/examples/panel.ts?raw"
import proxy from "../../../../server/src/functions/examples/proxy.ts?raw"
import redact from "../../../../server/src/functions/examples/redact.ts?raw"
import router from "../../../../server/src/functions/examples/router.ts?raw"
import { t } from "../../i18n/translate.ts"

export interface Example {
  id: string
  name: string
  description: string
  content: string
}

const empty = `export const name = "Echo"

export async function* reply({ messages }, context) {
  yield \`You said: \${messages.at(-1).content}\`
}
`

const sources = { empty, guide, router, redact, proxy, panel }
const ids = ["empty", "guide", "router", "redact", "proxy", "panel"] as const

/** Templates for a new function. */
export const listExamples = (): Example[] =>
  ids.map((id) => ({
    id,
    name: t(`example.${id}`),
    description: t(`example.${id}Help`),
    content: sources[id],
  }))
