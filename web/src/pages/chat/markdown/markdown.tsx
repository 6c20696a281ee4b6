import { memo, useRef } from "react"
import { createBlockSplitter, type MarkdownBlock } from "../../../lib/markdown-blocks.ts"
import { BlockView } from "./blocks.tsx"
import "./markdown.css"

interface MemoizedBlockProps {
  block: MarkdownBlock
  /** Whether the block may still grow. */
  open: boolean
}

const MemoizedBlock = memo(({ block, open }: MemoizedBlockProps) => (
  <BlockView token={block.token} open={open} />
))

interface BlockGroupProps {
  blocks: readonly MarkdownBlock[]
  /** Whether the last block may still grow. */
  open: boolean
}

/** Groups outside the screen are not drawn, so that typing below a long answer stays fluent. */
const BlockGroup = memo(
  ({ blocks, open }: BlockGroupProps) => (
    <div className="markdown-group">
      {blocks.map((block, index) => (
        <MemoizedBlock key={block.start} block={block} open={open && index === blocks.length - 1} />
      ))}
    </div>
  ),
  (before, after) =>
    before.open === after.open &&
    before.blocks.length === after.blocks.length &&
    before.blocks.every((block, index) => block === after.blocks[index]),
)

const groupSize = 40

const groupBlocks = (blocks: readonly MarkdownBlock[]): (readonly MarkdownBlock[])[] =>
  Array.from({ length: Math.ceil(blocks.length / groupSize) }, (_, index) =>
    blocks.slice(index * groupSize, (index + 1) * groupSize),
  )

interface MarkdownProps {
  text: string
  /** Whether more text is being written. */
  growing: boolean
}

/** Untrusted Markdown. While it grows, only its last block re-renders. */
export const Markdown = ({ text, growing }: MarkdownProps) => {
  const splitter = useRef<ReturnType<typeof createBlockSplitter>>(null)
  splitter.current ??= createBlockSplitter()
  const groups = groupBlocks(splitter.current(text.replaceAll("\r\n", "\n")))
  return (
    <div className="markdown">
      {groups.map((blocks, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks never move to another group
        <BlockGroup key={index} blocks={blocks} open={growing && index === groups.length - 1} />
      ))}
    </div>
  )
}
