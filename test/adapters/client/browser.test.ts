import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

const MOST_GZIP_BYTES = 10_240

describe('the client in a bundle for browsers', () => {
  it('needs no module of Node, and stays small', async () => {
    const { outputFiles, metafile } = await build({
      entryPoints: ['adapters/client/index.ts'],
      bundle: true,
      minify: true,
      format: 'iife',
      globalName: 'client',
      platform: 'browser',
      target: 'es2022',
      write: false,
      metafile: true,
    })
    const sources = Object.keys(metafile.inputs)
    const packages = new Set(sources.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []))
    expect([...packages].sort()).toEqual(['eventsource-parser', 'openapi-fetch'])
    expect(sources.filter((path) => !/^(adapters\/client|node_modules)\//.test(path))).toEqual([])
    const code = outputFiles[0]?.text ?? ''
    expect(gzipSync(code).byteLength).toBeLessThan(MOST_GZIP_BYTES)

    // A page has these, and nothing of Node.
    const {
      fetch: _real,
      Request,
      Response,
      Headers,
      URL,
      URLSearchParams,
      AbortController,
      TransformStream,
    } = globalThis
    const fetch = async (): Promise<Response> => Response.json([{ id: 7 }])
    const page = { fetch, Request, Response, Headers, URL, URLSearchParams, AbortController, TransformStream }
    const answer: unknown = await runInNewContext(
      `${code}; client.createAlcoveClient({ baseUrl: 'https://example.com', access: { cookies: true } }).GET('/context')`,
      { ...page, setTimeout, clearTimeout },
    )
    expect(answer).toMatchObject({ data: [{ id: 7 }] })
  })
})
