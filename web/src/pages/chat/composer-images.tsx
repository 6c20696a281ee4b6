import { X } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import type { ChosenImage } from "./image-files.ts"

interface ImagesProps {
  images: readonly ChosenImage[]
  onRemove: (id: string) => void
}

/** The images attached to the draft. */
export const ComposerImages = ({ images, onRemove }: ImagesProps) => (
  <ul className="flex flex-wrap gap-2 px-3 pt-3">
    {images.map(({ id, name, url }) => (
      <li key={id} className="relative">
        <img src={url} alt={name} className="size-16 rounded object-cover" />
        <button
          type="button"
          aria-label={t("chat.removeImage", { name })}
          onClick={() => onRemove(id)}
          className="absolute -top-1.5 -right-1.5 flex size-6 items-center justify-center rounded-full border border-line bg-raised"
        >
          <X aria-hidden className="size-3.5" />
        </button>
      </li>
    ))}
  </ul>
)
