import { Check, ListPlus } from "lucide-react"
import { useState } from "react"
import { t } from "../../i18n/translate.ts"
import type { FoundPassage } from "../../lib/knowledge-api.ts"
import { questionApi } from "../../lib/question-api.ts"
import { Button } from "../../ui/button.tsx"
import { maxQuotationLength, QuestionDialog } from "./question-dialog.tsx"

interface ExpectPassageProps {
  collectionId: string
  question: { query: string; previous?: string | undefined }
  passage: FoundPassage
}

/** Adds the question of a test search to the collection, with a passage that it must find. */
export const ExpectPassage = ({ collectionId, question, passage }: ExpectPassageProps) => {
  const [state, setState] = useState<"open" | "added" | null>(null)
  const { file_id: id, filename, text, reason } = passage
  // An outline is generated, so the file's text does not contain it.
  if (reason === "outline") return null
  if (state === "added") {
    return (
      <p role="status" className="mt-2 flex items-center gap-1.5 text-xs text-muted">
        <Check aria-hidden className="size-3.5 text-ok" /> {t("questions.added")}
      </p>
    )
  }
  return (
    <>
      <Button icon={ListPlus} className="mt-2" onClick={() => setState("open")}>
        {t("questions.expect")}
      </Button>
      {state === "open" && (
        <QuestionDialog
          collectionId={collectionId}
          title={t("questions.add")}
          action={t("questions.add")}
          initial={{
            ...{ question: question.query, previous: question.previous ?? "", note: "" },
            file: { id, filename },
            quotation: text.slice(0, maxQuotationLength).toWellFormed(),
          }}
          save={(values) => questionApi.create(collectionId, values)}
          onClose={() => setState((now) => (now === "open" ? null : now))}
          onSaved={() => setState("added")}
        />
      )}
    </>
  )
}
