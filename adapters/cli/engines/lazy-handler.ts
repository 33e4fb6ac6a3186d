/** A handler that is loaded at its first request. @param load imports its module, and creates it */
export function lazyHandler<Args extends readonly unknown[], Answer>(
  load: () => Promise<(...args: Args) => Promise<Answer>>,
): (...args: Args) => Promise<Answer> {
  let loading: ReturnType<typeof load> | undefined
  return async (...args) => {
    loading ??= load()
    return await (await loading)(...args)
  }
}
