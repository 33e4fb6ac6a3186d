/** What conversation starters are written from. */
export interface StarterPromptSubject {
  readonly name: string
  readonly description: string
  readonly caption: string
}

/** Writes the conversation starters of a context that was created without any. */
export interface StarterPromptWriter {
  /**
   * - 1 to 50 prompts of 1 to 1,000 characters, none twice.
   * - A rejection fails the creation of the context.
   */
  write(subject: StarterPromptSubject, options?: { readonly signal?: AbortSignal }): Promise<readonly string[]>
}
