/** Letters and punctuation of Chinese and Japanese, which has no spaces between words. */
const ideograph =
  "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u3000-\\u303F\\uFF00-\\uFFEF]"
const ideographEnd = new RegExp(`${ideograph}$`, "u")
const ideographStart = new RegExp(`^${ideograph}`, "u")
const spaceBetween = new RegExp(`(?<=${ideograph}) (?=${ideograph})`, "gu")

/** Whether two texts follow each other without a space. */
export const areIdeographs = (before: string, after: string): boolean =>
  ideographEnd.test(before.slice(-2)) && ideographStart.test(after)

/** Takes out the spaces that stand for wide gaps between letters. */
export const joinIdeographs = (text: string): string => text.replace(spaceBetween, "")
