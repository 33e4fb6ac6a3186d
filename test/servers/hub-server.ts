import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, sep } from 'node:path'

/** A request as the server has seen it. */
interface HubRequest {
  /** The path without the query. */
  readonly path: string
  readonly range: string | undefined
  readonly authorization: string | undefined
  /** Milliseconds of a clock. */
  readonly at: number
}

/** An answer that differs from that of the hub. */
interface Fault {
  /** The requests that it is for. */
  readonly path: RegExp
  /** The number of requests that it is for. Default: all. */
  readonly times?: number
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** The bytes of the answer before the connection is cut. */
  readonly cutAfter?: number
  /** The bytes of the answer before the server sends nothing more, and leaves the connection open. */
  readonly stallAfter?: number
  /** Changes the content of a file. */
  readonly content?: (content: Buffer) => Buffer
  /** Changes the JSON of an answer of the API, or replaces the body. */
  readonly body?: (json: unknown) => unknown
  /** True for a server that does not know ranges. */
  readonly ignoresRange?: boolean
}

/** A server with the part of the protocol of the Hugging Face hub that `@huggingface/hub` uses for downloads. */
export interface HubServer {
  readonly url: string
  readonly requests: HubRequest[]
  /** Adds a fault. The latest one that fits a request counts. */
  fail(fault: Fault): void
  /** Answers as the hub does from now on. */
  recover(): void
  /** Puts the files of a folder into a repository, as its newest commit. @returns the commit */
  publish(repository: string, folder: string): Promise<string>
  close(): Promise<void>
}

type Files = ReadonlyMap<string, Buffer>

/** Files from this size on are in large file storage: the hub lists their SHA-256, and redirects to another host. */
const LARGE_BYTES = 400_000
/** Entries of a page of the listing. The hub has 1,000. */
const PAGE = 3

export async function startHubServer(): Promise<HubServer> {
  const repositories = new Map<string, Map<string, Files>>()
  const requests: HubRequest[] = []
  let faults: { fault: Fault; left: number }[] = []

  const faultOf = (path: string): Fault | undefined => {
    const found = faults.findLast(({ fault, left }) => left > 0 && fault.path.test(path))
    if (found !== undefined) found.left -= 1
    return found?.fault
  }
  const note = ({ url = '', headers }: IncomingMessage): URL => {
    const address = new URL(url, 'http://hub')
    const { range, authorization } = headers
    requests.push({ path: decodeURIComponent(address.pathname), range, authorization, at: performance.now() })
    return address
  }

  const storage = createServer((request, response) => {
    const { pathname } = note(request)
    const [, , name = '', commit = '', ...path] = decodeURIComponent(pathname).split('/')
    const content = repositories.get(name.replace('--', '/'))?.get(commit)?.get(path.join('/'))
    if (content === undefined) response.writeHead(404).end()
    else sendFile(request, response, content, faultOf(pathname))
  })
  await listen(storage)

  const hub = createServer((request, response) => {
    const { pathname, search } = note(request)
    const path = decodeURIComponent(pathname)
    const fault = faultOf(path)
    if (fault?.status !== undefined) {
      response.writeHead(fault.status, fault.headers).end(JSON.stringify({ error: 'no' }))
      return
    }
    const [, repository = '', rest = ''] = /^(?:\/api\/models)?\/([^/]+\/[^/]+)\/(.*)$/.exec(path) ?? []
    const commits = repositories.get(repository)
    if (commits === undefined) {
      response.writeHead(401, { 'x-error-code': 'RepoNotFound' }).end()
      return
    }
    const [verb, revision = '', ...file] = rest.split('/')
    const commit = revision === 'main' ? [...commits.keys()].at(-1) : revision
    const files = commits.get(commit ?? '')
    if (commit === undefined || files === undefined) {
      response.writeHead(404, { 'x-error-code': 'RevisionNotFound' }).end()
    } else if (verb === 'revision') {
      sendJson(
        response,
        {
          _id: '1',
          id: repository,
          sha: commit,
          private: false,
          gated: false,
          likes: 0,
          downloads: 0,
          lastModified: '2026-01-01',
        },
        fault,
      )
    } else if (verb === 'tree') {
      sendPage(response, entriesOf(files), { url: `${urlOf(hub)}${pathname}`, search, fault })
    } else {
      const content = files.get(file.join('/'))
      if (content === undefined) response.writeHead(404, { 'x-error-code': 'EntryNotFound' }).end()
      else if (content.length < LARGE_BYTES) sendFile(request, response, content, fault)
      else {
        const location = `${urlOf(storage)}/cdn/${repository.replace('/', '--')}/${commit}/${file.join('/')}`
        response.writeHead(302, { location, 'x-linked-etag': `"${sha256(content)}"`, 'x-repo-commit': commit }).end()
      }
    }
  })
  await listen(hub)

  return {
    url: urlOf(hub),
    requests,
    fail: (fault) => {
      faults.push({ fault, left: fault.times ?? Infinity })
    },
    recover: () => {
      faults = []
    },
    publish: async (repository, folder) => {
      const files = await readFiles(folder)
      const digest = createHash('sha1').update(repository)
      for (const [path, content] of files) digest.update(path).update(content)
      const commit = digest.digest('hex')
      const commits = repositories.get(repository) ?? new Map<string, Files>()
      repositories.set(repository, commits.set(commit, files))
      return commit
    },
    close: async () => {
      for (const server of [hub, storage]) {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
    },
  }
}

async function listen(server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function readFiles(folder: string): Promise<Files> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = new Map<string, Buffer>()
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name)
    files.set(
      path
        .slice(folder.length + 1)
        .split(sep)
        .join('/'),
      await readFile(path),
    )
  }
  return files
}

function entriesOf(files: Files): object[] {
  const folders = new Set([...files.keys()].flatMap((path) => path.split('/').slice(0, -1)))
  return [
    ...[...folders].map((path) => ({ type: 'directory', path, size: 0, oid: '0'.repeat(40) })),
    ...[...files].map(([path, content]) => ({
      type: 'file',
      path,
      size: content.length,
      oid: gitHash(content.length < LARGE_BYTES ? content : Buffer.from(`pointer to ${sha256(content)}`)),
      ...(content.length >= LARGE_BYTES && {
        lfs: { oid: sha256(content), size: content.length, pointerSize: 134 },
        xetHash: sha256(Buffer.from(path)),
      }),
    })),
  ]
}

function gitHash(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex')
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

function sendJson(response: ServerResponse, value: unknown, fault: Fault | undefined): void {
  const body = fault?.body === undefined ? value : fault.body(value)
  const isText = typeof body === 'string'
  response.writeHead(200, { 'content-type': isText ? 'text/html' : 'application/json', ...fault?.headers })
  response.end(isText ? body : JSON.stringify(body))
}

function sendPage(
  response: ServerResponse,
  all: readonly object[],
  { url, search, fault }: { readonly url: string; readonly search: string; readonly fault: Fault | undefined },
): void {
  const query = new URLSearchParams(search)
  const from = Number(query.get('cursor') ?? 0)
  if (from + PAGE < all.length) {
    query.set('cursor', String(from + PAGE))
    response.setHeader('link', `<${url}?${query.toString()}>; rel="next"`)
  }
  sendJson(response, all.slice(from, from + PAGE), fault)
}

function sendFile(request: IncomingMessage, response: ServerResponse, whole: Buffer, fault: Fault | undefined): void {
  if (fault?.status !== undefined) {
    response.writeHead(fault.status, fault.headers).end()
    return
  }
  const content = fault?.content?.(whole) ?? whole
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
  const isPart = first !== undefined && fault?.ignoresRange !== true
  const from = isPart ? Number(first) : 0
  const to = isPart && last !== '' ? Number(last) + 1 : content.length
  response.writeHead(isPart ? 206 : 200, {
    etag: `"${sha256(whole)}"`,
    'content-length': to - from,
    ...(isPart && { 'content-range': `bytes ${from}-${to - 1}/${content.length}` }),
    ...fault?.headers,
  })
  if (fault?.stallAfter !== undefined) {
    response.write(content.subarray(from, Math.min(to, from + fault.stallAfter)))
    return
  }
  if (fault?.cutAfter === undefined) {
    response.end(content.subarray(from, to))
    return
  }
  response.write(content.subarray(from, Math.min(to, from + fault.cutAfter)), () => response.destroy())
}
