import type { TextRange } from '../../src/index.js'

/** The URI of a document's text. Both ids stay the same when the document is replaced. */
export interface DocumentAddress {
  readonly contextId: number
  readonly documentId: number
}

export const DOCUMENT_URI_TEMPLATE = 'alcove://contexts/{contextId}/documents/{documentId}{?start,end}'

const PATH = /^alcove:\/\/contexts\/(\d{1,15})\/documents\/(\d{1,15})$/
const OFFSET = /^\d{1,15}$/

export function documentUri({ contextId, documentId }: DocumentAddress, range: TextRange = {}): string {
  const query = Object.entries(range).map(([name, offset]) => `${name}=${String(offset)}`)
  const uri = `alcove://contexts/${contextId}/documents/${documentId}`
  return query.length === 0 ? uri : `${uri}?${query.join('&')}`
}

/** @returns undefined for a URI that {@link documentUri} does not make */
export function parseDocumentUri(uri: string): (DocumentAddress & { readonly range: TextRange }) | undefined {
  const [path = '', query = '', ...rest] = uri.split('?')
  const [, contextId, documentId] = PATH.exec(path) ?? []
  const range: { start?: number; end?: number } = {}
  for (const [name, offset] of new URLSearchParams(query)) {
    if ((name !== 'start' && name !== 'end') || !OFFSET.test(offset)) return undefined
    range[name] = Number(offset)
  }
  if (rest.length > 0 || contextId === undefined || documentId === undefined) return undefined
  return { contextId: Number(contextId), documentId: Number(documentId), range }
}
