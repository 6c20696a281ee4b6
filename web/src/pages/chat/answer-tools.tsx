import { RefreshCw } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import type { Message } from "../../lib/chat-api.ts"
import { IconButton } from "../../ui/button.tsx"
import { CopyButton } from "../../ui/copy-button.tsx"
import { AlternativeSwitcher } from "./alternative-switcher.tsx"
import { TurnTools } from "./turn-tools.tsx"
import type { TurnProps } from "./turn-view.tsx"

type AnswerToolsProps = TurnProps & { message: Message; stats: string }

/** Actions on an answer that has ended, and what it took. */
export const AnswerTools = ({ message, turn, writable, actions, stats }: AnswerToolsProps) => (
  <TurnTools>
    {message.content !== "" && <CopyButton text={message.content} label={t("chat.copyAnswer")} />}
    {writable && (
      <IconButton
        icon={RefreshCw}
        label={t("chat.again")}
        onClick={() => actions.regenerate(turn.messages)}
      />
    )}
    {message === turn.messages[0] && (
      <AlternativeSwitcher turn={turn} onSelect={actions.showAlternative} />
    )}
    {stats && <span className="turn-cost ml-2 text-xs text-muted tabular">{stats}</span>}
  </TurnTools>
)
