import { Dialog } from "@base-ui/react/dialog"
import { X } from "lucide-react"
import { type MessageKey, t } from "../i18n/translate.ts"
import { IconButton } from "../ui/button.tsx"
import { KeyCombination } from "../ui/key-combination.tsx"

const rows: readonly (readonly [string, MessageKey])[] = [
  ["mod+k", "palette.placeholder"],
  ["mod+shift+o", "keyboard.newChat"],
  ["mod+s", "keyboard.save"],
  ["mod+shift+l", "theme.switch"],
  ["mod+/", "keyboard.help"],
  ["enter", "keyboard.send"],
  ["shift+enter", "keyboard.break"],
  ["#", "keyboard.attach"],
  ["/", "keyboard.prompt"],
  ["up", "keyboard.editLast"],
  ["mod+shift+c", "keyboard.copyAnswer"],
  ["Esc", "keyboard.stop"],
]

export const KeyboardHelp = ({ onClose }: { onClose: () => void }) => (
  <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
    <Dialog.Portal>
      <Dialog.Backdrop className="fixed inset-0 z-40 bg-shade" />
      <Dialog.Popup className="fixed top-1/2 left-1/2 z-50 w-[min(26rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 rounded-lg border border-line bg-raised p-5 shadow-float">
        <div className="mb-3 flex items-center justify-between">
          <Dialog.Title className="text-base font-semibold">{t("keyboard.title")}</Dialog.Title>
          <Dialog.Close render={<IconButton icon={X} label={t("action.close")} />} />
        </div>
        <dl className="flex flex-col text-sm">
          {rows.map(([keys, label]) => (
            <div
              key={keys}
              className="flex items-center justify-between gap-4 border-t border-line py-2"
            >
              <dt>{t(label)}</dt>
              <dd>
                <KeyCombination of={keys} />
              </dd>
            </div>
          ))}
        </dl>
      </Dialog.Popup>
    </Dialog.Portal>
  </Dialog.Root>
)
