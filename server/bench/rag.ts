import { parseArgs } from "node:util"
import { show } from "../../packages/search/bench/figures.ts"
import { measureIngest } from "./rag/ingest.ts"

const usage = `npm run bench:rag -- [options]
  --uploads 200          files to ingest per round
  --node-options OPTIONS options for the gateway's Node, such as --cpu-prof`

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const main = async (): Promise<boolean> => {
  const { values } = parseArgs({
    options: {
      "node-options": { type: "string", default: "" },
      uploads: { type: "string", default: "200" },
      help: { type: "boolean", default: false },
    },
  })
  if (values.help) {
    say(usage)
    return true
  }
  const nodeOptions = values["node-options"].split(" ").filter(Boolean)
  return show(await measureIngest(Number(values.uploads), nodeOptions), say)
}

process.exit((await main()) ? 0 : 1)
