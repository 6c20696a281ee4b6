import { memo } from "react"
import { classes } from "../../ui/classes.ts"
import { PlainTextFallback } from "../../ui/plain-text-fallback.tsx"
import { AnswerTurn } from "./answer-turn.tsx"
import { turnElementId } from "./found-message.ts"
import type { TurnProps } from "./turn-props.ts"
import { UserTurn } from "./user-turn.tsx"

const areTurnsEqual = (before: TurnProps, after: TurnProps): boolean =>
  before.turn.chosen === after.turn.chosen &&
  before.turn.alternativeIndex === after.turn.alternativeIndex &&
  before.turn.alternatives.length === after.turn.alternatives.length &&
  before.turn.messages.length === after.turn.messages.length &&
  before.turn.messages.every((message, index) => message === after.turn.messages[index]) &&
  before.author === after.author &&
  before.editing === after.editing &&
  before.writable === after.writable &&
  before.actions === after.actions

/** A step of the conversation. Re-renders only if it changed. */
export const TurnView = memo((props: TurnProps) => {
  const { chosen, messages } = props.turn
  return (
    <article
      id={turnElementId(props.turn)}
      className={classes("turn", messages.length > 1 && "turn-wide")}
      data-role={chosen.role}
      data-state={chosen.state}
    >
      <PlainTextFallback text={chosen.content}>
        {chosen.role === "user" ? <UserTurn {...props} /> : <AnswerTurn {...props} />}
      </PlainTextFallback>
    </article>
  )
}, areTurnsEqual)
