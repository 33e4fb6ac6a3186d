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
