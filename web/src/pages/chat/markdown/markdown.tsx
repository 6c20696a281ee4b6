import { memo, useRef } from "react"
import { createBlockSplitter, type MarkdownBlock } from "../../../lib/markdown-blocks.ts"
import { BlockView } from "./block-view.tsx"
import "./markdown.css"

/** More elements than any useful answer needs; a browser takes about a second to draw them. */
const maxElements = 30_000

/** A block, and whether it is shown as plain text because the page would have too many elements. */
interface ShownBlock {
  block: MarkdownBlock
  isPlain: boolean
}

const limitElements = (blocks: readonly MarkdownBlock[]): ShownBlock[] => {
  let elements = 0
  return blocks.map((block) => {
    const isPlain = elements + block.elements > maxElements
    if (!isPlain) elements += block.elements
    return { block, isPlain }
  })
}

interface MemoizedBlockProps extends ShownBlock {
  /** Whether the block may still grow. */
  open: boolean
}

const MemoizedBlock = memo(({ block, isPlain, open }: MemoizedBlockProps) =>
  isPlain ? (
    <p className="whitespace-pre-wrap">{block.raw.trimEnd()}</p>
  ) : (
    <BlockView token={block.token} open={open} />
  ),
)

interface BlockGroupProps {
  blocks: readonly ShownBlock[]
  /** Whether the last block may still grow. */
  open: boolean
}

/** Groups outside the screen are not drawn, so that typing below a long answer stays fluent. */
const BlockGroup = memo(
  ({ blocks, open }: BlockGroupProps) => (
    <div className="markdown-group">
      {blocks.map(({ block, isPlain }, index) => (
        <MemoizedBlock
          key={block.start}
          {...{ block, isPlain }}
          open={open && index === blocks.length - 1}
        />
      ))}
    </div>
  ),
  (before, after) =>
    before.open === after.open &&
    before.blocks.length === after.blocks.length &&
    before.blocks.every(({ block, isPlain }, index) => {
      const next = after.blocks[index]
      return block === next?.block && isPlain === next.isPlain
    }),
)

const groupSize = 40

const groupBlocks = (blocks: readonly ShownBlock[]): (readonly ShownBlock[])[] =>
  Array.from({ length: Math.ceil(blocks.length / groupSize) }, (_, index) =>
    blocks.slice(index * groupSize, (index + 1) * groupSize),
  )

export interface MarkdownProps {
  text: string
  /** Whether more text is being written. */
  growing: boolean
}

/** Untrusted Markdown. While it grows, only its last block re-renders. */
export const Markdown = ({ text, growing }: MarkdownProps) => {
  const splitter = useRef<ReturnType<typeof createBlockSplitter>>(null)
  splitter.current ??= createBlockSplitter()
  const groups = groupBlocks(limitElements(splitter.current(text.replaceAll("\r\n", "\n"))))
  return (
    <div className="markdown">
      {groups.map((blocks, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks never move to another group
        <BlockGroup key={index} blocks={blocks} open={growing && index === groups.length - 1} />
      ))}
    </div>
  )
}
