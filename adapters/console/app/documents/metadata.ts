import type { Metadata } from './document.js'

type Value = Metadata[string]

/** On one line, such as `year: 2026, tags: rent; board`. */
export function metadataText(metadata: Metadata): string {
  return Object.entries(metadata)
    .map(([key, value]) => `${key}: ${valueText(value)}`)
    .join(', ')
}

export function valueText(value: Value): string {
  return typeof value === 'object' ? value.join('; ') : String(value)
}
