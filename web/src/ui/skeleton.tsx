import { useEffect, useState } from "react"
import { t } from "../i18n/translate.ts"

const showDelayMs = 400

/** Placeholder lines, shown only if loading takes longer than `showDelayMs`. */
export const Skeleton = ({ rows = 5, height = 40 }: { rows?: number; height?: number }) => {
  const [isShown, setIsShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsShown(true), showDelayMs)
    return () => clearTimeout(timer)
  }, [])
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
