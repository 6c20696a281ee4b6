import { useLayoutEffect, useRef, useState } from "react"
import { lazyKatex } from "./lazy-katex.ts"

type DrawFormula = Awaited<ReturnType<typeof lazyKatex.load>>

interface FormulaProps {
  source: string
  display: boolean
}

/** A TeX formula; its source is shown until KaTeX is loaded, or if it is invalid. */
export const Formula = ({ source, display }: FormulaProps) => {
  const container = useRef<HTMLSpanElement>(null)
  const [drawn, setDrawn] = useState<string | null>(null)
  useLayoutEffect(() => {
    let isUnmounted = false
    const draw = (drawFormula: DrawFormula): void => {
      if (isUnmounted || !container.current) return
      setDrawn(drawFormula(source, container.current, display) ? source : null)
    }
    const loaded = lazyKatex.loaded()
    if (loaded) draw(loaded)
    else lazyKatex.load().then(draw, () => {})
    return () => {
      isUnmounted = true
    }
  }, [source, display])
  return (
    <span className={display ? "formula-block" : undefined}>
      <span ref={container} hidden={drawn !== source} />
      {drawn !== source && <code>{source}</code>}
    </span>
  )
}
