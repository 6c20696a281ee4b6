import { z } from "zod"

/** What an administrator may change while the gateway runs, with the defaults. */
export const Settings = z
  .object({
    enable_signup: z.boolean().default(false),
    default_user_role: z.enum(["pending", "user"]).default("pending"),
    /** Who may sign in with a password while there is single sign-on. */
    password_sign_in: z.enum(["on", "administrators", "off"]).default("on"),
    /** Seconds. */
    jwt_expires_in: z.int().min(60).max(31_536_000).default(2_419_200),
    /** Whether `/openai/*` passes through to OpenAI-style connections. */
    enable_openai_proxy: z.boolean().default(false),
    /** Seconds; 0 keeps all. */
    usage_retention: z.int().min(0).default(34_560_000),
    /** Seconds; 0 keeps all. */
    audit_retention: z.int().min(0).default(0),
    /** Whether a model names new chats, or their first words: never, with local models, with any. */
    chat_titles: z.enum(["words", "local", "any"]).default("local"),
    /** How passages of files are put to a model, at `{{sources}}`; empty for the usual way. */
    rag_template: z.string().default(""),
    /** Tokens that the sources of one answer may take; less where the model's context is small. */
    rag_token_budget: z.int().min(500).max(100_000).default(4000),
    /** The model that passages are found by their meaning with; `none` for none, empty: automatic. */
    embedding_model: z.string().default(""),
  })
  .meta({ id: "Settings" })
export type Settings = z.output<typeof Settings>
export type SettingName = keyof Settings

export const SettingsChanges = z
  .object({
    enable_signup: z.boolean(),
    default_user_role: z.enum(["pending", "user"]),
    password_sign_in: z.enum(["on", "administrators", "off"]),
    jwt_expires_in: z.int().min(60).max(31_536_000),
    enable_openai_proxy: z.boolean(),
    usage_retention: z.int().min(0),
    audit_retention: z.int().min(0),
    chat_titles: z.enum(["words", "local", "any"]),
    rag_token_budget: z.int().min(500).max(100_000),
    rag_template: z
      .string()
      .max(20_000)
      .refine((text) => text.trim() === "" || text.includes("{{sources}}"), {
        error: "must say with {{sources}} where the passages go, or be empty",
      }),
    embedding_model: z.string().trim().max(300),
  })
  .partial()
  .meta({ id: "SettingsChanges" })
export type SettingsChanges = z.output<typeof SettingsChanges>

export const SettingsView = z
  .object({
    values: Settings,
    /** The environment variable that fixes a setting, by setting. */
    locked: z.record(z.string(), z.string()),
  })
  .meta({ id: "SettingsView" })
export type SettingsView = z.output<typeof SettingsView>
