import { Trash2 } from "lucide-react"
import { useState } from "react"
import { Button } from "./button.tsx"
import { Confirm } from "./dialog.tsx"
import { Section } from "./page.tsx"

interface RemovalProps {
  /** A verb with its object: "Delete group". */
  action: string
  /** The dialog's title, with the object's name. */
  title: string
  /** What is deleted and what remains. */
  lead: string
  /** Text to type before confirming, for irreversible deletions. */
  typed?: string
  onRemove: () => Promise<unknown>
}

/** A button that deletes after confirmation. */
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

/** The last section of an object's page: what deletion means, and the button. */
export const Removal = (props: RemovalProps) => (
  <Section title={props.action} lead={props.lead}>
    <div>
      <RemoveButton {...props} />
    </div>
  </Section>
)
