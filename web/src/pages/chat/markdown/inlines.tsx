import type { Token } from "marked"
import { createContext, type ReactNode, use } from "react"
import { t } from "../../../i18n/translate.ts"
import type { MarkdownToken } from "../../../lib/markdown-blocks.ts"
import { Tooltip } from "../../../ui/tooltip.tsx"
import { type Citations, CitationsContext, splitAtCitations } from "../citations.ts"
import { Formula } from "./formula.tsx"
import { decodeEntities } from "./plain-text.ts"

const safeAddress = (href: string): string | null => {
  if (!URL.canParse(href)) return null
  const { protocol } = new URL(href)
  return ["http:", "https:", "mailto:"].includes(protocol) ? href : null
}

/** Whether the current text is part of a link, where numbers are not citations. */
const InLinkContext = createContext(false)

const Link = ({ href, children }: { href: string; children: ReactNode }) => {
  const address = safeAddress(href)
  const words = <InLinkContext value={true}>{children}</InLinkContext>
  if (!address) return words
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow" title={address}>
      {words}
    </a>
  )
}

interface CitationProps {
  number: number
  citations: Citations
}

/** A citation such as [2]; opens its passage. */
const Citation = ({ number, citations }: CitationProps) => {
  const label = t("sources.one", { number, name: citations.nameOf(number) ?? "" })
  return (
    <Tooltip label={label}>
      <button
        type="button"
        aria-label={label}
        onClick={() => citations.open(number)}
        className="citation"
      >
        {number}
      </button>
    </Tooltip>
  )
}

/** Text with its citations. */
const CitedText = ({ text }: { text: string }): ReactNode => {
  const citations = use(CitationsContext)
  const isInLink = use(InLinkContext)
  if (!citations || isInLink || !text.includes("[")) return <>{text}</>
  const pieces = splitAtCitations(text, (number) => citations.nameOf(number) !== null)
  return (
    <>
      {pieces.map((piece, index) =>
        typeof piece === "string"
          ? piece
          : piece.map((number) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: parts are only appended
              <Citation key={`${index} ${number}`} number={number} citations={citations} />
            )),
      )}
    </>
  )
}

const Inline = ({ token: untypedToken }: { token: Token }): ReactNode => {
  // The lexer only emits its own tokens and `formula`.
  const token = untypedToken as MarkdownToken
  switch (token.type) {
    case "text":
      return token.tokens ? (
        <Inlines tokens={token.tokens} />
      ) : (
        <CitedText text={decodeEntities(token.text)} />
      )
    case "escape":
      return token.text
    case "strong":
    case "em":
    case "del":
      return (
        <token.type>
          <Inlines tokens={token.tokens} />
        </token.type>
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
      // Loading the image would reveal the reader to its host, and the CSP blocks it anyway.
      return <Link href={token.href}>{token.text || token.href}</Link>
    case "html":
      if (/^<br\s*\/?>$/i.test(token.raw)) return <br />
      return <>{token.raw}</>
    default:
      return <>{token.raw}</>
  }
}

export const Inlines = ({ tokens }: { tokens: readonly Token[] }): ReactNode =>
  tokens.map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts are only appended
    <Inline key={index} token={token} />
  ))
