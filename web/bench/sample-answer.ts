const parts = [
  "## Tides at Brest\n\nThe tide at **Brest** turns every six hours and a quarter; its *range* follows the moon. ",
  "A pilot reads the `height` beside the hour, and adds what the wind brings. ",
  "- flood from six to noon\n- ebb until the evening\n  - slack for twenty minutes\n\n",
  "| Hour | Height | Stream |\n|---|--:|---|\n| 06:00 | 6.9 m | east, 2.1 kn |\n| 12:10 | 1.2 m | west, 1.8 kn |\n| 18:25 | 7.1 m | east, 2.3 kn |\n\n",
  "```ts\nexport const height = (hour: number, range: number): number => {\n  const phase = (2 * Math.PI * hour) / 12.42\n  return range / 2 + (range / 2) * Math.cos(phase)\n}\n```\n\n",
  "The height is $h(t) = h_0 + A \\cos(\\omega t + \\varphi)$, and over a month\n\n$$H = \\sum_{k=1}^{n} A_k \\cos\\left(\\frac{2\\pi t}{T_k} + \\varphi_k\\right)$$\n\n",
  "> Who trusts the table alone forgets the wind.\n\n1. Read the hour.\n2. Read the height.\n3. Look out of the window.\n\n",
]

/** Approximates a model's tokenizer: short words are one token, long ones are split. */
const token = /\s?\S{1,5}|\s+/g

/** An answer of `count` tokens with headings, lists, tables, code, and formulas. */
export const createSampleAnswer = (count: number): string[] => {
  const tokens: string[] = []
  for (let part = 0; tokens.length < count; part++) {
    tokens.push(...((parts[part % parts.length] ?? "").match(token) ?? []))
  }
  return tokens.slice(0, count)
}
