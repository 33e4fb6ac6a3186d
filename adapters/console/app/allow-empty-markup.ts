interface TrustedTypes {
  readonly createPolicy: (name: 'default', rules: { readonly createHTML: (markup: string) => string | null }) => unknown
}

/**
 * The policy of the page forbids markup in strings. The library of the components empties its announcements by an empty
 * string, which would fail too, and take the whole page with it. So this text alone is allowed.
 */
export function allowEmptyMarkup(): void {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes }
  trustedTypes?.createPolicy('default', { createHTML: (markup) => (markup === '' ? '' : null) })
}
