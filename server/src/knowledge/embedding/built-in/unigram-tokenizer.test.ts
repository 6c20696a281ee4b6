import { Tokenizer } from "@huggingface/tokenizers"
import { expect, it } from "vitest"
import { createUnigramTokenizer, type UnigramTokenizerFile } from "./unigram-tokenizer.ts"

const special = ["<s>", "<pad>", "</s>", "<unk>"]
const words = [
  "▁the",
  "▁den",
  "▁ver",
  "trag",
  "ver",
  "en",
  "er",
  "ag",
  "ur",
  "laub",
  "合同",
  "▁合",
  "🙂",
]
const letters = Array.from("▁abdefghilnortuv合同期")
const pieces = [...words, ...letters]

const file: UnigramTokenizerFile = {
  added_tokens: special.map((content, id) => ({ id, content })),
  model: {
    type: "Unigram",
    unk_id: 3,
    vocab: [
      ...special.map((content) => [content, 0] as const),
      // Longer pieces are more likely; no two have the same score.
      ...pieces.map((piece, at) => [piece, -9 / piece.length - at / 100] as const),
    ],
  },
}

/** With the normalizer and the splitting of XLM-RoBERTa's `tokenizer.json`. */
const reference = new Tokenizer(
  {
    ...file,
    decoder: null,
    post_processor: null,
    normalizer: { type: "Precompiled", precompiled_charsmap: "" },
    pre_tokenizer: {
      type: "Sequence",
      pretokenizers: [
        { type: "WhitespaceSplit" },
        { type: "Metaspace", replacement: "▁", prepend_scheme: "always" },
      ],
    },
  },
  {},
)
const tokenizer = createUnigramTokenizer(file)

it.each([
  "",
  " \t\n ",
  "the vertrag",
  "den  vertragen\nurlaub",
  "Vertrag zzz zz z",
  "合同期合同 合",
  "🙂🙂 the🙂🙃",
  "ﬁne ｔｈｅ ①",
  "the\u00a0den\u200bthe\u0007den\ufeff",
  "\ud800 the \udc00",
  "x".repeat(3000),
  "ver".repeat(1000),
  "合".repeat(2000),
])("tokenizes %j like @huggingface/tokenizers", (text) => {
  expect(tokenizer.encode(text)).toEqual(reference.encode(text, { add_special_tokens: false }).ids)
})

it("reads the name of a special token as text", () => {
  expect(tokenizer.encode("</s>")).not.toContain(2)
  expect(tokenizer).toMatchObject({ start: 0, end: 2 })
})

it("rejects a file without the special tokens", () => {
  expect(() => createUnigramTokenizer({ ...file, added_tokens: [] })).toThrow("no token <s>")
})
