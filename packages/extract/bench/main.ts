import { parseArgs } from "node:util"
import { measureCorpus } from "./measure-corpus.ts"
import { measureSpeed } from "./measure-speed.ts"

const usage = `npm run bench:extract -- [FILE…]
  Reads each file three times and reports the median. Without files, it generates 2 MB of each text format.
npm run bench:extract -- --corpus FOLDER
  Reads each file below the folder and compares its words with those in NAME.EXT.txt beside it, which
  independent-readers.py writes.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    corpus: { type: "string" },
    help: { type: "boolean", default: false },
  },
})

if (values.help) console.log(usage)
else if (values.corpus) await measureCorpus(values.corpus)
else await measureSpeed(positionals)
