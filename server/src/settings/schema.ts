import { z } from "zod"
import { withMessage } from "../http/issue-messages.ts"
import { translatable } from "../i18n/message.ts"

const sessionLength = withMessage(translatable("session_length_out_of_range"))
const rewritingTimeout = withMessage(translatable("rewriting_timeout_out_of_range"))
const retention = withMessage(translatable("retention_negative"))

/** Settings that administrators can change at runtime, with their defaults. */
export const Settings = z
  .object({
    enable_signup: z.boolean().default(false),
    default_user_role: z.enum(["pending", "user"]).default("pending"),
    /** Who may sign in with a password if single sign-on is configured. */
    password_sign_in: z.enum(["on", "administrators", "off"]).default("on"),
    /** Seconds. */
    jwt_expires_in: z.int().min(60).max(31_536_000).default(2_419_200),
    /** Whether `/openai/*` passes through to OpenAI-style connections. */
    enable_openai_proxy: z.boolean().default(false),
    /** Whether lists in Anthropic's format name other providers' models `claude-<id>`. */
    claude_aliases: z.boolean().default(true),
    /** Seconds; 0 keeps all. */
    usage_retention: z.int().min(0).default(34_560_000),
    /** Seconds; 0 keeps all. */
    audit_retention: z.int().min(0).default(0),
    /**
     * How new chats get their titles: from their first words, or from their own model, which may
     * have to run locally.
     */
    chat_titles: z.enum(["words", "local", "any"]).default("any"),
    /**
     * Template for presenting file passages to a model, inserted at `{{sources}}`; empty for the
     * default.
     */
    rag_template: z.string().default(""),
    /** Maximum tokens for the sources of one answer; less if the model's context is small. */
    rag_token_budget: z.int().min(500).max(100_000).default(4000),
    /** Tokens; assumed for models whose provider does not report a context length. */
    default_context_length: z.int().min(1000).max(10_000_000).default(8192),
    /**
     * The embedding model for semantic search; `none` disables it, empty selects one automatically.
     */
    embedding_model: z.string().default(""),
    /**
     * The model that rewrites questions before files are searched; empty for the chat's own, `none`
     * for no rewriting.
     */
    query_rewriting_model: z.string().default(""),
    /** Milliseconds after which a search goes on without the rewritten question. */
    query_rewriting_timeout_ms: z.int().min(100).max(30_000).default(2000),
    /** Whether models without a known price can be used under a limit on cost. */
    unpriced_models: z.enum(["admit", "reject"]).default("admit"),
    /** Whether requests that a limit applies to pass while the database cannot be reached. */
    limits_without_database: z.enum(["reject", "admit"]).default("reject"),
    /** Plain text shown above every page; empty for none. */
    banner: z.string().default(""),
    banner_kind: z.enum(["info", "warning"]).default("info"),
    /** The model of new chats for people who have not chosen one yet; empty for the first. */
    default_model: z.string().default(""),
    /** Whether chats show what answers cost. */
    show_cost: z.boolean().default(true),
  })
  .meta({ id: "Settings" })
export type Settings = z.output<typeof Settings>
export type SettingName = keyof Settings

export const SettingsChanges = z
  .object({
    enable_signup: z.boolean(),
    default_user_role: z.enum(["pending", "user"]),
    password_sign_in: z.enum(["on", "administrators", "off"]),
    jwt_expires_in: z.int().min(60, sessionLength).max(31_536_000, sessionLength),
    enable_openai_proxy: z.boolean(),
    claude_aliases: z.boolean(),
    usage_retention: z.int().min(0, retention),
    audit_retention: z.int().min(0, retention),
    chat_titles: z.enum(["words", "local", "any"]),
    rag_token_budget: z.int().min(500).max(100_000),
    default_context_length: z.int().min(1000).max(10_000_000),
    rag_template: z
      .string()
      .max(20_000)
      .refine(
        (text) => text.trim() === "" || text.includes("{{sources}}"),
        withMessage(translatable("source_template_without_sources")),
      ),
    embedding_model: z.string().trim().max(300),
    query_rewriting_model: z.string().trim().max(300),
    query_rewriting_timeout_ms: z.int().min(100, rewritingTimeout).max(30_000, rewritingTimeout),
    unpriced_models: z.enum(["admit", "reject"]),
    limits_without_database: z.enum(["reject", "admit"]),
    banner: z.string().trim().max(500),
    banner_kind: z.enum(["info", "warning"]),
    default_model: z.string().trim().max(300),
    show_cost: z.boolean(),
  })
  .partial()
  .meta({ id: "SettingsChanges" })
export type SettingsChanges = z.output<typeof SettingsChanges>

export const SettingsView = z
  .object({
    values: Settings,
    /** Locked settings, each with the environment variable that locks it. */
    locked: z.record(z.string(), z.string()),
  })
  .meta({ id: "SettingsView" })
export type SettingsView = z.output<typeof SettingsView>
