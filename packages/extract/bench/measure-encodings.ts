import { decodeText } from "../src/text/decode-text.ts"
import { encodedSnippets } from "./encoded-snippets.ts"

interface Result {
  isRight: boolean
  isDoubtful: boolean
}

const shareOf = (part: number, whole: number): string =>
  whole === 0 ? "none" : `${((part / whole) * 100).toFixed(1)} % (${part}/${whole})`

const report = (title: string, results: readonly Result[]): void => {
  const right = results.filter(({ isRight }) => isRight)
  const wrong = results.filter(({ isRight }) => !isRight)
  const warned = (some: readonly Result[]): string =>
    shareOf(some.filter(({ isDoubtful }) => isDoubtful).length, some.length)
  console.log(
    `${title}: read right ${shareOf(right.length, results.length)}; ` +
      `warnings for right ones ${warned(right)}, for wrong ones ${warned(wrong)}`,
  )
}

/** Reports which snippets of the texts in a folder are read right, by encoding. */
export const measureEncodings = async (
  folder: string,
  lengths: readonly number[],
): Promise<void> => {
  const resultsByEncoding = new Map<string, Result[]>()
  for (const { encoding, text, bytes } of encodedSnippets(folder, lengths, 3)) {
    let isDoubtful = false
    const warn = (): void => {
      isDoubtful = true
    }
    const read = await decodeText({ bytes, contentType: "" }, { warn })
    const results = resultsByEncoding.get(encoding) ?? []
    resultsByEncoding.set(encoding, [...results, { isRight: read === text, isDoubtful }])
  }
  for (const [encoding, results] of resultsByEncoding) report(encoding, results)
  const codePages = [...resultsByEncoding].filter(([encoding]) => !encoding.startsWith("utf-"))
  report(
    "All but Unicode",
    codePages.flatMap(([, results]) => results),
  )
}
