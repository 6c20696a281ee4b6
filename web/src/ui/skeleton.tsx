import { useEffect, useState } from "react"
import { t } from "../i18n/translate.ts"
import { classes } from "./classes.ts"

const showDelayMs = 400

const useIsSlow = (): boolean => {
  const [isSlow, setIsSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsSlow(true), showDelayMs)
    return () => clearTimeout(timer)
  }, [])
  return isSlow
}

/** Placeholder lines, shown only if loading takes longer than `showDelayMs`. */
export const Skeleton = ({ rows = 5, height = 40 }: { rows?: number; height?: number }) => {
  const isShown = useIsSlow()
  return (
    <div role="status" aria-label={t("state.loading")} style={{ minHeight: rows * height }}>
      {isShown &&
        Array.from({ length: rows }, (_, row) => row).map((row) => (
          <div key={row} className="flex items-center" style={{ height }}>
            <div className="h-3.5 w-full animate-pulse rounded-sm bg-hover" />
          </div>
        ))}
    </div>
  )
}

/** A placeholder as high as a line, or of the size given by its classes; shown only if loading takes longer than `showDelayMs`. */
export const SkeletonBlock = ({ className }: { className: string }) => (
  <div
    aria-hidden
    className={classes("rounded", className, useIsSlow() && "animate-pulse bg-hover")}
  >
    {/* Aligns its baseline with a label's. */}
    {"\u00a0"}
  </div>
)
