/** In one step a slash, where an expression such as `/\/+$/` takes the square of them. */
export const withoutTrailingSlashes = (text: string): string => {
  let end = text.length
  while (text[end - 1] === "/") end--
  return text.slice(0, end)
}
