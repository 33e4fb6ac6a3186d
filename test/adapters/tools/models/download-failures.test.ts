import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { createServer, request, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type DownloadModelOptions, downloadModel, listModels } from '../../../../adapters/local/index.js'
import { ModelError } from '../../../../src/index.js'
import { type HubServer, startHubServer } from '../../../servers/hub-server.js'
import { temporaryFolder } from '../../../temporary-folder.js'
import { writeSmallModel } from './small-model.js'

const REPOSITORY = 'maker/small'
const WEIGHTS = /^\/cdn\/.*\.onnx$/
const INFO = /^\/api\/models\/.*\/revision\//

let published: Awaited<ReturnType<typeof temporaryFolder>>
let hub: HubServer
let commit: string
beforeAll(async () => {
  published = await temporaryFolder()
  hub = await startHubServer()
  await writeSmallModel(join(published.path, 'small'))
  commit = await hub.publish(REPOSITORY, join(published.path, 'small'))
})
afterAll(async () => {
  await hub.close()
  await published.remove()
})

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let dataDir: string
beforeEach(async () => {
  folder = await temporaryFolder()
  dataDir = join(folder.path, 'data')
  hub.requests.length = 0
})
afterEach(async () => {
  hub.recover()
  vi.useRealTimers()
  vi.unstubAllEnvs()
  await folder.remove()
})

async function download(options: Partial<DownloadModelOptions> = {}): Promise<unknown> {
  return await downloadModel({ dataDir, name: REPOSITORY, endpoint: hub.url, ...options })
}

async function failureOf(options: Partial<DownloadModelOptions> = {}): Promise<ModelError> {
  const error: unknown = await download(options).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(Error)
  return error as ModelError
}

describe('a download that the hub refuses', () => {
  it.each([
    [401, {}, /refuses to show maker\/small \(401\): give a token in HF_TOKEN/],
    [
      401,
      { 'x-error-code': 'GatedRepo' },
      /have accepted its licence \(401\): accept it on http.*\/maker\/small with your account/,
    ],
    [403, {}, /have accepted its licence \(403\)/],
    [418, {}, /refuses the request for maker\/small \(418\)/],
  ])('says what to do for %i %o', async (status, headers, message) => {
    hub.fail({ path: INFO, status, headers })
    expect(await failureOf()).toMatchObject({
      code: 'ERR_MODEL_REFUSED',
      message: expect.stringMatching(message) as string,
    })
    expect(hub.requests).toHaveLength(1)
  })

  it('says that the token is wrong, and does not show it', async () => {
    hub.fail({ path: INFO, status: 401 })
    vi.stubEnv('HF_TOKEN', 'hf_very_secret')
    const { code, message } = await failureOf()
    expect([code, message]).toEqual([
      'ERR_MODEL_REFUSED',
      expect.stringMatching(/the token in HF_TOKEN is not valid/) as string,
    ])
    expect(message).not.toContain('secret')
    expect(hub.requests[0]?.authorization).toBe('Bearer hf_very_secret')
  })

  it('offers known names that are similar', async () => {
    for (const name of ['maker/multilingual-e5-tiny', 'multilingual-e5-tiny']) {
      const { code, message } = await failureOf({ name })
      expect(code).toBe(name.includes('/') ? 'ERR_MODEL_UNKNOWN' : 'ERR_INVALID_INPUT')
      expect(message).toMatch(/did you mean multilingual-e5-small, multilingual-e5-base, multilingual-e5-large\?/)
    }
    hub.fail({ path: INFO, status: 404 })
    expect(await failureOf()).toMatchObject({ code: 'ERR_MODEL_UNKNOWN' })
  })

  it('names a revision that is not there', async () => {
    expect(await failureOf({ revision: 'v9' })).toMatchObject({
      code: 'ERR_MODEL_UNKNOWN',
      message: expect.stringMatching(/maker\/small has no revision v9/) as string,
    })
  })

  it.each(['https://user:pass@hub.example', 'ftp://hub.example', 'hub.example', 'https://hub.example?a=1'])(
    'takes no endpoint such as %s',
    async (endpoint) => {
      expect(await failureOf({ endpoint })).toMatchObject({ code: 'ERR_INVALID_INPUT', field: 'endpoint' })
    },
  )
})

describe('a hub that is away', () => {
  it('is asked again after the time that it wishes', async () => {
    hub.fail({ path: INFO, times: 1, status: 429, headers: { 'retry-after': '1' } })
    await download()
    const [first, second] = hub.requests
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(1_000)
  })

  it('is not waited for if it wishes long, and the error has its wish', async () => {
    hub.fail({ path: INFO, status: 429, headers: { 'retry-after': '3600' } })
    expect(await failureOf()).toMatchObject({
      code: 'ERR_MODEL_UNAVAILABLE',
      retryAfterMs: 3_600_000,
      message: expect.stringMatching(
        /answers with 429: run the command again.* in 3600 s; a token in HF_TOKEN/,
      ) as string,
    })
    expect(hub.requests).toHaveLength(1)
  })

  it('is asked some times, then the error says that another run goes on', async () => {
    hub.fail({ path: WEIGHTS, status: 503 })
    expect(await failureOf()).toMatchObject({
      code: 'ERR_MODEL_UNAVAILABLE',
      message: expect.stringMatching(/answers with 503: run the command again, and the download goes on/) as string,
    })
    expect(hub.requests.filter(({ path }) => WEIGHTS.test(path))).toHaveLength(4)
    hub.recover()
    expect(await download()).toMatchObject({ isNew: true })
    // The small files were there.
    expect(hub.requests.filter(({ path }) => path.endsWith('tokenizer.json') && path.startsWith('/cdn/'))).toHaveLength(
      1,
    )
  })

  it('cuts each connection at once, and the error says so', async () => {
    hub.fail({ path: WEIGHTS, cutAfter: 10 })
    expect(await failureOf()).toMatchObject({
      code: 'ERR_MODEL_UNAVAILABLE',
      message: expect.stringMatching(/ended the download of onnx\/model_quantized\.onnx too early/) as string,
    })
  })

  it('takes the connection and never answers, and is given up after a minute for each try', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let requests = 0
    const fetch = async (): Promise<Response> => {
      requests += 1
      return await new Promise<Response>(() => undefined)
    }
    const failure = failureOf({ fetch })
    for (let tries = 1; tries <= 4; tries += 1) {
      await vi.waitUntil(async () => {
        await vi.advanceTimersByTimeAsync(1_000)
        return requests === tries
      })
      await vi.advanceTimersByTimeAsync(60_000)
    }
    expect(await failure).toMatchObject({
      code: 'ERR_MODEL_UNAVAILABLE',
      message: expect.stringMatching(/cannot be reached \(ETIMEDOUT\)/) as string,
    })
  })

  it('cannot be reached without a network, and the error says how to go without', async () => {
    expect(await failureOf({ endpoint: 'http://127.0.0.1:9' })).toMatchObject({
      code: 'ERR_MODEL_UNAVAILABLE',
      message: expect.stringMatching(/cannot be reached.*copy the files.*"alcove model add FOLDER"/) as string,
    })
    expect(await readdir(folder.path)).toEqual([])
  })
})

describe('a server that does not do as the hub does', () => {
  it('sends a file with a wrong hash, which is removed', async () => {
    hub.fail({ path: WEIGHTS, content: (content) => Buffer.from(content).fill(1, 5_000, 5_100) })
    expect(await failureOf()).toMatchObject({
      code: 'ERR_MODEL_CHANGED',
      message: expect.stringMatching(
        /onnx\/model_quantized\.onnx of maker\/small .* does not have the hash.*was removed/,
      ) as string,
    })
    const files = await readdir(join(dataDir, 'models'), { recursive: true })
    expect(files.filter((file) => file.endsWith('.onnx'))).toEqual([])
    expect(await listModels({ dataDir })).toHaveLength(1)
    hub.recover()
    expect(await download()).toMatchObject({ isNew: true })
  })

  it('sends a small file with a wrong hash', async () => {
    hub.fail({ path: /resolve\/.*config\.json$/, content: (content) => Buffer.alloc(content.length, ' ') })
    expect(await failureOf()).toMatchObject({ code: 'ERR_MODEL_CHANGED' })
  })

  it('sends more than it has listed', async () => {
    hub.fail({ path: WEIGHTS, content: (content) => Buffer.concat([content, content]) })
    expect(await failureOf()).toMatchObject({ code: 'ERR_MODEL_CHANGED' })
  })

  it('lists a size that no model has, and nothing is downloaded', async () => {
    const huge = (entries: unknown): unknown =>
      (entries as { path: string; lfs?: object }[]).map((entry) =>
        entry.path.endsWith('.onnx') ? { ...entry, lfs: { ...entry.lfs, size: 100e9 } } : entry,
      )
    hub.fail({ path: /\/tree\//, body: huge })
    expect(await failureOf()).toMatchObject({
      code: 'ERR_MODEL_UNSUPPORTED',
      message: expect.stringMatching(/has 100000 MB, and the engine takes at most 16000 MB/) as string,
    })
    expect(hub.requests.filter(({ path }) => path.includes('/resolve/'))).toEqual([])
  })

  it('lists more than the disk has room for, and nothing is downloaded', async () => {
    const large = (entries: unknown): unknown =>
      (entries as { path: string; lfs?: object }[]).flatMap((entry) =>
        entry.path.endsWith('.onnx')
          ? [
              { ...entry, lfs: { ...entry.lfs, size: 15.9e9 } },
              { ...entry, path: `${entry.path}_data`, lfs: { ...entry.lfs, size: 15.9e9 } },
            ]
          : entry,
      )
    hub.fail({ path: /\/tree\//, body: large })
    const error = await failureOf()
    // A large disk has the room: then the first file is not what the listing says.
    expect(['ERR_STORAGE_FULL', 'ERR_MODEL_UNAVAILABLE', 'ERR_MODEL_CHANGED']).toContain(error.code)
    expect(await listModels({ dataDir })).toHaveLength(1)
  })

  it('lists names of other places on the disk, which are left alone', async () => {
    const outside = (entries: unknown): unknown =>
      (entries as { path: string }[]).flatMap((entry) => [
        entry,
        { ...entry, path: `../../../${entry.path}` },
        { ...entry, path: `/tmp/${entry.path}` },
      ])
    hub.fail({ path: /\/tree\//, body: outside })
    await download()
    expect(await readdir(folder.path)).toEqual(['data'])
    expect(hub.requests.filter(({ path }) => path.includes('..') || path.includes('/tmp/'))).toEqual([])
  })

  it.each([
    ['a web page', INFO, () => '<html>Sign in</html>'],
    ['no commit', INFO, () => ({ _id: '1', id: 'maker/small' })],
    ['nothing', INFO, () => null],
    ['a web page in the place of the list', /\/tree\//, () => '<html></html>'],
    ['an error in the place of the list', /\/tree\//, () => ({ error: 'no' })],
    ['a list without an end', /\/tree\//, () => 'x'.repeat(51e6)],
  ])('answers with %s', async (_name, path, body) => {
    hub.fail({ path, body })
    expect(await failureOf()).toMatchObject({
      code: 'ERR_MODEL_UNSUPPORTED',
      message: expect.stringMatching(/does not answer as the Hugging Face hub does.*--endpoint, HF_ENDPOINT/) as string,
    })
    expect(hub.requests.filter((request) => path.test(request.path))).toHaveLength(1)
  })

  it.each([204, 205])('answers with %i, which has no body, in the place of a file', async (status) => {
    hub.fail({ path: WEIGHTS, status })
    expect(await failureOf()).toMatchObject({ code: 'ERR_MODEL_UNSUPPORTED' })
  })

  it('lists pages without an end', async () => {
    const next = `${hub.url}/api/models/${REPOSITORY}/tree/${commit}`
    hub.fail({ path: /\/tree\//, body: () => [], headers: { link: `<${next}>; rel="next"` } })
    expect(await failureOf()).toMatchObject({ code: 'ERR_MODEL_UNSUPPORTED' })
    expect(hub.requests).toHaveLength(201)
  })

  it('answers with another commit than the one that is asked for', async () => {
    hub.fail({ path: INFO, body: (info) => ({ ...(info as object), sha: 'a'.repeat(40) }) })
    expect(await failureOf({ revision: commit })).toMatchObject({
      code: 'ERR_MODEL_CHANGED',
      message: expect.stringMatching(
        new RegExp(`answers with commit a{40} of maker/small in the place of ${commit}: use another mirror`),
      ) as string,
    })
    expect(hub.requests).toHaveLength(1)
  })
})

describe('the environment', () => {
  it('names a mirror, and an option another one', async () => {
    vi.stubEnv('HF_ENDPOINT', `${hub.url}/`)
    await expect(downloadModel({ dataDir, name: REPOSITORY })).resolves.toMatchObject({ isNew: true })
    expect(await failureOf({ endpoint: 'http://127.0.0.1:9', id: 'other' })).toMatchObject({
      code: 'ERR_MODEL_UNAVAILABLE',
    })
  })

  it('names what is no mirror, and the error names the variable', async () => {
    vi.stubEnv('HF_ENDPOINT', 'hub.example')
    await expect(downloadModel({ dataDir, name: REPOSITORY })).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      field: 'HF_ENDPOINT',
    })
  })

  it.each(['user:secret@proxy.example:8080', 'proxy.example', 'socks5://:secret@proxy.example'])(
    'names the proxy %s, which is no URL of one, and the error names the variable alone',
    async (proxy) => {
      stubProxy('HTTPS_PROXY', proxy)
      const error = await failureOf()
      expect(error).toMatchObject({ code: 'ERR_INVALID_INPUT', field: 'HTTPS_PROXY' })
      expect(error.message).not.toContain('secret')
    },
  )

  it.each([
    ['HTTP_PROXY', 'http://hub.example'],
    ['HTTPS_PROXY', 'https://hub.example'],
  ])('names in %s a proxy that wants a password, and the error says so', async (variable, endpoint) => {
    const proxy = await startProxy({ status: 407 })
    stubProxy(variable, proxy.url)
    expect(await failureOf({ endpoint })).toMatchObject({
      code: 'ERR_MODEL_REFUSED',
      message: expect.stringMatching(
        new RegExp(
          `the proxy ${new URL(proxy.url).host} refuses the way to ${endpoint} \\(407\\): .* into ${variable}, as in`,
        ),
      ) as string,
    })
    await proxy.close()
  })

  it.each([
    ['HTTP_PROXY', 'http://hub.example'],
    ['HTTPS_PROXY', 'https://hub.example'],
    ['HTTP_PROXY', 'https://hub.example'],
  ])('names in %s a proxy that is down on the way to %s, and the error says which', async (variable, endpoint) => {
    const proxy = await startProxy()
    await proxy.close()
    const { host, port } = new URL(proxy.url)
    stubProxy(variable, `http://user:secret@localhost:${port}`)
    const error = await failureOf({ endpoint })
    expect(error).toMatchObject({
      code: 'ERR_MODEL_UNAVAILABLE',
      message: `the proxy localhost:${port} of ${variable} cannot be reached (ECONNREFUSED), so ${endpoint} cannot be reached: correct the variable or start the proxy, or name the host in NO_PROXY if it needs none, then run the command again`,
    })
    stubProxy(variable, `http://user:secret@${host}`)
    expect((await failureOf({ endpoint })).message).toContain(`the proxy ${host} of ${variable} cannot be reached`)
  })

  it('names a proxy without an address, or one that opens no way', async () => {
    stubProxy('HTTPS_PROXY', 'http://proxy.invalid:8080')
    expect((await failureOf({ endpoint: 'https://hub.example' })).message).toMatch(
      /^the proxy proxy\.invalid:8080 of HTTPS_PROXY cannot be reached \(E[A-Z_]+\), so https:\/\/hub\.example cannot be reached/,
    )
    const proxy = await startProxy({ status: 503 })
    stubProxy('HTTPS_PROXY', proxy.url)
    expect((await failureOf({ endpoint: 'https://hub.example' })).message).toMatch(
      new RegExp(`^the proxy ${new URL(proxy.url).host} of HTTPS_PROXY answers with 503, so https://hub.example`),
    )
    await proxy.close()
  })

  it('names a proxy that is not the reason, because NO_PROXY has the host of the hub', async () => {
    const away = await startProxy()
    await away.close()
    stubProxy('HTTP_PROXY', 'http://127.0.0.1:7')
    vi.stubEnv('NO_PROXY', '127.0.0.1')
    expect((await failureOf({ endpoint: away.url })).message).toMatch(
      new RegExp(`^${away.url} cannot be reached \\(ECONNREFUSED\\): without a network, `),
    )
  })

  const isProxyOfNode = process.allowedNodeEnvironmentFlags.has('--use-env-proxy')
  it.each(isProxyOfNode ? [''] : ['', '1'])('names a proxy, which gets the requests (%j)', async (useEnvProxy) => {
    const proxy = await startProxy()
    stubProxy('HTTP_PROXY', proxy.url)
    vi.stubEnv('NODE_USE_ENV_PROXY', useEnvProxy)
    await expect(download()).resolves.toMatchObject({ isNew: true })
    expect(proxy.targets).toContain(new URL(hub.url).host)
    await proxy.close()
  })

  it('has no package for the hub, and the error says how to get it', async () => {
    const hide = join(folder.path, 'hide.mjs')
    await writeFile(
      hide,
      `import { register } from 'node:module'
       const hooks = \`export async function resolve(name, context, next) {
         if (name === '@huggingface/hub') throw Object.assign(new Error('not installed'), { code: 'ERR_MODULE_NOT_FOUND' })
         return await next(name, context)
       }\`
       register('data:text/javascript,' + encodeURIComponent(hooks))`,
    )
    const local = join(import.meta.dirname, '../../../../dist/adapters/local/index.js')
    const program = `import(${JSON.stringify(local)})
      .then(({ downloadModel }) => downloadModel({ dataDir: ${JSON.stringify(dataDir)}, name: 'multilingual-e5-small' }))
      .catch(({ code, message }) => console.log(code + ': ' + message))`
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', hide, '--eval', program])
    expect(stdout).toMatch(/^ERR_UNSUPPORTED: .*run "npm install @huggingface\/hub"/)
  })
})

describe('a data folder', () => {
  it.each([0o500, 0o555])('with mode %i, that the process may not write, gets nothing', async (mode) => {
    await mkdir(dataDir)
    await chmod(folder.path, 0o755)
    await chmod(dataDir, mode)
    const error = await asNobody(async () => await failureOf())
    expect(error).toMatchObject({ code: 'ERR_DATA_DIR_UNUSABLE' })
    expect(hub.requests.filter(({ path }) => path.includes('/resolve/'))).toEqual([])
    await chmod(dataDir, 0o700)
  })
})

/** Root may write anywhere, so a test of permissions takes another user's. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return await work()
  process.seteuid?.(65_534)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
  }
}

/** Sets one variable, and empties the others of proxies. */
function stubProxy(variable: string, value: string): void {
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']) {
    vi.stubEnv(name, name === variable ? value : '')
    vi.stubEnv(name.toLowerCase(), '')
  }
}

/** A proxy that tunnels or forwards, as those of companies do. @param status an answer in the place of the way */
async function startProxy({
  status,
}: {
  readonly status?: number
} = {}): Promise<{ url: string; targets: readonly string[]; close: () => Promise<void> }> {
  const targets: string[] = []
  const server: Server = createServer((incoming, response) => {
    const url = new URL(incoming.url ?? '')
    targets.push(url.host)
    if (status !== undefined) {
      response.writeHead(status).end()
      return
    }
    const outgoing = request(url, { headers: incoming.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    incoming.pipe(outgoing.on('error', () => response.destroy()))
  })
  server.on('connect', ({ url: target = '' }, client, head) => {
    targets.push(target)
    if (status !== undefined) {
      client.end(`HTTP/1.1 ${status} No\r\n\r\n`)
      return
    }
    const { hostname, port } = new URL(`http://${target}`)
    const tunnel = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      tunnel.write(head)
      tunnel.pipe(client).pipe(tunnel)
    })
    tunnel.on('error', () => client.destroy())
    client.on('error', () => tunnel.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    targets,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
