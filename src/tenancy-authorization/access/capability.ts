/** What a role may allow. */
export const CAPABILITIES = [
  'context:read',
  'context:write',
  'document:write',
  'search',
  'tenant:manage',
  'webhook:manage',
] as const

export type Capability = (typeof CAPABILITIES)[number]

/**
 * The capabilities of a role that a scope leaves.
 * @param scope capabilities that somebody acts with at most; omitted, all that the role has
 */
export function narrowed(capabilities: readonly string[], scope: readonly Capability[] | undefined): readonly string[] {
  if (scope === undefined) return capabilities
  return capabilities.filter((capability) => scope.some((allowed) => allowed === capability))
}
