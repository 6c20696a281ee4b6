import { useLayoutEffect, useRef, useState } from "react"
import { katexLater } from "./katex-later.ts"

type Draw = Awaited<ReturnType<typeof katexLater.load>>

interface FormulaProps {
  source: string
  display: boolean
}

/** A TeX formula; its source is shown until KaTeX is loaded, or if it is invalid. */
export const Formula = ({ source, display }: FormulaProps) => {
  const place = useRef<HTMLSpanElement>(null)
  const [drawn, setDrawn] = useState<string | null>(null)
  useLayoutEffect(() => {
    let left = false
    const draw = (drawFormula: Draw): void => {
      if (left || !place.current) return
      setDrawn(drawFormula(source, place.current, display) ? source : null)
    }
    const there = katexLater.now()
    if (there) draw(there)
    else katexLater.load().then(draw, () => {})
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
