import { lazyComponent } from "../../lib/lazy-component.tsx"
import { LazyPopup } from "../../ui/lazy-popup.tsx"
import type { Attachment } from "./attachments.ts"
import { findMention } from "./mention.ts"
import { type EditedText, useSuggestionMenu } from "./use-suggestion-menu.ts"

const AttachmentPicker = lazyComponent(
  async () => (await import("./attachment-picker.tsx")).AttachmentPicker,
)

/** The files and collections that "#" suggests; choosing one removes the mention from the text. */
export const useAttachmentMenu = (edited: EditedText, onAttach: (one: Attachment) => void) => {
  const suggestions = useSuggestionMenu(edited, "attach-choices", findMention)
  const { trigger, list } = suggestions
  return {
    ...suggestions,
    menu: trigger && list && (
      <LazyPopup inField onCancel={suggestions.dismiss}>
        <AttachmentPicker
          {...list}
          onPick={(one) => {
            onAttach(one)
            suggestions.replace(trigger.from, trigger.from + 1 + trigger.query.length, "")
          }}
        />
      </LazyPopup>
    ),
    /** Inserts a "#" at the caret, which opens the suggestions. */
    openMenu: (): void => {
      const field = edited.area.current
      if (!field) return
      const { selectionStart: at, selectionEnd, value } = field
      const space = at > 0 && !/\s/.test(value[at - 1] ?? "") ? " " : ""
      suggestions.open(at, selectionEnd, `${space}#`)
    },
  }
}
