import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

export const rowNames = ["reply", "stream", "spaced", "prompt", "formats", "slow", "start"] as const
export type RowName = (typeof rowNames)[number]

const ownMain = fileURLToPath(new URL("../../src/main.ts", import.meta.url))

const usage = `npm run bench -- [options]
  --only reply,stream    rows to run: ${rowNames.join(", ")} (all)
  --seconds 2            length of a round in seconds
  --rounds 5             rounds per server; gateway and nginx alternate
  --no-bare              skip the bare Node relay
  --limits               also measure the gateway with seven limits
  --main FILE            measure the server/src/main.ts of another checkout
  --compare FILE         measure the main.ts of another checkout in turn with it; may be repeated
  --node-options "…"     options for the gateway's Node, such as "--cpu-prof --cpu-prof-dir=FOLDER"`

const isRow = (name: string): name is RowName => rowNames.some((known) => known === name)

const positive = (name: string, text: string) => {
  const value = Number(text)
  if (!(value > 0))
    throw new Error(`Use a number above 0 for --${name} instead of "${text}".\n${usage}`)
  return value
}

const parsed = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      allowNegative: true,
      options: {
        only: { type: "string", default: rowNames.join(",") },
        seconds: { type: "string", default: "2" },
        rounds: { type: "string", default: "5" },
        bare: { type: "boolean", default: true },
        limits: { type: "boolean", default: false },
        main: { type: "string", default: ownMain },
        compare: { type: "string", multiple: true, default: [] },
        "node-options": { type: "string", default: "" },
        help: { type: "boolean", default: false },
      },
    }).values
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n${usage}`)
  }
}

/** Parses the command line. @throws an error with a message and the usage */
export const readOptions = (args: readonly string[]) => {
  const values = parsed(args)
  if (values.help) throw new Error(usage)
  const only = values.only.split(",").map((name) => name.trim())
  const rows = only.filter(isRow)
  const unknown = only.filter((name) => !isRow(name))
  if (unknown.length > 0) throw new Error(`Unknown rows: ${unknown.join(", ")}.\n${usage}`)
  return {
    rows,
    seconds: positive("seconds", values.seconds),
    rounds: Math.ceil(positive("rounds", values.rounds)),
    bare: values.bare,
    limits: values.limits,
    main: resolve(values.main),
    compared: values.compare.map((path) => resolve(path)),
    nodeOptions: values["node-options"].split(" ").filter(Boolean),
  }
}
export type Options = ReturnType<typeof readOptions>
