/** The Symbol font from 0x20; a space where it has parts of large brackets. */
const symbolFont = `\u0020!∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼\
${" ".repeat(33)}€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…  ↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑`

const firstSymbol = 0x20

/** The usual signs of fonts that hold only pictures. */
const signsByFont = new Map(
  Object.entries<Record<number, string>>({
    wingdings: {
      33: "✏",
      34: "✂",
      40: "☎",
      42: "✉",
      54: "⌛",
      74: "☺",
      76: "☹",
      108: "●",
      110: "■",
      111: "☐",
      112: "☐",
      113: "☐",
      114: "☐",
      117: "◆",
      118: "❖",
      120: "☒",
      159: "•",
      161: "○",
      167: "▪",
      168: "☐",
      171: "★",
      216: "➢",
      223: "←",
      224: "→",
      225: "↑",
      226: "↓",
      232: "→",
      240: "⇒",
      251: "✗",
      252: "✓",
      253: "☒",
      254: "☑",
    },
    "wingdings 2": {
      42: "☐",
      79: "✗",
      80: "✓",
      81: "☒",
      82: "☑",
      83: "☒",
      84: "☒",
      163: "☐",
    },
    webdings: { 97: "✓", 99: "☐", 103: "■", 114: "✗" },
  }),
)

/**
 * The Unicode text for a character of a symbol font.
 * @param code position in the font, or in the private use area from U+F000
 * @returns empty if unknown
 */
export const symbolText = (font: string, code: number): string => {
  const position = code >= 0xf000 && code <= 0xf0ff ? code - 0xf000 : code
  const signs = signsByFont.get(font.toLowerCase())
  if (signs) return signs[position] ?? ""
  if (font.toLowerCase() === "symbol") return symbolFont.charAt(position - firstSymbol)
  const isPrivate = code >= 0xe000 && code <= 0xf8ff
  return isPrivate || code > 0x10ffff ? "" : String.fromCodePoint(code)
}

/** Replaces characters that only a symbol font can show. */
export const replaceSymbols = (text: string, font: string): string =>
  text.replace(/[\uf000-\uf0ff]/g, (character) =>
    symbolText(font === "" ? "Symbol" : font, character.charCodeAt(0)),
  )
