import { useEffect, useRef, useState } from "react"

interface FormulaProps {
  source: string
  display: boolean
}

/** A formula in TeX; its source until KaTeX is there, and where it cannot be read. */
export const Formula = ({ source, display }: FormulaProps) => {
  const place = useRef<HTMLSpanElement>(null)
  const [drawn, setDrawn] = useState<string | null>(null)
  useEffect(() => {
    let left = false
    const draw = async (): Promise<void> => {
      const { drawFormula } = await import("./katex.ts")
      if (left || !place.current) return
      setDrawn(drawFormula(source, place.current, display) ? source : null)
    }
    draw().catch(() => {})
    return () => {
      left = true
    }
  }, [source, display])
  return (
    <span className={display ? "formula-block" : undefined}>
      <span ref={place} hidden={drawn !== source} />
      {drawn !== source && <code>{source}</code>}
    </span>
  )
}
