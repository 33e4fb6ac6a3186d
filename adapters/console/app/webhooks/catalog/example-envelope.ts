import type { Schema } from '../../api/api.js'

/** Values that look like those of a real event, by the name of the field. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  jobKey: '3f2b8c1e-7d4a-4e6b-9a10-5c2d8e7f1a34',
  uuid: '9c1d7a52-0b3f-4d8e-8a41-6f5e2b7c9d10',
  name: 'Service desk',
  originalName: 'handbook.pdf',
  error: 'the document has no text (ERR_NO_TEXT)',
  replacement: false,
}

const BY_TYPE: Readonly<Record<string, unknown>> = {
  string: 'text',
  integer: 7,
  number: 12.5,
  boolean: true,
  array: [],
  object: {},
}

/** The body of a request with an event of a type, with invented values. */
export function exampleEnvelope({ type, event_category, data }: Schema<'CatalogEntry'>): string {
  const values = Object.entries(data).map(([name, kind]) => [name, BY_NAME[name] ?? BY_TYPE[kind] ?? null])
  return JSON.stringify(
    {
      id: 'evt_01J9ZK3V6Q8R2T4W6Y8A0C2E4G',
      version: 'v1',
      type,
      event_category,
      timestamp: '2026-01-02T03:04:05.678Z',
      data: Object.fromEntries(values) as Readonly<Record<string, unknown>>,
    },
    undefined,
    2,
  )
}
