const pageWords =
  /^(pages?|pg|p|seiten?|s|página|pág|pagina|pag|strona|strana|sida|side|sivu|oldal|страница|стр|第|页|頁|ページ|of|von|de|di|van|av|af|z|ze|из|sur|共)$/iu

/** Whether a header or footer is nothing but a page number, such as `Page 3 of 12` or `- 3 -`. */
export const isPageNumber = (text: string): boolean =>
  text
    .replace(/\d+/g, " ")
    .split(/[^\p{L}]+/u)
    .every((word) => word === "" || /^[ivx]{1,6}$/i.test(word) || pageWords.test(word))
