/** Numbers that would get a very long text are written in digits. */
const maxRoman = 3999
const maxRepeatedLetters = 20

const romanDigits: [number, string][] = [
  [1000, "M"],
  [900, "CM"],
  [500, "D"],
  [400, "CD"],
  [100, "C"],
  [90, "XC"],
  [50, "L"],
  [40, "XL"],
  [10, "X"],
  [9, "IX"],
  [5, "V"],
  [4, "IV"],
  [1, "I"],
]

const formatRoman = (number: number): string => {
  if (number < 1 || number > maxRoman) return String(number)
  let rest = number
  let roman = ""
  for (const [value, digit] of romanDigits) {
    roman += digit.repeat(Math.floor(rest / value))
    rest %= value
  }
  return roman
}

/** A to Z, then AA, BB to ZZ, as word processors count. */
const formatLetter = (number: number, alphabet: string): string => {
  const times = Math.ceil(number / alphabet.length)
  if (number < 1 || times > maxRepeatedLetters) return String(number)
  return alphabet.charAt((number - 1) % alphabet.length).repeat(times)
}

const ordinalSuffixes: Record<Intl.LDMLPluralRule, string> = {
  one: "st",
  two: "nd",
  few: "rd",
  other: "th",
  zero: "th",
  many: "th",
}
const ordinalRules = new Intl.PluralRules("en", { type: "ordinal" })

const chineseDigits = "〇一二三四五六七八九"

/** 1 to 99 in words, as 二十三; above, digit by digit. */
const formatChinese = (number: number): string => {
  const digits = Array.from(String(number), (digit) => chineseDigits.charAt(Number(digit)))
  if (number < 10 || number > 99) return digits.join("")
  const [tens = "", ones = ""] = digits
  return `${number < 20 ? "" : tens}十${number % 10 === 0 ? "" : ones}`
}

const fromCodePoint = (first: number, count: number) => (number: number) =>
  number >= 1 && number <= count ? String.fromCodePoint(first + number - 1) : String(number)

const latin = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
const russian = "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЭЮЯ"
const lower = (format: (number: number) => string) => (number: number) =>
  format(number).toLowerCase()
const upperLetter = (number: number) => formatLetter(number, latin)
const upperRussian = (number: number) => formatLetter(number, russian)
const letterOf = (alphabet: string) => (number: number) => formatLetter(number, alphabet)

/** By their names in ECMA-376 part 1, §17.18.59. */
const formats = new Map(
  Object.entries<(number: number) => string>({
    upperLetter,
    lowerLetter: lower(upperLetter),
    upperRoman: formatRoman,
    lowerRoman: lower(formatRoman),
    russianUpper: upperRussian,
    russianLower: lower(upperRussian),
    ordinal: (number) => `${number}${ordinalSuffixes[ordinalRules.select(number)]}`,
    decimalZero: (number) => String(number).padStart(2, "0"),
    numberInDash: (number) => `- ${number} -`,
    hex: (number) => number.toString(16).toUpperCase(),
    decimalFullWidth: (number) =>
      String(number).replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    decimalEnclosedCircle: fromCodePoint(0x2460, 20),
    decimalEnclosedParen: fromCodePoint(0x2474, 20),
    decimalEnclosedFullstop: fromCodePoint(0x2488, 20),
    chineseCounting: formatChinese,
    chineseCountingThousand: formatChinese,
    ideographDigital: formatChinese,
    japaneseCounting: formatChinese,
    taiwaneseCounting: formatChinese,
    taiwaneseCountingThousand: formatChinese,
    ideographTraditional: letterOf("甲乙丙丁戊己庚辛壬癸"),
    ideographZodiac: letterOf("子丑寅卯辰巳午未申酉戌亥"),
    aiueo: letterOf(
      "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン",
    ),
    aiueoFullWidth: letterOf(
      "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン",
    ),
    ganada: letterOf("가나다라마바사아자차카타파하"),
    hebrew1: letterOf("אבגדהוזחטיכלמנסעפצקרשת"),
    arabicAlpha: letterOf("أبتثجحخدذرزسشصضطظعغفقكلمنهوي"),
    none: () => "",
    bullet: () => "",
  }),
)

/**
 * The number of a list item, heading or note.
 * @param format its name in WordprocessingML, or an example such as `001`; unknown ones give digits
 */
export const formatListNumber = (number: number, format: string): string => {
  if (/^0+1$/.test(format)) return String(number).padStart(Math.min(format.length, 10), "0")
  return formats.get(format)?.(number) ?? String(number)
}
