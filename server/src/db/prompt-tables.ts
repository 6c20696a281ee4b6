export interface PromptRow {
  id: string
  user_id: string
  /** Typed after `/` in the composer; lower case, unique per owner. */
  command: string
  title: string
  title_key: string
  content: string
  created_at: number
  updated_at: number
}

/** A user's instructions for all of their chats; users without instructions have no row. */
interface PersonalInstructionsRow {
  user_id: string
  text: string
  updated_at: number
}

export interface PromptTables {
  prompts: PromptRow
  personal_instructions: PersonalInstructionsRow
}
