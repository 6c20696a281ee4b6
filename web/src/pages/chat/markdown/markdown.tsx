import { memo, useRef } from "react"
import { createBlockSplitter, type MarkdownBlock } from "../../../lib/markdown-blocks.ts"
import { classes } from "../../../ui/classes.ts"
import { BlockView } from "./blocks.tsx"
import "./markdown.css"

/** Of a longer text, blocks outside the screen are not drawn; the estimate of their height may move the scrollbar. */
const longTextBlocks = 60

interface MemoizedBlockProps {
  block: MarkdownBlock
  /** Whether the block may still grow. */
  open: boolean
}

const MemoizedBlock = memo(({ block, open }: MemoizedBlockProps) => (
  <BlockView token={block.token} open={open} />
))

interface MarkdownProps {
  text: string
  /** Whether more text is being written. */
  growing: boolean
}

/** Untrusted Markdown. While it grows, only its last block re-renders. */
export const Markdown = ({ text, growing }: MarkdownProps) => {
  const splitter = useRef<ReturnType<typeof createBlockSplitter>>(null)
  splitter.current ??= createBlockSplitter()
  const blocks = splitter.current(text.replaceAll("\r\n", "\n"))
  return (
    <div className={classes("markdown", blocks.length > longTextBlocks && "markdown-long")}>
      {blocks.map((block, index) => (
        <MemoizedBlock
          key={block.start}
          block={block}
          open={growing && index === blocks.length - 1}
        />
      ))}
    </div>
  )
}
