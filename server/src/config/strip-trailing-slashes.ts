/** Linear in the length; a regular expression such as `/\/+$/` takes quadratic time. */
export const stripTrailingSlashes = (text: string): string => {
  let end = text.length
  while (text[end - 1] === "/") end--
  return text.slice(0, end)
}
