import type { AuditAction, AuditActor, AuditRefusals } from '../audit/index.js'

/** Which methods change something, and what the audit trail calls that. */
export type ChangingMethods<Operations> = Partial<Readonly<Record<keyof Operations, AuditAction>>>

type Method = (...args: readonly unknown[]) => Promise<unknown>

/** The same operations, of which the audit trail has each change that is refused for want of rights. */
export function watchRefusals<Operations extends object>(
  operations: Operations,
  methods: ChangingMethods<Operations>,
  { by, refusals }: { readonly by: AuditActor; readonly refusals: () => AuditRefusals },
): Operations {
  const watched = { ...operations } as unknown as Record<string, Method>
  for (const [name, action] of Object.entries<AuditAction | undefined>(methods)) {
    const method = watched[name]
    if (method === undefined || action === undefined) continue
    watched[name] = async (...args: readonly unknown[]) =>
      await refusals().watch(by, action, targetOf(action, args[0]), async () => await method(...args))
  }
  return watched as unknown as Operations
}

/** The id of what is changed, where the first argument names it; of what would be new there is none. */
function targetOf(action: AuditAction, first: unknown): number | null {
  if (/\.(?:created|added|uploaded)$/.test(action)) return null
  const id: unknown = typeof first === 'object' && first !== null && 'id' in first ? first.id : first
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : null
}
