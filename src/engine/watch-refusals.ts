import type { AuditAction, AuditActor, AuditRefusals } from '../audit/index.js'

/** The methods that change data, with their actions in the audit trail. */
export type ChangingMethods<Operations> = Partial<Readonly<Record<keyof Operations, AuditAction>>>

type Method = (...args: readonly unknown[]) => Promise<unknown>

/** Wraps operations, so that the audit trail records each change that is refused for a lack of rights. */
export function watchRefusals<Operations extends object>(
  operations: Operations,
  methods: ChangingMethods<Operations>,
  { by, refusals }: { readonly by: AuditActor; readonly refusals: AuditRefusals },
): Operations {
  const wrapped = { ...operations } as unknown as Record<string, Method>
  for (const [name, action] of Object.entries<AuditAction | undefined>(methods)) {
    const method = wrapped[name]
    if (method === undefined || action === undefined) continue
    wrapped[name] = async (...args: readonly unknown[]) =>
      await refusals.watch(by, action, targetIdOf(action, args[0]), async () => await method(...args))
  }
  return wrapped as unknown as Operations
}

/** @returns the id in the first argument; null if there is none, or if the action creates something */
function targetIdOf(action: AuditAction, firstArgument: unknown): number | null {
  if (/\.(?:created|added|uploaded)$/.test(action)) return null
  const id: unknown =
    typeof firstArgument === 'object' && firstArgument !== null && 'id' in firstArgument
      ? firstArgument.id
      : firstArgument
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : null
}
