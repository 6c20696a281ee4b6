const pageWords =
  /^(pages?|pg|p|seiten?|s|blatt|página|pág|pagina|pag|bladzijde|strona|strana|str|sida|side|sivu|oldal|страница|стр|第|页|頁|ページ)$/iu
/** Between the number of a page and that of all pages. */
const joiningWords = /^(of|von|de|di|van|av|af|z|ze|из|sur|共|页共|頁共|\/|\|)$/iu
/** More digits are years and file numbers, as in `2026/27`. */
const maxDigitsBesideSlash = 3
const maxDigits = 4

const isNumber = (token: string): boolean => /^(\d+|[ivx]{1,6})$/i.test(token)
const countDigits = (token: string): number => token.match(/\d/g)?.length ?? 0

/** Whether a header or footer is nothing but a page number, such as `Page 3 of 12` or `- 3 -`. */
export const isPageNumber = (text: string): boolean => {
  const tokens: readonly string[] = text.match(/\d+|\p{L}+|[/|]/gu) ?? []
  const numbers = tokens.filter(isNumber)
  const words = tokens.filter((token) => !isNumber(token))
  const limit = tokens.includes("/") ? maxDigitsBesideSlash : maxDigits
  if (numbers.length > 2 || numbers.some((number) => countDigits(number) > limit)) return false
  if (!words.every((word) => pageWords.test(word) || joiningWords.test(word))) return false
  return numbers.length < 2 || words.some((word) => joiningWords.test(word))
}
