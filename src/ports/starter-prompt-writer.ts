/** The texts of a context that its conversation starters are written from. */
export interface StarterPromptSubject {
  readonly name: string
  readonly description: string
  readonly caption: string
}

/** Writes the conversation starters of a context that was created without any. */
export interface StarterPromptWriter {
  /**
   * Writes conversation starters. If the call rejects, the context is not created. Concurrent calls are allowed.
   *
   * @param options.signal aborts the call, which then rejects with the signal's reason. Default: no signal
   * @returns 1 to 50 different prompts of 1 to 1,000 characters each
   */
  write(subject: StarterPromptSubject, options?: { readonly signal?: AbortSignal }): Promise<readonly string[]>
}
