import { Check, Copy } from "lucide-react"
import { useEffect, useState } from "react"
import { t } from "../i18n/translate.ts"
import { Button, IconButton } from "./button.tsx"

const shownMs = 1500

interface CopyButtonProps {
  text: string
  /** Names what is copied: "Copy key". */
  label: string
  /** Shows the label next to the icon. */
  hasLabel?: boolean
  /** A shorter text to show instead of the label. */
  shortLabel?: string
}

/** Copies a text and briefly confirms it. */
export const CopyButton = ({ text, label, hasLabel = false, shortLabel }: CopyButtonProps) => {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), shownMs)
    return () => clearTimeout(timer)
  }, [copied])

  const copy = async (): Promise<void> => {
    await copyText(text)
    setCopied(true)
  }
  const icon = copied ? Check : Copy
  const name = copied ? t("state.copied") : label
  return hasLabel || shortLabel ? (
    <Button icon={icon} aria-label={name} onClick={() => void copy()}>
      {copied ? name : (shortLabel ?? label)}
    </Button>
  ) : (
    <IconButton icon={icon} label={name} onClick={() => void copy()} />
  )
}

/** Copies with the Clipboard API, or with a selection where it is unavailable (plain HTTP). */
export const copyText = async (text: string): Promise<void> => {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    const area = document.createElement("textarea")
    area.value = text
    area.className = "sr-only"
    document.body.append(area)
    area.select()
    document.execCommand("copy")
    area.remove()
  }
}
