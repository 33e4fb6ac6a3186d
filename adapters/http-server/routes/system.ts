import { readFile } from 'node:fs/promises'
import { json, page, staticAnswer } from '../answers.js'
import { publicRoute, type Route } from '../route.js'
import { healthSchema } from '../schemas/problems.js'

/** The folder with the library that shows the description. The build copies it there. */
const ASSETS = new URL('../assets/', import.meta.url)
const DOCS_POLICY =
  "script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'"

const HEALTH = {
  200: { description: 'All ports work', schema: healthSchema },
  503: { description: 'A port does not work', schema: healthSchema },
}

/** The state and the description of the service. */
export const SYSTEM_ROUTES: readonly Route[] = [
  ...['/health', '/ready'].map((path) =>
    publicRoute({
      api: 'system',
      method: 'GET',
      path,
      operationId: path === '/health' ? 'getHealth' : 'getReadiness',
      summary: 'Get the state of the service and of each port',
      answers: HEALTH,
      handle: async ({ health: checkHealth }) => {
        const health = await checkHealth()
        return json(health, health.status === 'ok' ? 200 : 503)
      },
    }),
  ),
  publicRoute({
    api: 'system',
    method: 'GET',
    path: '/openapi.json',
    operationId: 'getDescription',
    summary: 'Get this description',
    answers: { 200: { description: 'An OpenAPI 3.1 document', contentType: 'application/json' } },
    handle: ({ describe }) => staticAnswer(describe(), 'application/json', 300),
  }),
  publicRoute({
    api: 'system',
    method: 'GET',
    path: '/docs',
    operationId: 'showDescription',
    summary: 'Show this description as a page',
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
  let bytes: Promise<Uint8Array> | undefined
  const read = async (): Promise<Uint8Array> => {
    try {
      return await readFile(new URL(name, ASSETS))
    } catch (error) {
      bytes = undefined
      throw error
    }
  }
  return publicRoute({
    api: 'system',
    method: 'GET',
    path: `/docs/${name}`,
    operationId,
    isHidden: true,
    summary: 'Part of the page that shows this description',
    answers: { 200: { description: 'The file', contentType } },
    handle: async () => {
      bytes ??= read()
      return staticAnswer(await bytes, `${contentType}; charset=utf-8`, 3_600)
    },
  })
}

/** The page that shows the description. It loads everything from this server. */
function docsPage(basePath: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Alcove API</title>
<link rel="stylesheet" href="${basePath}/docs/swagger-ui.css">
<link rel="icon" href="data:,">
</head>
<body>
<div id="description"></div>
<script src="${basePath}/docs/swagger-ui-bundle.js"></script>
<script src="${basePath}/docs/start.js"></script>
</body>
</html>
`
}

function docsScript(basePath: string): string {
  return `SwaggerUIBundle(${JSON.stringify({ url: `${basePath}/openapi.json`, dom_id: '#description', validatorUrl: null })})\n`
}
