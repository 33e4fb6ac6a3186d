import { readFile } from 'node:fs/promises'
import { json, page } from '../answers.js'
import { docsPage, docsScript } from '../pages/docs-page.js'
import { publicRoute, type Route } from '../route.js'
import { healthSchema } from '../schemas.js'

/** The library that shows the description, copied beside this code by the build. */
const ASSETS = new URL('../assets/', import.meta.url)
const DOCS_POLICY =
  "script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'"

const HEALTH = {
  200: { description: 'All ports are well', schema: healthSchema },
  503: { description: 'Some port is not', schema: healthSchema },
}

/** State and description of the service (interfaces, REST). */
export const SYSTEM_ROUTES: readonly Route[] = [
  ...['/health', '/ready'].map((path) =>
    publicRoute({
      api: 'system',
      method: 'GET',
      path,
      operationId: path === '/health' ? 'getHealth' : 'getReadiness',
      summary: 'State of the service and of each port',
      answers: HEALTH,
      handle: async ({ engine }) => {
        const health = await engine.health()
        return json(health, health.status === 'ok' ? 200 : 503)
      },
    }),
  ),
  publicRoute({
    api: 'system',
    method: 'GET',
    path: '/openapi.json',
    operationId: 'getDescription',
    summary: 'This description',
    answers: { 200: { description: 'An OpenAPI 3.1 document', contentType: 'application/json' } },
    handle: ({ describe }) => json(describe()),
  }),
  publicRoute({
    api: 'system',
    method: 'GET',
    path: '/docs',
    operationId: 'showDescription',
    summary: 'A page that shows this description',
    answers: { 200: { description: 'The page', contentType: 'text/html' } },
    handle: ({ basePath }) => page(docsPage(basePath), DOCS_POLICY),
  }),
  asset('swagger-ui-bundle.js', 'text/javascript', 'showDescriptionScript'),
  asset('swagger-ui.css', 'text/css', 'showDescriptionStyle'),
  publicRoute({
    api: 'system',
    method: 'GET',
    path: '/docs/start.js',
    operationId: 'startDescription',
    isHidden: true,
    summary: 'Script of the page that shows this description',
    answers: { 200: { description: 'The script', contentType: 'text/javascript' } },
    handle: ({ basePath }) =>
      new Response(docsScript(basePath), { headers: { 'content-type': 'text/javascript; charset=utf-8' } }),
  }),
]

function asset(name: string, contentType: string, operationId: string): Route {
  return publicRoute({
    api: 'system',
    method: 'GET',
    path: `/docs/${name}`,
    operationId,
    isHidden: true,
    summary: 'Part of the page that shows this description',
    answers: { 200: { description: 'The file', contentType } },
    handle: async () =>
      new Response(new Uint8Array(await readFile(new URL(name, ASSETS))), {
        headers: { 'content-type': `${contentType}; charset=utf-8`, 'cache-control': 'public, max-age=3600' },
      }),
  })
}
