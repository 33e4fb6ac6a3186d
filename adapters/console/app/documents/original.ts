import { type AlcoveClient, dataOf } from '../api/api.js'

/** Reads the bytes of a document as they were uploaded. @throws AlcoveApiError, AlcoveClientError */
export async function readOriginal(api: AlcoveClient, contextId: number, docId: number): Promise<Blob> {
  const params = { path: { contextId, docId } }
  // The types of the API have no bytes.
  const answer: Promise<{ readonly data?: unknown; readonly error?: unknown; readonly response: Response }> = api.GET(
    '/context/documents/{contextId}/{docId}/content',
    { params, parseAs: 'blob' },
  )
  return (await dataOf(answer)) as Blob
}

/** Reads the text of a document. @throws AlcoveApiError, AlcoveClientError */
export async function readText(api: AlcoveClient, contextId: number, docId: number): Promise<Blob> {
  const params = { path: { contextId, docId } }
  const answer: Promise<{ readonly data?: unknown; readonly error?: unknown; readonly response: Response }> = api.GET(
    '/context/documents/{contextId}/{docId}/text',
    { params, parseAs: 'blob' },
  )
  return (await dataOf(answer)) as Blob
}

/** Has the browser save bytes as a file. A link to the API could not name the account. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Not at once: some browsers begin to read it later.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
