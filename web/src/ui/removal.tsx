import { Trash2 } from "lucide-react"
import { useState } from "react"
import { Button } from "./button.tsx"
import { Confirm } from "./dialog.tsx"
import { Section } from "./page.tsx"

interface RemovalProps {
  /** The verb with its object: "Delete group". */
  action: string
  /** The same, with the object's own name. */
  title: string
  /** What goes with it, and what stays. */
  lead: string
  /** Must be typed first; for what cannot come back. */
  typed?: string
  onRemove: () => Promise<unknown>
}

/** A button that deletes after it has asked. */
export const RemoveButton = ({ action, title, lead, onRemove, ...typed }: RemovalProps) => {
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button look="danger" icon={Trash2} onClick={() => setAsking(true)}>
        {action}
      </Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={title}
        action={action}
        danger
        onConfirm={onRemove}
        {...typed}
      >
        {lead}
      </Confirm>
    </>
  )
}

/** The end of an object's page: what deleting it means, and the button. */
export const Removal = (props: RemovalProps) => (
  <Section title={props.action} lead={props.lead}>
    <div>
      <RemoveButton {...props} />
    </div>
  </Section>
)
