import { useRouter } from "@tanstack/react-router"
import { BookmarkPlus } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { IconButton } from "../../ui/button.tsx"

/** Opens the form for a new prompt with a message's text. */
export const SavePromptButton = ({ text }: { text: string }) => {
  const router = useRouter()
  return (
    <IconButton
      icon={BookmarkPlus}
      label={t("prompts.save")}
      onClick={() => void router.navigate({ to: "/prompts/new", state: { promptText: text } })}
    />
  )
}
