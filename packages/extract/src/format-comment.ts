interface Comment {
  /** Empty or absent if unknown. */
  author?: string | undefined
  text: string
}

/** A comment as part of a text, such as "Comment (Ada): Which year?". */
export const formatComment = ({ author, text }: Comment, label = "Comment"): string =>
  `${label}${author ? ` (${author})` : ""}: ${text}`

/**
 * A comment on one line of a sheet, such as "Comment on B4 by Ada: Too low?".
 * @param cell its name
 */
export const formatCellComment = (cell: string, { author, text }: Comment): string =>
  `Comment on ${cell}${author ? ` by ${author}` : ""}: ${text.replace(/\s+/g, " ").trim()}`
