/** A handler that is loaded at its first request, and again after a load that failed. @param load imports its module, and creates it */
export function lazyHandler<Args extends readonly unknown[], Answer>(
  load: () => Promise<(...args: Args) => Promise<Answer>>,
): (...args: Args) => Promise<Answer> {
  let loading: ReturnType<typeof load> | undefined
  return async (...args) => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return await (await loading)(...args)
  }
}
