import type { StoredQuestion } from "./question-store.ts"
import type { QuestionInFile } from "./schema.ts"

const keyOf = ({
  question,
  previous,
  filename,
}: Pick<QuestionInFile, "question" | "previous" | "filename">): string =>
  JSON.stringify([question, previous, filename])

/**
 * Compares imported questions with those of a collection. Of equal questions in the import, the
 * last one counts.
 * @returns the new ones, and the known ones whose quotation or note differs
 */
export const matchImported = (
  known: readonly StoredQuestion[],
  imported: readonly QuestionInFile[],
) => {
  const knownByKey = new Map(known.map((question) => [keyOf(question), question]))
  const importedByKey = new Map(imported.map((question) => [keyOf(question), question]))
  const added: QuestionInFile[] = []
  const changed: { known: StoredQuestion; quotation: string; note: string }[] = []
  for (const [key, question] of importedByKey) {
    const present = knownByKey.get(key)
    const { quotation, note } = question
    if (!present) added.push(question)
    else if (present.quotation !== quotation || present.note !== note)
      changed.push({ known: present, quotation, note })
  }
  return { added, changed }
}
