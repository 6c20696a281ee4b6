import { Square, SquareCheck } from "lucide-react"
import type { Token, Tokens } from "marked"
import type { ReactNode } from "react"
import { t } from "../../../i18n/translate.ts"
import type { MarkdownToken } from "../../../lib/markdown-blocks.ts"
import { CodeBlock } from "./code-block.tsx"
import { Diagram } from "./diagram.tsx"
import { Formula } from "./formula.tsx"
import { Inlines } from "./inlines.tsx"
import { TableBlock } from "./table-block.tsx"

interface BlockProps {
  token: Token
  open: boolean
}

const Task = ({ done }: { done: boolean }) => {
  const Icon = done ? SquareCheck : Square
  return <Icon role="img" aria-label={t(done ? "chat.done" : "chat.open")} />
}

const Item = ({ item, open }: { item: Tokens.ListItem; open: boolean }) => (
  <li data-task={item.task || undefined}>
    {item.task && <Task done={item.checked === true} />}
    <Blocks tokens={item.tokens.filter(({ type }) => type !== "checkbox")} open={open} />
  </li>
)

const List = ({ token, open }: { token: Tokens.List; open: boolean }) => {
  const items = token.items.map((item, index) => (
    <Item
      // biome-ignore lint/suspicious/noArrayIndexKey: items are only appended
      key={index}
      item={item}
      open={open && index === token.items.length - 1}
    />
  ))
  const start = typeof token.start === "number" ? token.start : 1
  return token.ordered ? <ol start={start}>{items}</ol> : <ul>{items}</ul>
}

const isFenceClosed = ({ raw }: Tokens.Code): boolean => /\n[ \t]*(`{3,}|~{3,})[ \t]*\n*$/.test(raw)

const Code = ({ token, open }: { token: Tokens.Code; open: boolean }) => {
  const language = token.lang?.trim().split(/\s/, 1)[0]?.toLowerCase() ?? ""
  const growing = open && !isFenceClosed(token)
  if (language === "mermaid" && !growing) return <Diagram source={token.text} />
  return <CodeBlock code={token.text} language={language} growing={growing} />
}

/** Nested blocks, as in a quotation or a list item. */
const Blocks = ({ tokens, open }: { tokens: readonly Token[]; open: boolean }): ReactNode =>
  tokens.map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only appended
    <BlockView key={index} token={token} open={open && index === tokens.length - 1} />
  ))

/** A Markdown block. HTML is shown as text. */
export const BlockView = ({ token: untypedToken, open }: BlockProps): ReactNode => {
  // The lexer only emits its own tokens and `formula`.
  const token = untypedToken as MarkdownToken
  switch (token.type) {
    case "space":
    case "def":
      return null
    case "heading":
      // The page title is h1 and the speaker h2; the style depends on the depth.
      return (
        <h3 data-depth={token.depth}>
          <Inlines tokens={token.tokens} />
        </h3>
      )
    case "code":
      return <Code token={token} open={open} />
    case "blockquote":
      return (
        <blockquote>
          <Blocks tokens={token.tokens} open={open} />
        </blockquote>
      )
    case "list":
      return <List token={token} open={open} />
    case "table":
      return <TableBlock token={token} />
    case "hr":
      return <hr />
    case "formula":
      return <Formula source={token.text} display />
    case "paragraph":
      return (
        <p>
          <Inlines tokens={token.tokens} />
        </p>
      )
    case "html":
      return <p className="whitespace-pre-wrap">{token.text.trimEnd()}</p>
    case "text":
      return <Inlines tokens={token.tokens ?? [token]} />
    default:
      return <Inlines tokens={[token]} />
  }
}
