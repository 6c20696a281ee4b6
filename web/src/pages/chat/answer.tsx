import { CornerDownRight, RotateCw, TriangleAlert } from "lucide-react"
import { memo, useMemo } from "react"
import { t, translateServerText } from "../../i18n/translate.ts"
import type { Message } from "../../lib/chat-api.ts"
import { Button } from "../../ui/button.tsx"
import { AnswerSources } from "./answer-sources.tsx"
import { AnswerText } from "./answer-text.tsx"
import { type Citations, CitationsContext, fileNamesById } from "./citations.ts"
import { Reasoning, WaitingForModel } from "./reasoning.tsx"
import type { TurnActions } from "./turn-props.ts"
import { WhileIdle } from "./turn-tools.tsx"

const gatewayErrors = ["process_ended", "shutting_down", "revoked"] as const

const errorText = (error: NonNullable<Message["error"]>, state: string): string => {
  const { code, message } = error
  const own = code === "unauthorized" && state === "interrupted" ? "revoked" : code
  const known = gatewayErrors.find((one) => one === own)
  return known ? t(`chat.error.${known}`) : translateServerText(message, error)
}

interface AnswerProps {
  message: Message
  writable: boolean
  actions: TurnActions
}

const ContinueButton = ({ message, actions }: AnswerProps) => (
  <Button icon={CornerDownRight} onClick={() => actions.report(actions.continueAnswer(message))}>
    {t("chat.continue")}
  </Button>
)

/** The error of an answer, with buttons to retry or continue. */
const AnswerError = (props: AnswerProps) => {
  const { message, writable, actions } = props
  const { error, state, content, request_id } = message
  if (!error) return null
  return (
    <div
      role="alert"
      className="mt-2 flex flex-wrap items-start gap-2.5 rounded border border-danger/40 bg-danger-soft px-3 py-2.5 text-sm"
    >
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
      <div className="min-w-0 flex-1 basis-60">
        <p className="break-words">{errorText(error, state)}</p>
        <details className="mt-1 text-xs text-muted">
          <summary>{t("error.details")}</summary>
          <p className="mt-1 break-all">
            {error.status !== null && (
              <>{t("chat.providerStatus", { status: String(error.status) })} · </>
            )}
            {error.code}
            {request_id && (
              <>
                {" "}
                · {t("label.request")} <code>{request_id}</code>
              </>
            )}
          </p>
          {error.raw && (
            <pre className="mt-1 max-h-40 overflow-auto break-all whitespace-pre-wrap">
              {error.raw}
            </pre>
          )}
        </details>
      </div>
      {writable && (
        <WhileIdle>
          <div className="flex gap-2">
            {content !== "" && <ContinueButton {...props} />}
            <Button icon={RotateCw} onClick={() => actions.report(actions.regenerate([message]))}>
              {t("action.retry")}
            </Button>
          </div>
        </WhileIdle>
      )}
    </div>
  )
}

const statusNote = ({
  state,
  finish_reason,
  content,
  reasoning,
  error,
}: Message): string | null => {
  if (state === "stopped") return t("chat.stopped")
  if (state === "completed" && finish_reason === "length") return t("chat.long")
  const nothing = content === "" && reasoning === "" && !error
  return state === "completed" && nothing ? t("chat.empty") : null
}

/** Resolves the citation numbers of an answer; null without sources. */
const useCitations = ({ id, sources }: Message, { openSource }: TurnActions): Citations | null =>
  useMemo(() => {
    if (!sources || sources.length === 0) return null
    const names = fileNamesById(sources)
    const nameOf = (number: number): string | null => {
      const source = sources[number - 1]
      if (source === undefined) return null
      return source ? (names.get(source.file_id) ?? "") : t("sources.withheld")
    }
    return { nameOf, open: (number) => openSource(id, number) }
  }, [id, sources, openSource])

/** One model's answer, complete or still streaming. */
export const Answer = memo((props: AnswerProps) => {
  const { message, writable, actions } = props
  const citations = useCitations(message, actions)
  const running = message.state === "running"
  const note = statusNote(message)
  const waiting = running && message.content === "" && message.reasoning === ""
  const unfinished = message.state === "stopped" || message.finish_reason === "length"
  return (
    <>
      {message.reasoning !== "" && <Reasoning message={message} />}
      {waiting && <WaitingForModel />}
      <CitationsContext value={citations}>
        <AnswerText text={message.content} growing={running} />
      </CitationsContext>
      <AnswerSources message={message} actions={actions} />
      {note && (
        <p className="mt-2 flex flex-wrap items-center gap-2 text-sm text-muted">
          {note}
          {writable && unfinished && message.content !== "" && <ContinueButton {...props} />}
        </p>
      )}
      {!running && <AnswerError {...props} />}
    </>
  )
})
