import { parseArgs } from "node:util"
import { measureCorpus } from "./measure-corpus.ts"
import { measureEncodings } from "./measure-encodings.ts"
import { measureSpeed } from "./measure-speed.ts"

const usage = `npm run bench:extract -- [FILE…]
  Reads each file three times and reports the median. Without files, it generates 2 MB of each text format.
npm run bench:extract -- --corpus FOLDER
  Reads each file below the folder and compares its words with those in NAME.EXT.txt beside it, which
  independent-readers.py writes.
npm run bench:extract -- --encodings FOLDER [LENGTH…]
  Encodes parts of UTF-8 texts (de.txt, zh-TW.html, …) of 200, 1,000 and 5,000 characters, or the lengths you name, in
  the code pages of their languages, and reports how many are read right.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    corpus: { type: "string" },
    encodings: { type: "string" },
    help: { type: "boolean", default: false },
  },
})

const lengths = positionals.length > 0 ? positionals.map(Number) : [200, 1000, 5000]

if (values.help) console.log(usage)
else if (values.corpus) await measureCorpus(values.corpus)
else if (values.encodings) await measureEncodings(values.encodings, lengths)
else await measureSpeed(positionals)
