import { readdir, readFile, rm, stat } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'

/** An upload that s3rver stores in its folder. */
export interface KeptUpload {
  readonly id: string
  readonly key: string
  readonly initiated: Date
  readonly parts: readonly { readonly number: number; readonly modified: Date; readonly size: number }[]
}

/**
 * AbortMultipartUpload, ListMultipartUploads and ListParts, which s3rver lacks, on the folder in which it keeps
 * uploads, as the S3 API Reference describes them. They do not check signatures. So they test the adapter against that
 * description, not against another vendor's server.
 *
 * @param pageSize maximum number of uploads or parts in one page; S3 has a thousand
 * @returns true if the request was one of them and is answered
 */
export async function answerMultipart(
  request: IncomingMessage,
  response: ServerResponse,
  { directory, pageSize }: { readonly directory: string; readonly pageSize: number },
): Promise<boolean> {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const [bucket = '', ...rest] = decodeURIComponent(url.pathname).slice(1).split('/')
  const key = rest.join('/')
  const [uploads, id] = [url.searchParams.has('uploads'), url.searchParams.get('uploadId')]
  if (request.method === 'GET' && key === '' && uploads) {
    answer(response, 200, listUploads(await keptUploads(directory, bucket), url.searchParams, pageSize))
    return true
  }
  if (id === null || !['DELETE', 'GET'].includes(request.method ?? '')) return false
  const upload = (await keptUploads(directory, bucket)).find((one) => one.id === id && one.key === key)
  if (upload === undefined) answer(response, 404, '<Error><Code>NoSuchUpload</Code><Message>gone</Message></Error>')
  else if (request.method === 'GET') answer(response, 200, listParts(upload, url.searchParams, pageSize))
  else {
    await rm(join(folderOf(directory, bucket), id), { recursive: true })
    answer(response, 204, '')
  }
  return true
}

/** All stored uploads, in the order of their keys, then of their ids. */
export async function keptUploads(directory: string, bucket: string): Promise<KeptUpload[]> {
  const ids = await readdir(folderOf(directory, bucket)).catch(() => [])
  const uploads = await Promise.all(ids.map(async (id) => await keptUpload(join(folderOf(directory, bucket), id), id)))
  const order = ({ key, id }: KeptUpload): string => `${key} ${id}`
  return uploads.flat().sort((one, other) => (order(one) < order(other) ? -1 : 1))
}

function folderOf(directory: string, bucket: string): string {
  return join(directory, bucket, '._S3rver_uploads')
}

/** The upload, or an empty list if it has ended in the meantime. */
async function keptUpload(folder: string, id: string): Promise<KeptUpload[]> {
  try {
    const names = (await readdir(folder)).filter((name) => /^\d+$/.test(name))
    const parts = names.map(async (name) => {
      const { mtime: modified, size } = await stat(join(folder, name))
      return { number: Number(name), modified, size }
    })
    return [
      {
        id,
        key: await readFile(join(folder, 'key'), 'utf8'),
        initiated: (await stat(join(folder, 'key'))).mtime,
        parts: (await Promise.all(parts)).sort((one, other) => one.number - other.number),
      },
    ]
  } catch {
    return []
  }
}

function listUploads(uploads: readonly KeptUpload[], query: URLSearchParams, pageSize: number): string {
  const [keyMarker, idMarker] = [query.get('key-marker') ?? '', query.get('upload-id-marker') ?? '']
  const found = uploads
    .filter(({ key }) => key.startsWith(query.get('prefix') ?? ''))
    .filter(({ key, id }) => key > keyMarker || (key === keyMarker && idMarker !== '' && id > idMarker))
  const page = found.slice(0, pageSize)
  const last = page.at(-1)
  return `<ListMultipartUploadsResult><IsTruncated>${found.length > page.length}</IsTruncated>${
    found.length > page.length && last !== undefined
      ? `<NextKeyMarker>${last.key}</NextKeyMarker><NextUploadIdMarker>${last.id}</NextUploadIdMarker>`
      : ''
  }${page
    .map(
      ({ key, id, initiated }) =>
        `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${initiated.toISOString()}</Initiated></Upload>`,
    )
    .join('')}</ListMultipartUploadsResult>`
}

function listParts({ parts }: KeptUpload, query: URLSearchParams, pageSize: number): string {
  const found = parts.filter(({ number }) => number > Number(query.get('part-number-marker') ?? 0))
  const page = found.slice(0, pageSize)
  return `<ListPartsResult><IsTruncated>${found.length > page.length}</IsTruncated><NextPartNumberMarker>${
    page.at(-1)?.number ?? 0
  }</NextPartNumberMarker>${page
    .map(
      ({ number, modified, size }) =>
        `<Part><PartNumber>${number}</PartNumber><LastModified>${modified.toISOString()}</LastModified><Size>${size}</Size></Part>`,
    )
    .join('')}</ListPartsResult>`
}

function answer(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' }).end(body)
}
