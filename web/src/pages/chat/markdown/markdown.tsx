import { memo, useRef } from "react"
import { type Block, createBlockCutter } from "../../../lib/markdown-blocks.ts"
import { BlockView } from "./blocks.tsx"
import "./markdown.css"

interface DrawnProps {
  block: Block
  /** Whether the block may still grow. */
  open: boolean
}

const Drawn = memo(({ block, open }: DrawnProps) => <BlockView token={block.token} open={open} />)

interface MarkdownProps {
  text: string
  /** Whether more text is being written. */
  growing: boolean
}

/** Untrusted Markdown. While it grows, only its last block re-renders. */
export const Markdown = ({ text, growing }: MarkdownProps) => {
  const cutter = useRef<ReturnType<typeof createBlockCutter>>(null)
  cutter.current ??= createBlockCutter()
  const blocks = cutter.current(text.replaceAll("\r\n", "\n"))
  return (
    <div className="markdown">
      {blocks.map((block, index) => (
        <Drawn key={block.start} block={block} open={growing && index === blocks.length - 1} />
      ))}
    </div>
  )
}
