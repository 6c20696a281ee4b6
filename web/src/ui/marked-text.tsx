import { splitAtMatches } from "../lib/split-at-matches.ts"

/** A text in which the occurrences of a search query are marked. */
export const MarkedText = ({ text, query }: { text: string; query: string }) =>
  splitAtMatches(text, query).map((piece) =>
    piece.isMatch ? (
      <mark key={piece.start} className="rounded-sm bg-warn-soft text-text">
        {piece.text}
      </mark>
    ) : (
      piece.text
    ),
  )
