import type { Token } from "marked"
import type { ReactNode } from "react"
import type { MarkdownToken } from "../../../lib/markdown-blocks.ts"
import { Formula } from "./formula.tsx"

const safeAddress = (href: string): string | null => {
  if (!URL.canParse(href)) return null
  const { protocol } = new URL(href)
  return ["http:", "https:", "mailto:"].includes(protocol) ? href : null
}

const entities: Record<string, string> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&amp;": "&",
  "&nbsp;": "\u00a0",
}

/** Models write a few entities by habit. */
const plain = (text: string): string =>
  text.replace(/&(lt|gt|quot|#39|amp|nbsp);/g, (entity) => entities[entity] ?? entity)

const Link = ({ href, children }: { href: string; children: ReactNode }) => {
  const address = safeAddress(href)
  if (!address) return <>{children}</>
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow" title={address}>
      {children}
    </a>
  )
}

const Inline = ({ token: given }: { token: Token }): ReactNode => {
  // What the lexer makes: its own tokens and our formula.
  const token = given as MarkdownToken
  switch (token.type) {
    case "text":
      return token.tokens ? <Inlines tokens={token.tokens} /> : plain(token.text)
    case "escape":
      return token.text
    case "strong":
      return (
        <strong>
          <Inlines tokens={token.tokens} />
        </strong>
      )
    case "em":
      return (
        <em>
          <Inlines tokens={token.tokens} />
        </em>
      )
    case "del":
      return (
        <del>
          <Inlines tokens={token.tokens} />
        </del>
      )
    case "codespan":
      return <code>{token.text}</code>
    case "br":
      return <br />
    case "formula":
      return <Formula source={token.text} display={token.display} />
    case "link":
      return (
        <Link href={token.href}>
          <Inlines tokens={token.tokens} />
        </Link>
      )
    case "image":
      // Loading it would tell its host who reads; nor would the page's own policy let it.
      return <Link href={token.href}>{token.text || token.href}</Link>
    case "html":
      return /^<br\s*\/?>$/i.test(token.raw) ? <br /> : token.raw
    default:
      return token.raw
  }
}

export const Inlines = ({ tokens }: { tokens: readonly Token[] }): ReactNode =>
  tokens.map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces are only ever added at the end
    <Inline key={index} token={token} />
  ))
